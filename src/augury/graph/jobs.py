"""Builds graphs in the background, one job per graph."""

from __future__ import annotations

from typing import Any, Final

from augury.clock import now
from augury.graph.schemas import answer, full
from augury.graph.service import GraphService
from augury.jobs.worker import Job, Worker

KIND: Final = "graph.build"
"""Kind of the jobs that draw a graph for operators (`POST /internal/v1/graph/jobs`). The result is
a `GraphAnswer`."""
FULL: Final = "graph.draw"
"""Kind of the jobs that draw a graph for `POST /v1/graphs`. The result is a `FullGraph`."""


def register(worker: Worker, service: GraphService) -> None:
    """Tell `worker` how to do the two kinds of jobs that draw graphs, `KIND` and `FULL`."""

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
