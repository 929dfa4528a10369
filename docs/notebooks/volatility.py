# %% [markdown]
# # Volatility: what was forecast, what came, and a position sized by it
#
# Forecasts are served as they were issued; actuals once the window is over. The key needs the scope
# `rvol:read`, and its account `augury accounts approve-rvol NAME`.

# %%
import matplotlib.pyplot as plt
import polars as pl
from augury_client import Augury

augury = Augury()
ASSET, HORIZON = "BTC", "7d"

# %%
issued = augury.rvol.history(asset=ASSET, horizon=HORIZON).to_polars()
actuals = augury.rvol.actuals(asset=ASSET, horizon=HORIZON).to_polars()
latest = augury.rvol.latest(asset=ASSET, horizon=HORIZON).first()[0]
model = latest.model_id
joined = (
    issued.filter(pl.col("model_id") == model)
    .select("as_of", "prediction_forecast_volatility")
    .join(actuals.select("as_of", "actual_realized_volatility"), on="as_of")
    .drop_nulls()
    .sort("as_of")
)
print(len(joined), "windows of", model, "that are over;", latest.origin, "data")
if joined.is_empty():
    raise SystemExit(
        "No forecast has come to its end yet. A new installation issues those of past days within "
        "a minute or two: run this again then."
    )

# %% [markdown]
# ## How far off
#
# QLIKE is the loss for variances: 0 is perfect, and too low costs more than too high.

# %%
ratio = (joined["actual_realized_volatility"] / joined["prediction_forecast_volatility"]) ** 2
qlike = (ratio - ratio.log() - 1).mean()
print(f"QLIKE {qlike:.3f}; realized was above the forecast in {(ratio > 1).mean():.0%} of windows")

# %% [markdown]
# ## A size for a position
#
# To risk the same each week, hold less when more movement is expected. With a budget of 2% a week:

# %%
BUDGET = 0.02
expected = latest.prediction.forecast_volatility
print(f"expected over {HORIZON}: {expected:.1%}; position: {min(1.0, BUDGET / expected):.0%}")
sized = joined.with_columns(size=(BUDGET / pl.col("prediction_forecast_volatility")).clip(0, 1))
risked = (sized["size"] * sized["actual_realized_volatility"]).std()
flat = sized["size"].mean() * sized["actual_realized_volatility"]
print(f"spread of the risk taken: {risked:.4f}, at a constant size {flat.std():.4f}")

# %%
fig, ax = plt.subplots(figsize=(9, 3.8), layout="constrained")
ax.plot(joined["as_of"], joined["actual_realized_volatility"], color="#999", label="realized")
ax.plot(
    joined["as_of"], joined["prediction_forecast_volatility"], color="#0b5cad", label="forecast"
)
ax.set_ylim(0)
ax.set_ylabel(f"volatility over {HORIZON}")
ax.set_title(f"{ASSET}: forecast as issued, and what came ({latest.origin} data)")
ax.legend()
