"""An OpenAI-compatible endpoint over real HTTP that answers, counts, lies and fails (R10)."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests import serving

KEY = "sk-canary-0123456789abcdef"

HTTP_FAULTS = (
    "429", "429_retry_after", "500", "503", "401", "slow", "silent", "truncated", "gzip_bomb",
    "damaged_gzip", "too_large", "html", "redirect", "redirect_inward", "not_json", "no_choices",
    "content_null", "content_array", "tool_call", "cut_off", "repeats_key", "empty", "deep",
)  # fmt: skip

Request = dict[str, Any]


def data_of(request: Request) -> dict[str, Any]:
    """The input of a task, as the model finds it."""
    content = request["messages"][-1]["content"]
    return json.loads(content.removeprefix("<data>\n").removesuffix("\n</data>"))


class FakeModel:
    """An ASGI application. `says` makes the text of an answer from a request."""

    def __init__(self, says: Callable[[Request], Any] | None = None) -> None:
        self.says = says or (lambda _: {"word": "same"})
        self.fault: str | None = None
        self.delay = 0.0
        self.usage: dict[str, Any] | None = {"prompt_tokens": 100, "completion_tokens": 10}
        self.requests: list[Request] = []
        self.headers: list[dict[str, str]] = []
        self.trapped: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = b""
        while (message := await receive()).get("more_body"):
            body += message.get("body", b"")
        body += message.get("body", b"")
        headers = {n.decode(): v.decode("latin-1") for n, v in scope["headers"]}
        if not scope["path"].endswith("/v1/chat/completions"):
            self.trapped.append(scope["path"])
        request = json.loads(body or b"{}")
        self.requests.append(request)
        self.headers.append(headers)
        await asyncio.sleep(self.delay)
        if self.fault == "silent":
            await asyncio.sleep(60)
        status, out, content = self._answer(request, headers)
        await send(
            {
                "type": "http.response.start",
                "status": status,
                "headers": [(n.encode(), v.encode()) for n, v in out],
            }
        )
        if self.fault == "slow":
            for n in range(len(content)):
                await send(
                    {"type": "http.response.body", "body": content[n : n + 1], "more_body": True}
                )
                await asyncio.sleep(0.2)
        await send({"type": "http.response.body", "body": content})

    def completion(self, text: Any, finish: str = "stop") -> bytes:
        if not isinstance(text, str | None):
            text = json.dumps(text)
        answer = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1795276334,
            "model": "m",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": text},
                    "logprobs": None,
                    "finish_reason": finish,
                }
            ],
        }
        if self.usage is not None:
            answer["usage"] = self.usage
        return json.dumps(answer).encode()

    def _answer(
        self, request: Request, headers: dict[str, str]
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        kind = ("content-type", "application/json")
        match self.fault:
            case "429":
                return 429, [kind], b'{"error": {"message": "slow down"}}'
            case "429_retry_after":
                return 429, [("retry-after", "7")], b""
            case "401" | "500" | "503":
                return int(self.fault), [kind], b'{"error": {"message": "inner workings"}}'
            case "truncated":
                return 200, [kind, ("content-length", "5000")], self.completion(self.says(request))
            case "gzip_bomb":
                return 200, [kind, ("content-encoding", "gzip")], gzip.compress(bytes(1 << 26), 1)
            case "damaged_gzip":
                return 200, [kind, ("content-encoding", "gzip")], b"\x1f\x8b\x08 no more gzip"
            case "too_large":
                return 200, [kind], self.completion("x" * (1 << 20))
            case "html":
                return 200, [("content-type", "text/html")], b"<script>alert(1)</script>"
            case "redirect":
                return 307, [("location", "/elsewhere/v1/other")], b""
            case "redirect_inward":
                return 302, [("location", "http://169.254.169.254/latest/meta-data")], b""
            case "not_json":
                return 200, [kind], self.completion("Sure! Here is your answer: same.")
            case "no_choices":
                return 200, [kind], b'{"choices": []}'
            case "content_null":
                return 200, [kind], self.completion(None)
            case "content_array":
                return 200, [kind], b'{"choices": [{"message": {"content": [1]}}]}'
            case "tool_call":
                return 200, [kind], self.completion(self.says(request), "tool_calls")
            case "cut_off":
                return 200, [kind], self.completion(self.says(request), "length")
            case "repeats_key":
                return 200, [kind], self.completion(headers.get("authorization", ""))
            case "empty":
                return 200, [kind], b""
            case "deep":
                return 200, [kind], b"[" * 100_000
            case _:
                return 200, [kind], self.completion(self.says(request))


@contextmanager
def served(app: Any) -> Iterator[str]:
    """Base URL of `app` on a free port of this machine."""
    with serving.served(app) as port:
        yield f"http://127.0.0.1:{port}/v1"
