"""Finds the credential with which Augury calls the macro runtime (another HTTP service of the
operator) in that service's answers, plain or encoded, so that no caller gets to see it."""

from __future__ import annotations

import base64
import re
from functools import cached_property

_ESCAPED = re.compile(
    rb"%([0-9a-f]{2})|\\u00([0-9a-f]{2})|\\x([0-9a-f]{2})|&#x0{0,4}([0-9a-f]{2});"
    rb"|&#0{0,4}([0-9]{2,3});|\\(/)",
    re.IGNORECASE,
)
"""Matches one ASCII character that is escaped as in URLs, JSON, program text or HTML. With such
escapes undone, Augury's credential is found in an upstream answer even if it is escaped."""


def _character(found: re.Match[bytes]) -> bytes:
    *hexadecimal, decimal, slash = found.groups()
    if slash:
        return slash
    code = int(decimal) if decimal else int(next(filter(None, hexadecimal)), 16)
    return bytes([code]) if code < 128 else found[0]


class Credential:
    """The secret that Augury sends to the upstream service (the macro runtime) with each request;
    empty if the operator has set none."""

    def __init__(self, secret: str) -> None:
        self.secret = secret

    def is_in(self, content: bytes) -> bool:
        """Whether the upstream service's answer contains the credential that Augury sends to it,
        plain or encoded. False if the secret is empty."""
        if not self.secret:
            return False
        plain = _ESCAPED.sub(_character, content)
        found = plain.lower()
        return any(form in plain or form.lower() in found for form in self._forms)

    @cached_property
    def _forms(self) -> list[bytes]:
        secret = self.secret.encode()
        forms = {_ESCAPED.sub(_character, secret), secret[::-1], secret.hex().encode()}
        forms |= {secret.decode().encode("utf-16-le"), secret.decode().encode("utf-16-be")}
        for lead in range(3):  # base64 of a longer text that contains it, at any position
            middle = base64.b64encode(b"\0" * lead + secret)
            middle = middle[(0, 2, 3)[lead] :].rstrip(b"=")
            whole = middle if (lead + len(secret)) % 3 == 0 else middle[:-1]
            forms |= {whole, whole.replace(b"+", b"-").replace(b"/", b"_")}
        return [form for form in forms if len(form) >= 8 or form == secret]
