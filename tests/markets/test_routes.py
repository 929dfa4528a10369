"""The market routes as a caller sees them."""

from __future__ import annotations

import asyncio
import io
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import httpx2
import polars as pl
import pytest
from fastapi import FastAPI

from augury.markets import exports, schemas, store
from augury.markets.records import Market, PricePoint
from augury.markets.service import MarketService
from augury.storage.database import Database

pytestmark = pytest.mark.anyio

T0 = datetime(2026, 5, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
Client = httpx2.AsyncClient


def made(market_id: str, **fields: Any) -> Market:
    platform, _, own = market_id.partition(":")
    defaults: dict[str, Any] = {
        "id": market_id,
        "platform": platform,
        "platform_id": own,
        "question": f"What about {own}?",
        "title": f"What about {own}?",
        "prices": (0.4, 0.6),
        "price_as_of": T0,
        "observed_at": T0,
        "origin": "dump",
    }
    return Market(**{**defaults, **fields})


CATALOGUE = [
    made("kalshi:A", volume=50.0, closes_at=T0 + 3 * HOUR, category="Economics", event_id="E",
         question="Will rates fall?", description="Rules, \"quoted\"\nand broken.", tags=("fed",)),
    made("kalshi:B", volume=40.0, closes_at=T0 + 2 * HOUR, category="economics", event_id="E",
         question="Will rates rise?"),
    made("polymarket:1", volume=70.0, status="resolved", resolution="Yes", category="Sports",
         question="Will the Reds win?", outcomes=("Reds", "Blues"), prices=(1.0, 0.0)),
    made("polymarket:2", closes_at=T0 + HOUR, status="closed", question="Will rates hold?",
         prices=(None, None), price_as_of=None),
    made("polymarket:x/y z?#%2F&é", volume=60.0, question="Odd?", outcomes=("Draw", "Draw", "Win"),
         prices=(0.2, None, 0.5)),
]  # fmt: skip
ODD = CATALOGUE[-1].id


BAD_LISTS: list[dict[str, Any]] = [
    {"limit": 0}, {"limit": 201}, {"limit": "x"}, {"platform": "manifold"},
    {"status": "open"}, {"sort": "price"}, {"q": ""}, {"q": "x" * 201},
    {"q": " ".join("abcdefghijklmnopq")}, {"min_volume": -1},
    {"min_volume": "nan"}, {"min_volume": "inf"}, {"min_volume": "1e400"},
    {"closes_before": "yesterday"}, {"closes_after": "0001-01-01T00:00:00+14:00"},
    {"closes_after": "9999-12-31T23:59:59-14:00"}, {"format": "xml"},
    {"cursor": "x"}, {"cursor": "bm90IGpzb24"}, {"cursor": "x" * 2000},
    {"cursor": "WzFlOTk5LDEsIngiXQ"},
]  # fmt: skip


@pytest.fixture(autouse=True)
async def catalogue(database: Database) -> None:
    async with database.transaction() as conn:
        await store.upsert_markets(conn, CATALOGUE)
        await store.append_prices(
            conn,
            [
                PricePoint(market_id="kalshi:A", outcome=0, at=T0 - n * HOUR, price=p)
                for n, p in ((1, 0.31), (2, 0.32), (4, 0.34))
            ],
        )


async def ids(client: Client, **params: Any) -> list[str]:
    answer = await client.get("/v1/markets", params=params)
    assert answer.status_code == 200, answer.text
    return [m["id"] for m in answer.json()["items"]]


def url(market_id: str, rest: str = "") -> str:
    return f"/v1/markets/{quote(market_id, safe='')}{rest}"


class TestList:
    async def test_records_have_every_field_of_the_contract(self, client: Client) -> None:
        answer = await client.get("/v1/markets", params={"sort": "closes_at"})
        body = answer.json()
        assert set(body) == {"items", "next_cursor"}
        for item in body["items"]:
            assert set(item) == set(schemas.MarketRecord.model_fields)
        schemas.MarketList.model_validate(body)
        record = body["items"][2]
        assert record["id"] == "kalshi:A"
        assert record["closes_at"] == "2026-05-01T15:00:00Z"
        assert record["current_prices"] == {"Yes": 0.4, "No": 0.6}
        assert (record["linked_market_ids"], record["origin"]) == ([], "import")
        assert body["items"][0]["current_prices"] is None
        assert body["items"][0]["price_as_of"] is None

    @pytest.mark.parametrize(
        ("params", "wanted"),
        [
            ({}, ["polymarket:1", ODD, "kalshi:A", "kalshi:B", "polymarket:2"]),
            ({"sort": "closes_at"}, ["polymarket:2", "kalshi:B", "kalshi:A", "polymarket:1", ODD]),
            ({"sort": "updated_at"}, [ODD, "polymarket:2", "polymarket:1", "kalshi:B", "kalshi:A"]),
            ({"platform": "kalshi"}, ["kalshi:A", "kalshi:B"]),
            # Past their close without a word since: closed, and stale.
            ({"status": "closed"}, ["kalshi:A", "kalshi:B", "polymarket:2"]),
            ({"status": "closed", "stale": "true"}, ["kalshi:A", "kalshi:B"]),
            ({"status": "active"}, [ODD]),
            ({"category": "ECONOMICS"}, ["kalshi:A", "kalshi:B"]),
            ({"event_id": "E", "min_volume": "45"}, ["kalshi:A"]),
            ({"q": "RATES will"}, ["kalshi:A", "kalshi:B", "polymarket:2"]),
            ({"closes_before": "2026-05-01T14:00:00Z"}, ["polymarket:2"]),
            ({"closes_after": "2026-05-01T16:00:00+02:00"}, ["kalshi:A"]),
            ({"closes_after": "2026-05-01T13:30:00"}, ["kalshi:A", "kalshi:B"]),
            ({"min_volume": 0}, ["polymarket:1", ODD, "kalshi:A", "kalshi:B"]),
            ({"q": "nothing like it"}, []),
        ],
    )
    async def test_filters_and_orders(
        self, client: Client, params: dict[str, str], wanted: list[str]
    ) -> None:
        assert await ids(client, **params) == wanted

    @pytest.mark.parametrize("sort", ["volume", "closes_at", "updated_at"])
    async def test_pages(self, client: Client, sort: str) -> None:
        whole = await ids(client, sort=sort)
        seen: list[str] = []
        cursor: str | None = None
        for _ in range(10):
            params = {"sort": sort, "limit": 2} | ({"cursor": cursor} if cursor else {})
            body = (await client.get("/v1/markets", params=params)).json()
            seen += [m["id"] for m in body["items"]]
            cursor = body["next_cursor"]
            if cursor is None:
                break
        assert seen == whole

    async def test_bad_parameters(self, client: Client) -> None:
        for params in BAD_LISTS:
            await self.is_refused(client, params)

    async def is_refused(self, client: Client, params: dict[str, Any]) -> None:
        answer = await client.get("/v1/markets", params=params)
        assert answer.status_code == 422, params
        issues = answer.json()["detail"]
        assert all(set(issue) == {"loc", "msg", "type"} for issue in issues)
        assert issues[0]["loc"][:2] == ["query", next(iter(params))], params

    async def test_a_cursor_belongs_to_its_list(self, client: Client) -> None:
        body = (await client.get("/v1/markets", params={"limit": 2})).json()
        for other in ({"sort": "closes_at"}, {"status": "closed"}):
            answer = await client.get(
                "/v1/markets", params={"cursor": body["next_cursor"], **other}
            )
            assert answer.status_code == 422
            assert answer.json()["detail"][0]["loc"] == ["query", "cursor"]


class TestOne:
    async def test_with_prices_and_kin(self, client: Client) -> None:
        body = (await client.get(url("kalshi:A"))).json()
        schemas.MarketDetail.model_validate(body)
        assert set(body) == set(schemas.MarketDetail.model_fields)
        assert body["current_prices"] == {"Yes": 0.4, "No": 0.6}
        assert [m["id"] for m in body["related"]] == ["kalshi:B"]
        assert body["related"][0]["relation"] == "same_event"
        assert [p["timestamp"] for p in body["price_history"]] == [
            "2026-05-01T08:00:00Z", "2026-05-01T10:00:00Z", "2026-05-01T11:00:00Z",
            "2026-05-01T12:00:00Z",
        ]  # fmt: skip
        assert body["price_history"][-1]["prices"] == {"Yes": 0.4, "No": 0.6}
        assert body["price_history"][-1]["source"] == "dump:snapshot"

    async def test_odd_ids_and_repeated_labels(self, client: Client) -> None:
        body = (await client.get(url(ODD))).json()
        assert body["market"]["id"] == ODD
        assert body["market"]["outcomes"] == ["Draw", "Draw (2)", "Win"]
        assert body["current_prices"] == {"Draw": 0.2, "Draw (2)": None, "Win": 0.5}
        history = (await client.get(url(ODD, "/history"))).json()
        assert [s["outcome"] for s in history["series"]] == ["Draw", "Draw (2)", "Win"]

    @pytest.mark.parametrize("rest", ["", "/history"])
    async def test_unknown_ids_are_all_the_same(self, client: Client, rest: str) -> None:
        texts = set()
        for unknown in ("kalshi:Z", "x", "a/b/c", "%2F", "é" * 300):
            answer = await client.get(url(unknown, rest))
            assert answer.status_code == 404
            texts.add(answer.text)
        assert texts == {'{"detail":"No market has this id."}'}


class TestHistory:
    async def test_null_is_a_gap(self, client: Client) -> None:
        params = {"start": "2026-05-01T00:00:00Z", "end": "2026-05-02T00:00:00Z"}
        body = (await client.get(url("kalshi:A", "/history"), params=params)).json()
        schemas.MarketHistory.model_validate(body)
        assert (body["start"], body["end"]) == (params["start"], params["end"])
        assert body["interval_minutes"] == 60
        yes, no = body["series"]
        assert [(p["timestamp"][11:13], p["probability"]) for p in yes["points"]] == [
            ("08", 0.34), ("09", None), ("10", 0.32), ("11", 0.31), ("12", 0.4),
        ]  # fmt: skip
        assert [p["probability"] for p in no["points"]] == [0.66, None, 0.68, 0.69, 0.6]

    async def test_nothing_in_the_window_is_an_empty_list(self, client: Client) -> None:
        params = {"start": "2020-01-01T00:00:00Z", "end": "2020-01-02T00:00:00Z"}
        body = (await client.get(url("kalshi:A", "/history"), params=params)).json()
        assert body["series"] == [
            {"outcome": "Yes", "points": []},
            {"outcome": "No", "points": []},
        ]

    @pytest.mark.parametrize(
        ("params", "at"),
        [
            ({"interval_minutes": 2}, "interval_minutes"),
            ({"interval_minutes": "1440.5"}, "interval_minutes"),
            ({"start": "x"}, "start"),
            ({"start": "2026-05-02", "end": "2026-05-01"}, "start"),
            ({"start": "2020-01-01", "end": "2026-05-01"}, "start"),
            ({"end": "3000-01-01"}, "end"),
            ({"format": "xls"}, "format"),
        ],
    )
    async def test_bad_windows(self, client: Client, params: dict[str, Any], at: str) -> None:
        answer = await client.get(url("kalshi:A", "/history"), params=params)
        assert answer.status_code == 422
        assert answer.json()["detail"][0]["loc"] == ["query", at]

    async def test_too_long_says_how_long(self, client: Client) -> None:
        params = {"start": "2026-01-01", "end": "2026-05-01", "interval_minutes": 1}
        answer = await client.get(url("kalshi:A", "/history"), params=params)
        assert (
            "172,800 intervals of 1 min; the maximum is 10,000" in answer.json()["detail"][0]["msg"]
        )


class TestFiles:
    async def test_list_as_csv(self, keyed: Client) -> None:
        answer = await keyed.get("/v1/markets", params={"format": "csv"})
        assert answer.headers["content-type"] == "text/csv; charset=utf-8"
        frame = pl.read_csv(answer.content, infer_schema=False)
        assert frame.columns == list(exports.CSV_COLUMNS)
        assert frame["id"].to_list() == await ids(keyed)
        row = frame.row(by_predicate=pl.col("id") == "kalshi:A", named=True)
        assert row["description"] == 'Rules, "quoted"\nand broken.'
        assert (row["outcomes"], row["yes_price"], row["no_price"], row["tags"]) == (
            "Yes; No", "0.4", "0.6", "fed",
        )  # fmt: skip
        odd = frame.row(by_predicate=pl.col("id") == ODD, named=True)
        assert (odd["yes_price"], odd["outcome_prices"]) == ("0.2", "Draw: 0.2; Win: 0.5")
        assert row["closes_at"] == "2026-05-01T15:00:00Z"

    async def test_list_as_parquet(self, keyed: Client) -> None:
        accept = {"Accept": "application/vnd.apache.parquet"}
        answer = await keyed.get("/v1/markets", params={"platform": "kalshi"}, headers=accept)
        frame = pl.read_parquet(io.BytesIO(answer.content))
        assert dict(frame.schema) == {
            name: kind() if isinstance(kind, type) else kind
            for name, kind in exports.EXPORT_COLUMNS.items()
        }
        assert frame["id"].to_list() == ["kalshi:A", "kalshi:B"]
        assert frame["prices"].to_list() == [[0.4, 0.6], [0.4, 0.6]]
        assert frame["closes_at"][0] == T0 + 3 * HOUR

    @pytest.mark.parametrize("form", ["csv", "parquet"])
    async def test_an_empty_list_still_has_its_columns(self, keyed: Client, form: str) -> None:
        answer = await keyed.get("/v1/markets", params={"format": form, "q": "no such thing"})
        source = io.BytesIO(answer.content)
        frame = pl.read_csv(source) if form == "csv" else pl.read_parquet(source)
        columns = exports.CSV_COLUMNS if form == "csv" else exports.EXPORT_COLUMNS
        assert frame.columns == list(columns)

    async def test_no_cell_is_a_formula(self, keyed: Client, database: Database) -> None:
        evil = [
            made(f"kalshi:F{n}", question=f"{sign}HYPERLINK(1)", description=f"{sign}1")
            for n, sign in enumerate("=+-@")
        ]
        async with database.transaction() as conn:
            await store.upsert_markets(conn, evil)
        answer = await keyed.get("/v1/markets", params={"format": "csv", "q": "HYPERLINK"})
        frame = pl.read_csv(answer.content, infer_schema=False)
        assert sorted(frame["question"]) == [f"'{sign}HYPERLINK(1)" for sign in "+-=@"]
        assert sorted(frame["description"]) == [f"'{sign}1" for sign in "+-=@"]

    async def test_a_page_as_a_file_links_to_the_next(self, client: Client) -> None:
        seen: list[str] = []
        target = "/v1/markets?format=csv&limit=2&q=w"
        for _ in range(9):
            answer = await client.get(target)
            seen += pl.read_csv(answer.content, infer_schema=False)["id"].to_list()
            if "link" not in answer.headers:
                break
            target = answer.headers["link"].split(">")[0].removeprefix("<")
        assert seen == await ids(client, q="w")

    async def test_a_long_csv_comes_in_parts(
        self, keyed: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("augury.markets.files.SLICE_MARKETS", 2)
        answer = await keyed.get("/v1/markets", params={"format": "csv"})
        assert pl.read_csv(answer.content, infer_schema=False)["id"].to_list() == await ids(keyed)

    async def test_a_long_parquet_ends_with_a_link(
        self, keyed: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("augury.markets.files.SLICE_MARKETS", 2)
        monkeypatch.setattr("augury.markets.files.MAX_PARQUET", 3)
        first = await keyed.get("/v1/markets", params={"format": "parquet"})
        target = first.headers["link"].split(">")[0].removeprefix("<")
        rest = await keyed.get(target)
        assert "link" not in rest.headers
        frames = [pl.read_parquet(io.BytesIO(a.content)) for a in (first, rest)]
        assert [f.height for f in frames] == [3, 2]
        assert pl.concat(frames)["id"].to_list() == await ids(keyed)

    async def test_a_file_of_the_whole_list_needs_a_key_that_may_search(
        self, client: Client, app: FastAPI
    ) -> None:
        for form in ("csv", "parquet"):
            answer = await client.get("/v1/markets", params={"format": form})
            assert (answer.status_code, "limit=200" in answer.text) == (401, True)
            page = await client.get("/v1/markets", params={"format": form, "limit": 2})
            assert page.status_code == 200
        _, other = await app.state.services.access.create_key("watcher", ["watch:write"])
        answer = await client.get(
            "/v1/markets?format=csv", headers={"Authorization": f"Bearer {other}"}
        )
        assert answer.status_code == 403
        assert "search:read" in answer.text

    async def test_an_account_has_one_file_made_at_a_time_and_so_many_a_minute(
        self, keyed: Client, app: FastAPI
    ) -> None:
        # Another key of the same account is the same caller.
        _, second = await app.state.services.access.create_key("reader", ["search:read"])
        other = {"Authorization": f"Bearer {second}"}
        answers = await asyncio.gather(
            *(keyed.get("/v1/markets?format=csv", headers=h) for h in ({}, other, {}, other))
        )
        assert sorted(a.status_code for a in answers) == [200, 429, 429, 429]
        refused = next(a for a in answers if a.status_code == 429)
        assert "exports, at most 1 request at the same time" in refused.text
        made = next(a for a in answers if a.status_code == 200)
        assert made.headers["ratelimit-policy"] == '"exports";q=30;w=60'

    async def test_files_are_made_in_another_process(
        self, keyed: Client, service: MarketService, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What reads and writes them here would hold up every search."""

        def here(*_: object, **__: object) -> None:
            raise AssertionError("made in the process that answers")

        monkeypatch.setattr("augury.markets.exports.export_frame", here)
        monkeypatch.setattr("augury.markets.exports.as_csv", here)
        monkeypatch.setattr("augury.markets.exports.as_parquet", here)
        for form in ("csv", "parquet"):
            answer = await keyed.get("/v1/markets", params={"format": form})
            assert answer.status_code == 200
            assert answer.content

    @pytest.mark.parametrize("form", ["csv", "parquet"])
    async def test_history(self, client: Client, form: str) -> None:
        params = {"start": "2026-05-01", "end": "2026-05-02", "format": form}
        answer = await client.get(url("kalshi:A", "/history"), params=params)
        source = io.BytesIO(answer.content)
        frame = (
            pl.read_csv(source, try_parse_dates=True) if form == "csv" else pl.read_parquet(source)
        )
        assert frame.columns == ["timestamp", "outcome", "probability"]
        yes = frame.filter(pl.col("outcome") == "Yes")
        assert yes["probability"].to_list() == [0.34, None, 0.32, 0.31, 0.4]
        assert yes["timestamp"][0].hour == 8

    @pytest.mark.parametrize(
        ("accept", "media"),
        [
            ("*/*", "application/json"),
            ("text/html", "application/json"),
            ("text/csv;q=0.5, application/json;q=0.9", "application/json"),
            ("application/json;q=0.1, text/csv", "text/csv; charset=utf-8"),
            ("text/csv;q=x", "application/json"),
        ],
    )
    async def test_accept(self, keyed: Client, accept: str, media: str) -> None:
        answer = await keyed.get("/v1/markets", headers={"Accept": accept})
        assert answer.headers["content-type"] == media
        assert "Accept" in answer.headers["vary"]


class TestEtags:
    async def test_not_modified_until_it_is(self, client: Client, database: Database) -> None:
        targets = ["/v1/markets", url("kalshi:A"), url("kalshi:A", "/history?start=2026-05-01")]
        targets[2] += "&end=2026-05-02"
        tags = {}
        for target in targets:
            tags[target] = (await client.get(target)).headers["etag"]
            again = await client.get(target, headers={"If-None-Match": f'"x", {tags[target]}'})
            assert (again.status_code, again.content) == (304, b"")
            assert again.headers["etag"] == tags[target]
        at = T0 + HOUR
        async with database.transaction() as conn:
            moved = made("kalshi:A", prices=(0.5, 0.5), price_as_of=at, observed_at=at)
            await store.upsert_markets(conn, [moved])
        for target in targets:
            changed = await client.get(target, headers={"If-None-Match": tags[target]})
            assert changed.status_code == 200


async def test_markets_are_listed_by_their_names(client: Client, database: Database) -> None:
    known = [made(f"kalshi:NAMED-{n}") for n in range(3)]
    async with database.transaction() as conn:
        await store.upsert_markets(conn, known)
    asked = {"market_id": ["kalshi:NAMED-2", "kalshi:named-0", "kalshi:NONE"], "status": "active"}
    found = (await client.get("/v1/markets", params=asked)).json()
    assert {item["id"] for item in found["items"]} == {"kalshi:NAMED-0", "kalshi:NAMED-2"}
    assert found["next_cursor"] is None
    first = (await client.get("/v1/markets", params=asked | {"limit": 1})).json()
    rest = {"market_id": asked["market_id"], "status": "active", "cursor": first["next_cursor"]}
    second = (await client.get("/v1/markets", params=rest)).json()
    assert {first["items"][0]["id"], second["items"][0]["id"]} == {
        "kalshi:NAMED-0",
        "kalshi:NAMED-2",
    }
    for wrong in ({"market_id": ["x"] * 101}, {"market_id": "a\0b"}):
        assert (await client.get("/v1/markets", params=wrong)).status_code == 422


async def test_a_sparkline_is_the_last_month_of_a_market(
    client: Client, database: Database
) -> None:
    day = timedelta(days=1)
    known = [
        made("kalshi:SPARK", prices=(0.5, 0.5)),
        made("polymarket:999", prices=(0.5, 0.5), outcomes=("No", "Yes")),
        made("kalshi:SILENT", prices=(None, None), price_as_of=None),
    ]
    points = [
        PricePoint(
            market_id=one.id, outcome=0, at=T0 - n * day, price=0.5 + n / 100, source="trade"
        )
        for one in known[:2]
        for n in (0, 1, 2, 10)
    ]
    async with database.transaction() as conn:
        await store.upsert_markets(conn, known)
        await store.append_prices(conn, points)
    asked = {"market_id": ["kalshi:SPARK", "polymarket:999", "kalshi:SILENT", "kalshi:NONE"]}
    answer = await client.get("/v1/sparklines", params=asked)
    found = {item["market_id"]: item for item in answer.json()["items"]}
    assert set(found) == {"kalshi:SPARK", "polymarket:999"}
    # A price stands for two days; after that there is none rather than an old one.
    prices = found["kalshi:SPARK"]["prices"]
    assert prices[-4:] == [None, 0.52, 0.51, 0.5]
    assert prices[-11:-9] == [0.6, 0.6]
    assert [len(prices), sum(price is None for price in prices)] == [30, 25]
    assert found["polymarket:999"]["outcome"] == "Yes"
    assert found["polymarket:999"]["origin"] == "import"
    assert found["polymarket:999"]["prices"][-3:] == [0.48, 0.49, 0.5]
    for wrong in ({}, {"market_id": ["x"] * 101}, {"market_id": "a\0b"}):
        assert (await client.get("/v1/sparklines", params=wrong)).status_code == 422
