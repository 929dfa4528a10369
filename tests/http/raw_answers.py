"""Answers read from a socket, byte by byte."""

from __future__ import annotations

import json
import socket
from typing import Any


class Answer:
    """A parsed response."""

    def __init__(self, raw: bytes) -> None:
        head, _, self.body = raw.partition(b"\r\n\r\n")
        status, *lines = head.decode("latin-1").split("\r\n")
        self.status = int(status.split(" ")[1])
        self.headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}

    @property
    def detail(self) -> Any:
        return json.loads(self.body)["detail"]


def head(line: str = "POST /v1/search HTTP/1.1", *headers: str) -> bytes:
    lines = [line, "Host: augury", "Content-Type: application/json", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def receive(sock: socket.socket) -> bytes:
    got = b""
    while True:
        try:
            data = sock.recv(65536)
        except (TimeoutError, ConnectionResetError):
            return got
        if not data:
            return got
        got += data
        at = got.find(b"\r\n\r\n")
        if at >= 0:
            length = Answer(got).headers.get("content-length")
            if length is not None and len(got) >= at + 4 + int(length):
                return got
