# %% [markdown]
# # The same question on two venues
#
# `linked_market_ids` names the same contract, or its exact complement, at the other venue. Where
# the prices differ by more than both spreads, somebody is wrong, slow, or reads the rules in
# another way.

# %%
import matplotlib.pyplot as plt
import polars as pl
from augury_client import Augury

augury = Augury()
markets = {m.id: m for m in augury.markets.list(status="active").all(500)}

# %%
rows = []
for market in markets.values():
    for other_id in market.linked_market_ids:
        other = markets.get(other_id)
        if other is None or market.platform != "kalshi":
            continue
        if market.price is None or other.price is None:
            continue
        # A complement is priced the other way round: the nearer reading is the right one.
        same, turned = other.price, 1 - other.price
        price = min((same, turned), key=lambda p: abs(p - market.price))
        spread = sum(
            (m.best_ask - m.best_bid) if m.best_ask and m.best_bid else 0.02
            for m in (market, other)
        )
        gap = market.price - price
        apart = abs((market.price_as_of - other.price_as_of).total_seconds()) / 60
        rows.append((market.question, market.price, price, gap, spread, apart, market.origin))
names = ["question", "kalshi", "polymarket", "gap", "spread", "minutes_apart", "origin"]
pairs = pl.DataFrame(rows, schema=names, orient="row").sort(pl.col("gap").abs(), descending=True)
print(pairs)

# %% [markdown]
# ## Before you call it a difference
#
# 1. **Age**: prices minutes apart can't be compared in a moving market.
# 2. **Rules**: `description` of both. A gap that stays is often a difference in the rules.
# 3. **Costs**: fees of both venues, and money that is bound until the market closes.

# %%
worth = pairs.filter((pl.col("gap").abs() > pl.col("spread")) & (pl.col("minutes_apart") < 60))
print(f"{len(worth)} of {len(pairs)} pairs differ by more than their spreads")
fig, ax = plt.subplots(figsize=(5.6, 5.2), layout="constrained")
ax.plot([0, 1], [0, 1], color="#999", linewidth=1)
ax.scatter(pairs["polymarket"], pairs["kalshi"], s=26, color="#0b5cad")
for row in pairs.head(3).iter_rows(named=True):
    ax.annotate(f"{row['gap']:+.1%}", (row["polymarket"], row["kalshi"]), xytext=(6, -10),
                textcoords="offset points")  # fmt: skip
ax.set_xlabel("price on Polymarket")
ax.set_ylabel("price of the same on Kalshi")
ax.set_title(f"{len(pairs)} pairs of one contract" + (f" ({rows[0][-1]} data)" if rows else ""))
