"""A small task for a language model, and data for it."""

from __future__ import annotations

from typing import Literal

import msgspec

from augury.llm.task import Task


class Answer(msgspec.Struct, forbid_unknown_fields=True):
    word: Literal["same", "different"]


TASK = Task(name="match", version=1, instructions="Judge.", answer=Answer, max_tokens=20)


DATA = {"title": "Will it rain?"}
