"""Wire shapes of the factor base."""

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
    """What readers said of two factors; they had not seen how the base joins them."""

    model_config = _example(**_JUDGED)

    verdict: Literal["cause", "effect", "driver", "rival", "part", "none"] = Field(
        description="What the other factor is, seen from this one. driver: both follow from "
        "something else; rival: or a parallel; part: of the same thing; none: no bearing."
    )
    strength: int = Field(description="3: a main tie; 2: a clear one; 1: weak but real; 0: none.")
    sign: Literal["+", "-", "0"] = Field(description="0: it can be either.")
    readers: int = Field(description="Number of readers who judged the pair: 1 or 2.")
    source: Literal["shipped", "own"] = Field(
        description="own: accepted by the operator of this instance."
    )
    agrees: bool = Field(description="True if the verdict names the same relation as the base.")


class FactorArrow(BaseModel):
    """How a factor and another one hang together."""

    model_config = _example(**_ARROW)

    key: str
    name: str
    sign: Literal["+", "-"] = Field(description="+: more of the one means more of the other.")
    strength: int = Field(description="3: a main driver; 2: a clear one; 1: weak but real.")
    lag_days: int | None = Field(
        description="Typical number of days until the effect shows. "
        "Null: the two move together, without cause and "
        "effect."
    )
    reason: str
    judged: ArrowJudgment | None = Field(
        description="What readers said of the two factors. Null: nobody judged them."
    )


class FactorRecord(BaseModel):
    """One thing in the world, what it drives and what drives it."""

    model_config = _example(**_FACTOR)

    key: str
    name: str
    up: str = Field(description="What a rise of the factor means.")
    domain: str
    instances: int = Field(
        description="Number of factors made from the same pattern, including this one."
    )
    drives: list[FactorArrow]
    driven_by: list[FactorArrow]
    moves_with: list[FactorArrow]


class FactorList(BaseModel):
    """One page of factors by name."""

    model_config = _example(
        items=[_FACTOR], next_cursor=None, total=1, domains=["macro"], version="0123456789abcdef"
    )

    items: list[FactorRecord]
    next_cursor: str | None
    total: int = Field(description="Number of factors found, on all pages together.")
    domains: list[str]
    version: str = Field(description="Version of the factor base; changes with its content.")
