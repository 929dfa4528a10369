# %% [markdown]
# # A first hour
#
# Search, look at prices, ask for a forecast, and ask the same about last week. You need a running
# service, `AUGURY_URL`, `AUGURY_API_KEY`, and `pip install './clients/python[polars]' matplotlib`.

# %%
from datetime import datetime, timedelta, timezone
from textwrap import fill

import matplotlib.pyplot as plt
from augury_client import Augury

augury = Augury()
QUESTION = "Will the Fed cut rates in December?"

# %% [markdown]
# ## Search
#
# Four relations: markets that ask this, what drives it, what follows from it, what moves with it.

# %%
found = augury.search(QUESTION, top_k=6, status="active")
for market in found.direct:
    print(f"{market.price:6.1%}  {market.price_as_of:%Y-%m-%d %H:%M %Z}  {market.question}")
for market in found.upstream[:3]:
    print("drives it:", market.question)

# %% [markdown]
# ## A forecast
#
# `grade` says what a number rests on. `None` is an answer: no market says anything honest about it.

# %%
answer = augury.forecast(QUESTION)
print(answer.probability, answer.grade, answer.confidence_interval)
print(answer.reasoning)
week_ago = datetime.now(timezone.utc) - timedelta(days=7)
then = augury.forecast(QUESTION, as_of=week_ago)
print("a week ago:", then.probability)

# %% [markdown]
# ## The markets beside the answer

# %%
shown = [m for m in found.direct if m.price is not None][::-1]
fig, ax = plt.subplots(figsize=(9, 4), layout="constrained")
ax.barh([fill(m.question, 42) for m in shown], [m.price for m in shown], color="#7aa6d6")
if answer.probability is not None:
    ax.axvline(answer.probability, color="#b3261e", label=f"forecast {answer.probability:.0%}")
    ax.legend(loc="lower right")
ax.set_xlim(0, 1)
ax.set_xlabel("price of Yes, a probability")
ax.set_title(f"{QUESTION} ({found.direct[0].origin} data)")
