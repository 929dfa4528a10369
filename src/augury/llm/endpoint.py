"""One request to an OpenAI-compatible chat endpoint, and all the ways in which it can fail."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal

import httpx2
import msgspec
from pydantic import SecretStr

from augury import __version__
from augury.net import body
from augury.net.cookies import no_cookies
from augury.net.pause import retry_after

# Both libraries log headers, which hold the key.
for _name in ("httpx2", "httpcore2"):
    logging.getLogger(_name).setLevel(logging.WARNING)

MAX_BYTES: Final = 256 * 1024
"""Maximum number of bytes that are read of an answer, after decompression: about a hundred times
the length of the longest answer that a task allows."""
UNASKED_PAUSE: Final = 10.0
"""Seconds to pause after a response 429 (too many requests) without a Retry-After header."""

Format = Literal["schema", "grammar", "object", "none"]


class CompletionFailed(Exception):
    """Raised when the endpoint gave no completion. The text is in plain words, without secrets.

    outcome : label of the failure in metrics
    healthy : False if the failure is a sign that the endpoint does not work, None if it is no sign
        of the endpoint's state
    charged : whether the provider may charge tokens for the request
    pause : number of seconds for which no further request should be sent
    """

    def __init__(
        self,
        outcome: str,
        text: str,
        *,
        healthy: bool | None = False,
        charged: bool = True,
        pause: float = 0.0,
    ) -> None:
        super().__init__(text)
        self.outcome, self.healthy, self.charged, self.pause = outcome, healthy, charged, pause


class Completion(msgspec.Struct, frozen=True):
    """What a model answered: its text (empty if the answer was cut off or filtered), and the
    numbers of tokens sent and received, None if the endpoint does not report them."""

    text: str
    tokens_in: int | None
    tokens_out: int | None


class ModelEndpoint:
    """Client for chat completions at the base URL that the operator configured, which may be on
    this machine.

    Redirects are not followed, so that the API key is sent to no other address.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: SecretStr | None = None,
        format: Format = "object",
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self.model = model
        self._key = key
        self._format: Format = format
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._http = httpx2.AsyncClient(
            headers={
                "User-Agent": f"augury/{__version__}",
                # Only what `body.read` can decompress with a limit on the size.
                "Accept-Encoding": "gzip",
            },
            timeout=None,  # `complete` has a deadline for the whole request
            limits=httpx2.Limits(max_connections=8, max_keepalive_connections=4),
            follow_redirects=False,
            cookies=no_cookies(),
            transport=transport,
        )

    async def aclose(self) -> None:
        await self._http.aclose()

    async def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        schema: Mapping[str, Any],
        *,
        max_tokens: int,
        deadline: float,
    ) -> Completion:
        """The model's answer to the chat `messages`, at temperature 0. `schema`: JSON schema of the
        answer, for endpoints that can enforce one.

        Raises
        ------
        CompletionFailed
            The request failed, or did not finish within `deadline` seconds.
        """
        request: dict[str, Any] = {
            "model": self.model,
            "messages": list(messages),
            "max_tokens": max_tokens,
            "temperature": 0,
        }
        if (wanted := _response_format(self._format, schema)) is not None:
            request["response_format"] = wanted
        headers = {"Authorization": f"Bearer {self._key.get_secret_value()}"} if self._key else {}
        try:
            async with (
                asyncio.timeout(deadline),
                self._http.stream("POST", self._url, json=request, headers=headers) as response,
            ):
                _check(response)
                content = await body.read(response, MAX_BYTES)
        except TimeoutError:
            raise CompletionFailed("timeout", "did not answer in time") from None
        except (httpx2.ConnectError, httpx2.InvalidURL, httpx2.UnsupportedProtocol):
            raise CompletionFailed("unreachable", "can't be reached", charged=False) from None
        except body.BodyError as error:
            raise CompletionFailed("bad_answer", str(error)) from None
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            raise CompletionFailed(
                "broken", f"cut its answer short ({type(error).__name__})"
            ) from None
        if self._key and self._key.get_secret_value().encode() in content:
            raise CompletionFailed(
                "bad_answer", "sent our API key back in its answer, so the answer was discarded"
            )
        return _read(content)


def _response_format(format: Format, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    match format:
        case "schema":
            return {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": dict(schema), "strict": True},
            }
        case "grammar":
            return {"type": "json_object", "schema": dict(schema)}
        case "object":
            return {"type": "json_object"}
        case "none":
            return None


def _check(response: httpx2.Response) -> None:
    status = response.status_code
    if status == 200:
        return
    if status == 429:
        wait = retry_after(response.headers.get("retry-after"), datetime.now(UTC))
        raise CompletionFailed(
            "throttled", "asked for fewer requests", healthy=None, charged=False,
            pause=UNASKED_PAUSE if wait is None else wait,
        )  # fmt: skip
    if 300 <= status < 400:
        raise CompletionFailed(
            "redirected", "answered with a redirect, which is not followed", charged=False
        )
    if 400 <= status < 500:
        raise CompletionFailed(
            "refused", f"refused the request with status {status}", charged=False
        )
    raise CompletionFailed("error", f"answered with status {status}")


# The parts of an answer that are read.


class _Message(msgspec.Struct):
    content: str


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


_Count = Annotated[int, msgspec.Meta(ge=0, le=10_000_000)]


class _Usage(msgspec.Struct):
    prompt_tokens: _Count | None = None
    completion_tokens: _Count | None = None


class _Completion(msgspec.Struct):
    choices: Annotated[list[_Choice], msgspec.Meta(min_length=1)]
    usage: _Usage | None = None


def _read(content: bytes) -> Completion:
    try:
        answer = msgspec.json.decode(content, type=_Completion)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise CompletionFailed(
            "bad_answer", "answered with something other than a chat completion"
        ) from None
    usage = answer.usage or _Usage()
    choice = answer.choices[0]
    # Any other reason (cut off, filtered, a tool call) means that the answer is not complete.
    text = choice.message.content if choice.finish_reason in ("stop", None) else ""
    return Completion(text, usage.prompt_tokens, usage.completion_tokens)
