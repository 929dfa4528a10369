"""Stub."""

from datetime import datetime

from augury.markets.records import Market, PricePoint


def generate(at: datetime) -> tuple[list[Market], list[PricePoint]]:
    return [], []
