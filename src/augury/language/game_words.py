"""Regular expressions for the words that say how a game ends, used by `language.results`. Pure.

They are applied to the text that `sides.mark_sides` returns: words in lower case without accents
and dots, with single spaces between them, and A and B for the two sides. Of the alternatives in
`EVENT` the first one that fits matches, so phrases come before the single words that they contain.
"""

from __future__ import annotations

import re
from typing import Final

from augury.language import numerals


def _any(*words: str) -> str:
    return "|".join(words)


_THEN_SIDE: Final = r"(?= (?:the |their |his |her |out |by |past )?[ABX](?![^ ]))"
_BEATEN: Final = _any(
    "beat", "beaten", "upset", "stunned", "shocked", "surprised", "knocked (?:off|out)",
    "taken (?:down|out)", "edged", "eliminated", "dispatched", "ousted", "toppled", "defeated",
    "sent home",
)  # fmt: skip
_GAME: Final = "(?:game|match|opener|one|fight|bout|clash|meeting|debut|derby|first|game one)"
_POINTS: Final = "(?:(?:all )?(?:the )?(?:three|3)|(?:all )?the|maximum) (?:points|pts)"
_LEVEL: Final = "(?:draws?|ties?|points?)"
_WIN: Final = f"(?:wins?|gets? the win|comes? out the winner|takes? {_POINTS})(?: it)?"

