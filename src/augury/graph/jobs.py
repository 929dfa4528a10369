"""Builds graphs in the background, one job per graph."""

from __future__ import annotations

from typing import Any, Final

from augury.clock import now
from augury.graph.schemas import answer, full
from augury.graph.service import GraphService
from augury.jobs.worker import Job, Worker

KIND: Final = "graph.build"
FULL: Final = "graph.draw"
"""`KIND` and `FULL` are the names of the two kinds of background jobs that draw a graph. `FULL` is
for `POST /v1/graphs`, with a `FullGraph` as result; `KIND` is for operators, with a
`GraphAnswer`."""


def register(worker: Worker, service: GraphService) -> None:
    """Register with `worker` the two kinds of jobs that draw graphs, `KIND` and `FULL`."""

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
