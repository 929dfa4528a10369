"""A process that owns or attaches to a data folder, for tests that kill it: `owner.py FOLDER`.

Says `owned` or `attached`, the server's process, how many rows the table `acknowledged` holds and
the seconds it took; then inserts the next number over and over and says each one once committed.
With `wait` as second argument it only holds the server.
"""

import sys
import time
from contextlib import suppress
from pathlib import Path

import psycopg

from augury.storage.embedded import EmbeddedServer


def main(folder: str, *rest: str) -> None:
    began = time.monotonic()
    server = EmbeddedServer.open(Path(folder), options={"shared_buffers": "16MB"})
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        with suppress(psycopg.errors.UniqueViolation):  # two at once, says PostgreSQL
            connection.execute("create table if not exists acknowledged (n int primary key)")
        row = connection.execute("select count(*) from acknowledged").fetchone()
        assert row
        count = row[0]
        took = time.monotonic() - began
        print("owned" if server.owned else "attached", server.pid, count, took, flush=True)
        if rest:
            sys.stdin.read()
            server.close()
            return
        for n in range(count + 1, 10**9):
            connection.execute("insert into acknowledged values (%s)", (n,))
            print(n, flush=True)


main(*sys.argv[1:])
