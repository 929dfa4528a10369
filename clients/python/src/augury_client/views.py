"""What the models of answers offer besides their fields: data frames, shortcuts, and pictures for
notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from augury_client import frames, pictures
from augury_client.base import Model

if TYPE_CHECKING:
    from datetime import datetime

    from augury_client import models as m


class Framed(Model):
    """A model that can become a data frame."""

    def _columns(self) -> frames.Columns:
        raise NotImplementedError

    def to_polars(self) -> Any:
        """As a polars DataFrame."""
        return frames.polars()(self._columns())

    def to_pandas(self) -> Any:
        """As a pandas DataFrame."""
        return frames.pandas()(self._columns())

    def to_arrow(self) -> Any:
        """As an Arrow table."""
        return frames.arrow()(self._columns())


class Priced(Model):
    """A market in a list."""

    if TYPE_CHECKING:
        current_prices: Any

    @property
    def price(self) -> float | None:
        """The price of Yes, else of the first outcome, 0 to 1; None if the market has no price."""
        return frames.first_price(self.current_prices)


class Found(Framed):
    """Markets by their relation to a query. Iterates over all of them, best first by relation."""

    if TYPE_CHECKING:
        results: dict[str, list[m.SearchResult]]
        query: str

    def __iter__(self) -> Iterator[m.SearchResult]:
        return chain.from_iterable(self.results.values())

    @property
    def direct(self) -> list[m.SearchResult]:
        """Markets that ask what the query asks."""
        return self.results.get("direct", [])

    @property
    def upstream(self) -> list[m.SearchResult]:
        """Markets on causes of what the query asks."""
        return self.results.get("upstream", [])

    @property
    def downstream(self) -> list[m.SearchResult]:
        """Markets on effects of what the query asks."""
        return self.results.get("downstream", [])

    @property
    def correlated(self) -> list[m.SearchResult]:
        """Markets that move with what the query asks."""
        return self.results.get("correlated", [])

    def _columns(self) -> frames.Columns:
        return frames.columns(list(self))

    def _repr_html_(self) -> str:
        return pictures.found(self.query, self.results)


class MarketView(Model):
    """A market with its recent prices."""

    if TYPE_CHECKING:
        market: m.MarketRecord
        price_history: list[m.PricesAt]

    def _repr_html_(self) -> str:
        prices = [(at.timestamp, frames.first_price(at.prices)) for at in self.price_history]
        return pictures.market(self.market, prices)


class HistoryView(Framed):
    """Prices of a market over time."""

    if TYPE_CHECKING:
        market: m.MarketRecord
        series: list[m.OutcomeHistory]

    def _columns(self) -> frames.Columns:
        """timestamp, outcome, probability (None: no data)."""
        times: list[datetime] = []
        outcomes: list[str] = []
        values: list[float | None] = []
        for one in self.series:
            times += [point.timestamp for point in one.points]
            outcomes += [one.outcome] * len(one.points)
            values += [point.probability for point in one.points]
        return {"timestamp": times, "outcome": outcomes, "probability": values}

    def _repr_html_(self) -> str:
        first = self.series[0].points if self.series else []
        return pictures.market(self.market, [(p.timestamp, p.probability) for p in first])


class ForecastView(Framed):
    """A forecast with its evidence. As a data frame it is its evidence, one market per row."""

    if TYPE_CHECKING:
        question: str
        probability: float | None = None
        evidence: list[m.EvidenceRow] = []

    def _columns(self) -> frames.Columns:
        return frames.columns(self.evidence)

    def _repr_html_(self) -> str:
        return pictures.forecast(self)


class GraphView(Model):
    """A causal graph; `graph` holds its nodes and edges."""

    if TYPE_CHECKING:
        question: str
        graph: m.DrawnGraph | None = None

    def _repr_html_(self) -> str:
        return pictures.graph(self.question, self.graph)


class DrawnView(Model):
    """Nodes and edges of a causal graph."""

    def _repr_html_(self) -> str:
        return pictures.graph("", self)
