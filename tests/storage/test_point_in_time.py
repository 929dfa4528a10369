"""Back to any moment: the lines of docs/production.md, done on a PostgreSQL of the distribution."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest
from tests.pace import wait_until

from augury.storage import migrate

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_basebackup"))
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PROGRAMS, reason="no PostgreSQL of the distribution"),
]


def blocks() -> list[str]:
    """What the page says to write and to do: the settings, the base, the way back."""
    text = (ROOT / "docs" / "production.md").read_text()
    section = text.partition("### Back to any moment")[2].partition("\n## ")[0]
    return re.findall(r"^```\w+\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


@dataclass
class Machine:
    """A folder in place of /, with what the page takes for granted: sudo, systemctl, a cluster."""

    folder: Path
    owner: str

    @property
    def data(self) -> Path:
        return self.folder / "var/lib/postgresql/15/main"

    @property
    def conf(self) -> Path:
        return self.folder / "etc/postgresql/15/main"

    @property
    def url(self) -> str:
        return f"postgresql://augury:pw@/augury?host={self.folder / 'run'}"

    def placed(self, text: str) -> str:
        """Lines of the page with every path of theirs in the folder."""
        return re.sub(r"(?<![\w.%])/(srv|var|etc|usr)/", rf"{self.folder}/\1/", text)

    def do(self, script: str) -> str:
        """What lines of the page say."""
        done = subprocess.run(
            ["sh", "-euxc", self.placed(script)], cwd=self.folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "PGUSER": "postgres",
                 "PGHOST": str(self.folder / "run")},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
        return done.stdout

    def program(self, name: str, text: str) -> None:
        path = self.folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def augury(self, *arguments: str) -> None:
        subprocess.run(
            [sys.executable, "-m", "augury", *arguments], check=True, stdout=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "AUGURY_DATABASE_URL": self.url,
                 "AUGURY_DATA_DIR": str(self.folder / "data")},
        )  # fmt: skip

    def asked(self, statement: LiteralString) -> list[Any]:
        with psycopg.connect(self.url) as conn:
            found = conn.execute(statement)
            return [value for (value,) in found] if found.description else []


@pytest.fixture
def machine() -> Iterator[Machine]:
    root = os.geteuid() == 0
    owner = "postgres" if root else pwd.getpwuid(os.geteuid()).pw_name
    folder = Path(tempfile.mkdtemp(prefix="augury-pit-", dir="/tmp"))
    folder.chmod(0o755)
    made = Machine(folder, owner)
    bins = PROGRAMS[-1].parent
    (folder / "usr/lib/postgresql/15").mkdir(parents=True)
    (folder / "usr/lib/postgresql/15/bin").symlink_to(bins)
    (made.conf / "conf.d").mkdir(parents=True)
    for place in (folder / "run", made.data.parent, folder / "srv"):
        place.mkdir(parents=True, exist_ok=True)
        shutil.chown(place, owner)
    settings = {
        "data_directory": made.data, "hba_file": made.conf / "pg_hba.conf",
        "unix_socket_directories": folder / "run", "listen_addresses": "", "fsync": "off",
        "include_dir": "conf.d",
    }  # fmt: skip
    (made.conf / "postgresql.conf").write_text(
        "".join(f"{name} = '{value}'\n" for name, value in settings.items())
    )
    (made.conf / "pg_hba.conf").write_text("local all all trust\nlocal replication all trust\n")
    become = f"setpriv --reuid={owner} --regid={owner} --clear-groups " if root else ""
    made.program("sudo", f'shift 2; exec {become}"$@"')
    control = f"sudo -u x {bins}/pg_ctl -s -w -D {made.conf} -l {folder}/run/log"
    made.program(
        "systemctl",
        f'case "$*" in *postgresql*) {control} "$1" || test "$1" = stop ;; esac',
    )
    made.do(f"sudo -u postgres {bins}/initdb -U postgres -E UTF8 --locale=C -N -D {made.data}")
    (made.data / "postgresql.conf").unlink()
    try:
        yield made
    finally:
        made.do("systemctl stop postgresql")
        shutil.rmtree(folder)


@pytest.mark.parametrize("lost", [False, True], ids=["the disk is there", "the disk is lost"])
def test_what_came_after_a_moment_is_gone_and_what_came_before_is_there(
    machine: Machine, lost: bool
) -> None:
    settings, base, back = blocks()
    (machine.conf / "conf.d/archive.conf").write_text(machine.placed(settings))
    machine.do("systemctl start postgresql")
    for statement in (
        "create role augury login password 'pw'",
        "create database augury owner augury",
    ):
        machine.do(f'sudo -u postgres psql -c "{statement}"')
    migrate.upgrade(machine.url)
    machine.augury("keys", "create", "--scope", "watch:write", "--account", "1 before the base")
    machine.do(base.replace("-o postgres -g postgres", f"-o {machine.owner}"))
    machine.augury("keys", "create", "--scope", "watch:write", "--account", "2 before the moment")
    machine.asked("insert into search_indexes values ('i', '', '', now())")
    time.sleep(0.2)
    [moment] = machine.asked("select clock_timestamp()")
    time.sleep(0.2)
    machine.augury("keys", "create", "--scope", "watch:write", "--account", "3 after it")
    names = "select name from accounts order by name"
    assert machine.asked(names) == ["1 before the base", "2 before the moment", "3 after it"]

    # The machine falls over: what was not archived by then is on its disk alone.
    back = back.replace("2026-11-22 14:00:00+00", moment.isoformat())
    if lost:
        machine.do("psql -c 'select pg_switch_wal()'")  # as it does within a minute
        wait_until(lambda: machine.do(ARCHIVED).endswith("t\n"), "archived", every=0.1)
        back = "\n".join(line for line in back.splitlines() if "/before/" not in line)
    machine.do(f"sudo -u x {PROGRAMS[-1].parent}/pg_ctl -s -D {machine.conf} -m immediate stop")
    print(machine.do(back))
    assert machine.asked(names) == ["1 before the base", "2 before the moment"]
    assert machine.asked("select count(*) from search_indexes") == [0]
    machine.augury("keys", "create", "--scope", "watch:write", "--account", "4 in the new time")
    assert machine.asked(names)[-1] == "4 in the new time"


ARCHIVED = (
    "psql -Atc 'select last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1)"
    " from pg_stat_archiver'"
)
