"""`Augury` and `AsyncAugury`: the service in one object."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal

import anyio
import httpx2

from augury_client import async_api, sync_api
from augury_client import models as m
from augury_client.calls import Call, When
from augury_client.errors import StreamCut, WorkFailed
from augury_client.events import Event, Reader
from augury_client.runs import AsyncRun, Run
from augury_client.transport import AsyncConnection, Connection, Settings

Dimension = Literal["direct", "upstream", "downstream", "correlated"]
Status = Literal["active", "closed", "resolved"]
Question = str | tuple[str, When] | Mapping[str, Any]
"""A question of a run: its text, a pair of its text and an as-of time, or an
object as the API takes it."""

_WORKING = ("queued", "running")
_POLL = 0.5


def _stream_call(question: str, include_graph: bool, as_of: When | None) -> Call[bytes]:
    body = {"question": question, "include_graph": include_graph, "as_of": as_of}
    return Call("POST", "/v1/forecast/stream", bytes, body=body, repeat=True)


def _search_values(
    query: str, dimensions: Sequence[Dimension] | None, top_k: int | None, status: Status | None,
    fold: bool | None,
) -> dict[str, Any]:  # fmt: skip
    return {
        "query": query,
        "dimensions": dimensions,
        "top_k_per_dimension": top_k,
        "filters": m.SearchFilters(status=status) if status else None,
        "fold": fold,
    }


def _questions(questions: Sequence[Question], as_of: When | None) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for asked in questions:
        if isinstance(asked, str):
            made.append({"question": asked, "as_of": as_of})
        elif isinstance(asked, tuple):
            made.append({"question": asked[0], "as_of": asked[1]})
        else:
            made.append(dict(asked))
    return made


def _done(status: str, error: str | None) -> None:
    if status in ("failed", "canceled"):
        raise WorkFailed(f"The work {status}: {error or 'no reason given'}.")


class Augury:
    """A client of one service, for one thread or several.

    Parameters
    ----------
    url: its address; else AUGURY_URL, else http://127.0.0.1:8000.
    api_key: else AUGURY_API_KEY; without one the service is asked anonymously.
    timeout: seconds that one answer may take.
    retries: how often a request is sent again if it was refused for now or got no answer.
    patience: most seconds spent on waiting between retries, `Retry-After` included.

    Example
    -------
    >>> augury = Augury()
    >>> augury.forecast("Will the Fed cut rates in December?").probability
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 60.0,
        retries: int = 4,
        patience: float = 60.0,
    ) -> None:
        self._connection = Connection(Settings.of(url, api_key, timeout, retries, patience))
        self.api = sync_api.Api(self._connection)
        self.markets = sync_api.Markets(self._connection)
        self.forecasts = sync_api.Forecasts(self._connection)
        self.graphs = sync_api.Graphs(self._connection)
        self.factors = sync_api.Factors(self._connection)
        self.rvol = sync_api.Rvol(self._connection)
        self.watchlists = sync_api.Watchlists(self._connection)
        self.series = sync_api.Series(self._connection)
        self.web_pages = sync_api.WebPages(self._connection)

    @property
    def url(self) -> str:
        """The service's address."""
        return self._connection.settings.url

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"

    def __enter__(self) -> Augury:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._connection.http.close()

    def health(self) -> dict[str, Any]:
        """The state of the service: its data, its index, its jobs."""
        return self.api.health()

    def search(
        self,
        query: str,
        *,
        dimensions: Sequence[Dimension] | None = None,
        top_k: int | None = None,
        status: Status | None = None,
        fold: bool | None = None,
    ) -> m.SearchResponse:
        """Markets by their relation to a question, keywords, an id or a venue's address.

        `top_k`: most markets per relation, by default 20. `fold`: one row for the markets of one
        contest, ladder or date series.
        """
        return self.api.search(**_search_values(query, dimensions, top_k, status, fold))

    def forecast(
        self, question: str, *, as_of: When | None = None, include_graph: bool = False
    ) -> m.FullForecast:
        """A forecast of a question: its probability, interval, grade and evidence.

        `as_of`: use only what was known then. `probability` is None if no market can answer.
        """
        made = self.forecasts.make(question, as_of=as_of, include_graph=include_graph)
        while made.status in _WORKING:
            time.sleep(_POLL)
            made = self.forecasts.get(made.id)
        _done(made.status, made.error)
        return made

    def stream(
        self, question: str, *, as_of: When | None = None, include_graph: bool = True
    ) -> Iterator[Event]:
        """A forecast as it is made, event by event; the last one holds the answer.

        Raises
        ------
        StreamCut
            The connection ended before the last event.
        """
        reader = Reader()
        with self._connection.stream(_stream_call(question, include_graph, as_of)) as parts:
            try:
                for part in parts:
                    yield from reader.feed(part)
            except httpx2.RequestError as error:
                raise StreamCut(f"The stream of the forecast broke off ({error}).") from None
        reader.end()

    def forecast_many(
        self,
        questions: Sequence[Question],
        *,
        as_of: When | None = None,
        include_graph: bool = False,
    ) -> Run:
        """Forecast 1 to 1,000 questions in the background; call `wait()` on the
        run that this returns."""
        asked = _questions(questions, as_of)
        return Run(self.forecasts, self.forecasts.start_run(asked, include_graph=include_graph))

    def graph(self, question: str) -> m.FullGraph:
        """Causes and effects of what a question asks about, with markets and prices."""
        drawn = self.graphs.draw(question)
        while drawn.status in _WORKING:
            time.sleep(_POLL)
            drawn = self.graphs.get(drawn.id)
        _done(drawn.status, drawn.error)
        return drawn

    def history(
        self,
        market_id: str,
        *,
        start: When | None = None,
        end: When | None = None,
        interval_minutes: Literal[1, 5, 60, 1440] | None = None,
    ) -> m.MarketHistory:
        """Prices of a market over time; `.to_polars()` makes a frame of them."""
        return self.markets.history(
            market_id, start=start, end=end, interval_minutes=interval_minutes
        )


