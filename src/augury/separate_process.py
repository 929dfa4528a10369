"""Runs calls in a separate process, so that they block neither the event loop nor the
interpreter lock of this process.

Meant for work that takes long and can wait, e.g. writing a file of the whole catalogue or parsing
the answer of an unknown server. The separate process has low priority, starts when first needed,
ends after `IDLE_SECONDS` seconds without a call, and dies with this process. Calls run one at a
time, in the order in which they came.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import resource
import subprocess
import sys
from collections.abc import Callable
from typing import BinaryIO, ParamSpec, TypeVar

from augury.errors import Unavailable

P = ParamSpec("P")
T = TypeVar("T")

IDLE_SECONDS = 60.0
"""Seconds without a call after which the separate process ends."""
START_SECONDS = 60.0
"""Maximum time, in seconds, for the start of the separate process: enough for a busy machine. The
time limit of a call (`SeparateProcess.run`) does not include this time."""
_NICE = 5
_WIDTH = 8


class SeparateProcess:
    """A separate process of low priority that runs long calls one at a time, so that they do not
    block this process. It starts when first needed and ends after `IDLE_SECONDS` seconds without a
    call."""

    def __init__(self, *, memory: int | None = None) -> None:
        """`memory`: maximum address space of the separate process, in bytes; None: no limit."""
        self._memory = memory
        self._turn = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self._ending: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[bytes] | None = None

    async def run(
        self, seconds: float, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run `call`, a top-level function of a module, in the separate process; return its result
        or raise its exception.

        Raises
        ------
        TimeoutError
            The call took longer than `seconds` and was ended, or the process did not start within
            `START_SECONDS` seconds.
        Unavailable
            The process ended, e.g. because it asked for more memory than it may have.
        """
        request = pickle.dumps((call, args, kwargs))
        await self._turn.acquire()
        # A running call goes on when its caller gives up. If it ended the process instead, callers
        # that come and go would make others wait for one start after another.
        exchange = asyncio.create_task(self._exchange(request, seconds))
        exchange.add_done_callback(lambda task: task.cancelled() or task.exception())
        self._task = exchange
        reply = await asyncio.shield(exchange)
        good, value = pickle.loads(reply)  # noqa: S301 - a process of ours wrote it
        if good:
            return value
        raise value

    async def _exchange(self, request: bytes, seconds: float) -> bytes:
        try:
            if self._ending is not None:
                self._ending.cancel()
            try:
                reply = await self._send(request, seconds)
            except BaseException:
                self._end()  # in the middle of a call: no later call may read its answer
                raise
            self._ending = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._end)
            return reply
        finally:
            self._turn.release()

    async def close(self) -> None:
        """End the separate process, whatever it is doing."""
        process = self._process
        if self._ending is not None:
            self._ending.cancel()
        self._end()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if process is not None:
            await process.wait()

    async def _send(self, request: bytes, seconds: float) -> bytes:
        if self._process is None or self._process.returncode is not None:
            async with asyncio.timeout(START_SECONDS):
                self._process = await self._start()
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            async with asyncio.timeout(seconds):
                process.stdin.write(len(request).to_bytes(_WIDTH, "big") + request)
                await process.stdin.drain()
                size = await process.stdout.readexactly(_WIDTH)
                return await process.stdout.readexactly(int.from_bytes(size, "big"))
        except (asyncio.IncompleteReadError, OSError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise _stopped() from None

    async def _start(self) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "augury.separate_process", str(self._memory or 0),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            await process.stdout.readexactly(1)
        except BaseException as error:
            if process.returncode is None:
                process.kill()  # it hangs, and nobody would know of it
            process.stdin.close()
            await process.wait()
            if isinstance(error, asyncio.IncompleteReadError):
                raise _stopped() from None
            raise
        return process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.kill()


def _stopped() -> Unavailable:
    return Unavailable(
        "The background process that does this work has stopped. Try again.",
        code="process_stopped",
    )


def _serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """In the separate process: run the calls that come in, one after the other, until the input is
    closed."""
    answers.write(b".")
    answers.flush()
    while size := requests.read(_WIDTH):
        call, args, kwargs = pickle.loads(requests.read(int.from_bytes(size, "big")))  # noqa: S301
        try:
            answer = pickle.dumps((True, call(*args, **kwargs)))
        except Exception as error:
            answer = _pickled_error(error)
        answers.write(len(answer).to_bytes(_WIDTH, "big") + answer)
        answers.flush()


def _pickled_error(error: Exception) -> bytes:
    try:
        reply = pickle.dumps((False, error))
        pickle.loads(reply)  # noqa: S301 - ours
    except Exception:
        reply = pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
    return reply


def _main() -> None:
    os.nice(_NICE)
    if memory := int(sys.argv[1]):
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    # What a library prints goes to standard error, so that it is not taken for an answer.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    _main()
