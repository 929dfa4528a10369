"""The tasks of a language model in a forecast: instructions, answer types and controls. Pure.

Controls are questions with known answers, by which a model is tested before it is used for a task.
They are about places and people that do not exist, so that no model knows the answers. `rewording`
and `opinion` decide which of the model's answers count and what they change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import msgspec

from augury.forecast.opinion import TRUSTED_SHARE, Asks
from augury.forecast.rewording import MAX_CHARACTERS
from augury.llm.task import Control, Task, Unusable, plain
from augury.matching.judge import MAX_CANDIDATES

LONGEST_REASON: Final = 240
"""Maximum length, in characters, of a language model's reason for its opinion on a market."""


class Rewrite(msgspec.Struct, forbid_unknown_fields=True):
    """What a language model makes of a badly worded question: the question in plain words, and its
    parts."""

    question: Annotated[str, msgspec.Meta(max_length=MAX_CHARACTERS)]
    asks_opposite: bool
    last_day: Annotated[str, msgspec.Meta(max_length=10)]
    """Last day of the question's window of time, as an ISO date: 2027-06-30 for "before July 2027".
    Empty: the question names no time."""
    level: Annotated[str, msgspec.Meta(max_length=24)]
    """The level that the question names, in digits: 12000 for "above $12,000". Empty: it names
    none."""


class MarketOpinion(msgspec.Struct, forbid_unknown_fields=True):
    """A language model's opinion on one market that it was asked to compare with a question.

    n : number of the market in the list that the model was given, from 1
    why : the model's reason for its opinion, in words
    asks : whether the market asks the same as the question, the opposite, or neither
    """

    n: int
    why: Annotated[str, msgspec.Meta(max_length=LONGEST_REASON)]
    asks: Asks


class MatchAnswer(msgspec.Struct, forbid_unknown_fields=True):
    """A language model's opinions on all markets that it was asked to compare with a question."""

    markets: Annotated[list[MarketOpinion], msgspec.Meta(max_length=MAX_CANDIDATES)]


class Wording(msgspec.Struct, forbid_unknown_fields=True):
    """A language model's answer to the task of rewording the reasoning of a forecast: the new
    text."""

    text: str


def match_input(question: str, markets: Sequence[str], today: str) -> dict[str, Any]:
    """The input for a language model that is to compare markets with a question (task `MATCH`), as
    JSON data. The markets are numbered from 1; `today` is an ISO date."""
    return {
        "question": plain(question),
        "markets": [{"n": n, "text": plain(text)} for n, text in enumerate(markets, 1)],
        "today": today,
    }


def opinions_by_position(answer: MatchAnswer, markets: int) -> Mapping[int, MarketOpinion]:
    """A language model's opinions by the position of the market in the list, from 0.

    markets : number of markets that the model was asked about

    Raises
    ------
    Unusable
        There is an opinion on a market that was not in the list, or more than one on a market.
    """
    found = {one.n - 1: one for one in answer.markets}
    if len(found) < len(answer.markets) or not found.keys() <= set(range(markets)):
        raise Unusable("the answer names a market that was not asked about, or names one twice")
    return found


def _match(question: str, *markets: tuple[str, Asks]) -> Control[MatchAnswer]:
    wanted = {n: asks for n, (_, asks) in enumerate(markets)}

    def right(answer: MatchAnswer) -> bool:
        try:
            found = opinions_by_position(answer, len(markets))
        except Unusable:
            return False
        return {n: one.asks for n, one in found.items()} == wanted

    return Control(match_input(question, [text for text, _ in markets], "2026-11-21"), right)


def _rewrite(
    question: str, *words: str, opposite: bool = False, last_day: str = "", level: str = ""
) -> Control[Rewrite]:
    def right(answer: Rewrite) -> bool:
        question = answer.question.casefold()
        parts = (answer.asks_opposite, answer.last_day, answer.level.replace(",", "").strip("$"))
        return parts == (opposite, last_day, level) and all(word in question for word in words)

    return Control({"text": question, "today": "2026-11-21"}, right)


