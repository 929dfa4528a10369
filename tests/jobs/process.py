"""A worker in a process of its own, for tests that kill it: `process.py URL`.

Each start of a job and each tick of the schedule leaves a row in `seen`, with this process's id.
Jobs of kind `hang` never end here; those of kind `quick` do.
"""

import asyncio
import os
import signal
import sys

from augury.jobs.worker import Job, Worker
from augury.storage.database import Database


async def main(url: str) -> None:
    database = Database(url, url, pool_size=4)
    await database.start()
    worker = Worker(database, heartbeat=1.0, drain=1.0)

    async def note(what: str) -> None:
        async with database.reading() as connection:
            await connection.execute(
                "insert into seen (what, pid) values (%s, %s)", (what, os.getpid())
            )

    async def hang(job: Job) -> None:
        await note(job.id)
        await asyncio.sleep(3600)

    async def quick(job: Job) -> None:
        await note(job.id)

    async def tick() -> None:
        await note("tick")

    worker.register("hang", hang)
    worker.register("quick", quick)
    worker.schedule("tick", 0.5, tick)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    print("ready", flush=True)
    await worker.run(stop)
    await database.close()


asyncio.run(main(sys.argv[1]))
