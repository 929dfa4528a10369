"""The service's credential comes back in no encoding (row 13)."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from augury.macro.credential import Credential

KEY = "upstream+credential/0123456789="


@pytest.mark.parametrize("before", ["", "a", "ab", "user:", "Bearer "])
@pytest.mark.parametrize("after", ["", "x", "xy", "\n"])
def test_an_answer_that_repeats_it_is_seen(before: str, after: str) -> None:
    credential = Credential(KEY)
    text = f"{before}{KEY}{after}"
    raw = text.encode()
    for form in (
        raw,
        raw[::-1],
        base64.b64encode(raw),
        base64.urlsafe_b64encode(raw),
        raw.hex().encode(),
        raw.hex().upper().encode(),
        quote(text, safe="").encode(),
        "".join(f"%{byte:02x}" for byte in raw).encode(),
        "".join(f"&#{byte};" for byte in raw).encode(),
        "".join(f"\\u{byte:04x}" for byte in raw).encode(),
        json.dumps(text).encode(),
        text.encode("utf-16-le"),
        raw.replace(b"s", b"%73"),
        raw.replace(b"r", b"&#x72;").replace(b"/", b"\\/"),
        raw.replace(b"t", b"\\u0074"),
        base64.b64encode(raw).replace(b"V", b"\\u0056").replace(b"/", b"\\/"),
    ):
        assert credential.is_in(b'{"echo": "' + form + b'"}'), form
    assert not credential.is_in(b'{"echo": "upstream", "n": 0.0123456789}')
