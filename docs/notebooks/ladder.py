# %% [markdown]
# # From a ladder of strikes to a distribution
#
# Markets "above 2.2%", "above 2.4%" ... on one number are points of one curve. Their differences
# are the distribution that the market prices in.

# %%
import re
from collections import defaultdict
from itertools import pairwise

import matplotlib.pyplot as plt
from augury_client import Augury

augury = Augury()
WORDS = "inflation above"
LEVEL = re.compile(r"\babove (\d+(?:\.\d+)?)%", re.IGNORECASE)

# %% [markdown]
# ## One event's strikes
#
# Markets whose question has both words, by the event of their venue; the longest ladder is taken.

# %%
ladders = defaultdict(dict)
for market in augury.markets.list(q=WORDS, status="active").all(200):
    level = LEVEL.search(market.question)
    if level and market.price is not None:
        ladders[market.platform_event_name][float(level[1])] = market.price
name, strikes = max(ladders.items(), key=lambda item: len(item[1]))
assert len(strikes) >= 3, "No ladder has these words: try others."
strikes = dict(sorted(strikes.items()))
print(name, strikes)

# %% [markdown]
# ## No arbitrage: a higher strike can't be likelier
#
# Quotes of thin markets may break that by a little. The smallest correction is the running minimum.

# %%
levels, survival = list(strikes), []
for price in strikes.values():
    survival.append(min([price, *survival[-1:]]))
broken = sum(b > a for a, b in pairwise(strikes.values()))
print(f"{broken} of {len(levels) - 1} steps were in the wrong order")
parts = [1 - survival[0], *(a - b for a, b in pairwise(survival)), survival[-1]]
names = [
    f"up to {levels[0]:g}%",
    *(f"{a:g}% to {b:g}%" for a, b in pairwise(levels)),
    f"above {levels[-1]:g}%",
]
assert abs(sum(parts) - 1) < 1e-9
median = next((b for b, p in zip(levels, survival, strict=True) if p < 0.5), levels[-1])
print(f"the median lies below {median:g}%")

# %%
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
left.step(levels, survival, where="mid", color="#0b5cad")
left.plot(levels, list(strikes.values()), "o", color="#0b5cad")
left.set_ylim(0, 1)
left.set_xlabel("strike, percent")
left.set_ylabel("price of above the strike")
right.bar(names, parts, color="#7aa6d6")
right.tick_params(axis="x", rotation=40)
right.set_ylabel("probability")
fig.suptitle(f"{name} ({len(levels)} markets)")
