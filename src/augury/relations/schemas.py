"""Wire shapes of the API's factor base: factors with their causes, effects and verdicts."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

_JUDGED: dict[str, Any] = {
    "verdict": "effect",
    "strength": 2,
    "sign": "-",
    "readers": 1,
    "source": "shipped",
    "agrees": True,
}
_ARROW: dict[str, Any] = {
    "key": "gold-price",
    "name": "Gold price",
    "sign": "-",
    "strength": 2,
    "lag_days": 1,
    "reason": "Gold pays nothing, so it loses when cash pays more.",
    "judged": _JUDGED,
}
_FACTOR: dict[str, Any] = {
    "key": "fed-policy-rate",
    "name": "Fed policy rate",
    "up": "the rate is raised",
    "domain": "macro",
    "instances": 1,
    "drives": [_ARROW],
    "driven_by": [],
    "moves_with": [],
}


def _example(**fields: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [fields]})


class ArrowJudgment(BaseModel):
    """The verdict of one or two readers on how two factors (things that markets are about) are
    related, reached without seeing how the factor base relates them."""

    model_config = _example(**_JUDGED)

    verdict: Literal["cause", "effect", "driver", "rival", "part", "none"] = Field(
        description="How the other factor relates to the factor whose `FactorRecord` this is in. "
        "cause: it drives that factor. effect: that factor drives it. driver: a third factor "
        "drives both. rival: it is a rival or a parallel case. part: it is the same thing, or a "
        "part of it. none: the two are unrelated."
    )
    strength: int = Field(
        description="How strong the relation is. 3: a main relation; 2: a clear one; 1: weak but "
        "real; 0: none."
    )
    sign: Literal["+", "-", "0"] = Field(
        description="+: more of one factor means more of the other. -: it means less of the "
        "other. 0: it can be either."
    )
    readers: int = Field(description="Number of readers who judged the pair of factors: 1 or 2.")
    source: Literal["shipped", "own"] = Field(
        description="Where the verdict comes from. shipped: it is part of Augury. own: the "
        "operator of this instance accepted it."
    )
    agrees: bool = Field(
        description="True if the verdict names the same relation as the factor base."
    )


class FactorArrow(BaseModel):
    """One relation of the factor of a `FactorRecord` to another factor: an effect, a cause, or a
    factor that moves with it."""

    model_config = _example(**_ARROW)

    key: str = Field(description="Key of the other factor.")
    name: str = Field(description="Name of the other factor.")
    sign: Literal["+", "-"] = Field(
        description="+: more of one factor means more of the other. -: it means less of the other."
    )
    strength: int = Field(
        description="How strong the relation is. 3: a main driver; 2: a clear one; 1: weak but "
        "real."
    )
    lag_days: int | None = Field(
        description="Typical number of days until the effect shows. Null: the two move together, "
        "without cause and effect."
    )
    reason: str = Field(description="Why the two factors are related, in words.")
    judged: ArrowJudgment | None = Field(
        description="The readers' verdict on the two factors. Null: nobody has judged them."
    )


class FactorRecord(BaseModel):
    """A factor: something in the world that markets are about, with its relations to others."""

    model_config = _example(**_FACTOR)

    key: str = Field(description="Key of the factor, e.g. fed-policy-rate.")
    name: str
    up: str = Field(
        description="What a rise of the factor means, e.g. the rate is raised. The signs of its "
        "relations refer to it."
    )
    domain: str = Field(description="Field that the factor belongs to, e.g. macro.")
    instances: int = Field(
        description="Number of factors made from the same pattern (e.g. one for each team or "
        "country), including this one, which is the only one listed."
    )
    drives: list[FactorArrow] = Field(description="Its effects, the strongest first.")
    driven_by: list[FactorArrow] = Field(description="Its causes, the strongest first.")
    moves_with: list[FactorArrow] = Field(
        description="Factors that move with it, without cause and effect, the strongest first."
    )


class FactorList(BaseModel):
    """One page of the factor base: factors (things in the world that markets are about), sorted by
    name."""

    model_config = _example(
        items=[_FACTOR], next_cursor=None, total=1, domains=["macro"], version="0123456789abcdef"
    )

    items: list[FactorRecord]
    next_cursor: str | None = Field(
        description="Pass as `cursor` for the next page. Null: this is the last one."
    )
    total: int = Field(description="Number of factors found, on all pages together.")
    domains: list[str] = Field(description="All domains that the parameter `domain` accepts.")
    version: str = Field(description="Version of the factor base; changes with its content.")
