"""A process to be killed: evaluates and delivers, with short times. Says `ready` once it runs.

python process.py DATABASE_URL DATA_DIR
"""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

from augury.deliveries.sender import Sender
from augury.net.addresses import AddressPolicy
from augury.settings import Settings
from augury.storage.database import Database
from augury.storage.vault import Vault
from augury.watchlists.evaluation import Evaluator
from augury.watchlists.observe import Observer

RETRIES = [timedelta(seconds=0.2)] * 20
DEADLINE = 1.0


async def main(url: str, folder: str) -> None:
    database = Database(url, url, pool_size=4)
    await database.start()
    settings = Settings(data_dir=Path(folder))
    policy = AddressPolicy.of(["127.0.0.1"], http=True)
    sender = Sender(
        database, Vault(settings), policy, deadline=DEADLINE, retries=RETRIES, lease=2 * DEADLINE,
        each_host=10_000, host_rate=1e6, host_burst=1_000_000,
    )  # fmt: skip

    async def search(query: str, most: int) -> list[str]:
        return []

    evaluator = Evaluator(database, Observer(), search, wake=sender.wake)

    async def evaluate() -> None:
        while True:
            await evaluator.tick()
            await asyncio.sleep(0.2)

    print("ready", flush=True)
    await asyncio.gather(sender.run(asyncio.Event()), evaluate())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
