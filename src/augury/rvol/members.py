"""The regressions of volatility by name, and which of them are blended at a horizon. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from augury.rvol.features import FAMILIES, INDEX, NEEDS, Design
from augury.rvol.panel import Bools

LONG = 15
"""Shortest horizon, in days, at which the blend consists of `LONG_BLEND` instead of
`SHORT_BLEND`."""

CALENDAR = FAMILIES["calendar"]


@dataclass(frozen=True)
class Member:
    """One regression. `scale` is that of its target: log, root or level of the variance, or the
    level with rows weighted by 1/rv; `pooled`, if set, is how it is fitted over the whole class."""

    name: str
    columns: tuple[str, ...]
    scale: Literal["log", "root", "level", "weighted"] = "log"
    penalty: float = 0.0
    pooled: Literal["", "ridge", "gamma", "lasso"] = ""

    def needs(self) -> set[str]:
        """The requirements (values of `NEEDS`) that an asset must meet for this member to be used.
        Empty for members with a penalty, which cope with regressors that carry no information."""
        if self.penalty:
            return set()
        return {NEEDS[c] for c in self.columns if c in NEEDS}


_HAR = ("d", "w", "m")
_ALL = tuple(
    c
    for family in FAMILIES.values()
    for c in family
    if c not in ("neg_d", "pos_d", "cont_d", "cont_w", "cont_m")
)

MEMBERS = {
    m.name: m
    for m in (
        Member("har", _HAR, "level"),
        Member("har-wls", _HAR, "weighted"),
        Member("sqrt-har", _HAR, "root"),
        Member("log-har", _HAR),
        Member("log-shar", ("neg_d", "pos_d", "w", "m")),
        Member("log-lhar", (*_HAR, "lev_d", "lev_w", "lev_m")),
        Member(
            "log-lhar-j-rs",
            (*_HAR, "lev_d", "lev_w", "lev_m", "jump_d", "jump_w", "semi"),
        ),
        Member("log-harq", (*_HAR, "quarticity")),
        Member("log-har-cj", ("cont_d", "cont_w", "cont_m", "jump_d", "jump_w")),
        Member("log-har-x", (*_HAR, "class_d", "class_e")),
        Member("ridge", _ALL, penalty=0.02),
        Member("pooled-log-har", _HAR, pooled="ridge"),
        Member("pooled-ridge", _ALL, penalty=0.002, pooled="ridge"),
        Member("pooled-gamma", _ALL, penalty=0.002, pooled="gamma"),
        Member("pooled-lasso", _ALL, penalty=0.005, pooled="lasso"),
    )
}  # fmt: skip

SHORT_BLEND = (
    "ridge", "log-lhar-j-rs", "log-lhar", "log-shar", "log-harq", "log-har-cj", "pooled-ridge",
    "pooled-gamma",
)  # fmt: skip
LONG_BLEND = (
    "log-shar", "log-har-cj", "log-harq", "log-lhar", "sqrt-har", "har-wls", "log-har-x",
    "pooled-log-har",
)  # fmt: skip
ALONE = ("log-har",)
"""Members that join the blend for long horizons if an asset is alone in its class, in place of the
two members that need other assets (log-har-x and pooled-log-har)."""

MODELS = ("blend", "log-har", "har", "ewma", "pooled-lasso", "garch")
"""The models that are published: the blend and its challengers. One that lacks data or an optional
package is left out."""


def blend_of(days: int, *, alone: bool) -> tuple[str, ...]:
    """Members of the blend at a horizon of `days`; `alone`: the asset has no others in its
    class."""
    if days < LONG:
        return SHORT_BLEND
    return LONG_BLEND + ALONE if alone else LONG_BLEND


def columns_of(member: Member, continuous: bool) -> list[int]:
    """Column indices of the member's regressors, the constant first. On markets that trade every
    day, the calendar's regressors are added for members in logs, except the baseline log-HAR."""
    names = [*member.columns]
    if continuous and member.name not in ("log-har", "har") and member.scale == "log":
        names += [c for c in CALENDAR if c not in names]
    return [INDEX["one"], *(INDEX[n] for n in names)]


def has_all(member: Member, design: Design) -> Bools:
    """(assets): which assets meet the member's requirements."""
    out = np.ones(len(design.level), dtype=bool)
    for need in member.needs():
        out &= design.has[need]
    return out
