"""Finds the files that settings are read from, refuses files that other users can change, and
checks the names of settings."""

from __future__ import annotations

import os
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from augury.errors import SetupProblem


def default_data_dir() -> Path:
    """The data folder: `$AUGURY_DATA_DIR`, else `$XDG_DATA_HOME/augury`, else
    `~/.local/share/augury`."""
    if chosen := os.environ.get("AUGURY_DATA_DIR"):
        return Path(chosen)
    try:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    except RuntimeError:
        raise SetupProblem(
            "This user has no home folder for the data. Set AUGURY_DATA_DIR to a writable folder "
            "that survives restarts, such as a mounted volume."
        ) from None
    return Path(base) / "augury"


CHECKOUT = Path(__file__).parents[2]
"""Root of the repository, if Augury runs from a checkout. If Augury is installed as a package, this
path means nothing."""
_OTHERS_MAY_WRITE = 0o022
_NOT_SETTINGS = {
    *("AUGURY_VENV", "AUGURY_PYTHON", "AUGURY_GOLDEN"),
    *("AUGURY_URL", "AUGURY_API_KEY", "AUGURY_OTHER_API_KEY"),
}
"""Environment variables that begin with AUGURY_ and are not refused as unknown settings, because
the script ./augury, the tests or clients read them. Names that begin with AUGURY_TEST_ are not
refused either; they are recognized by that prefix and not listed."""


def files() -> list[Path]:
    """The existing files that settings are read from: `.env` and `augury.toml` in the data folder
    and, in a checkout, `.env` in its root. Files in the current folder are not read.

    Raises
    ------
    SetupProblem
        Another user can write to one of the files, and so could e.g. change the address to which
        secrets are sent.
    """
    folders = [default_data_dir()]
    if (CHECKOUT / "pyproject.toml").is_file() and (CHECKOUT / "src").is_dir():
        folders.append(CHECKOUT)
    found = [folder / ".env" for folder in folders] + [folders[0] / "augury.toml"]
    found = [file for file in found if file.is_file()]
    for file in found:
        for path in (file, file.parent):
            try:
                stat = path.stat()
            except OSError as error:
                raise SetupProblem(f"{path} can't be read: {error.strerror}.") from None
            if stat.st_uid not in (os.geteuid(), 0) or stat.st_mode & _OTHERS_MAY_WRITE:
                raise SetupProblem(
                    f"{path} belongs to another user or is writable by others, so settings are "
                    f"not read from it. Run: chown {os.geteuid()} {path} && chmod go-w {path}"
                )
    return found


def check_names(names: Iterable[str], fields: Iterable[str]) -> None:
    """Refuse names that begin with AUGURY_ but belong to no setting, such as AUGURY_PROT: a
    misspelled setting would have no effect. `fields`: the settings that exist.

    Raises
    ------
    SetupProblem
        A name is unknown; the text gives the name of a similar setting, if there is one.
    """
    known = {f"AUGURY_{name.upper()}" for name in fields}
    for name in sorted(names):
        upper = name.upper()
        if not upper.startswith("AUGURY_") or upper in known | _NOT_SETTINGS:
            continue
        if upper.startswith("AUGURY_TEST_"):
            continue
        near = get_close_matches(upper, known, n=1)
        hint = f" Did you mean {near[0]}?" if near else " docs/configuration.md lists them all."
        raise SetupProblem(f"Unknown setting {name}.{hint}")
