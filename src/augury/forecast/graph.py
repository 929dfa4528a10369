"""The causal graph of an answer: the question, its evidence, its causes and its consequences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import structlog

from augury.errors import AuguryError
from augury.forecast.evidence import Evidence, Snapshot
from augury.forecast.grade import public as public_estimate
from augury.graph.schemas import (
    PublicCausalGraph,
    PublicGraphEdge,
    PublicGraphNode,
    PublicMarketSummary,
    public,
)
from augury.graph.service import GraphService
from augury.graph.strength import SUBJECT, logical, strength

if TYPE_CHECKING:
    from augury.forecast.made import Forecast

log = structlog.get_logger(__name__)

MAX_MARKETS: Final = 8
"""Largest number of evidence markets in the causal graph of an answer; with more, the graph would
not be readable. Chosen by hand."""
QUESTION: Final = "question"


async def graph_of(graphs: GraphService | None, forecast: Forecast) -> PublicCausalGraph | None:
    """The causal graph of an answer: the question with its evidence, causes and consequences. None
    if the answer has no evidence.

    The graph of a replay (an answer as of the past) shows only the evidence, because causes are
    known only for the present. The same holds if the causes cannot be looked up.
    """
    drawn = None
    if graphs is not None and not forecast.replay and forecast.estimate.evidence:
        try:
            drawn = public(await graphs.build(forecast.reading.effective, estimate=False))
        except AuguryError as error:
            log.warning("forecast_graph_built_without_causal_links", reason=str(error))
    return _with_evidence(drawn, forecast)


def _with_evidence(drawn: PublicCausalGraph | None, forecast: Forecast) -> PublicCausalGraph | None:
    evidence = forecast.estimate.evidence[:MAX_MARKETS]
    if not evidence:
        return None
    middle = PublicGraphNode(
        id=QUESTION,
        label=forecast.reading.effective,
        markets=[summary(one.market) for one in evidence if one.role == "direct"],
        current_probability=public_estimate(forecast.estimate).probability,
    )
    nodes, edges = [middle], list[PublicGraphEdge]()
    shown = {market.id for market in middle.markets}
    if drawn is not None:
        others = [node for node in drawn.nodes if node.id != QUESTION]
        nodes += others
        edges += drawn.edges
        shown |= {market.id for node in others for market in node.markets}
    for one in evidence:
        if one.market.id not in shown:
            shown.add(one.market.id)
            nodes.append(_node(one))
            edges.append(_edge(one))
    return PublicCausalGraph(nodes=nodes, edges=edges)


def summary(market: Snapshot) -> PublicMarketSummary:
    """A market in the form in which a causal graph shows it, with the prices from which the answer
    was made."""
    return PublicMarketSummary(
        id=market.id,
        question=market.question,
        platform=market.platform,
        current_prices=market.current_prices() or None,
        platform_url=market.url,
    )


def _node(one: Evidence) -> PublicGraphNode:
    return PublicGraphNode(
        id=one.market.id,
        label=one.market.question,
        markets=[summary(one.market)],
        current_probability=one.market.price(one.outcome),
    )


def _edge(one: Evidence) -> PublicGraphEdge:
    relationship = {"bound": "bounds", "proxy": "informs"}.get(one.role, "is about the same as")
    kind = SUBJECT if one.role in ("proxy", "weak") else logical(-1 if one.flipped else 1)
    return PublicGraphEdge(
        source=one.market.id,
        target=QUESTION,
        relationship=relationship,
        strength=strength(kind),
        description=one.relation,
    )
