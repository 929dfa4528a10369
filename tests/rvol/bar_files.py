"""Files of bars as people import them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl

START = int(datetime(2026, 11, 16, tzinfo=UTC).timestamp())  # a Monday


def bars(days: int = 3, minutes: int = 5, start: int = START, seed: int = 1) -> pl.DataFrame:
    n = days * 1440 // minutes
    closes = 100 * np.exp(np.cumsum(np.random.default_rng(seed).normal(0, 1e-3, n)))
    opens = np.concatenate([[100.0], closes[:-1]])
    return pl.DataFrame(
        {
            "timestamp": start + 60 * minutes * np.arange(n),
            "open": opens,
            "high": np.maximum(opens, closes),
            "low": np.minimum(opens, closes),
            "close": closes,
            "volume": 1.0,
        }
    )


def written(frame: pl.DataFrame, path: Path) -> Path:
    frame.write_parquet(path) if path.suffix == ".parquet" else frame.write_csv(path)
    return path
