"""Slow, readable twins of the fast measures: the equations, term by term."""

from __future__ import annotations

import itertools
import math
from statistics import median

MU1 = math.sqrt(2 / math.pi)
MU43 = 2 ** (2 / 3) * math.gamma(7 / 6) / math.gamma(1 / 2)


def rv(r: list[float]) -> float:
    return sum(x**2 for x in r)


def subsampled(prices: list[float], step: int) -> float:
    total = 0.0
    n = len(prices) - 1
    for offset in range(step):
        points = [0]
        place = offset if offset else step
        while place < n:
            points.append(place)
            place += step
        points.append(n)
        total += sum((prices[b] - prices[a]) ** 2 for a, b in itertools.pairwise(points))
    return total / step


def bv(r: list[float]) -> float:
    n = len(r)
    return MU1**-2 * n / (n - 1) * sum(abs(r[i]) * abs(r[i - 1]) for i in range(1, n))


def rsv_neg(r: list[float]) -> float:
    return sum(x**2 for x in r if x < 0)


def rsv_pos(r: list[float]) -> float:
    return sum(x**2 for x in r if x > 0)


def medrv(r: list[float]) -> float:
    n = len(r)
    scale = math.pi / (6 - 4 * math.sqrt(3) + math.pi) * n / (n - 2)
    return scale * sum(
        median((abs(r[i - 1]), abs(r[i]), abs(r[i + 1]))) ** 2 for i in range(1, n - 1)
    )


def rq(r: list[float]) -> float:
    return len(r) / 3 * sum(x**4 for x in r)


def tq(r: list[float]) -> float:
    n = len(r)
    total = sum((abs(r[i]) * abs(r[i - 1]) * abs(r[i - 2])) ** (4 / 3) for i in range(2, n))
    return MU43**-3 * n**2 / (n - 2) * total


def parzen(x: float) -> float:
    if x <= 0.5:
        return 1 - 6 * x**2 + 6 * x**3
    return 2 * (1 - x) ** 3 if x <= 1 else 0.0


def rk(r: list[float], sparse: list[float]) -> float:
    n = len(r)
    noise = rv(r) / (2 * n)
    bandwidth = min(math.ceil(3.5134 * (noise / rv(sparse)) ** 0.4 * n**0.6), n - 1)
    total = rv(r)
    for lag in range(1, bandwidth + 1):
        total += 2 * parzen(lag / (bandwidth + 1)) * sum(r[i] * r[i - lag] for i in range(lag, n))
    return total
