"""The regressions of volatility by name, and which of them are blended at a horizon. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from augury.rvol.features import FAMILIES, INDEX, NEEDS, Design
from augury.rvol.panel import Bools

LONG_DAYS = 15
"""Shortest horizon, in days, at which the model `blend` (the mean of several regressions) averages
the regressions of `LONG_BLEND` instead of those of `SHORT_BLEND`."""

CALENDAR = FAMILIES["calendar"]


@dataclass(frozen=True)
class Member:
    """One regression of future variance on `columns` (names of regressors). `scale` says what it
    explains: the log of the variance, its root, the variance itself (`level`), or the variance
    itself with days weighted by 1/rv (`weighted`). `penalty` is the strength of its ridge or lasso
    penalty, as in `regression.solve`; 0: none. `pooled`, if set, is the method by which it is
    fitted over several assets at once."""

    name: str
    columns: tuple[str, ...]
    scale: Literal["log", "root", "level", "weighted"] = "log"
    penalty: float = 0.0
    pooled: Literal["", "ridge", "gamma", "lasso"] = ""

    def needs(self) -> set[str]:
        """What an asset must have for this regression to be used, as values of `NEEDS`, e.g. `bv`
        (bipower variation). Empty for regressions with a penalty, because they cope with regressors
        that carry no information."""
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
LONE_ASSET_BLEND = ("log-har",)
"""Regressions that join the model `blend` at long horizons for an asset that is the only one of its
family and calendar. They stand in for log-har-x and pooled-log-har, which need other assets."""

MODELS = ("blend", "log-har", "har", "ewma", "pooled-lasso", "garch")
"""The models that are published: `blend` and the models compared with it. A model that lacks data
or an optional package is left out."""


def blend_of(days: int, *, alone: bool) -> tuple[str, ...]:
    """Names of the regressions that the model `blend` averages at a horizon of `days` days.
    `alone`: the asset is the only one of its family and calendar."""
    if days < LONG_DAYS:
        return SHORT_BLEND
    return LONG_BLEND + LONE_ASSET_BLEND if alone else LONG_BLEND


def columns_of(member: Member, continuous: bool) -> list[int]:
    """Indices of the regression's regressors in `Design.x`, the constant first. On markets that
    trade every day (`continuous`), the weekday regressors are added for regressions of log
    variance, except the baseline `log-har`."""
    names = [*member.columns]
    if continuous and member.name not in ("log-har", "har") and member.scale == "log":
        names += [c for c in CALENDAR if c not in names]
    return [INDEX["one"], *(INDEX[n] for n in names)]


def has_all(member: Member, design: Design) -> Bools:
    """Shape (assets,): True for the assets that have the data that the regression requires, see
    `Member.needs`."""
    out = np.ones(len(design.level), dtype=bool)
    for need in member.needs():
        out &= design.meets[need]
    return out
