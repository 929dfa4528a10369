"""Cursors and ETags."""

from __future__ import annotations

import contextlib

import pytest
from fastapi import FastAPI, Request, Response
from hypothesis import given
from hypothesis import strategies as st
from tests.http.conftest import client_of

from augury.errors import InvalidInput
from augury.http import conditional, pages

Position = tuple[float | None, int]


@given(st.none() | st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 2**62))
def test_a_cursor_comes_back_as_it_went(sort: float | None, seq: int) -> None:
    cursor = pages.encode((sort, seq))
    assert cursor.isascii()
    assert not set(cursor) & set("=+/&?")
    assert pages.decode(cursor, Position) == (sort, seq)


@given(st.text(max_size=60))
def test_any_other_text_is_422(text: str) -> None:
    # Chance may hit on a real one; whatever else happens, nothing but InvalidInput is raised.
    with contextlib.suppress(InvalidInput):
        assert isinstance(pages.decode(text, Position), tuple)


@pytest.mark.parametrize("cursor", ["", "=", "é", "bm9wZQ", pages.encode(("a", 1)), "W10"])
def test_cursors_of_other_lists(cursor: str) -> None:
    with pytest.raises(InvalidInput, match="does not belong to this list") as refused:
        pages.decode(cursor, Position)
    (issue,) = refused.value.detail
    assert isinstance(issue, dict)
    assert (issue["loc"], issue["type"]) == (["query", "cursor"], "cursor_invalid")


@pytest.mark.anyio
async def test_etags() -> None:
    app = FastAPI(openapi_url=None)
    state = {"body": b'{"a":1}'}

    @app.get("/thing")
    async def thing(request: Request) -> Response:
        return conditional.tagged(request, state["body"])

    async with client_of(app) as client:
        first = await client.get("/thing")
        tag = first.headers["etag"]
        assert first.json() == {"a": 1}
        assert tag.startswith('W/"')
        for sent in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
            same = await client.get("/thing", headers={"if-none-match": sent})
            assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
        for sent in ('"other"', "", tag[:-2]):
            assert (await client.get("/thing", headers={"if-none-match": sent})).status_code == 200
        state["body"] = b'{"a":2}'
        changed = await client.get("/thing", headers={"if-none-match": tag})
        assert changed.status_code == 200
