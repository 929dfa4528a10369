"""Words that reverse an assertion: "lost" instead of "won", "missing" instead of "present", "kept"
instead of "changed". Pure.

`normalize` and `propositions.reading` read many wordings as "not". This module handles single words
that they leave. The words are in classes; each class reverses only some predicates. A question is
the opposite of a market if exactly one of the two has such a word.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from augury.caches import cached
from augury.propositions.proposition import CONTESTS, Proposition

Turn = Literal["loses", "others", "lacks", "lasts"]
"""Class of a word that reverses an assertion:

- loses ("defeated"): the subject does not get what is contested;
- others ("someone else"): another gets it;
- lacks ("avoids"): the subject does not do it, or is absent;
- lasts ("stays"): everything stays as it is.
"""

LASTING: Final[frozenset[Turn]] = frozenset(("lasts", "lacks"))
"""Classes (`Turn`) of words such as "stays" and "avoids". A text with such a word asserts something
about every day up to a deadline. The later the deadline, the less likely is the assertion."""

_WORDS: Final[dict[Turn, str]] = {
    "loses": (
        r"los(?:e|es|ing|t)|loss|beaten|defeat(?:ed)?|"
        r"(?<!\bthe\s)(?<!\ban\s)(?<!\bbig\s)(?<!\boff\s)upset(?!\s+(?:wins?|victory))|unseated|ousted|toppled|dethroned|eliminated|"
        r"elimination|knocked|crash(?:es|ed)?|exit(?:s|ed)?|bow(?:s|ed)?\s+out|go(?:es)?\s+(?:out|home(?!\s+with))|sent\s+home|"
        r"out\s+of\s+(?:contention|the\s+(?:running|race|hunt))|snub(?:s|bed)?|overlook(?:s|ed)?|pass(?:es|ed)?\s+over|denied|den(?:y|ies)|"
        r"shut\s+out|left\s+(?:out|off)|excluded|empty[\s-]handed|trophyless|(?:come|comes|end|ends)\s+up\s+short|"
        r"(?:fall|falls|come|comes)\s+short|elude[sd]?|slips?\s+away|dumped|ruled\s+out|rejected|runner-?up|"
        r"concede[sd]?|relinquish(?:es)?|also-ran|stumbles?|flop(?:s|ped)?|absent|missing|miss(?:es|ed)?|fade[sd]?|"
        r"(?:leaves?|freezes?|shuts?|cuts?)\s.{2,50}?\s(?:out|off)\b|bested|outpolled|outvoted|second[\s-]best|go(?:es)?\s+down|blow[ns]?|squander(?:s|ed)?|"
        r"(?:keep|stop|prevent|block|bar)s?\s.{2,50}?\sfrom\s+\w+ing|early\s+exit|disappoint(?:ed|ment)?"
    ),
    "others": (
        r"(?:any|some)(?:one|body)\s+(?:out-?\w+|beats?|tops?|pass(?:es)?|overtakes?|surpass(?:es)?|catch(?:es)?)|"
        r"(?:someone|somebody|something|anyone|anybody|anything|somewhere|nobody)\s+else|elsewhere|"
        r"(?:some|any)\s+other(?=.{2,60}\bthan\b)|(?:a|some|any)\s+different|another(?=\s+(?:\w+\s+)?(?:one|team|club|side|party|candidate|player|person|"
        r"company|firm|lab|country|nation|film|movie|song|album|artist|driver|contender|nominee|man|woman|name)\b)|a\s+rival|the\s+field|instead\s+of|in\s+place\s+of|rather\s+than|"
        r"ahead\s+of|at\s+the\s+expense\s+of|pip(?:s|ped)?|edged?\s+out|edges\s+out"
    ),
    "lacks": (
        r"(?:stays?|remains?|still)\s+(?:be\s+)?(?:pre-?ipo|private|privately\s+held|unlisted)|safe\s+from|"
        r"(?:keep|keeps|kept|stop|stops|stopped|prevent|prevents|bar|bars|block|blocks|deter|deters|hold|holds)\b"
        r".{1,50}?\bfrom\s+(?:any|all|an?|further|another|\w+ing)\b|missing|absent|absence|stay(?:s|ed)?\s+(?:away|out|clear)|hold(?:s)?\s+(?:off|back)|stop(?:s)?\s+short|"
        r"refrain(?:s|ed)?|abstain(?:s|ed)?|avoid(?:s|ed)?|dodge[sd]?|evade[sd]?|escape[sd]?|spared?|lack(?:s|ed|ing)?|"
        r"unable|refus(?:e|es|ed|al)|declin(?:e|es|ed)\s+to|shelve[sd]?|abandon(?:s|ed)?|postpone[sd]?|delay(?:s|ed)?|"
        r"stall(?:s|ed)?|held\s+up|blocked|prevented|averted?|averts|foiled|thwarted|scrapped|called\s+off|dropped|"
        r"free\s+of|clear\s+of|(?:keep|keeps|kept|leave|leaves)\b.{1,40}?\b(?:out(?:\s+of)?|off|away|at\s+bay|alone)|"
        r"uncharged|unscathed|unharmed|untouched|idle|silent|skip(?:s|ped)?|snub(?:s|bed)?|boycott(?:s|ed)?|"
        r"sits?\s+out|opts?\s+out|back(?:s|ed)?\s+(?:out|away|down)|balk(?:s|ed)?|hesitates?|omit(?:s|ted)?|"
        r"(?:bars?|bans?|prohibits?|forbids?|disallows?|outlaws?)\s+\w+ing|(?:barring|banning|prohibiting|blocking)\s+(?:\w+\s+){0,3}?\w+ing\b|puts?\s+off|sh(?:y|ies)\s+away|holds?\s+out\s+against|drags?\s+(?:its|their|his|her)\s+feet|shrinks?\s+from|"
        r"(?:keep|steer)s?\s+(?:clear|from)|holds?\s+(?:its|their|his|her)\s+fire|(?:dies?|fails?|founders?|languish(?:es)?)\s+(?:in|at|on)\s|"
        r"left\s+(?:out|off)|excluded|pass(?:es|ed)?\s+(?:on|over|up)|overlook(?:s|ed)?|forgo(?:es)?|resist(?:s|ed)?"
    ),
    "lasts": (
        r"stay(?:s|ed|ing)?|remain(?:s|ed|ing)?|still|continu(?:e|es|ed|ing)|keep(?:s|ing)?|kept|hold(?:s|ing)?\s+(?:on|out|firm)|"
        r"surviv(?:e|es|ed)|persist(?:s|ed)?|endur(?:e|es|ed)|last(?:s|ed)|cling(?:s)?|hang(?:s)?\s+(?:on|in)|retain(?:s|ed)?|"
        r"maintain(?:s|ed)?|preserv(?:e|es|ed)|intact|unchanged|as\s+(?:it|they)\s+(?:is|are)|drag(?:s)?\s+on|stand(?:s)?\s+pat"
    ),
}  # fmt: skip
_PATTERNS: Final[dict[Turn, re.Pattern[str]]] = {
    turn: re.compile(rf"\b(?:{words})\b", re.I) for turn, words in _WORDS.items()
}
_DENIED: Final = re.compile(
    r"\b(?:not|never|no|without|avoids?|fails?\s+to|fail|refus\w+\s+to|nor|n't)"
    r"\W+(?:\w+\W+){0,2}$",
    re.I,
)


@cached(16 << 20)
def turns(text: str) -> frozenset[Turn]:
    """The classes (`Turn`) of the words in a text that assert the opposite of the usual event:
    "lose" instead of "win" -> `loses`, "stay" instead of "leave" -> `lasts`. Words in names do not
    count, and neither do words just after a "not"."""
    found: set[Turn] = set()
    for turn, pattern in _PATTERNS.items():
        for match in pattern.finditer(text):
            named = match[0][0].isupper() and match.start()
            if not named and not _DENIED.search(text[max(0, match.start() - 40) : match.start()]):
                found.add(turn)
                break
    return frozenset(found)


def without_turns(text: str) -> str:
    """The text without the words that reverse an assertion."""
    for pattern in _PATTERNS.values():
        text = pattern.sub(" ", text)
    return text


def are_reversed(question: frozenset[Turn], market: frozenset[Turn], p: Proposition) -> bool:
    """Whether exactly one of question and market has a word that reverses what the market asserts,
    as "lose" reverses "win": one of them then asks the opposite of the other.

    question, market : classes of the reversing words in the two texts
    p : what the market asserts
    """
    telling: frozenset[Turn]
    if p.predicate in CONTESTS:
        telling = frozenset({"loses", "others"})
    elif p.threshold is not None or p.predicate == "rises":
        return False
    elif p.predicate == "leaves":
        telling = frozenset({"lasts"})
    else:
        telling = frozenset({"lacks"})
    return bool(question & telling) != bool(market & telling)
