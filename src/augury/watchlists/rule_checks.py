"""Refuses rules whose fields are each valid but make no sense together. Pure."""

from __future__ import annotations

from datetime import timedelta

from augury.errors import InvalidInput
from augury.watchlists.rules import DEFAULT_SPANS, Rule

_SHORTEST_SPAN = timedelta(minutes=5)
_LONGEST_SPAN = {
    "probability_change": timedelta(days=366),
    "probability_zscore": timedelta(days=7),
    "volume_spike": timedelta(days=1),
    "series_change": timedelta(days=366),
}
_BOUNDS = {
    "probability": (0.0, 1.0),
    "probability_change": (-1.0, 1.0),
    "spread": (0.0, 1.0),
    "divergence": (0.0, 1.0),
}


def check_rule(rule: Rule) -> None:
    """Raise `InvalidInput` if fields of a rule (an alert condition) contradict each other, e.g. a
    status compared with `gt`."""
    is_status = rule.metric == "status"
    if is_status != (rule.label is not None):
        raise InvalidInput.at(
            "body",
            "value",
            msg="For the metric status, this should be active, closed or resolved."
            if is_status
            else f"For the metric {rule.metric}, this should be a number.",
        )
    if is_status and rule.op not in ("eq", "ne"):
        raise InvalidInput.at(
            "body", "op", msg="If the metric is status, only eq and ne are allowed."
        )
    least, most = _BOUNDS.get(rule.metric, (float("-inf"), float("inf")))
    if rule.threshold is not None and not least <= rule.threshold <= most:
        raise InvalidInput.at(
            "body",
            "value",
            msg=f"For the metric {rule.metric}, this should be from {least:g} to {most:g}.",
        )
    if rule.span is not None:
        longest = _LONGEST_SPAN.get(rule.metric)
        if longest is None:
            metrics = ", ".join(DEFAULT_SPANS)
            raise InvalidInput.at(
                "body",
                "window",
                msg=f"The metric {rule.metric} is not measured over a window. Leave the window out "
                f"or use one of these metrics: {metrics}.",
            )
        if not _SHORTEST_SPAN <= rule.span <= longest:
            raise InvalidInput.at(
                "body",
                "window",
                msg=f"For the metric {rule.metric}, this should be from 5m to {longest.days}d.",
            )
    if rule.hysteresis and rule.op in ("eq", "ne"):
        raise InvalidInput.at(
            "body", "hysteresis", msg="With eq or ne, a rule can't have hysteresis. Leave it out."
        )