_UNBEATEN: Final = _any(
    "avoid(?:s|ed|ing)? (?:a |an |any |the )?(?:embarrassing |shock |big |home )?"
    r"(?:defeat|losing|loss|upset|embarrassment|(?:getting|being) (?:beat\w*|upset))",
    "(?:un|not )beaten",
    r"without (?:losing|(?:a |any )?(?:loss|defeat)|(?:getting|being) beat\w*)",
    f"(?:an? )?(?:wins?|winning|victory|{_LEVEL}|beats?) or (?:at least |even |just )?"
    f"(?:an? |gets? a |grabs? a )?(?:{_LEVEL}|drawing|tying|wins?|victory)(?: with)?",
    f"(?:at least|no worse than|minimum)(?: [a-z]+){{0,3}} {_LEVEL}",
    f"(?:a |the )?{_LEVEL} (?:or|and) (?:better|more)",
    "(?:holds?|draws?(?: with)?|ties?) or (?:beats?|wins?)",
    "(?:gets?|takes?|grabs?|getting|taking|earns?|nicks?|salvages?|got|leaves? with|"
    "(?:come|comes|leave|leaves|go|goes|walk) (?:away|home) with) (?:something|anything|a result)",
    "safe (?:vs|against)", "draw counts", "holds? (?:the )?[AB] or better",
)  # fmt: skip
_WINLESS: Final = _any(
    r"drop(?:s|ped|ping)? (?:\w+ )?(?:points|pts)", "(?:fall|come)s? (?:up )?short",
    "(?:loss|loses?|losing|lost|defeat) or (?:at best |only |just |at most )?(?:an? )?"
    f"(?:{_LEVEL}|drawing|tying)",
    f"(?:an? |only )?{_LEVEL} or (?:an? )?(?:loss|loses?|losing|defeat)",
    f"{_LEVEL} at (?:best|most)",
    "(?:at (?:best|most)|no (?:better|more) than|nothing (?:better|more) than) "
    f"(?:an? )?{_LEVEL}",
    "(?:without|no) (?:a |the |getting a |getting the |getting )?(?:wins?|w|victory|winning)",
)  # fmt: skip
_DECIDED: Final = _any(
    r"(?:finish\w*|ends?|comes?) with a winner", "there (?:is |be )?a winner",
    "a winner either way",
    "(?:one|either|1) (?:side|team|of (?:the |these |those )?(?:two|them|teams|sides|clubs)"
    f"(?: teams| sides| clubs)?) (?:to )?{_WIN}",
    rf"(?:somebody|someone|anybody)(?: \w+)? {_WIN}",
    f"either (?:the )?[AB] or (?:the )?[AB] (?:{_WIN}|beats?)",
)  # fmt: skip
_DRAWN: Final = _any(
    "(?:a )?draws?", "ties?", "tied", "stalemate", "deadlock", "all square", "honou?rs even",
    "(?:shar(?:e|es|ed|ing)|split(?:s|ting)?) (?:the )?(?:points|spoils)",
    "(?:points|spoils) (?:are |get |being )?shared",
    r"(?:finish|end|ends|finishes|finishing)(?: \w+)? level", "level after (?:ninety|90)",
)  # fmt: skip
_STOPS: Final = (
    r"(?:keep|keeps|stop|stops|prevent|prevents|den(?:y|ies))\b[^.,;:]{0,40}?\b"
    "(?:(?:from )?(?:winning|beating)|from (?:taking|getting|pulling|claiming)|"
    "(?:a|the|any)? ?(?:win|victory)|winless)"
)
_LOSES: Final = _any(
    "los(?:e|es|ing)(?: out)?(?: to| against)?", "lost(?: to)?",
    "(?:fall|falls|fell|falling) (?:to|at|against)",
    "(?:go|goes|going|went) (?:down|out)(?: to| at| against)?",
    rf"drop(?:s|ping|ped)? (?:the|its|their|his|her|a|this)(?: \w+){{0,2}} {_GAME}",
    "(?:with|in) (?:a |the |another )?(?:loss|defeat)",
    r"(?<=[AB] )(?:loss|defeat(?! (?:\w+ ){0,3}[ABX](?![^ ])))",
    "blow(?:s|ing)? it", "chok(?:e|es|ing)", "empty handed",
    "bow(?:s|ing)? out(?: to| against)?", "crash(?:es)? out",
    r"suffers?(?: an?| the)? (?:\w+ )?(?:defeat|loss|upset)",
    f"(?:get|gets|getting|got|be|is|are|being|was) (?:{_BEATEN})(?: by)?",
    rf"(?:{_BEATEN})(?: \w+){{0,3}} by", "beaten(?! (?:the )?[ABX](?![^ ]))",
)  # fmt: skip
_WINS: Final = _any(
    "(?:win|wins|winning|won)(?: it| the (?:game|match|fight|bout))?", "victory", "victorious",
    "(?:get|gets|getting|got) it done", "pull(?:s|ing)? it (?:off|out)",
    "(?:pull|spring|cause|get|manage)(?:s|ing)?(?: off)? (?:the|a|an|another|some) "
    r"(?:\w+ )?(?:upset|shocker|stunner|surprise|miracle|shock|sensation)",
    "(?<!in )(?:the|a) w", "(?<=[AB] )w(?= (?:over|against|vs|at|in|on)|$)",
    rf"(?:tak|grabb?|bagg?|collect|get|claim|snatch|secur)\w* {_POINTS}", _POINTS,
    "c[oa]m(?:e|es|ing) out (?:on top|ahead)(?: of)?",
    r"with an? (?:\w+ )?(?:upset|miracle|shocker|stunner|surprise)", r"an? (?:\w+ )?upset",
    "(?:the|big|any|huge) upset", "upset (?:of|over|win|for)", "ml", "hands? (?:be )?raised",
    "keeps? the belt", "hold(?:s|ing)? serve", "makes? it past",
    "(?:tak|steal)(?:e|es|ing|s)? (?:the|this|it)(?: (?:game|match|opener|one|fight))?"
    "(?= (?:from|over|against|vs|to|at|on|in)|$| [,;?])",
    "prevails?", "triumphs?", "advances?", "through(?= (?:to|at)(?![^ ]))",
    "(?:go|goes|going|get|gets|is|are|be|safely|march|marches) through", "pick up a w",
    "(?:the|as|be|is|are) (?:the )?winners?", "winners",
)  # fmt: skip
_BEATS: Final = _any(
    "beat(?:s|ing)?", "defeat(?:s|ing)", f"defeat{_THEN_SIDE}", "downs", "tops", "topping",
    f"top{_THEN_SIDE}", "upset(?:s|ting)?", "stun(?:s|ning)?", "shock(?:s|ing)?",
    "surpris(?:e|es|ing)", "outlasts?", "(?:knock|take)s? (?:off|out|down)",
    "(?:knocking|taking) (?:off|out|down)", "tak(?:e|es|ing) care of(?: business against)?",
    "handl(?:e|es|ing)",
    "(?:get|gets|getting|got|make|makes|making|made)(?: it)? "
    "(?:past|by|the (?:better|best) of|(?:a )?(?:one|win) over(?: on)?)",
    "pull(?:s|ing)? (?:a |one )?(?:fast )?(?:one )?over(?: on)?", "edg(?:es|ing)(?: out)?",
    f"edge(?: out)?{_THEN_SIDE}", "too (?:good|strong|much|hot) for", "hold(?:s|ing)? off",
    "surviv(?:e|es|ing)", "eliminat(?:e|es|ing)", "dispatch(?:es|ing)?", "oust(?:s|ing)?",
    "toppl(?:e|es|ing)", "sink(?:s|ing)?", "revenge on", "dethron(?:e|es|ing)",
    "conquer(?:s|ing)?", "dumps? out", "through (?:past|against)", "overcom(?:e|es|ing)",
    "sees? off", "(?:spoil|ruin)(?:s|ing)?",
    f"(?:beaten|stunned|shocked|edged|eliminated|ousted|toppled|defeated){_THEN_SIDE}",
)  # fmt: skip


