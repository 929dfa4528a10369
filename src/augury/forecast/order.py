"""How one part of a question (window, level, stage ...) relates to that part of a market. Pure."""

from __future__ import annotations

from typing import Literal

Order = Literal["same", "opposite", "implies", "implied", "excludes", "differs", "unsaid"]
"""How one part of the question (window, level, stage ...) relates to the same part of the market.

- same: the part does not differ;
- opposite: exactly one of the two comes true;
- implies: the question implies the market, so the question is at most as likely;
- implied: the market implies the question, so the question is at least as likely;
- excludes: at most one of the two comes true;
- differs: the two cannot be compared;
- unsaid: question or market says nothing definite about this part, so that it does not tell them
  apart.
"""
