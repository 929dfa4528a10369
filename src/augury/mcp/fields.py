"""Field types of the tools' results: numbers, times and texts in the form that suits a language
model."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator

MOST_TEXT = 700
"""Maximum number of characters of a text, e.g. of a market's rules, in a tool's answer; with
`detail: "full"` the answer has the whole text."""


def rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {name: rounded(inner) for name, inner in value.items()}
    return value


def _shortened(text: Any) -> Any:
    if isinstance(text, str) and len(text) > MOST_TEXT:
        return text[:MOST_TEXT].rsplit(" ", 1)[0] + " …"
    return text


def _to_the_second(moment: Any) -> Any:
    if isinstance(moment, str) and "." in moment:
        return moment.partition(".")[0] + "Z"
    return moment


MOST_MEMBERS = 8
"""Beside one market, a tool's answer lists at most this many further markets of its family (markets
of one event that differ e.g. in their level), and at most this many about the same thing. With
`detail: "full"` it lists them all."""


def _in_a_line(members: Any) -> Any:
    if not members or not isinstance(members[0], dict):
        return members  # lines already
    shown = [
        " ".join(
            part
            for part in (
                one["label"],
                "" if one["price"] is None else f"{rounded(one['price'])}",
                "" if one["status"] == "active" else one["status"],
                one["id"],
            )
            if part
        )
        for one in members[:MOST_MEMBERS]
    ]
    rest = len(members) - MOST_MEMBERS
    return [*shown, f"{rest} more"] if rest > 0 else shown


More = Annotated[list[str], BeforeValidator(_in_a_line)]
Number = Annotated[float, BeforeValidator(rounded)]
Moment = Annotated[str, BeforeValidator(_to_the_second)]
Prices = Annotated[dict[str, float], BeforeValidator(rounded)]
Text = Annotated[str, BeforeValidator(_shortened)]
