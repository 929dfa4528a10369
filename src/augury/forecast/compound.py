"""Questions of more than one proposition: "if X ...", "both ... and", "... or ...". Pure.

Ignoring one of the propositions would answer another question. Some of these questions can be split
into parts: they are answered from the answers to the parts, within the limits that logic sets. The
others get no probability; a text says why.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

Connective = Literal["either", "both"]

NAME: Final = r"(?:the\s+)?[A-Z0-9$][\w.'&$-]*(?:\s+(?:of\s+|the\s+)?[A-Z0-9][\w.'&-]*){0,4}"
_AUXILIARY: Final = r"(?i:will|does|do|did|is|are|can|has|have)"
_PAIR: Final = re.compile(
    rf"^\W*(?P<lead>{_AUXILIARY}\s+)(?P<which>(?i:either|both|neither|(?:at\s+least\s+)?one\s+of)\s+)?(?P<a>{NAME})\s+"
    rf"(?P<joint>(?i:or|and|nor))\s+(?P<b>{NAME})\s+(?P<both>(?i:both|each)\s+)?(?P<rest>[a-z].+)$"
)
_EITHER: Final = re.compile(
    rf"^\W*(?P<lead>{_AUXILIARY}\s)(?P<which>(?i:either))\s(?P<a>[^,?]{{2,60}}?)\s(?P<joint>or)\s"
    r"(?P<b>[^,?]{2,60}?)\s(?:both\s)?(?P<rest>(?:win|be|have|has|become|take|make|reach|finish|"
    r"get|lead|end|hold|own|come|go|announce|release|leave|sign|join)\b.*)$"
)
"""Matches "Will either A or B win?", also with another auxiliary verb for "will" ("does") or
another common verb for "win". A and B may be written without capitals, unlike in `_PAIR`."""
_CONDITION: Final = re.compile(
    r"(?<!as )\b(?P<word>(?:even|only)\s+if|"
    r"if(?!\s+(?:ever|any|anything|at\s+all|that|so|not|you\s+ask)\s*\W*$)|"
    r"assuming(?:\s+that)?|provided\s+that|unless|"
    r"conditional\s+on|conditioned\s+on|(?:in\s+the\s+(?:event|case)|on\s+condition)\s+(?:that|of)|"
    r"(?<!n['’]t )(?<!\bnot )(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bbe )(?<!\bbeen )(?<!\bget )"
    r"given(?!\s+(?:how|all|the\s+way|his|her|their|its|out|to|us|him|them|up|away|back)\b)"
    r"(?:\s+that)?)\s+(?=[^?,]{3})[^?,]*",
    re.I,
)
"""Matches a condition. "Given" begins a condition ("given a cut in June") unless it is a verb ("is
given to", "given out") or introduces a known fact ("given how badly they play")."""
_WHOLE_QUESTION: Final = re.compile(r"^\W*(?:if|whether)\s+[^,]+$", re.I)
"""Matches a question that is a single clause after "if" or "whether" ("Whether X wins"). The "if"
or "whether" introduces the question and states no condition."""
_INTRODUCES: Final = re.compile(
    r"\b(?:wonder(?:ing)?|know|tell\s+me|asks?|asking|see|sure|idea|curious|predict)\s+(?:if|whether)\b",
    re.I,
)
"""Matches words such as "I wonder if" or "tell me whether". Their "if" or "whether" introduces the
question and states no condition."""
_VERBS: Final = (
    r"(?:win|be|reach|hit|pass|cut|raise|sign|leave|resign|become|happen|end|fall|rise|lose|"
    r"announce|release|launch|close)"
)
_TWO_ACTS: Final = re.compile(
    rf"\b{_VERBS}\b[^?]{{3,80}}?,?\s+and\s+(?:also\s+|then\s+|(?:{NAME}\s+)?(?:to\s+)?){{0,2}}"
    rf"(?P<act>{_VERBS}s?\b[^?]*)|\band\s+then\s+(?P<next>(?!again\b|some\b)[a-z]+\b[^?]*)"
)

_ALL_OF_THEM: Final = re.compile(
    r"\b[A-Z]\w*+, (?P<rest>(?:the )?[A-Z0-9][^,?]{1,60},? and (?:the )?[A-Z0-9][^,?]{1,40} all\b"
    r"[^?]*)"
)
"""Matches a list of three or more names that must all do something: "Inter, PSG and Arsenal all
win". `rest` is the list without its first name: "PSG and Arsenal all win"."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A question that asks several questions at once, called its parts: "Will A or B win?" has the
    parts "Will A win?" and "Will B win?". `connective`: `either` if at least one part has to come
    true, `both` if all parts have to."""

    connective: Connective
    names: tuple[str, ...]
    questions: tuple[str, ...]
    """The parts that can be asked alone, as questions, in the order of `names`. If only the first
    part can be asked alone, there is one question: the others may lack a subject ("then convicted
    by the Senate")."""
    denied: bool = False
    """Whether the question asks for the opposite of what `connective` says. "Will neither A nor B
    win?" asks whether no part comes true: `connective` is `either`, and `denied` is True."""
    rivals: bool = True
    """Whether the parts ask the same about different contenders (A wins, B wins), so that they may
    exclude each other."""


_RELATIVES: Final = (
    r"(?P<who>cousin|brother|sister|mom|mum|mother|dad|father|grandma|grandmother|grandpa|grandfather|"
    r"uncle|aunt|son|daughter|kids?|child(?:ren)?|wife|husband|girlfriend|boyfriend|fianc[eé]e?|ex|"
    r"friends?|buddy|roommate|boss|landlord|neighbou?rs?|teacher|doctor|colleague|coworker|dog|cat|"
    r"house|car|startup|bakery|business|shop)\b"
)
_ASKED_OF: Final = re.compile(
    rf"\b(?:is|are|will|does|do|can|could|would|has|have)\s+(?:my|our)\s+(?:\w+\s+){{0,2}}?{_RELATIVES}"
    r"(?!\W+(?:\w+\W+)?(?:right|wrong|crazy|nuts|mad|dreaming|delusional|correct|onto|kidding|full|'s)\b)",
    re.I,
)
"""Matches a question about a private person or thing: "will my cousin marry". It does not match "Is
my cousin right?", which asks about what the cousin says."""
_STATED_OF: Final = re.compile(
    rf"^\W*(?:\w+\s+){{0,2}}(?:my|our)\s+(?:\w+\s+){{0,2}}?{_RELATIVES}(?P<rest>.*)$", re.I
)
"""Matches a statement that begins with a private person or thing: "my cousin marries in June".
`rest` is what follows the person or thing."""
_LEADS_IN: Final = re.compile(
    r"\b(?:says?|said|saying|swears?|thinks?|insists?|convinced|sure|worr(?:y|ies|ied)|wonders?|asks?|"
    r"asking|hears?|heard|prays?|dreams?|hopes?|bets?|wants?|reckons?|believes?|claims?|predicts?|"
    r"tells?|told|argues?|texts?|texted|figures?|guess(?:es)?)\b"
    r"|[.;:!?…–—]\s*\w|,\s*(?:is|are|was|were|will|won['’]t|does|do|did|has|have|can|could|would|odds|"
    r"chances?|what|how|any)\b",
    re.I,
)
"""Searched in the text that follows the mention of a private person ("my uncle"). Matches words
which show that this person only introduces the question: a verb of saying or thinking ("swears"),
the beginning of another sentence, or a question after a comma (", will it ...")."""


def private_subject(question: str) -> str | None:
    """The private person or thing that a question is about: "my cousin" for "Will my cousin
    marry?". None for other questions, and None if such a person only introduces the question ("My
    uncle says that ...")."""
    text = " ".join(question[:300].split())
    found = _ASKED_OF.search(text)
    if found is None:
        stated = _STATED_OF.match(text)
        found = stated if stated and not _LEADS_IN.search(stated["rest"]) else None
    return f"my {found['who']}" if found else None


def condition(question: str) -> str | None:
    """The condition on which a question depends ("if the Fed cuts rates"), as it is written; None
    if there is none."""
    text = " ".join(question.split())
    if _WHOLE_QUESTION.match(text):
        return None
    found = _CONDITION.search(_INTRODUCES.sub(" ", text))
    return found[0].strip(" ?.") if found else None


def second_act(question: str) -> str | None:
    """The second of two things that a question asks for at once: "resign" in "Will he lose the vote
    and resign?". For a list of names that must all do something, the text from the second name on:
    "PSG and Arsenal all win" in "Will Inter, PSG and Arsenal all win?". None if the question asks
    for one thing."""
    if (listed := _ALL_OF_THEM.search(question)) is not None:
        return listed["rest"].strip(" ?.")
    found = _TWO_ACTS.search(question)
    return (found["act"] or found["next"]).strip(" ?.") if found else None


def parts(question: str) -> Parts | None:
    """The two questions that are asked as one, e.g. "Will A win?" and "Will B win?" for "Will A or
    B win?" or "Will both A and B win?". None for a question of another form.

    "A and B" without "both" gives None, too: it is usually one question, about a meeting, a war or
    a deal between the two.
    """
    text = " ".join(question.split())
    found = _PAIR.match(text) or _EITHER.match(text)
    if found is None:
        return None
    joint, which = found["joint"].casefold(), (found["which"] or "").strip().casefold()
    if which.endswith("of"):
        joint, which = "or", "either"
    if joint == "and" and which != "both" and not found["both"]:
        return None
    if joint == "or" and which in ("both", "neither"):
        return None
    if (joint == "nor") != (which == "neither"):
        return None
    whole = [f"{found['lead']}{found[side]} {found['rest']}" for side in ("a", "b")]
    connective: Connective = "both" if joint == "and" else "either"
    names = found["a"], found["b"]
    return Parts(connective, names, (whole[0], whole[1]), denied=joint == "nor")
