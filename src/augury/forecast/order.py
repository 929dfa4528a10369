"""Possible relations between one part of a question (window of time, level, stage ...) and the same
part of a market. Pure."""

from __future__ import annotations

from typing import Literal

Order = Literal["same", "opposite", "implies", "implied", "excludes", "differs", "unsaid"]
"""How one part of the question (window, level, stage ...) relates to the same part of the market.
If all else were equal:

- same: question and market would ask the same;
- opposite: exactly one of the two would come true;
- implies: the question would imply the market, and so be at most as likely;
- implied: the market would imply the question, which is then at least as likely;
- excludes: at most one of the two would come true;
- differs: the two could not be compared;
- unsaid: question or market says nothing definite about this part, so that it does not tell them
  apart.
"""
