"""A forecast, independent of the request that asked for it, and what every answer shows of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from augury.forecast import grade
from augury.forecast.evidence import Estimate, Evidence, Origin, Snapshot
from augury.forecast.normalise import Reading

OLD_PRICE_DAYS: Final = 2.0
"""Largest age, in days, of the oldest price behind an answer with which the answer carries no
warning about old prices."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """An answer to a question, independent of the request that asked for it."""

    reading: Reading
    estimate: Estimate
    as_of: datetime
    considered: int
    """Number of markets gathered to answer the question, all of them open with a fresh price."""
    replay: bool = False
    """Whether the forecast was made as of a moment in the past."""
    timings: Mapping[str, float] = field(default_factory=dict)
    """Time spent, in milliseconds, by stage of making the forecast ("gather", "judge" ...)."""

    @property
    def counted(self) -> tuple[Evidence, ...]:
        """The markets on which the answer rests: the evidence with a weight above 0."""
        return tuple(one for one in self.estimate.evidence if one.weight > 0)

    @property
    def origin(self) -> Origin:
        """`replay` for an answer as of the past; `sample` if the answer rests on a market of the
        invented sample catalogue, or on no market after one of those was looked at; else `live`."""
        if self.replay:
            return "replay"
        return "sample" if any(one.origin == "sample" for one in self._rests_on) else "live"

    @property
    def _rests_on(self) -> list[Snapshot]:
        """The markets that count; if none does, the rejected ones and the one that the null reason
        names."""
        if counted := self.counted:
            return [one.market for one in counted]
        null = self.estimate.null
        looked_at = [one.market for one in self.estimate.rejected]
        return looked_at + ([null.market] if null is not None and null.market is not None else [])

    @property
    def warnings(self) -> tuple[str, ...]:
        """Cautions for readers of the answer, one sentence each."""
        told = list(self.estimate.warnings)
        if any(one.origin == "sample" for one in self._rests_on):
            told.append("The markets are the sample that comes with Augury, not real ones.")
        if any(one.market.origin == "dump" for one in self.counted):
            told.append("Prices come from an import, not from the venue itself.")
        if self.estimate.grade == "hinted":
            told.append("No market asks or bounds this: the number is a hint by a related market.")
        elif grade.is_loose(self.estimate):
            told.append(grade.LOOSE)
        oldest = max((one.age for one in self.counted), default=0.0)
        if oldest > OLD_PRICE_DAYS:
            told.append(f"The oldest price that counts is {round(oldest)} days old.")
        return tuple(told)

    @property
    def data_as_of(self) -> datetime | None:
        """Time of the newest price on which the answer rests; None without evidence."""
        times = [one.market.price_at for one in self.counted if one.market.price_at is not None]
        return max(times, default=None)
