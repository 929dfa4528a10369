"""The service's credential comes back in no encoding (row 13)."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from urllib.parse import quote

import pytest
from pydantic import SecretStr

from augury.macro.service import MacroRuntime
from augury.settings import Settings

KEY = "upstream+credential/0123456789="


@pytest.mark.parametrize("before", ["", "a", "ab", "user:", "Bearer "])
@pytest.mark.parametrize("after", ["", "x", "xy", "\n"])
def test_an_answer_that_repeats_it_is_seen(before: str, after: str, tmp_path: Path) -> None:
    runtime = MacroRuntime(Settings(data_dir=tmp_path, macro_runtime_key=SecretStr(KEY)))
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
        assert runtime._repeats(b'{"echo": "' + form + b'"}'), form
    assert not runtime._repeats(b'{"echo": "upstream", "n": 0.0123456789}')
