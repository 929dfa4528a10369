"""Caches the factor base (which factor drives which) in one compact file. It is read ten times as
fast as the texts (TOML and TSV) that people wrote.

The file's name contains a hash of the texts and of the code that reads them, so that a file made
from other texts or by other code is never used.
"""

from __future__ import annotations

import hashlib
import zlib
from functools import partial
from pathlib import Path

import msgspec
import structlog

from augury.relations.causal import knowledge, parts
from augury.relations.causal.knowledge import Base
from augury.search import aliases, text

log = structlog.get_logger(__name__)

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Base)


def load(folder: Path) -> Base:
    """The factor base (which factor drives which) shipped with this version. It is read once for
    each process, from a compact file in `folder`.

    If the file is missing or damaged, the texts of the factor base are read instead, and the file
    is written again. If it can't be written, the next start reads the texts again.
    """
    return knowledge.load(partial(_loaded, folder))


def _loaded(folder: Path) -> Base:
    texts = knowledge.texts()
    file = folder / f"causal-base-{_digest(texts)}.bin"
    base = _read(file)
    if base is None:
        base = knowledge.parse(texts)
        _write(file, base)
    return base


def _digest(texts: dict[str, str]) -> str:
    digest = hashlib.sha256(repr(sorted(texts.items())).encode())
    for module in (parts, knowledge, text, aliases):
        digest.update(Path(str(module.__file__)).read_bytes())
    return digest.hexdigest()[:16]


def _read(file: Path) -> Base | None:
    try:
        content = file.read_bytes()
        if zlib.crc32(content[4:]) == int.from_bytes(content[:4], "little"):
            return _decoder.decode(memoryview(content)[4:])
    except (OSError, msgspec.MsgspecError):
        pass
    return None


def _write(file: Path, base: Base) -> None:
    content = _encoder.encode(base)
    draft = file.with_suffix(".new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        for other in file.parent.glob("causal-base-*"):
            other.unlink(missing_ok=True)
        draft.write_bytes(zlib.crc32(content).to_bytes(4, "little") + content)
        draft.replace(file)
    except OSError as error:
        log.info(
            "factor_base_cache_not_saved",
            file=str(file),
            reason=error.strerror,
            effect="the next start takes longer, because it reads the factor base's texts again",
        )
