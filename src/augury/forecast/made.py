"""A finished forecast with what every form of answer shows: the estimate, where it comes from, its
warnings, and the time of its newest price. Nothing in it depends on the single request, so requests
can share it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from augury.forecast import grade
from augury.forecast.evidence import Estimate, Evidence, Origin, Snapshot
from augury.forecast.normalize import Reading

OLD_PRICE_DAYS: Final = 2.0
"""An answer carries a warning if the oldest price on which it rests is older than this many
days."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """The answer to one question, with the question as it was understood and the moment that the
    answer describes. It is independent of the request that asked for it."""

    reading: Reading
    estimate: Estimate
    as_of: datetime
    considered: int
    """Number of markets that were gathered to answer the question. All of them were open and had a
    fresh price."""
    replay: bool = False
    """Whether the forecast was made as of a moment in the past."""
    timings: Mapping[str, float] = field(default_factory=dict)
    """Time spent, in milliseconds, by stage of making the forecast ("gather", "judge" ...)."""

    @property
    def counted(self) -> tuple[Evidence, ...]:
        """The markets on which the answer rests: the evidence with a weight above 0."""
        return tuple(one for one in self.estimate.evidence if one.counts)

    @property
    def origin(self) -> Origin:
        """Where the answer comes from. `replay`: from markets as they were at an earlier time.
        `sample`: the answer rests on at least one market of the invented sample catalogue. If it
        rests on no market, the markets that were looked at for it count instead. `live`: all other
        answers."""
        if self.replay:
            return "replay"
        return "sample" if any(one.origin == "sample" for one in self._rests_on) else "live"

    @property
    def _rests_on(self) -> list[Snapshot]:
        """The markets with a weight in the answer. If there are none: the markets that were
        compared with the question and not used, and the market because of which there is no
        probability, if there is one (`NullReason.market`)."""
        if counted := self.counted:
            return [one.market for one in counted]
        null = self.estimate.null
        looked_at = [one.market for one in self.estimate.rejected]
        return looked_at + ([null.market] if null is not None and null.market is not None else [])

    @property
    def warnings(self) -> tuple[str, ...]:
        """Cautions for readers of the answer, one sentence each, e.g. that its prices are old;
        empty if there are none."""
        sentences = list(self.estimate.warnings)
        if any(one.origin == "sample" for one in self._rests_on):
            sentences.append("The markets are the sample that comes with Augury, not real ones.")
        if any(one.market.origin == "dump" for one in self.counted):
            sentences.append("Prices come from an import, not from the venue itself.")
        if self.estimate.grade == "hinted":
            sentences.append(
                "No market asks this or bounds it. The number is only a hint from a related market."
            )
        elif grade.is_doubtful(self.estimate):
            sentences.append(grade.DOUBT_WARNING)
        elif grade.is_loose(self.estimate):
            sentences.append(grade.LOOSE_WARNING)
        oldest = max((one.age for one in self.counted), default=0.0)
        if oldest > OLD_PRICE_DAYS:
            sentences.append(
                f"The oldest price on which this answer rests is {round(oldest)} days old."
            )
        return tuple(sentences)

    @property
    def data_as_of(self) -> datetime | None:
        """Time of the newest price on which the answer rests; None if it rests on no market."""
        times = [one.market.price_at for one in self.counted if one.market.price_at is not None]
        return max(times, default=None)
