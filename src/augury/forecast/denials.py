"""Rules that rewrite ways of saying that something does not happen, mostly to "not". Pure."""

from __future__ import annotations

from typing import Final

from augury.language import calendar
from augury.propositions.ahead import rule

_MONTH = calendar.MONTH
_STAGE_WORD = (
    r"(?:semi-?\s?finals?|quarter-?\s?finals?|finals?|round\s+of\s+\d+|knockout\s+\w+|playoffs?|"
    r"(?:last|final)\s+(?:four|eight|sixteen|4|8|16)|group\s+stage)"
)
_RUN_OUT = (
    r"(?:pass(?:es)?(?:\s+by)?|ends?|finish(?:es)?|closes?|concludes?|runs?\s+out|goes?\s+by|"
    r"go\s+by|comes?\s+and\s+goe?s?|elapses?|expires?|gets?\s+through|goes?\s+through|go\s+through|"
    r"makes?\s+it\s+(?:past|through|to|beyond)|gets?\s+(?:past|beyond)|survives?)"
)
# Each rule leaves one "not", which `propositions.reading` reads as a negation. That module reads some
# wordings without a rule (fail to, avoid, without, other than, stay below).
_WHO = (
    r"(?:someone|somebody|anyone|anybody|something|anything|(?:an?|any|some|another)\s+(?:\w+\s+)?"
    r"(?:team|player|club|side|candidate|person|company|country|nation|film|movie|driver|party|school|"
    r"artist|song|album|show|firm|coin|lab|franchise|contender|rival|actor|actress|director|man|woman))"
)
_SPAN = rf"(?:{_MONTH}(?:\s+\d{{1,2}})?(?:,?\s+(?:19|20)\d\d)?|(?:19|20)\d\d)"
_LIST = r"(?:line-?up|short-?list|nominees|nominations)\b"
_UN = (
    r"un(?!changed|ited|ified|limited|precedented|employed|disputed|expected|opposed|conditional|"
    r"usual|der|defeated|beaten|certain|likely|animous|ion|til|less)"
    r"(?=(?:\w+ed|sold|built|paid|signed|known|drafted|won|met|seen|struck|done|made|held|taken|"
    r"broken|spoken|written|chosen|read|told|heard|spent|sent|sung|worn|cut|shut|set|split|hurt|cast|hit)\b)"
)
_NO = r"no\s+(?!longer|more|fewer|less|later|changes?|sooner|earlier|one\b|doubt|matter)"


