"""Settings as the environment gives them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from augury import setting_files
from augury.errors import SetupProblem
from augury.health.service import settings_in_force
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


def test_a_misspelt_setting_is_an_error_with_a_suggestion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUGURY_TRUSTED_PROXYS", "10.0.0.1")
    with pytest.raises(SetupProblem, match="Did you mean AUGURY_TRUSTED_PROXIES"):
        Settings()


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("AUGURY_DATA_DIR", str(folder))
    return folder


@pytest.mark.heavy
def test_the_working_folder_says_nothing(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / ".env").write_text("AUGURY_PORT=1234\n")
    (here / "augury.toml").write_text("port = 1234\n")
    (here / "structlog.py").write_text("raise SystemExit('a module of the working folder')")
    monkeypatch.chdir(here)
    assert Settings().port == 8000
    assert 'python" -P -m augury' in (setting_files.CHECKOUT / "augury").read_text()
    command = [sys.executable, "-P", "-m", "augury", "--version"]
    env = {**os.environ, "PYTHONPATH": str(setting_files.CHECKOUT / "src")}
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    assert done.stdout.startswith("augury "), done.stderr
    (data / ".env").write_text("AUGURY_PORT=2345\n")
    assert Settings().port == 2345


def test_names_in_files_are_looked_at_too(data: Path) -> None:
    (data / "augury.toml").write_text("prot = 1234\n")
    with pytest.raises(SetupProblem, match="AUGURY_PORT"):
        Settings()
    (data / "augury.toml").unlink()
    (data / ".env").write_text("AUGURY_PROT=1234\n")
    with pytest.raises(SetupProblem, match="AUGURY_PORT"):
        Settings()


def test_a_broken_file_is_said_in_a_sentence(data: Path) -> None:
    (data / "augury.toml").write_text("port = \n")
    with pytest.raises(SetupProblem, match=r"augury\.toml is not valid TOML"):
        Settings()


@pytest.mark.parametrize("name", ["augury.toml", ".env"])
def test_a_file_others_may_write_is_not_believed(data: Path, name: str) -> None:
    (data / name).write_text("")
    assert Settings().port == 8000
    (data / name).chmod(0o666)
    with pytest.raises(SetupProblem, match="chmod go-w"):
        Settings()
    (data / name).chmod(0o600)
    data.chmod(0o777)
    with pytest.raises(SetupProblem, match="chmod go-w"):
        Settings()


def test_each_setting_says_where_it_comes_from(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (data / "augury.toml").write_text('port = 1\nhost = "::1"\nsync = "off"\n')
    (data / ".env").write_text("AUGURY_PORT=2\naugury_host=127.0.0.2\n")
    monkeypatch.setenv("AUGURY_PORT", "3")
    made = Settings(console="off")
    assert (made.port, made.host, made.sync) == (3, "127.0.0.2", "off")
    told = {one["name"]: one["source"] for one in settings_in_force(made)}
    assert told["AUGURY_PORT"] == "environment"
    assert told["AUGURY_HOST"] == str(data / ".env")
    assert told["AUGURY_SYNC"] == str(data / "augury.toml")
    assert told["AUGURY_CONSOLE"] == "command line"
    assert told["AUGURY_DATABASE_POOL_SIZE"] == "default"
