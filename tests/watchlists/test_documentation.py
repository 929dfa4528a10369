"""What the documentation tells people to copy is accepted."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from augury.net.addresses import AddressPolicy
from augury.series.schemas import SeriesRequest
from augury.watchlists import rule_schemas, rules
from augury.watchlists.rule_checks import check_rule

PAGE = (Path(__file__).parents[2] / "docs" / "watchlists.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```json\n(.*?)```", PAGE, re.S)
RULES = [line for line in BLOCKS[0].splitlines() if line]
SERIES = [text for text in re.split(r"\n\n", BLOCKS[1]) if text.strip()]


@pytest.mark.parametrize("text", RULES)
def test_rules_to_copy(text: str) -> None:
    check_rule(rule_schemas.RuleRequest.model_validate_json(text).rule())


@pytest.mark.parametrize("text", SERIES)
def test_series_to_copy(text: str) -> None:
    wanted = SeriesRequest.model_validate(json.loads(text)).wanted()
    if wanted.url is not None:
        AddressPolicy().check_url(wanted.url)


def test_every_metric_has_an_example_and_a_row() -> None:
    shown = {json.loads(text)["metric"] for text in RULES}
    every = {metric for metrics in rules.METRICS_BY_KIND.values() for metric in metrics}
    assert every - shown <= {"volume_24h", "series_change", "rvol_forecast"}
    for metric in every:
        assert f"`{metric}`" in PAGE
