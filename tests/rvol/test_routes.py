"""The volatility routes as a caller sees them."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import polars as pl
import pytest
from tests.conftest import PostgresServer
from tests.rvol.conftest import Clock
from tests.rvol.filled_store import filled

from augury.rvol import schemas
from augury.rvol.service import RvolService
from augury.settings import Settings
from augury.storage.database import Database

pytestmark = pytest.mark.anyio

Client = httpx2.AsyncClient
ROUTES = {
    "models": schemas.RvolModelRow,
    "assets": schemas.RvolAssetRow,
    "latest": schemas.RvolForecastRow,
    "history": schemas.RvolForecastRow,
    "actuals": schemas.RvolActualRow,
    "features/latest": schemas.RvolFeatureRow,
    "scorecard": schemas.RvolScoreRow,
}


@pytest.fixture
async def database_url(
    postgres: PostgresServer, rvol_settings: Settings, clock: Clock
) -> AsyncIterator[str]:
    """URL of a fresh database with what is known and published of two assets."""

    async def fill(database: Database) -> None:
        service = RvolService(database, rvol_settings, clock=clock)
        await filled(service, "AAA", "BBB")
        await service.refresh()

    name = postgres.create(await postgres.filled("rvol", fill))
    yield postgres.url(name)
    postgres.used.append(name)


async def rows(client: Client, path: str, **params: Any) -> list[dict[str, Any]]:
    answer = await client.get(f"/v1/rvol/{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("path", ROUTES)
async def test_rows_have_the_promised_shape(client: Client, path: str) -> None:
    found = await rows(client, path)
    assert found
    for row in found:
        ROUTES[path].model_validate(row)


async def test_a_forecast_row_says_everything(client: Client) -> None:
    [row] = await rows(client, "latest", asset="AAA", horizon="7d")
    assert row["as_of"] == row["target_start_at"] == "2026-11-20T00:00:00Z"
    assert row["target_end_at"] == "2026-11-27T00:00:00Z"
    p = row["prediction"]
    assert row["prediction_value"] == p["forecast_variance"]
    assert p["forecast_volatility"] == p["forecast_variance"] ** 0.5
    assert p["unit"] == "log_return_variance_over_horizon"
    assert p["annualized_volatility"] == pytest.approx((p["forecast_variance"] * 365 / 7) ** 0.5)
    b = p["bands"]
    assert (
        b["95"]["lower"] < b["90"]["lower"] < b["80"]["lower"] < p["forecast_variance"]
        < b["80"]["upper"] < b["90"]["upper"] < b["95"]["upper"]
    )  # fmt: skip
    assert row["model_id"] == "blend"


async def test_latest_is_the_champion_s_unless_a_model_is_named(client: Client) -> None:
    assert {r["model_id"] for r in await rows(client, "latest")} == {"blend"}
    assert len(await rows(client, "latest")) == 4
    for model in ("har", "log-har", "ewma", "champion", "latest", "stable"):
        found = await rows(client, "latest", model=model, asset="BBB")
        assert {r["horizon"] for r in found} == {"1d", "7d"}
    [listed] = await rows(client, "models", model_id="har")
    found = await rows(client, "latest", model="har", model_version=listed["model_version"])
    assert len(found) == 4


async def test_history_is_paged_without_gaps_or_repeats(client: Client) -> None:
    whole = await rows(client, "history")
    assert len(whole) == 3 * 2 * 2
    assert whole == sorted(
        whole, key=lambda r: (-int(r["as_of"][8:10]), r["asset"], int(r["horizon"][:-1]))
    )
    seen, path = [], "/v1/rvol/history?limit=5"
    while path:
        answer = await client.get(path)
        seen += answer.json()
        path = answer.links["next"]["url"] if "next" in answer.links else ""
    assert seen == whole


@pytest.mark.parametrize("path", ["latest", "actuals", "features/latest"])
async def test_other_lists_have_pages_too(client: Client, path: str) -> None:
    whole = await rows(client, path)
    answer = await client.get(f"/v1/rvol/{path}", params={"limit": 3})
    following = await client.get(answer.links["next"]["url"])
    assert answer.json() + following.json() == whole[:6]


async def test_windows_are_inclusive_and_a_day_is_a_whole_day(client: Client) -> None:
    found = await rows(client, "history", start="2026-11-19", end="2026-11-19", asset="AAA")
    assert {r["as_of"] for r in found} == {"2026-11-19T00:00:00Z"}
    found = await rows(client, "actuals", end="2026-11-10T00:00:00Z", horizon="1d", asset="AAA")
    assert found[0]["as_of"] == "2026-11-10T00:00:00Z"
    assert found[0]["actual_value"] == found[0]["actual"]["realized_variance"]
    assert found[0]["status"] == "final"


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("path", ROUTES)
async def test_the_same_rows_come_as_files(client: Client, path: str, form: str) -> None:
    answer = await client.get(f"/v1/rvol/{path}", params={"format": form})
    assert answer.status_code == 200
    frame = (pl.read_csv if form == "csv" else pl.read_parquet)(io.BytesIO(answer.content))
    assert len(frame) == len(await rows(client, path))
    if path == "history":
        whole = await rows(client, path)
        assert frame["forecast_variance"].to_list() == [r["prediction_value"] for r in whole]
        assert frame["horizon"].to_list() == [r["horizon"] for r in whole]
        assert set(frame.columns) >= {"forecast_volatility", "lower_80", "upper_95", "issued"}


@pytest.mark.parametrize("path", ["history", "latest", "actuals"])
async def test_files_have_pages_too(client: Client, path: str) -> None:
    whole = await client.get(f"/v1/rvol/{path}", params={"format": "csv", "limit": 6})
    answer = await client.get(f"/v1/rvol/{path}", params={"format": "csv", "limit": 2})
    lines = answer.text.splitlines()
    while len(lines) < 7 and "next" in answer.links:
        answer = await client.get(answer.links["next"]["url"])
        lines += answer.text.splitlines()[1:]
    assert lines[:7] == whole.text.splitlines()


async def test_accept_asks_for_a_file_too(client: Client) -> None:
    answer = await client.get("/v1/rvol/latest", headers={"Accept": "text/csv"})
    assert answer.headers["content-type"].startswith("text/csv")
    empty = await client.get("/v1/rvol/history?format=csv&end=1999-01-01")
    assert empty.status_code == 200
    assert empty.text.startswith("model_id,")


async def test_an_answer_the_caller_has_is_not_sent_again(
    client: Client, service: RvolService
) -> None:
    first = await client.get("/v1/rvol/latest")
    again = await client.get("/v1/rvol/latest", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304
    await filled(service, "CCC")
    await service.refresh()
    after = await client.get("/v1/rvol/latest", headers={"If-None-Match": first.headers["etag"]})
    assert after.status_code == 200
    assert {r["asset"] for r in after.json()} == {"AAA", "BBB", "CCC"}


BAD: list[tuple[str, dict[str, str], str]] = [
    ("latest", {"asset": "DOGE"}, "AAA, BBB"),
    ("latest", {"asset": "a\0b"}, "NUL"),
    ("history", {"horizon": "3d"}, "1d, 7d"),
    ("latest", {"horizon": "d7"}, ""),
    ("latest", {"model": "oracle"}, "champion"),
    ("latest", {"model_version": "0"}, "2026.11+"),
    ("models", {"model_id": "x"}, "blend"),
    ("features/latest", {"feature_set_id": "x"}, "rvol-"),
    ("scorecard", {"model": "x"}, "har"),
    ("history", {"start": "2026-11-20", "end": "2026-11-19"}, "after end"),
    ("history", {"start": "yesterday"}, "ISO 8601"),
    ("history", {"start": "0001-01-01T00:00:00+14:00"}, "1970"),
    ("history", {"limit": "10001"}, "10000"),
    ("latest", {"limit": "0"}, ""),
    ("history", {"cursor": "x"}, "cursor"),
    ("history", {"cursor": "WzEsMiwzXQ"}, "cursor"),
    ("latest", {"format": "xml"}, ""),
]


@pytest.mark.parametrize(("path", "params", "says"), BAD)
async def test_what_is_wrong_is_422_with_what_would_be_right(
    client: Client, path: str, params: dict[str, str], says: str
) -> None:
    answer = await client.get(f"/v1/rvol/{path}", params=params)
    assert answer.status_code == 422, answer.text
    [issue] = answer.json()["detail"]
    assert set(issue) == {"loc", "msg", "type"}
    assert says in issue["msg"]


async def test_feature_families_explain_a_forecast(client: Client) -> None:
    [row] = await rows(client, "features/latest", asset="AAA", horizon="1d")
    names = [f["name"] for f in row["feature_families"]]
    assert "realized_variance" in names
    assert "calendar" in names
    assert all(isinstance(f["contribution"], float) for f in row["feature_families"])


async def test_an_empty_service_answers_with_empty_lists(
    client: Client, service: RvolService
) -> None:
    async with service.database.transaction() as conn:
        await conn.execute("delete from rvol_assets")
        await conn.execute("update rvol_state set version = version + 1")
    for path in ROUTES:
        if path != "models":
            assert await rows(client, path) == []
