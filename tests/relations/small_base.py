"""A causal base of a few factors, and candidates touching them."""

from __future__ import annotations

import numpy as np

from augury.relations.causal import knowledge
from augury.search.rank import FEATURES
from augury.search.related import RELATION_VECTOR_SIZE, Pool

TEXT = """
domain = "test"
[entities.town]
fields = ["key", "name"]
rows = [["rome", "Rome"], ["oslo", "Oslo"], ["lima", "Lima"]]
[factors."rain-{town}"]
name = "Rain in {name}"
up = "it rains more"
match = ["{name} & rain"]
[factors.monsoon]
name = "Monsoon"
up = "there is a monsoon"
match = ["monsoon"]
effects = [
  ["rain-rome", "+", 3, 2, "It brings rain."],
  ["harvest", "+", 2, 90, "Rice wants water."],
]
[factors.ocean]
name = "Warm ocean"
up = "the ocean is warmer"
match = ["ocean"]
effects = [["monsoon", "+", 3, 30, "Warm water feeds it."]]
[factors.harvest]
name = "Harvest"
up = "the harvest is larger"
match = ["harvest"]
effects = [
  ["bread", "-", 3, 60, "Plenty is cheap."],
  ["monsoon", "-", 1, 400, "Fields dry the air."],
]
[factors.bread]
name = "Bread price"
up = "bread costs more"
match = ["bread"]
moves_with = [["beer", "+", 2, "Both are grain."]]
[factors.beer]
name = "Beer price"
up = "beer costs more"
match = ["beer"]
"""


BASE = knowledge.parse({"test.toml": TEXT})


NUMBERS = {key: number for number, key in enumerate(BASE.factors, 1)}


def pool(*markets: tuple[str, float], dense: float = 0.3, directness: float = 1.0) -> Pool:
    n = len(markets)
    tags, fits = np.zeros((n, 6), np.uint16), np.zeros((n, 6), np.float32)
    for row, (key, fit) in enumerate(markets):
        tags[row, 0], fits[row, 0] = NUMBERS[key], fit
    flat = np.zeros(n, np.float32)
    return Pool(
        keys=np.arange(n),
        tags=tags,
        fits=fits,
        features=np.zeros((n, len(FEATURES)), np.float32),
        directness=flat + directness,
        dense=flat + dense,
        words=flat,
        matched_weight=flat,
        matched_share=flat,
        fixture=flat,
        salience=flat,
        closes=np.full(n, 2_000_000_000, np.uint32),
        family=np.arange(n, dtype=np.uint64),
        relation_vectors=np.zeros((n, RELATION_VECTOR_SIZE), np.int8),
        query="ocean",
        direct_count=n,
        voters=np.zeros(0, np.intp),
        terms=2,
        max_term_weight=0.5,
        median_close=1_990_000_000,
    )
