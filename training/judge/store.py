"""Build the catalogue that training questions are asked of, once, in a folder of its own.

python training/judge/store.py FOLDER --markets M.parquet --prices P.parquet
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from augury.services import running
from augury.settings import Settings
from augury.venues.dump import DumpFile
from augury.venues.importing import import_file


def settings(folder: Path) -> Settings:
    """Settings of a catalogue that only training uses: no venue, no sample, no language model."""
    found = Settings(data_dir=folder, sync="off", sample="off", search_url=None)
    found.llm_url = None
    return found


async def build(folder: Path, markets: Path, prices: Path) -> None:
    """Import markets and their prices, and index them."""
    async with running(settings(folder)) as services:
        for path in (markets, prices):
            print(path.name, await import_file(services.database, DumpFile(path)))
        await services.search.catch_up()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--markets", type=Path, required=True)
    parser.add_argument("--prices", type=Path, required=True)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(build(given.folder, given.markets, given.prices))


if __name__ == "__main__":
    main()
