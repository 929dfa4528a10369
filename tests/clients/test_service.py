"""The Python client against a running service on the sample."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import augury_client
import httpx2
import pytest
from augury_client import AsyncAugury, Augury
from tests.pace import PATIENCE

QUESTION = "Will the Fed cut rates?"


def test_search_finds_what_the_service_says(client: Augury, service: tuple[str, str]) -> None:
    found = client.search(QUESTION, top_k=3, status="active")
    raw = httpx2.post(
        f"{service[0]}/v1/search",
        json={"query": QUESTION, "top_k_per_dimension": 3, "filters": {"status": "active"}},
        headers={"Authorization": f"Bearer {service[1]}"},
        timeout=PATIENCE,
    ).json()
    assert [r.id for r in found.direct] == [r["id"] for r in raw["results"]["direct"]]
    assert len(list(found)) == sum(map(len, raw["results"].values()))
    first, same = found.direct[0], raw["results"]["direct"][0]
    assert first.price == same["current_prices"]["Yes"]
    assert set(first.to_dict()) == set(same)
    frame = found.to_polars()
    assert frame["price"].to_list() == [r.price for r in found]
    assert QUESTION in found._repr_html_()
    assert "[sample]" in found._repr_html_()


def test_forecast_now_and_then(client: Augury) -> None:
    question = client.search(QUESTION, top_k=1).direct[0].question
    made = client.forecast(question, include_graph=True)
    assert made.status == "succeeded"
    assert made.probability is not None
    assert made.confidence_interval is not None
    assert made.confidence_interval.lower <= made.probability <= made.confidence_interval.upper
    assert made.evidence
    assert made.to_pandas().shape[0] == len(made.evidence)
    assert client.forecasts.get(made.id).probability == made.probability
    assert f"{made.probability:.1%}" in made._repr_html_()
    week_ago = datetime.now(UTC) - timedelta(days=7)
    then = client.forecast(question, as_of=week_ago)
    assert then.as_of is not None
    assert abs(then.as_of - week_ago) < timedelta(seconds=1)
    with pytest.raises(augury_client.InvalidInput, match="future"):
        client.forecast(question, as_of=datetime.now(UTC) + timedelta(days=1))


def test_a_stream_ends_with_the_answer(client: Augury) -> None:
    question = client.search(QUESTION, top_k=1).direct[0].question
    *stages, last = client.stream(question, include_graph=False)
    assert stages[0].type == "started"
    assert last.answer is not None
    assert last.answer.probability == client.forecasts.public(question).probability


def test_markets_come_page_by_page(client: Augury) -> None:
    pages = client.markets.list(limit=7)
    some = pages.all(20)
    assert len({market.id for market in some}) == 20
    assert len(pages.first().items) == 7
    assert [m.id for m, _ in zip(pages, range(9), strict=False)] == [m.id for m in some[:9]]
    market = client.markets.get(some[0].id)
    assert market.market.id == some[0].id
    assert some[0].question.split()[0] in market._repr_html_()
    assert pages.file().startswith(b"id,platform")
    with pytest.raises(augury_client.NotFound):
        client.markets.get("kalshi:no-such-market")


def test_history_becomes_a_frame(client: Augury) -> None:
    market = client.markets.list(limit=1).first().items[0]
    history = client.history(market.id, interval_minutes=1440)
    frame = history.to_polars()
    assert frame.columns == ["timestamp", "outcome", "probability"]
    assert frame.height == sum(len(one.points) for one in history.series)
    assert frame["timestamp"].dtype.time_zone == "UTC"
    assert history.to_pandas().shape == frame.shape


def test_volatility_in_frames(client: Augury) -> None:
    assets = client.rvol.assets().all()
    assert assets
    rows = client.rvol.history(asset=assets[0].asset, limit=2)
    few = rows.all(5)
    assert len({(row.as_of, row.horizon) for row in few}) == len(few) == 5
    frame = rows.to_polars(5)
    assert frame["prediction_forecast_variance"].to_list() == [
        row.prediction.forecast_variance for row in few
    ]
    assert all(row.origin == "sample" for row in few)


def test_a_run_answers_many(client: Augury) -> None:
    questions = [row.question for row in client.search(QUESTION, top_k=3).direct]
    told: list[tuple[int, int]] = []
    run = client.forecast_many([*questions, (questions[0], "2020-01-01T00:00:00Z")])
    run.wait(progress=lambda done, of: told.append((done, of)), timeout=300)
    assert told[-1] == (4, 4)
    answers = list(run)
    assert [one.question for one in answers] == [*questions, questions[0]]
    assert answers[0].probability is not None
    assert answers[3].probability is None
    assert run.to_polars()["probability"].to_list() == [a.probability for a in answers]


def test_a_graph_is_drawn(client: Augury) -> None:
    drawn = client.graph("Will the Fed cut rates in December?")
    assert drawn.graph is not None
    assert drawn._repr_html_().count("<rect") == len(drawn.graph.nodes) > 0


def test_a_watchlist_from_first_to_last(client: Augury) -> None:
    market = client.markets.list(limit=1).first().items[0]
    made = client.watchlists.create("Rates")
    target = client.watchlists.add_target(made.id, kind="market", ref=market.id)
    rule = client.watchlists.add_rule(
        made.id, name="High", metric="probability", op="gt", value=0.0
    )
    assert client.watchlists.change_rule(made.id, rule.id, name="Higher").name == "Higher"
    assert client.watchlists.change(made.id, description="d").description == "d"
    assert client.watchlists.change(made.id, description=None).description is None
    assert [one.id for one in client.watchlists.targets(made.id)] == [target.id]
    assert client.watchlists.evaluate(made.id).evaluations
    preview = client.watchlists.preview_rule(
        made.id, name="High", metric="probability", op="gt", value=0.5, days=3
    )
    assert preview.targets[0].target_id == target.id
    client.watchlists.delete(made.id)
    assert made.id not in [one.id for one in client.watchlists.list()]


@pytest.mark.anyio
async def test_coroutines_ask_the_same(service: tuple[str, str], client: Augury) -> None:
    async with AsyncAugury(*service, timeout=300) as other:
        found = await other.search(QUESTION, top_k=2)
        question = found.direct[0].question
        assert found.results == client.search(QUESTION, top_k=2).results
        made = await other.forecast(question)
        assert made.probability == client.forecast(question).probability
        events = [event async for event in other.stream(question, include_graph=False)]
        assert events[-1].answer is not None
        ids = [market.id async for market in other.markets.list(limit=5)]
        assert ids[:9] == [market.id for market in client.markets.list().all(9)]
        assert len(await other.rvol.history(limit=3).all(7)) == 7
        run = await other.forecast_many([question])
        await run.wait(timeout=300)
        assert [one.probability async for one in run] == [made.probability]
        history = await other.history(found.direct[0].id)
        assert history.to_polars().height > 0


def test_anonymous_callers_learn_what_they_lack(service: tuple[str, str]) -> None:
    with Augury(service[0]) as nobody:
        assert nobody.search(QUESTION, top_k=2).direct
        with pytest.raises(augury_client.Unauthenticated, match="AUGURY_API_KEY"):
            nobody.forecast(QUESTION)


def test_address_and_key_come_from_the_environment(
    service: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUGURY_URL", service[0] + "/")
    monkeypatch.setenv("AUGURY_API_KEY", service[1])
    with Augury() as client:
        assert client.url == service[0]
        assert client.forecast(QUESTION).status == "succeeded"
