"""The page that shows the factor base."""

from __future__ import annotations

from augury.relations import knowledge
from augury.relations.page import page


def test_every_factor_and_reason_of_the_base_is_on_the_page_and_nothing_is_markup() -> None:
    base = knowledge.parse(
        {
            "x.toml": """
domain = "test"
[factors.cause]
name = "Cause <b>"
up = "there is more"
match = ["cause"]
effects = [["effect", "-", 2, 9, "Because of <script>."]]
[factors.effect]
name = "Effect"
up = "there is more"
match = ["effect"]
"""
        }
    )
    html = page(base)
    assert "Cause &lt;b&gt;" in html
    assert html.count("Because of &lt;script&gt;.") == 2  # from either end
    assert "<b>" not in html
    assert "9 d" in html
    assert "clear" in html
