"""Answers to compare to the bit."""

from __future__ import annotations

import msgspec

from augury.forecast.made import Forecast


def bits_of(forecast: Forecast) -> bytes:
    estimate = forecast.estimate
    return msgspec.json.encode(
        [forecast.reading.shown(), estimate.shown(), [e.shown() for e in estimate.evidence],
         estimate.reasoning]
    )  # fmt: skip
