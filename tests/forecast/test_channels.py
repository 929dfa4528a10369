"""Only labels are kept of what integrations say of themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augury.forecast.channels import label


@pytest.mark.parametrize("said", ["partner-7", "Slack", "mcp", "1.4.2", "vscode extension"])
def test_labels_are_kept(said: str) -> None:
    assert label(said) == said.casefold()


@pytest.mark.parametrize(
    "said",
    [
        None, "", " ", "aug_" + "x" * 40, "sk-1234567890abcdef1234", "ann@example.org", "10.0.0.1",
        "annas-laptop.local", "Bearer abc", "token=abc", "x" * 41, "naïve", "a\nb", "../etc/passwd",
        "/home/ann", "C:\\Users\\ann", "550e8400e29b41d4a716446655440000", "http://x/?key=1",
    ],
)  # fmt: skip
def test_what_could_be_private_is_dropped(said: str | None) -> None:
    assert label(said) == ""


@given(st.text())
def test_a_label_is_short_and_plain(said: str) -> None:
    kept = label(said)
    assert len(kept) <= 40
    assert kept.isascii()
    assert kept.isprintable()
