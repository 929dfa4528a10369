"""Caches what is read from texts that people wrote (TOML, TSV) in compact files, which are read
several times as fast as the texts.

Like Python's own compiled modules, the files are kept where Python keeps those of this package, or
else in a folder that the caller names. A file's name contains a hash of the texts and of the code
that reads them, so that a file made from other texts, by other code or by another Python is never
used.
"""

from __future__ import annotations

import hashlib
import os
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping
from importlib.util import cache_from_source
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import msgspec
import structlog

log = structlog.get_logger(__name__)

T = TypeVar("T")


def load(
    name: str,
    kind: type[T],
    texts: Mapping[str, str],
    parse: Callable[[Mapping[str, str]], T],
    code: Iterable[ModuleType],
    folder: Path | None = None,
) -> T:
    """The result of `parse(texts)`. If it was computed before from the same texts by the same code,
    it is read from a compact file.

    If the file is missing or damaged, the texts are parsed, and the file is written again. If it
    can't be written, the next process parses the texts again.

    Parameters
    ----------
    name : beginning of the file's name
    kind : type of the result; msgspec must be able to write and read it
    texts : file name -> content
    code : the modules on which the result depends, `parse` included
    folder : where the file is kept if the folder of Python's compiled modules can't be written
    """
    try:
        file = f"{name}-{_digest(texts, code)}.bin"
    except OSError:  # an installation without sources
        return parse(texts)
    folders = [Path(cache_from_source(__file__)).parent]
    if folder is not None:
        folders.append(folder)
    decoder = msgspec.msgpack.Decoder(kind)
    for place in folders:
        if (found := _read(place / file, decoder)) is not None:
            return found
    made = parse(texts)
    content = msgspec.msgpack.encode(made)
    # A process told to write no compiled modules writes none here either.
    writable = folders[1:] if sys.dont_write_bytecode else folders
    problems: list[str] = []
    for place in writable:
        try:
            _write(place, name, file, content)
            break
        except OSError as error:
            problems.append(f"{place}: {error.strerror}")
    else:
        if problems:
            log.info(
                "compiled_texts_not_saved",
                file=file,
                reason="; ".join(problems),
                effect="the next start takes seconds longer, because it reads the texts again",
            )
    return made


def _digest(texts: Mapping[str, str], code: Iterable[ModuleType]) -> str:
    about = sys.implementation.cache_tag, msgspec.__version__, sorted(texts.items())
    digest = hashlib.sha256(repr(about).encode())
    for module in (sys.modules[__name__], *code):
        digest.update(Path(str(module.__file__)).read_bytes())
    return digest.hexdigest()[:16]


def _read(file: Path, decoder: msgspec.msgpack.Decoder[T]) -> T | None:
    try:
        content = file.read_bytes()
        if zlib.crc32(content[4:]) == int.from_bytes(content[:4], "little"):
            return decoder.decode(memoryview(content)[4:])
    except (OSError, msgspec.MsgspecError):
        pass
    return None


def _write(folder: Path, name: str, file: str, content: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for other in folder.glob(f"{name}-*.bin*"):
        other.unlink(missing_ok=True)
    draft = folder / f"{file}.{os.getpid()}"
    try:
        draft.write_bytes(zlib.crc32(content).to_bytes(4, "little") + content)
        draft.replace(folder / file)
    finally:
        draft.unlink(missing_ok=True)
