"""Encrypts users' secrets in the database, so that a copy of the database alone reveals nothing.

The cipher is AES-256-GCM, with one key for the whole installation. Each secret is bound to the row
that it belongs to. The key is `AUGURY_SECRET_KEY`, or a file in the data folder that only its owner
may read.
"""

from __future__ import annotations

import base64
import binascii
import os
from pathlib import Path
from typing import TYPE_CHECKING

from augury.errors import SetupProblem
from augury.settings import Settings

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_FILE = "secret.key"
_NONCE = 12


class CantOpen(Exception):
    """Raised when a secret can't be decrypted: it was encrypted with another key or for another
    row, or is damaged."""


class Vault:
    """Encrypts (seals) and decrypts (opens) secrets. The key is read, or made, at the first use."""

    def __init__(self, settings: Settings) -> None:
        self._given = settings.secret_key
        self._file = Path(settings.data_dir) / KEY_FILE
        self._cipher: AESGCM | None = None

    def seal(self, secret: bytes, owner: str) -> bytes:
        """Encrypt `secret` for `owner`, the id of the row that it belongs to. It can be decrypted
        only for the same `owner`."""
        nonce = os.urandom(_NONCE)
        return nonce + self._key().encrypt(nonce, secret, owner.encode())

    def open(self, sealed: bytes, owner: str) -> bytes:
        """Decrypt a secret that `seal` encrypted for `owner`, the id of the secret's row.

        Raises
        ------
        CantOpen
            The secret was encrypted with another key or for another owner, or is damaged.
        """
        from cryptography.exceptions import InvalidTag

        try:
            return self._key().decrypt(sealed[:_NONCE], sealed[_NONCE:], owner.encode())
        except (InvalidTag, ValueError):
            raise CantOpen from None

    def _key(self) -> AESGCM:
        if self._cipher is None:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM

            if self._given is not None:
                key = _decoded(self._given.get_secret_value())
            else:
                key = _kept(self._file)
            self._cipher = AESGCM(key)
        return self._cipher


def _decoded(text: str) -> bytes:
    try:
        key = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != 32:
        raise SetupProblem(
            "AUGURY_SECRET_KEY should be 32 random bytes as base64 (openssl rand -base64 32)."
        )
    return key


def _kept(file: Path) -> bytes:
    """The 32 bytes of the key in `file`; if there is no such file, it is made. Of several processes
    that start together, only one makes it."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        made = file.with_suffix(f".{os.getpid()}")
        descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(os.urandom(32))
            stream.flush()
            os.fsync(stream.fileno())
        try:
            os.link(made, file)
        except FileExistsError:
            pass
        finally:
            made.unlink()
    key = file.read_bytes()
    if len(key) != 32:
        raise SetupProblem(f"{file} is damaged: it should hold 32 bytes. Restore it from a backup.")
    return key
