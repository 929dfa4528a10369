# %% [markdown]
# # An evidence gate, and what it does to the Brier score
#
# An answer comes with what it rests on: its `grade`, its `confidence`, an interval, and the age of
# the newest price. A program that acts on forecasts can refuse those that rest on too little. This
# notebook asks questions that are decided by now, as of earlier days, and compares: all answers,
# and those that pass the gate. Nothing that was not known on the day is used.

# %%
from datetime import timedelta

import matplotlib.pyplot as plt
import polars as pl
from augury_client import Augury

augury = Augury()
DAYS_BEFORE = (2, 5, 10, 20, 35)
GRADES = ("asked", "bounded")
LEAST_CONFIDENCE = 0.5
WIDEST_INTERVAL = 0.5
OLDEST_PRICE_HOURS = 48

# %% [markdown]
# ## Questions whose answer is known
#
# `resolution` is the outcome that won. The question is a market's own, so what is tried is the
# price of the day and the doubt around it, not the search.

# %%
resolved = [
    m
    for m in augury.markets.list(status="resolved").all(60)
    if m.resolution is not None and m.resolved_at is not None
]
print(len(resolved), "resolved markets;", {m.origin for m in resolved})
asked = [(m, m.closes_at - timedelta(days=n), n) for m in resolved for n in DAYS_BEFORE]
run = augury.forecast_many([(m.question, when) for m, when, _ in asked])
run.wait()

# %%
rows = []
for (market, when, days), answer in zip(asked, run, strict=True):
    interval = answer.confidence_interval
    newest = answer.data_as_of
    rows.append(
        {
            "question": market.question,
            "days": days,
            "happened": float(market.resolution == market.outcomes[0]),
            "probability": answer.probability,
            "grade": answer.grade,
            "confidence": answer.confidence,
            "width": interval.upper - interval.lower if interval else None,
            "age_hours": (when - newest).total_seconds() / 3600 if newest else None,
        }
    )
frame = pl.DataFrame(rows, infer_schema_length=None)
answered = frame.drop_nulls("probability").with_columns(
    brier=(pl.col("probability") - pl.col("happened")) ** 2
)
print(
    f"{len(frame)} asked, {len(answered)} answered, {len(frame) - len(answered)} without a number"
)

# %% [markdown]
# ## The gate
#
# Each condition by itself, then all of them. `n` matters as much as the score: a gate that lets
# little through says little.

# %%
conditions = {
    "grade": pl.col("grade").is_in(GRADES),
    "confidence": pl.col("confidence") >= LEAST_CONFIDENCE,
    "interval": pl.col("width") <= WIDEST_INTERVAL,
    "age": pl.col("age_hours") <= OLDEST_PRICE_HOURS,
}
conditions["all four"] = pl.all_horizontal(list(conditions.values()))


def score(rows: pl.DataFrame) -> tuple[int, float | None]:
    return len(rows), rows["brier"].mean() if len(rows) else None


table = [("none", *score(answered), 0, None)]
for name, passes in conditions.items():
    passes = passes.fill_null(False)
    table.append((name, *score(answered.filter(passes)), *score(answered.filter(~passes))))
columns = ["gate", "kept", "brier_kept", "refused", "brier_refused"]
result = pl.DataFrame(table, schema=columns, orient="row")
print(result)

# %% [markdown]
# ## The score by how wide the gate is open
#
# Answers in the order of their interval, narrowest first: the Brier score of the best so many.

# %%
ordered = answered.drop_nulls("width").sort("width")
kept = range(1, len(ordered) + 1)
running = ordered["brier"].cum_sum() / pl.Series(kept)
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
left.plot([k / len(ordered) for k in kept], running, color="#0b5cad")
left.axhline(answered["brier"].mean(), color="#999", linestyle="--", label="all answers")
left.set_xlabel("share of answers kept, narrowest interval first")
left.set_ylabel("Brier score (lower is better)")
left.set_ylim(0)
left.legend()
for happened, color in ((1.0, "#0b6e4f"), (0.0, "#b3261e")):
    part = answered.filter(pl.col("happened") == happened)
    label = "happened" if happened else "did not"
    right.scatter(part["width"], part["probability"], color=color, s=18, alpha=0.7, label=label)
right.axvline(WIDEST_INTERVAL, color="#999", linestyle="--")
right.set_xlabel("width of the interval")
right.set_ylabel("forecast")
right.legend()
fig.suptitle(f"{len(answered)} forecasts of decided questions ({resolved[0].origin} data)")

# %% [markdown]
# **On the sample the outcomes are invented**, so the numbers above show how it is done, not how
# good it is. How each grade scores on real questions is under "How good it is" on the page on
# forecasts.
# Take thresholds from one part of your questions and check them on another.
