"""What all models have in common."""

from __future__ import annotations

from typing import Any

import msgspec


class Model(msgspec.Struct, kw_only=True):
    """An object of the API. Unknown fields, which a newer service may send, are ignored."""

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values; times stay `datetime`."""
        from datetime import date, datetime

        return msgspec.to_builtins(self, builtin_types=(datetime, date))

    def to_json(self) -> str:
        """All fields as JSON."""
        return msgspec.json.encode(self).decode()
