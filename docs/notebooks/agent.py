# %% [markdown]
# # An agent in 30 lines, over MCP
#
# The tools that a language model gets, called in the order in which a careful one calls them. Put
# a model where `decide` is: it sees the same tools and the same answers. You need
# `pip install mcp matplotlib`.

# %%
import asyncio
import os

import httpx2
import matplotlib.pyplot as plt
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

QUESTIONS = [
    "Will the Fed cut rates in December?",
    "Will Bitcoin reach $150,000?",
    "Will there be a recession in the US?",
    "Will my cat learn to play chess?",
]


# %%
def decide(answer: dict) -> str:
    """What to say of an answer; a gate in words."""
    if answer.get("probability") is None:
        return "I don't know: " + (answer.get("error") or "no market bears on it")
    if answer["grade"] not in ("asked", "bounded"):
        return f"A hint only: about {answer['probability']:.0%}"
    return f"{answer['probability']:.0%}, by what markets ask"


async def agent() -> list[dict]:
    key = {"Authorization": f"Bearer {os.environ['AUGURY_API_KEY']}"}
    address = os.environ["AUGURY_URL"] + "/mcp"
    async with (
        httpx2.AsyncClient(headers=key, timeout=120) as plain,
        Client(streamable_http_client(address, http_client=plain)) as client,
    ):
        answers = []
        for question in QUESTIONS:
            made = await client.call_tool("forecast", {"question": question})
            answer = made.structured_content
            print(f"{question}\n   {decide(answer)}")
            answers.append(answer)
        return answers


# %% [markdown]
# In Jupyter write `answers = await agent()`.

# %%
answers = asyncio.run(agent())

# %%
fig, ax = plt.subplots(figsize=(8, 2.8), layout="constrained")
for place, answer in enumerate(answers):
    chance = answer.get("probability")
    if chance is None:
        ax.text(0.01, place, "no honest number", va="center", color="#777")
    else:
        sure = answer["grade"] in ("asked", "bounded")
        ax.barh(place, chance, color="#0b5cad" if sure else "#b8cce4")
        ax.text(chance + 0.01, place, f"{chance:.0%} ({answer['grade']})", va="center")
ax.set_yticks(range(len(QUESTIONS)), QUESTIONS)
ax.set_ylim(len(QUESTIONS) - 0.5, -0.5)
ax.set_xlim(0, 1.15)
ax.set_xlabel("probability")
