"""What series share with the tests of others."""

from __future__ import annotations

from tests.net.conftest import trap
from tests.watchlists.conftest import world

__all__ = ["trap", "world"]