MATCH: Final = Task(
    name="match",
    version=2,
    instructions=(
        "Compare a question with each of the markets. asks is same if the market's Yes and the"
        " question's Yes are settled by the same facts; opposite if the one is Yes exactly when the"
        " other is No; other if anything else tells them apart: who, what, which act, level, date,"
        " year, stage, place, or if you can't be sure. Near is not same. Most markets are other."
        " why is one short sentence on what decides, in words of the question and the market,"
        " written before asks. Answer once for each n, and for no other n."
    ),
    answer=MatchAnswer,
    max_tokens=700,
    controls=(
        _match("Will the Harbour Bridge reopen by June 2027?",
               ("Harbour Bridge open to traffic before July 2027?", "same"),
               ("Will the Harbour Bridge be sold before July 2027?", "other")),
        _match("Will Lena Ortiz be elected mayor of Novara?",
               ("Will Lena Ortiz be nominated for mayor of Novara?", "other"),
               ("Will Lena Ortiz lose the Novara mayoral election?", "opposite")),
        _match("Will the Falcons win the 2027 cup?",
               ("Will the Ravens win the 2027 cup?", "other"),
               ("Will the Falcons reach the final of the 2027 cup?", "other"),
               ("2027 cup winner — Falcons", "same")),
        _match("Will copper trade above $12,000 in 2027?",
               ("Will copper hit $15,000 in 2027?", "other"),
               ("Will tin trade above $12,000 in 2027?", "other")),
        _match("Will the Selva dam stay closed through 2027?",
               ("Will the Selva dam open before 2028?", "opposite"),
               ("Will the Selva dam be repaired before 2028?", "other")),
        _match("Does Orbit Labs go public in 2027?",
               ("Orbit Labs IPO by December 31, 2027?", "same"),
               ("Orbit Labs acquired by December 31, 2027?", "other"),
               ("Orbit Foods IPO by December 31, 2027?", "other")),
        _match("Will the strike at Norport end by May 1, 2027?",
               ("Will the strike at Norport end by December 1, 2027?", "other"),
               ("Will the strike at Norport begin by May 1, 2027?", "other")),
        _match("Will anyone but Haruto Abe lead the Reform Party in 2028?",
               ("Will Haruto Abe lead the Reform Party in 2028?", "opposite"),
               ("Will Haruto Abe lead the Reform Party in 2027?", "other")),
        _match("Will Lake Mira freeze over this winter?",
               ("Will a ship sink on Lake Mira this winter?", "other"),
               ("Will Lake Mira be completely frozen at any time this winter?", "same")),
        _match("Will the Senate of Arvandia pass the water bill?",
               ("Will the president of Arvandia sign the water bill?", "other"),
               ("Will the water bill fail in the Senate of Arvandia?", "opposite")),
    ),
    needed=TRUSTED_SHARE,
)  # fmt: skip

REWRITE: Final = Task(
    name="rewrite",
    version=2,
    instructions=(
        "Put what the text asks as one short question that begins with Will and can be answered"
        " Yes or No. Use only words, names, numbers and dates of the text; leave none of its names,"
        " numbers and dates out. asks_opposite is true where the text asks whether something does"
        " not happen, and then the question says not. last_day is the last day that counts as"
        " YYYY-MM-DD, empty if the text names no time. level is the number to be reached or kept"
        " to, in digits alone, empty if there is none."
    ),
    answer=Rewrite,
    max_tokens=160,
    controls=(
        _rewrite("so um the Harbour Bridge, reopening by June 30, 2027, any chance of that?",
                 "will", "harbour bridge", "june 30, 2027", last_day="2027-06-30"),
        _rewrite("I doubt it but Lena Ortiz elected mayor of Novara in 2027??",
                 "will", "lena ortiz", "novara", "2027", last_day="2027-12-31"),
        _rewrite("odds please: copper not reaching $12,000 in 2027", "will", "not", "12,000",
                 "2027", opposite=True, last_day="2027-12-31", level="12000"),
        _rewrite("Friend says Orbit Labs goes public before 2028. Thoughts?", "will",
                 "orbit labs", "2028", last_day="2027-12-31"),
        _rewrite("Tin above 40,000 on March 1, 2027. Yes or no?", "will", "tin", "40,000",
                 "march 1, 2027", last_day="2027-03-01", level="40000"),
    ),
)  # fmt: skip

WORDING: Final = Task(
    name="wording",
    version=1,
    instructions=(
        "Write the text again so that it reads more smoothly, in the same sentences and with the"
        " same words where you can. {1}, {2} and so on stand for names and figures: keep each of"
        " them, once, in this order. Add nothing."
    ),
    answer=Wording,
    max_tokens=300,
)
