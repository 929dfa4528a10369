"""Builds graphs in the background, one job per graph."""

from __future__ import annotations

from typing import Any, Final

from augury.clock import now
from augury.graph.schemas import answer, full
from augury.graph.service import GraphService
from augury.jobs.worker import Job, Worker

KIND: Final = "graph.build"
FULL: Final = "graph.draw"
"""Kinds of jobs. `FULL`: those behind `POST /v1/graphs`, whose result is a `FullGraph`; `KIND`:
those that build operators' graphs."""


def register(worker: Worker, service: GraphService) -> None:
    """Register the jobs of both kinds with `worker`."""

    async def build(job: Job) -> dict[str, Any]:
        async def stage(name: str, detail: dict[str, Any]) -> None:
            await job.progress(name, detail)

        drawn = await service.build(
            job.request["question"], only=job.request.get("only"), stage=stage
        )
        return answer(drawn).model_dump(mode="json")

    async def draw(job: Job) -> dict[str, Any]:
        drawn = await service.build(job.request["question"])
        return full(drawn, job.id, now()).model_dump(mode="json")

    worker.register(KIND, build)
    worker.register(FULL, draw)
