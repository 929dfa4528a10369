"""Forecasts as they are made: server-sent events, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import msgspec

from augury_client.errors import ServerFailed, StreamCut, UnexpectedAnswer
from augury_client.models import PublicForecastResponse


@dataclass(frozen=True)
class Event:
    """One stage of a forecast: started, normalized, search, evidence, estimate,
    graph, and final at the end.

    `data`: the content of the stage. `answer`: the whole forecast, in the final event only.
    """

    type: str
    data: Any
    answer: PublicForecastResponse | None = None


class Reader:
    """Turns bytes into events, no matter where the bytes are split."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []
        self.ended = False

    def feed(self, part: bytes) -> Iterator[Event]:
        """The events that `part` completes. Raises ServerFailed for an event that reports an
        error."""
        *lines, self._rest = (self._rest + part).split(b"\n")
        for line in lines:
            line = line.rstrip(b"\r")
            if line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
            elif not line and self._data:
                event = _event(b"\n".join(self._data))
                self._data = []
                if event is not None:
                    self.ended = event.type == "final"
                    yield event

    def end(self) -> None:
        """Note that the connection has ended. Raises StreamCut if the final event has not come."""
        if not self.ended:
            raise StreamCut("The stream of the forecast ended before its last event.")


def _event(payload: bytes) -> Event | None:
    try:
        told: Any = msgspec.json.decode(payload)
        kind, data = cast("str", told["event_type"]), told["data"]
        if kind == "ping":
            return None
        if kind == "error":
            raise ServerFailed(500, str(data.get("code", "unknown")), str(data.get("detail", "")))
        answer = msgspec.convert(data, PublicForecastResponse) if kind == "final" else None
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError) as error:
        raise UnexpectedAnswer(f"An event of the stream can't be read: {error}.") from None
    return Event(kind, data, answer)
