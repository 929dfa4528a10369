"""Besieges one service of its own: clients that take and give nothing, bombs, floods.

    PYTHONPATH=src python -m tests.siege [CLASS ...]

Starts `augury serve` on an empty folder with its default limits, and for each class (default: all)
attacks it over real sockets from addresses of 127.0.0.0/8, while somebody else asks for its health
ten times a second. Prints a JSON object: for each class what was tried, what became of it, how long
health took, and by how much memory (of service and worker) and descriptors grew. What is held is
decided by each class itself; ends with 1 where one was not. tests/test_siege.py runs it small.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.siege.bombs import decompression
from tests.siege.floods import load, texts
from tests.siege.service import Attack, Found, Service
from tests.siege.slow import never_reading, slow_bodies, slow_heads
from tests.siege.sockets import half_open, idle

HEALTH = b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


@dataclass
class Watch:
    """Somebody who asks for health ten times a second."""

    service: Service
    took: list[float] = field(default_factory=list)
    failed: int = 0

    async def run(self) -> None:
        while True:
            began = time.perf_counter()
            status, _ = await self.service.ask("127.9.9.9", HEALTH)
            self.took.append(time.perf_counter() - began)
            self.failed += status != 200
            await asyncio.sleep(max(0.0, 0.1 - self.took[-1]))

    def told(self) -> dict[str, Any]:
        took = sorted(self.took) or [0.0]
        at = {"p50": len(took) // 2, "p99": len(took) * 99 // 100, "worst": len(took) - 1}
        ms = {name: round(took[n] * 1000, 1) for name, n in at.items()}
        return {"asked": len(self.took), "failed": self.failed, "ms": ms}


ATTACKS: dict[str, Attack] = {
    "slow heads": slow_heads,
    "slow bodies": slow_bodies,
    "never reading": never_reading,
    "idle": idle,
    "half open": half_open,
    "load": load,
    "decompression": decompression,
    "texts": texts,
}


async def besiege(service: Service, names: list[str], scale: float) -> dict[str, Found]:
    """Each class in turn, and what it cost."""
    found: dict[str, Found] = {}
    for name in names:
        watch = Watch(service)
        watching = asyncio.create_task(watch.run())
        memory, descriptors, began = service.memory(), service.descriptors(), time.monotonic()
        told = await ATTACKS[name](service, scale)
        told["seconds"] = round(time.monotonic() - began)
        watching.cancel()
        await asyncio.sleep(3)
        told["health"] = watch.told()
        told["memory_grown_mb"] = round(service.memory() - memory)
        told["descriptors_grown"] = service.descriptors() - descriptors
        told["held"] = told["held"] and not watch.failed and told["descriptors_grown"] < 30
        found[name] = told
        print(f"{name}: {json.dumps(told)}", file=sys.stderr, flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("classes", nargs="*", help=", ".join(ATTACKS))
    parser.add_argument("--scale", type=float, default=1.0, help="Part of the tries; default: 1.")
    given = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 14_000)), hard))
    with tempfile.TemporaryDirectory(prefix="augury-siege-") as folder:
        service = Service.start(Path(folder))
        try:
            names = given.classes or list(ATTACKS)
            found: dict[str, Any] = asyncio.run(besiege(service, names, given.scale))
        finally:
            status = service.stop()
    found["left_with"] = status
    print(json.dumps(found, indent=1, ensure_ascii=False))
    return 0 if status == 0 and all(f["held"] for f in found.values() if f != status) else 1


if __name__ == "__main__":
    sys.exit(main())
