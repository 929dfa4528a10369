"""Makes the record of a forecast that is stored for the scorecard. Pure."""

from __future__ import annotations

from typing import Final

import msgspec

from augury.forecast import grade, store
from augury.forecast.made import Forecast
from augury.ids import new_id

ENGINE: Final = "oracle_port/1"
HELPED: Final = f"{ENGINE}+language_model"
"""Engine name stored with a forecast in which a language model had a part; other forecasts have
`ENGINE`."""


def issued(forecast: Forecast) -> store.Issued:
    """The record of a forecast that is stored for the scorecard: the public answer, the market
    whose result will decide whether it was right, and that market's price."""
    estimate, reading = grade.public(forecast.estimate), forecast.reading
    decisive = estimate.decisive
    return store.Issued(
        id=new_id("fc"),
        as_of=forecast.as_of,
        question=reading.question,
        effective_question=reading.effective,
        probability=estimate.probability,
        lower=estimate.lower,
        upper=estimate.upper,
        confidence=estimate.confidence,
        crowd=decisive.probability if decisive else None,
        domain=(decisive.market.category or "").casefold() or None if decisive else None,
        closes_at=decisive.market.closes_at if decisive else None,
        market_seq=decisive.market.seq if decisive else None,
        market_outcome=decisive.outcome if decisive else None,
        flipped=decisive.flipped if decisive else False,
        evidence=[msgspec.to_builtins(one.shown()) for one in estimate.evidence],
        engine=HELPED
        if any(marker.startswith("language_model") for marker in estimate.fallbacks)
        else ENGINE,
    )
