"""JSON with one reading only."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augury.errors import InvalidInput
from augury.http import strictjson

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**15), 10**15)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@pytest.mark.heavy
@given(VALUES, st.booleans())
def test_what_json_writes_is_read_back(value: object, ascii_only: bool) -> None:
    assert strictjson.loads(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


@pytest.mark.parametrize(
    ("body", "msg"),
    [
        (b"\xff", "not valid UTF-8"),
        (b'"\xed\xa0\x80"', "not valid UTF-8"),
        (b"\xef\xbb\xbf{}", "not valid JSON"),
        ('{"a":1}'.encode("utf-16"), "not valid UTF-8"),
        (b"{", "not valid JSON"),
        (b"{} {}", "not valid JSON"),
        (b"{'a':1}", "not valid JSON"),
        (b'"\x00"', "not valid JSON"),
        (b'"\\u0000"', "NUL"),
        (b'{"\\u0000":1}', "NUL"),
        (b'["\\ud83d"]', "surrogate"),
        (b'{"a":{"\\udc00":1}}', "surrogate"),
        (b"NaN", "NaN and Infinity"),
        (b'{"a":-Infinity}', "NaN and Infinity"),
        (b"[1e400]", "out of range"),
        (b"-1e400", "out of range"),
        (b"1" * 5000, "out of range"),
        (b'{"a":1,"a":1}', "same key twice"),
        (b'{"a":1,"\\u0061":2}', "same key twice"),
        (b"[" * 10_000, "deeper than 64|not valid JSON"),
        (b"[" * 10_000 + b"]" * 10_000, "deeper than 64"),
        (b'{"a":' * 65 + b"1" + b"}" * 65, "deeper than 64"),
    ],
)
def test_what_could_be_read_two_ways_is_refused(body: bytes, msg: str) -> None:
    with pytest.raises(InvalidInput, match=msg) as refused:
        strictjson.loads(body)
    (issue,) = refused.value.detail
    assert isinstance(issue, dict)
    assert set(issue) == {"loc", "msg", "type"}
    assert issue["type"] == "json_invalid"


def test_64_levels_and_pairs_of_surrogates_are_fine() -> None:
    assert strictjson.loads(b"[" * 64 + b"]" * 64)
    assert strictjson.loads(b'"\\ud83d\\ude00"') == "\U0001f600"
