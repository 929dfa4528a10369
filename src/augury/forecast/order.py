"""How one part of a question (window, level, stage ...) relates to that part of a market. Pure."""

from __future__ import annotations

from typing import Literal

Order = Literal["same", "opposite", "implies", "implied", "excludes", "differs", "unsaid"]
"""How one part of the question (window, level, stage ...) relates to the same part of the market.

- same: the part does not differ;
- opposite: exactly one of the two comes true;
- implies: the question's event is contained in the market's, so it is at most as likely;
- implied: the market's event is contained in the question's, so it is at most as likely;
- excludes: both cannot come true;
- differs: the two cannot be compared;
- unsaid: question or market says nothing definite about this part, so that it does not tell them
  apart.
"""
