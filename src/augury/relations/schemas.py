"""Schemas of the API's answers on factors (things in the world that markets are about): their
causes, their effects, and verdicts on whether one factor drives another."""

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
    """The verdict of one or two readers (people or language models) on how two factors (things in
    the world that markets are about) are related. The readers judged without seeing the relation
    that Augury's list of factors gives for the two factors."""

    model_config = _example(**_JUDGED)

    verdict: Literal["cause", "effect", "driver", "rival", "part", "none"] = Field(
        description="How the other factor (B) is related to the factor of this record (A). cause: "
        "B drives A. effect: A drives B. driver: a third factor drives both. rival: A and B are "
        "rivals or parallel cases. part: A and B are the same thing, or one is a part of the "
        "other. none: they are unrelated."
    )
    strength: int = Field(
        description="How strong the relation is, by the verdict. 3: a main relation; 2: a clear "
        "one; 1: weak but real; 0: none."
    )
    sign: Literal["+", "-", "0"] = Field(
        description="+: when one factor rises, the other tends to rise, too. -: the other tends to "
        "fall. 0: the other may rise or fall, or the factors are unrelated."
    )
    readers: int = Field(
        description="Number of readers (people or language models) who judged the pair of factors "
        "independently: 1 or 2."
    )
    source: Literal["shipped", "own"] = Field(
        description="Where the verdict comes from. shipped: it is part of Augury. own: the "
        "operator of this installation added it."
    )
    agrees: bool = Field(
        description="True if the verdict states the same relation as the record that contains it."
    )


class FactorArrow(BaseModel):
    """How one factor is related to another one: the other factor is its effect, its cause, or moves
    with it."""

    model_config = _example(**_ARROW)

    key: str = Field(description="Key of the other factor.")
    name: str = Field(description="Name of the other factor.")
    sign: Literal["+", "-"] = Field(
        description="+: when one factor rises, the other tends to rise, too. -: the other tends to "
        "fall."
    )
    strength: int = Field(
        description="How strong the relation is. 3: a main driver; 2: a clear one; 1: weak but "
        "real."
    )
    lag_days: int | None = Field(
        description="Typical number of days until the effect shows. Null: the two factors move "
        "together, and neither causes the other."
    )
    reason: str = Field(description="Why the two factors are related, in words.")
    judged: ArrowJudgment | None = Field(
        description="Independent verdict of one or two readers on how the two factors are "
        "related. Null: nobody has judged them."
    )


class FactorRecord(BaseModel):
    """A factor (something in the world that markets are about, e.g. a policy rate) and its
    relations to other factors."""

    model_config = _example(**_FACTOR)

    key: str = Field(description="Key of the factor, e.g. fed-policy-rate.")
    name: str = Field(description="Name of the factor, e.g. Fed policy rate.")
    up: str = Field(
        description="What a rise of the factor means, e.g. the rate is raised. The signs in "
        "`drives`, `driven_by` and `moves_with` refer to such a rise."
    )
    domain: str = Field(description="Subject area that the factor belongs to, e.g. macro.")
    instances: int = Field(
        description="Number of factors made from the same pattern as this one (e.g. one for the "
        "title of each team), this one included. Only the first of them is listed."
    )
    drives: list[FactorArrow] = Field(
        description="Effects of this factor, the strongest relation first."
    )
    driven_by: list[FactorArrow] = Field(
        description="Causes of this factor, the strongest relation first."
    )
    moves_with: list[FactorArrow] = Field(
        description="Factors that move together with this one, although neither causes the "
        "other; the strongest relation first."
    )


class FactorList(BaseModel):
    """One page of the list of factors (things in the world that markets are about), by name."""

    model_config = _example(
        items=[_FACTOR], next_cursor=None, total=1, domains=["macro"], version="0123456789abcdef"
    )

    items: list[FactorRecord]
    next_cursor: str | None = Field(
        description="Pass as `cursor` for the next page. Null: this is the last one."
    )
    total: int = Field(description="Number of factors found, on all pages together.")
    domains: list[str] = Field(
        description="Every domain (subject area) that the parameter `domain` accepts."
    )
    version: str = Field(
        description="Version of the built-in list of factors and of what drives what. It changes "
        "whenever the list changes."
    )
