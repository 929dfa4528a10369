"""Settings as the environment gives them."""

from __future__ import annotations

import pytest

from augury.errors import SetupProblem
from augury.settings import Settings

TEXTS = {
    "rvol_horizons": ("7d", "1"),
    "llm_tasks": ("match", "label"),
    "embed_origins": ("https://b.example", "https://a.example:8443"),
}
LISTS = [name for name, field in Settings.model_fields.items() if "tuple" in str(field.annotation)]


@pytest.mark.parametrize("name", LISTS)
def test_lists_are_written_with_commas(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = TEXTS.get(name, ("b.example", "a.example"))
    monkeypatch.setenv(f"AUGURY_{name.upper()}", f" {texts[0]}, {texts[1]},")
    expected = (1, 7) if name == "rvol_horizons" else texts
    assert getattr(Settings(), name) == expected


@pytest.mark.parametrize("name", sorted(set(LISTS) - {"rvol_horizons"}))
def test_a_list_may_be_empty(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"AUGURY_{name.upper()}", "")
    assert getattr(Settings(), name) == ()


def test_a_user_without_a_home_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_DATA_HOME", "AUGURY_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    with pytest.raises(SetupProblem, match="AUGURY_DATA_DIR"):
        Settings()