DENIALS: Final = (
    rule(rf"\b(?:when|once|after|by\s+the\s+time)\s+({_SPAN})\s+(?:is|has)\s+(?:past|passed|over|gone|behind\s+us)\b", r"by the end of \1"),
    rule(r"^(?:is|are)\s+((?:(?!\bstill\b)[\w.'’-]+\s+){1,6})still\s+(?=\w)", r"Will \1still be "),
    rule(r"\b(?:nobody|no\s+one|none|no\s+other\s+\w+)\s+(?:but|other\s+than|except(?:\s+for)?|besides)\s+(?=(?-i:[A-Z]))", ""),
    rule(r"\b(?:an?|any|some)\s+(?-i:non-(?=[A-Z]))([\w']+)\b(?!\s+(?:film|song|album|work|language|launch|space|US|commercial))", r"someone other than \1"),
    rule(r"\b(?:an?|any|some)\s+(?:opponent|rival|challenger|competitor)\s+(?:of|to)\s+", "someone other than "),
    rule(r"\b((?:keep|stay|remain|hold)s?\b[^?]*?),\s+(?:with\s+no|without)\b[^?]*", r"\1"),
    rule(r"\blos(?:e|es|ing)\s+(?:the|his|her|their|its)\s+(?:place|spot|status|crown|rank|ranking|position|standing)\s+as\s+", "no longer be "),
    # What nothing stops happens.
    rule(r"\b(?:(?:there(?:'s|\s+is)\s+)?(?:nothing|nobody|no\s?one|no)(?:'s|\s+is|\s+can|\s+will)?\s+(?:going\s+to\s+)?"
          r"|(?:(?:(?:i|we)\s+)?(?:can't|cannot|don't)\s+see\s+(?:anything|anyone|anybody|who|what))\s+)(?:stop|keep|prevent|block)(?:s|p?ing)?\s+"
          r"((?:[\w.'-]+\s+){1,5}?)(?:from\s+)?(?=\w+ing\b)", r"\1"),
    rule(r"\b(?:has|have|with|stands?)\s+(?:no|zero)\s+(?:shot|chance|hope)\s+(?:at|of|to)\s+", "not "),
    rule(r"\bnothing\s+(?=(?:[\w.'-]+\s+){1,6}?(?:hits?|becomes?|happens?|reach(?:es)?|passes|changes)\b)", "not anything "),
    # Put off, held back.
    rule(rf"\b((?:delay|postpone|defer|shelve|wait)s?|puts?\s+off|push(?:es)?\s+back|holds?\s+(?:off|back))\b(.{{0,60}}?)\s+(?:past|beyond|(?:until|till|to)\s+after)\s+(?={_SPAN})",
          r"\1\2 through "),
    rule(r"\bholds?\s+off\s+(?:on|from)\s+(?=(?:an?|the|its|any)\b)", "not have "),
    rule(r"\bwith\s+(.{2,60}?)\s+(?:still\s+)?yet\s+to\s+(?:be\s+)?", r"without \1 having "),
    rule(rf"\bleaves?\s+(.{{2,60}}?)\s+{_UN}", r"not have \1 "),
    rule(rf"\bwith\s+((?:(?!\b(?:be|is|are|remain|stay|go|still|left)).){{2,60}}?)\s+(?:still\s+)?{_UN}", r"without \1 being "),
    rule(rf"\b(leads?\s+to|results?\s+in|brings?|yields?|produces?|finds?|faces?|includes?|features?|contains?|hears?|gets?|makes?|wins?|takes?|names?)\s+{_NO}",
          r"not \1 any "),
    rule(r"\b(?:be\s+)?nowhere\s+(?:to\s+be\s+(?:seen|found)|in\s+sight|near)\b", "not be there"),
    # Offices and seats.
    rule(rf"\b(?:makes?\s+it|gets?|lasts?|comes?)\s+(?:through|past|beyond)\s+({_SPAN})\s+(?:still\s+)?(?:as|in\s+(?=office|power|post|charge))\s*", r"not be out by the end of \1 as "),
    rule(r"\blos(?:e|es|ing)\s+power\b", "be out of power"),
    rule(r"\blos(?:e|es|ing)\s+(?:(?:its|their|his|her|all)\s+)?(?:control|hold|grip|possession)\s+(?:of|on|over)\b", "no longer control"),
    rule(r"\b(?:holds?|keeps?|retains?|flips?|recaptures?|regains?|reclaims?|takes?(?:\s+back)?|wins?\s+back)\s+(?:on\s?to\s+)?(?:control\s+of\s+|(?:their|its|a|the)\s+majority\s+in\s+)?"
          r"(?=(?:the\s+|an?\s+)?(?:(?:U\.?S\.?\s+)?(?-i:House|Senate)\b(?!\s+(?:of|race\s+in|arrest|Judiciary))|[\w.' -]{0,30}?(?:congressional\s+district|\d(?:st|nd|rd|th)\s+district|House\s+seat|Senate\s+seat|governorship|governor's\s+(?:mansion|office))|(?-i:[A-Z]{2}-\d)))",
          "win "),
    # A deal that is struck, or signed, is reached.
    rule(r"\b(?:strikes?|inks?|clinch(?:es)?|seals?|cuts?|hammers?\s+out|thrash(?:es)?\s+out|nails?\s+down|conclud(?:e|es))\s+"
          r"(?=(?:an?|any|some|the|their)\s+(?:[\w-]+\s+){0,4}?(?:deal|agreement|accord|pact|truce|ceasefire|settlement)\b)", "reach "),
    # Leagues that one drops out of.
    rule(r"\b(?:drops?|falls?|goes|go|sinks?|tumbles?|slips?)\s+(?:back\s+)?(?:down\s+)?(?:in)?to\s+(?:the\s+)?(?:serie\s+b|ligue\s+2|la\s+liga\s+2|(?:2\.|second|zweite)\s+bundesliga|championship|segunda|second\s+(?:tier|division))\b",
          "be relegated"),
    rule(r"\b(?:stays?\s+up|(?:beat|avoid|escape|dodge|survive)s?\s+(?:the\s+)?(?:drop|relegation)|"
          r"retains?\s+(?:its|their)\s+(?:top[\s-]flight|league)\s+status|"
          r"survives?(?=\s+in\s+(?:the\s+)?(?:premier|serie|ligue|la\s+liga|bundesliga|championship|top)))\b",
          "not be relegated"),
    rule(r"\b(?:go|goes|going)\s+down(?!\s+(?:in\s+(?:flames|history)|with|to\s+defeat)|\s+(?:to|by|as|in\s+(?:price|value|history)))\b", "be relegated"),
    # Candidates.
    rule(rf"\b(?:be\s+|is\s+|are\s+|gets?\s+)?(?:left|kept|cut|dropped|omitted|excluded|missing|absent)\s+(?:out\s+of|off(?:\s+of)?|from)\s+(?:the|its|their)\s+(.{{0,60}}?)\s*\b{_LIST}",
          r"not be nominated for \1 "),
    rule(r"\bpass(?:es)?\s+over\s+(?=(?-i:[A-Z]))", "not choose "),
    rule(r"\b(?:dumps?|ditch(?:es)?|abandons?|spurns?|jilts?)\s+(?=(?-i:[A-Z]))", "not nominate "),
    rule(r"\b(?:is|are|be|gets?|getting)\s+(?:defeated|beaten|toppled|ousted|unseated|knocked\s+off|upset)\s+"
          r"(?:in|at)\s+(?=(?:the|an?|his|her|their)\b)", "fail to win "),
    rule(r"\b(?:is|are|be|gets?)\s+beaten\s+to\b", "fail to win"),
    rule(r"\b(?:keeps?|retains?|holds?\s+on\s?to|defends?|successfully\s+defends?)\s+(?=(?:the|his|her|their|its)\s+"
          r"(?:\w+\s+){0,2}(?:title|crown|nomination|trophy|championship|cup)\b)", "win "),
    rule(r"\bfrom\s+outside\s+(?:of\s+)?(?=(?:the\s+)?(?-i:[A-Z]))", "from somewhere other than "),
    rule(r"\bdoes\s+(.{2,60}?)\s+(?:launch|mount|start|begin|kick\s+off|declare|announce)\s+(?:an?|his|her|their)\s+"
          r"(?:\w+\s+)?(?:white\s+house|presidential)\s+(?:campaign|bid|run|candidacy)\b",
          r"does \1 announce a presidential run"),
    rule(r"\b(?:launch(?:es)?|mounts?|starts?|begins?|kicks?\s+off|declares?|enters?)\s+(?:an?|his|her|their|the)\s+"
          r"(?:\w+\s+)?(?:white\s+house|presidential)\s+(?:campaign|bid|run|candidacy|race)\b",
          "announce a presidential run"),
    rule(r"\bdeclares?\s+(?:himself|herself)?\s*(?:a\s+candidate\s+)?for\s+president\b", "announce a presidential run"),
    rule(r"\b(?:remains?|stays?)\s+out\s+of\s+the\s+(?:presidential|2028|white\s+house)\s+race\b",
          "not announce a presidential run"),
    rule(r"\brenominat(?=ed\b|ion\b)", "nominat"),
    # Someone or something other than the one named.
    rule(r"\b(?:some|any|an)\s*other\s+((?:[\w-]+\s+){1,3})than\b", r"some \1other than"),
    rule(r"\b(?:else|different)\s+(?:than|but|besides|from)\b", "other than"),
    rule(rf"\b({_WHO})\s+(?:who\s+is\s+)?not\s+(?:named|called)\b", r"\1 other than"),
    rule(rf"\b({_WHO})\s+(?:but|except(?:\s+for)?|besides|apart\s+from|aside\s+from|bar)\b",
          r"\1 other than"),
    rule(r"\b(any|every|some)(where)?\s+(?:(\w+)\s+)?but\b", r"\1\2 \3 other than"),
    rule(r"\b(?:eludes?|slips?\s+(?:past|away\s+from)|escapes?|bypass(?:es)?)\s+(?=(?:the\s+)?(?-i:[A-Z]))",
          "go to someone other than "),
    # Figures and places.
    rule(r"\b(?:as\s+|be\s+(?:the\s+)?|finish\s+(?:as\s+)?(?:the\s+)?)?runners?[\s-]up\b", "finish in 2nd place"),
    rule(r"\b(?:be\s+)?(?:any|some)thing\s+(?:short\s+of|less\s+than(?!\s*\$?\d))(?!\w)", "not be"),
    rule(r"\b(?:still\s+)?(?:be|is|are|stay|remain)\s+(?:short|shy)\s+of\b", "not be"),
    rule(r"\b(?:falls?|comes?|stops?|ends?(?:\s+up)?|finish(?:es)?|stay|pulls?\s+up)\s+(?:just\s+|well\s+)?"
          r"(?:short|shy)\s+of\b", "not have"),
    rule(r"\b(?:falls?|comes?\s+up|ends?\s+up)\s+(?:empty|short)(?:-handed)?\b", "not win"),
    rule(r"\b(?:finish(?:es)?|ends?|falls?|lands?|lies?|comes?\s+in|be|is|places?|settles?|sits?|prints?|"
          r"drops?|ranks?)\s+(?:up\s+)?outside(?:\s+of)?\s+(?:the\s+)?(?=(?:top\b|\$?\d|-\d|range|band|places?))",
          "not be in the "),
    rule(r"\b(?:be\s+|is\s+|gets?\s+|remains?\s+)?(?:stuck|pinned|trapped|capped|mired)\s+(?=(?:below|under|beneath|above|over)\b)", "stay "),
    rule(r"\b(?:stay|remain|hold|keep)s?\s+at\s+(\$?\d[\d.,]*\s?(?:%|per\s?cent|[kmb]n?\b|million|billion|trillion|dollars)?)\s+or\s+"
          r"(?:(?P<less>lower|less|below|under)|higher|more|above|better)\b", lambda f: f"stay {'below' if f['less'] else 'above'} {f[1]}"),
    rule(r"\b(?:tops?\s+out|max(?:es)?\s+out|peaks?)\s+(?:below|under|at\s+less\s+than)\b", "stay below"),
    rule(r"\b(?:bottoms?(?:\s+out)?)\s+(?:above|over)\b", "stay above"),
    rule(r"(?<!never\s)(?<!not\s)\b(?:sits?|trades?|holds?|hovers?|keeps?)\s+(below|under|above|over)\b(?=.{0,40}\b(?:through|throughout|until|all\s+(?:the\s+)?(?:way|year|month)|entire|whole|at\s+all\s+times))",
          r"stay \1"),
    # Asides that are no part of what is asked.
    rule(r"(?<=\w),\s+without\s+(?:\w+\s+)?(?:having|being|\w+ing)\b[^?,]*(?=[?,]|$)", ""),
    rule(r"\b(?:un(?:interrupted(?:ly)?|broken)|without\s+(?:an?\s+|any\s+)?(?:interruption|break|pause|delay|exception|"
          r"doubt|question|fail|precedent|warning|further\s+ado|let-?up))\b", ""),
    # "June passes without X": X has not happened by the end of June.
    rule(rf"^(?:will|do|does)\s+(?:the\s+(?:end|close)\s+of\s+)?({_SPAN}|\d{{1,2}}\s+{_SPAN})\s+{_RUN_OUT}\s+"
          r"(?=without\b|with\s+no\b)", r"Will through \1 "),
    rule(rf"\b{_RUN_OUT}\b(?=.{{0,60}}\b(?:without|with\s+no|"
          r"with\s+.{2,40}\s+(?:still\s+)?(?:not|un)))", " "),
    rule(r"\bwith\s+(.{2,60}?)\s+(?:still\s+)?not\s+having\b", r"without \1 having"),
    rule(rf"\b({_MONTH}(?:\s+\d{{1,2}})?(?:,?\s+(?:19|20)\d\d)?|(?:19|20)\d\d)\s+(?:arrives?|comes?|dawns?|starts?|begins?|rolls?\s+around)\s+with\s+(?=.{{2,60}}?\bstill\b)",
          r"the start of \1 end with "),
    rule(rf"\b(?:when|once|as)\s+({_MONTH}(?:\s+\d{{1,2}})?(?:,?\s+(?:19|20)\d\d)?|(?:19|20)\d\d)\s+"
          r"(?:arrives?|comes?|dawns?|starts?|begins?|rolls?\s+around)\b", r"before \1"),
    rule(r"\b(?:until\s+)?(?:some\s+time\s+)?(?:(?<!no\s)(?<!not\s)later\s+than|no\s+(?:earlier|sooner)\s+than|only\s+after)\b", "not by"),
    rule(r"\b(?:slips?|slides?|drags?(?:\s+on)?|is\s+delayed|be\s+(?:delayed|postponed|pushed(?:\s+back)?)|pushed)\s+"
          r"(?:past|beyond|to\s+after|until\s+after|into)\b", "not happen by"),
    # Contests.
    rule(r"\b(?:los(?:e|es|ing)|give\s+up|forfeits?|vacates?)\s+(?:or\s+(?:leave|vacate|relinquish|give\s+up|step\s+down\s+from)\s+)?"
          r"(?=(?:the|his|her|its|their)?\s*(?:\w+\s+)?(?:position|post|job|office|power|premiership|presidency|leadership|role|keys)\b)",
          "leave "),
    rule(r"\bloses?\s+(?:out(?:\s+(?:on|in))?\s+)?(?!to\b|by\b|its\b|his\b|her\b|their\b|power\b|control\b|office\b|"
          r"more\b|at\b|\d|out\b|or\b|(?:the\s+)?(?:\w+\s+)?(?:position|post|job|role|majority|confidence|status|"
          r"license|rating|peg|access|support|control|value|ground|territory|lead|spot)\b)", "fail to win "),
    rule(r"\bloses?\s+out\s+(?:on\s+|in\s+)?", "fail to win "),
    rule(r"\b(?:be\s+)?(?:snubbed|passed\s+over|overlooked|shut\s+out|left\s+(?:out|off)|denied)\s+(?:for\s+|of\s+|in\s+|by\s+)?(?=\w)",
          "fail to get "),
    rule(r"\bmiss(?:es)?\s+(?:out\s+on\s+)?(?:the\s+)?(?=.{0,40}(?:playoffs?|post-?season|"
          r"finals?|final\s+four|tournament|world\s+cup))", "fail to make the "),
    rule(r"\bmiss(?:es)?\s+(?:out\s+on\s+)?(?:a\s+(?:spot|place)\s+in\s+)?(?:the\s+)?(?=top\s+\d)",
          "fail to finish in the "),
    rule(r"\bmiss(?:es)?\s+out\s+on\s+", "fail to win "),
    rule(r"\bmiss(?:es)?\s+(?=\w)", "fail to make "),
    rule(r"\b(?:be\s+)?(?:eliminated|knocked\s+out|ousted|dumped\s+out|exits?|crash(?:es)?\s+out|bows?\s+out|"
          r"goes?\s+out|go\s+out|falls?|out|over|finished|ends?)\b(.{0,60}?)\s+(?:before|short\s+of|ahead\s+of|prior\s+to)\s+"
          rf"(?:reaching\s+|making\s+)?(?:the\s+)?((?:[\w'-]+\s+){{0,5}}?)(?={_STAGE_WORD})", r"fail to reach \1 the \2"),
    rule(r"\b(?:be\s+)?(?:eliminated|knocked\s+out)\s+(?=(?:in|at|from|of)\b)", "fail to advance "),
    # Acts left undone.
    rule(r"\b(?:skips?|snubs?|boycotts?|stays?\s+away\s+from|sits?\s+out|pulls?\s+out\s+of\s+attending)\s+(?=\w)",
          "not attend "),
    rule(r"\bbe\s+absent\s+from\b", "not attend"),
    rule(r"\b(?:escapes?|evades?|dodges?|staves?\s+off|fends?\s+off|(?:is|be)\s+spared|sidesteps?|resists?|"
          r"steers?\s+clear\s+of|duck(?:s?\s+out\s+of|(?=\s+(?:the|an?|his|her|its|their|any)\b)))\s+(?=\w)", "avoid "),
    rule(r"\b(?:declines?|refuses?|neglects?|omits?)\s+to\b", "not"),
    rule(r"\b(?:refrains?|holds?\s+(?:off|back)|abstains?|desists?)\s+(?:from|on)\s+(?=\w+ing\b)", "not "),
    rule(r"\b(?:instead\s+of|rather\s+than)\s+(?=\w+ing\b)", "not "),
    rule(r"\b(?:is|are|be)\s+(?:still\s+)?(?:waiting|yet)\s+(?:for|to)\b", "not have"),
    rule(r"\bstill\s+(?:be\s+)?(?:waiting\s+(?:for|to)|awaiting|lack(?:s|ing)?)\b", "not have"),
    # What stays as it is.
    rule(r"\b(?:see|sees|ride|rides|wait|waits)\s+(?:(?:out|off)\s+(?=.{2,40}\s(?:as|in)\s)|(?=(?:the\s+)?(?:\w+\s+){1,3}out\s+(?:as|in)\b))"
          r"((?:the\s+)?(?:\w+\s+){1,4}?)(?:out\s+)?(?:as|in\s+(?=office|power|post|charge))\s*", r"not be out by the end of \1as "),
    rule(r"\b(?:remains?|stays?|still\s+be|be\s+still|continues?\s+to\s+be)\s+(?:an?\s+)?private(?:ly)?"
          r"(?:\s+(?:held|owned))?(?:\s+company)?\b", "not IPO"),
    rule(r"\b(?:remains?|stays?|goes?|go|keeps?|still\s+be|be\s+still|is\s+still|be|is|are)\s+(?:\w+ly\s+)?"
          rf"{_UN}", "not be "),
    rule(r"(?<!\bno\s)(?<!\bany\s)(?<!\bthe\s)(?<!\ba\s)(?<!\brate\s)\b(?:changes?|moves?|adjusts?|alters?)\s+(?!(?:in|to|at|on)\b)(?=(?:its|the|interest|policy|key|bank)?\s*(?:\w+\s+){0,3}rates?\b)",
          "not make no change in "),
    rule(r"\b(?:leav(?:es?|ing)|keep(?:s|ing)?|hold(?:s|ing)?|maintain(?:s|ing)?)\s+((?:its\s+|the\s+)?(?:\w+\s+){0,3}rates?)\s+(?:unchanged|steady|"
          r"on\s+hold|where\s+(?:it|they)\s+(?:is|are)|alone|as\s+(?:it|they)\s+(?:is|are)|flat)\b",
          r"make no change in \1"),
    rule(r"\b(?:remains?|stays?|be|is|are|goes?)\s+(?:unchanged|the\s+same)\b", "not change"),
    rule(r"\b(?:stands?\s+pat(?:\s+on)?|hits?\s+pause(?:\s+on)?|pauses?(?:\s+on)?)\s+(?=(?:interest\s+)?rates?|at\b)",
          "make no change in rates "),
    rule(r"\b(?:remains?|stays?|keeps?|is\s+still|be\s+still|still\s+be|continue\s+to\s+be)\s+"
          r"(?:out\s+of|outside|free\s+of|clear\s+of)\b", "not be in"),
    rule(r"\b(?:hangs?\s+on|clings?\s+on|holds?\s+on|stays?\s+on|survives?|lasts?|hangs?\s+in\s+there)\s+"
          r"(?:to\s+(?:power|office)\s+)?(?:as|in)\s+(?:the\s+)?", "not be out as "),
    rule(r"\b(?:keeps?|retains?|holds?\s+on\s?to|hangs?\s+on\s?to|clings?\s+to)\s+(?:his|her|their|its|"
          r"the)\s+(?=(?:job|post|office|premiership|presidency|leadership|position|role)\b)",
          "not be out of "),
    rule(r"\b(?:remains?|stays?|is\s+still|still(?:\s+be)?)\s+in\s+(?:office|power|post|charge|the\s+job|"
          r"number\s+(?:10|ten)|downing\s+street|the\s+white\s+house|the\s+oval\s+office|the\s+kremlin|the\s+elys[ée]e)\b",
          "not be out"),
    rule(r"\bstill\s+(?=(?:(?:have|has|be|is|are)\s+)?(?:not|no|yet)\b)", ""),
    rule(r"\b(?:(?:have|has|be|is|are)\s+)?(?:still\s+)?yet\s+to\s+(?:be\s+)?", "not "),
    # Nobody, none, no.
    rule(r"\b(?:nobody|no\s+one|none\s+of|neither)\b", "not anyone"),
    rule(r"^(will|is|are|does|do|did|has|have|can)\s+(?:there\s+be\s+)?(?:no|zero)\s+"
          r"(?!longer|more|fewer|less|later|change)(?=\w)", r"\1 not a "),
    # Lists of the ways in which it may not happen.
    rule(r",?\s+such\s+as\s+(?:an?\s+)?[^?]*", ""),
    rule(r",\s+(?:whether|be\s+it|either)\s+(?:by|through|because)\b[^?]*", ""),
)  # fmt: skip
