"""How one part of a question can stand to the same part of a market. Pure."""

from __future__ import annotations

from typing import Literal

Order = Literal["same", "opposite", "implies", "implied", "excludes", "differs", "unsaid"]
"""How one part of the question stands to the market's.

- implies: the question's event is contained in the market's, so it is at most as likely;
- implied: the other way round;
- excludes: both can't be;
- differs: they can't be compared; unsaid: one of them does not name this part.
"""