def word(*words: str) -> str:
    """The source of a regular expression that matches any of the expressions `words`, as whole
    words between spaces: "wins?" matches in "A wins today", but not in "twins" or "A wins, not B".
    """
    return f"(?<![^ ])(?:{'|'.join(words)})(?![^ ])"


EVENT: Final = re.compile(
    _any(
        *(
            f"(?P<{kind}>{word(pattern)})"
            for kind, pattern in (
                ("unbeaten", _UNBEATEN), ("winless", _WINLESS), ("decided", _DECIDED),
                ("drawn", _DRAWN), ("stops", _STOPS), ("loses", _LOSES), ("wins", _WINS),
                ("beats", _BEATS), ("side", "[ABX]"), ("over", "over|past|def|d|>"),
            )
        ),
        r"(?P<home>(?<![^ ])(?:send|knock)(?:s|ing)?"
        r"(?= (?:\w+ ){0,6}(?:home|packing|out)(?![^ ])))",
        "(?P<mark>[.,;:()!?–—-])",
    )
)  # fmt: skip
"""Matches each part of a question that tells how a game ends: a word for a result, a side of the
game (A or B), another team (X), or a punctuation mark.

The name of the group that matches tells the kind of part. In the groups `beats`, `over` and `home`
("sends B home"), the side that follows the word is the one that loses. `stops`: one side keeps the
other from winning. `side`: A, B or X. `mark`: a punctuation mark. """
NOT: Final = re.compile(
    word(
        "not", "no", "never", "cannot", "wont", "dont", "doesnt", "didnt", "cant", "couldnt",
        "wouldnt", "isnt", "arent", "aint", "fail", "fails", "failed", "failing", "unable",
        "without", "zero", "nobody", r"refus\w+ to", "too (?:weak|bad|poor|tired|slow) to",
        "(?:any|some)thing (?:but|other than|except)", "other than",
        "miss(?:es|ing)? out",
    )
)  # fmt: skip
ASIDE: Final = re.compile(
    word(
        "or (?:not|no|nah|nope)", "yes (?:or )?(?:no|nah)", "y n", "why not", "must win",
        "no (?:doubt|problem|brainer|matter|1|chance of)", "any (?:score|margin)",
        "margin doesnt matter", "not (?:just|only|sure)", "if not", "be it [^.,;]*",
        "whether [^.,;]* or [^.,;]*",
    )
)  # fmt: skip
"""Matches phrases in a question about a game that say nothing about who wins it ("yes or no"). They
are removed before the question is read."""
_NUMBER: Final = _any(r"\d+", *numerals.COUNTS, "dozen")
UNSURE: Final = re.compile(
    _any(
        word(
            # Numbers and margins.
            r"\d+ ?(?:\+|or|plus|runs?|goals?|touchdowns?|tds?|sets?|games?|maps?|straight|"
            "unanswered)",
            "by (?:at least |more than |over |under |less than |a |an |exactly |around )?"
            f"(?:{_NUMBER}|double digits|touchdown|field goal|score|goal|run|point|margin|large|"
            "big|wide|lot)",
            "within", "covers?", "covering", "combined?", "total", "spread",
            "points? or (?:more|less|fewer)", "touchdowns?", "runs", "goals?", "scores?",
            "scoring", "yards?", "more than", "less than", "fewer", r"crush\w*", r"smash\w*",
            r"rout\w*", r"thrash\w*", r"hammer\w*", r"destroy\w*", r"blow\w* out", "blowout",
            "easily", r"comfortabl\w+", r"dominat\w*",
            # Parts and manners of a game.
            "straight sets", "straights", "(?:in|on) (?:two|three|four|five) "
            "(?:sets|games|maps|straight)",
            "(?:in|first|1st|second|2nd|third|3rd|opening|next|last) "
            r"(?:\w+ )?(?:sets?|round|half|quarter|inning|period|map|minutes?)",
            "regulation", "overtime", "ot", "extra time", "penalt(?:y|ies)", "shootout",
            "clean sheet", "shutout", "half", "lead(?:s|ing)? at", "finish(?:es)? [AB]",
            "submission", "submits?", "knockout", "[tk]?ko", "decision", r"finish\w* off",
            "stoppage",
            # More than one game.
            "series", "sweep", "whole", "title", "championship", "trophy", "cup", "tournament",
            "league table", "super bowl", "(?:make|reach|miss)(?:es)? the playoffs", "relegated",
            "both", "(?:any|all|each|none) of", "every", "all season", "(?:on )?aggregate",
            "legs?", "rematch", r"qualif\w+", "quadruple", "grand slam", "medal", "times",
            "twice", "win it all", "next (?:season|year|month)",
            "(?:win|winning|losing|unbeaten|hot) "
            "(?:streaks?|runs?|record|totals?|probability|percentage|skid)",
            "(?:win|wins|winning|won) (?:the|its|their|his|her) "
            r"(?!(?:\w+ ){0,3}(?:games?|match|matchup|fight|bout|opener|first|clash|meeting|"
            r"derby|debut|showdown|battle|war|brawl|one|rivalry|day|night)(?![^ ]))\w+",
            # Conditions, doubts and other indirect statements.
            "if", "unless", "who", "whose", "which", "how many", "how much", "false", "untrue",
            "wrong to", "neither", "nor", "hardly", "barely", r"doubt\w*", "unlikely",
            "instead of", "rather than", "nothing to lose", "odds against", "bet against",
            "more likely", "favou?red", "upset (?:alert|bid|special)", "each other",
            r"denied|lets? (?:the )?(?:win|game|match|it) slip|g[ia]ves? (?:up|away) (?:the|a) win",
            "(?:is|are|was) stopped", "upset loss", "no winners?", r"expects?", "instead",
            "[AB] not [AB]", "[AB] , not [AB]", "not [AB]", "held",
            # Sides that are not named.
            "(?:the )?visitors", "(?:the )?guests", "the hosts", "underdogs?",
            "(?:home|away|road|visiting) (?:side|team)",
            "[AB] (?:opponents?|rivals?|foes?|opposition)",
        ),
        r"\d [–—-] \d", r"\d\.\d", r"\d\+",
    )
)  # fmt: skip
"""Matches words which show that a question about a game is unclear or asks for something other than
the winner ("if", "by 10 points"). No result is read from such a question."""
RHETORICAL: Final = re.compile(
    "^(?:so |but |and )?(?:wont|dont|doesnt|didnt|cant|isnt|arent|aint) "
)
"""Matches a negated auxiliary at the beginning of a question ("won't A win?"). Such a question may
ask for the result or for its opposite, so no result is read from it."""
OBLIQUE: Final = frozenset(
    "against vs versus v with facing from off in face host hosts hosting visit visits visiting meet"
    " meets leave leaves leaving for at to playing play plays when after of into past over"
    " near".split()
)
"""Words such as "against" and "at". If one of them stands before the name of a side (a team or
player), that side is not the subject of the sentence."""
AGAINST: Final = frozenset("over against vs versus at from past off of".split())
LOST_TO: Final = frozenset("to by against vs versus at with in".split())
PRONOUN: Final = re.compile(word("they", "he", "she", "them", "him", "we", "us", "you"))
CLAUSE: Final = re.compile(word("and", "but", "so", "because", "then", "while"))
