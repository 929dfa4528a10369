"""Graphs built in the background: one job a graph, told of its stages."""

from __future__ import annotations

from typing import Any, Final

from augury.graph.schemas import answer
from augury.graph.service import GraphService
from augury.jobs.worker import Job, Worker

KIND: Final = "graph.build"


def register(worker: Worker, service: GraphService) -> None:
    """Let `worker` build graphs."""

    async def build(job: Job) -> dict[str, Any]:
        async def stage(name: str, detail: dict[str, Any]) -> None:
            await job.progress(name, detail)

        drawn = await service.build(
            job.request["question"], only=job.request.get("only"), stage=stage
        )
        return answer(drawn).model_dump(mode="json")

    worker.register(KIND, build)