class AsyncAugury:
    """A client of one service, for coroutines; it has the methods of `Augury`."""

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 60.0,
        retries: int = 4,
        patience: float = 60.0,
    ) -> None:
        self._connection = AsyncConnection(Settings.of(url, api_key, timeout, retries, patience))
        self.api = async_api.AsyncApi(self._connection)
        self.markets = async_api.AsyncMarkets(self._connection)
        self.forecasts = async_api.AsyncForecasts(self._connection)
        self.graphs = async_api.AsyncGraphs(self._connection)
        self.factors = async_api.AsyncFactors(self._connection)
        self.rvol = async_api.AsyncRvol(self._connection)
        self.watchlists = async_api.AsyncWatchlists(self._connection)
        self.series = async_api.AsyncSeries(self._connection)
        self.web_pages = async_api.AsyncWebPages(self._connection)

    @property
    def url(self) -> str:
        """The service's address."""
        return self._connection.settings.url

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"

    async def __aenter__(self) -> AsyncAugury:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.http.aclose()

    async def health(self) -> dict[str, Any]:
        """The state of the service: its data, its index, its jobs."""
        return await self.api.health()

    async def search(
        self,
        query: str,
        *,
        dimensions: Sequence[Dimension] | None = None,
        top_k: int | None = None,
        status: Status | None = None,
        fold: bool | None = None,
    ) -> m.SearchResponse:
        """Markets by their relation to a question, keywords, an id or a venue's address."""
        return await self.api.search(**_search_values(query, dimensions, top_k, status, fold))

    async def forecast(
        self, question: str, *, as_of: When | None = None, include_graph: bool = False
    ) -> m.FullForecast:
        """A forecast of a question: its probability, interval, grade and evidence."""
        made = await self.forecasts.make(question, as_of=as_of, include_graph=include_graph)
        while made.status in _WORKING:
            await anyio.sleep(_POLL)
            made = await self.forecasts.get(made.id)
        _done(made.status, made.error)
        return made

    async def stream(
        self, question: str, *, as_of: When | None = None, include_graph: bool = True
    ) -> AsyncIterator[Event]:
        """A forecast as it is made, event by event; the last one holds the answer."""
        reader = Reader()
        async with self._connection.stream(_stream_call(question, include_graph, as_of)) as parts:
            try:
                async for part in parts:
                    for event in reader.feed(part):
                        yield event
            except httpx2.RequestError as error:
                raise StreamCut(f"The stream of the forecast broke off ({error}).") from None
        reader.end()

    async def forecast_many(
        self,
        questions: Sequence[Question],
        *,
        as_of: When | None = None,
        include_graph: bool = False,
    ) -> AsyncRun:
        """Forecast 1 to 1,000 questions in the background; call `wait()` on the
        run that this returns."""
        asked = _questions(questions, as_of)
        started = await self.forecasts.start_run(asked, include_graph=include_graph)
        return AsyncRun(self.forecasts, started)

    async def graph(self, question: str) -> m.FullGraph:
        """Causes and effects of what a question asks about, with markets and prices."""
        drawn = await self.graphs.draw(question)
        while drawn.status in _WORKING:
            await anyio.sleep(_POLL)
            drawn = await self.graphs.get(drawn.id)
        _done(drawn.status, drawn.error)
        return drawn

    async def history(
        self,
        market_id: str,
        *,
        start: When | None = None,
        end: When | None = None,
        interval_minutes: Literal[1, 5, 60, 1440] | None = None,
    ) -> m.MarketHistory:
        """Prices of a market over time; `.to_polars()` makes a frame of them."""
        return await self.markets.history(
            market_id, start=start, end=end, interval_minutes=interval_minutes
        )
