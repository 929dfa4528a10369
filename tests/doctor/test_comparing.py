"""What a client would notice between two services with one contract."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from augury.doctor import comparing
from augury.doctor.shapes import differences, has_uuids

MARKET = {"id": "kalshi:A", "score": 1.5, "platform_url": None, "current_prices": {"Yes": 0.4}}
UUID = "0b0e5f3c-7c55-5d0b-9d0a-1d3a0f7f3c11"


def test_fields_and_types_that_differ_are_named_by_their_paths() -> None:
    there = {"id": 7, "results": [MARKET | {"rank": 1}], "at": "2026-01-01", "gone": None}
    here = {"id": "7", "results": [MARKET | {"age": 3}], "at": "2026-01-01", "total": 1}
    found = differences(there, here)
    assert found.missing == ["gone", "results[].rank"]
    assert found.extra == ["results[].age", "total"]
    assert found.types == ["id: number there, string here"]
    assert found.breaking


@pytest.mark.parametrize(
    ("there", "here"),
    [
        ({"rows": [MARKET]}, {"rows": []}),  # nothing to compare with
        ({"graph": None}, {"graph": {"nodes": []}}),
        ({"a": 1}, {"a": 1.5}),  # JSON has one kind of number
        ({"current_prices": {"Yes": 1}}, {"current_prices": {"No": 0.5}}),  # names are data
        ({"a": None}, {"a": "x"}),
    ],
)
def test_what_can_t_be_told_from_two_answers_is_no_difference(there: Any, here: Any) -> None:
    assert not differences(there, here).breaking


def test_ids_are_uuids_where_all_are() -> None:
    assert has_uuids({"results": {"direct": [{"id": UUID}]}})
    assert not has_uuids({"results": {"direct": [{"id": UUID}, {"id": "kalshi:A"}]}})
    assert not has_uuids({"results": {}})


def service(**answers: tuple[int, Any]) -> httpx2.AsyncClient:
    """A service that answers search and forecast as given, and all else with 404."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        name = request.url.path.rpartition("/")[2]
        if b'""' in request.content:
            return httpx2.Response(422, json={"detail": answers.get("wrong", (422, "x"))[1]})
        status, body = answers.get(name, (404, {"detail": "Not found."}))
        return httpx2.Response(status, json=body)

    return httpx2.AsyncClient(transport=httpx2.MockTransport(answer), base_url="http://x")


@pytest.mark.anyio
async def test_every_difference_comes_with_what_to_do() -> None:
    issues = [{"loc": ["body"], "msg": "m", "type": "t"}]
    there = service(
        search=(200, {"results": {"direct": [MARKET | {"id": UUID}]}}),
        forecast=(200, {"probability": 0.4, "extra": 1}),
        latest=(200, []),
        models=(403, {"detail": "no"}),
    )
    here = service(
        search=(200, {"results": {"direct": [MARKET]}}),
        forecast=(200, {"probability": 0.4}),
        latest=(403, {"detail": "no"}),
        models=(200, []),
        wrong=(422, issues),
    )
    async with there, here:
        made, advice = await comparing.compare(there, here)
    by_name = {one.request: one for one in made}
    assert by_name["POST /v1/search"].fits
    assert not by_name["POST /v1/forecast"].fits
    assert by_name["POST /v1/forecast"].found == ((["extra"]), [], [])
    assert not by_name["GET /v1/rvol/latest?asset=BTC"].fits
    assert by_name["GET /v1/rvol/models"].fits  # what can't be read there is nobody's loss
    told = "\n".join(advice)
    assert "AUGURY_MARKET_IDS=uuid" in told
    assert "rvol:read, and: augury accounts approve-rvol" in told
    assert "AUGURY_OTHER_API_KEY" in told
    assert "Prefer: detail=string" in told
