"""Times every regular expression of Augury on texts made against it; a program.

Patterns are collected by themselves: those compiled while all modules are imported, by a hook in
`re`, and those given to `re` inside functions, from the source. The texts of a pattern are made
from its own parts: what it repeats, as long as its texts may be, behind what it starts with and
before what it can't end with.

Prints JSON: `{"patterns": n, "texts": n, "slow": [[module, milliseconds, pattern, text], ...]}`.
"""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from types import FrameType, ModuleType
from typing import Any, NamedTuple

from pace import slower

LIMIT = 2_000
"""Code points of a question or a title, where nothing else is said."""
READ_OF_TITLES = [
    f"augury.propositions.{name}"
    for name in ("blanked_text", "games", "negations", "predicates", "reading", "thresholds")
]
LIMITS: dict[str, int] = {
    "augury.forecast.coordination": 240,
    "augury.forecast.qualifiers": 240,
    **dict.fromkeys(READ_OF_TITLES, 1_000),  # cut by `blanked_text.clean`
    "augury.venues": 1_000,  # titles, cut when they come in
    "augury.markets": 1_000,
}
"""Of the modules (and those below them) that read shorter texts or longer ones."""
COLLAPSED = (
    "augury.extension.", "augury.forecast.", "augury.logic.", "augury.markets.",
    "augury.propositions.", "augury.relations.", "augury.search.", "augury.venues.",
)  # fmt: skip
"""Modules whose texts have one blank where there were several: what they are given comes from
`search.text.tidy`, `venues.wire.line`, or is split and joined when it is read."""
BUDGET = 0.010
"""Seconds of processor time, on a machine as fast as that of `pace`."""

Found = tuple[str, str | bytes, int, bool]
"""Module, pattern, flags, whether it is tried everywhere in a text."""


class Late(Exception):
    """It took too long to be waited for."""


def modules() -> Iterator[ModuleType]:
    """All modules of Augury."""
    import augury

    for found in pkgutil.walk_packages(augury.__path__, "augury."):
        if not found.name.endswith("__main__") and ".migrations" not in found.name:
            yield importlib.import_module(found.name)


def collect() -> set[Found]:
    """Every pattern of Augury's own modules."""
    found: set[Found] = set()
    real = re._compile  # type: ignore[attr-defined]

    def hook(pattern: Any, flags: int) -> re.Pattern[Any]:
        compiled = real(pattern, flags)
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_globals.get("__name__") == "re":
            frame = frame.f_back
        module = str(frame.f_globals.get("__name__")) if frame else ""
        if module.startswith("augury."):
            found.add((module, compiled.pattern, compiled.flags, True))
        return compiled

    re._compile = hook  # type: ignore[attr-defined]
    try:
        for module in modules():
            for pattern, flags, everywhere in inside_functions(module):
                compiled = real(pattern, flags)
                found.add((module.__name__, pattern, compiled.flags, everywhere))
    finally:
        re._compile = real  # type: ignore[attr-defined]
    return found


class _Names(dict[str, Any]):
    """Names of a function are some word: that is what they hold where a pattern has one."""

    def __missing__(self, name: str) -> Any:
        if name in self["__module__"]:
            return self["__module__"][name]
        if name in self["__module__"]["__builtins__"]:
            return self["__module__"]["__builtins__"][name]
        return "word"


def inside_functions(module: ModuleType) -> Iterator[tuple[str, int, bool]]:
    """Patterns that functions hand to `re`, read from the source."""
    if not module.__file__ or not module.__file__.endswith(".py"):
        return
    tree = ast.parse(Path(module.__file__).read_text())
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        for call in ast.walk(node):
            if not (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and isinstance(call.func.value, ast.Name)
                and call.func.value.id == "re"
                and call.func.attr not in ("escape", "purge")
            ):
                continue
            names = _Names(__module__=vars(module))
            flags = [k.value for k in call.keywords if k.arg == "flags"]
            flags += [a for a in call.args[1:] if re.match(r"re\.[A-Z]", ast.unparse(a))]
            first = call.args[0]
            if isinstance(first, ast.Name) and first.id not in vars(module):
                continue  # a parameter: its values are compiled while modules are imported
            pattern, *flag = (
                eval(compile(ast.Expression(e), module.__file__, "eval"), {}, names)
                for e in (first, *flags)
            )
            if isinstance(pattern, re.Pattern):
                pattern = pattern.pattern
            yield pattern, int(*flag), call.func.attr not in ("match", "fullmatch")


# -- texts ----------------------------------------------------------------------------------------


def sample(parsed: Any, pick: int = 0) -> str:
    """A text that the parsed pattern matches, mostly; branches and classes by `pick`."""
    text = ""
    for kind, value in parsed:
        if kind is op.LITERAL:
            text += chr(value)
        elif kind is op.NOT_LITERAL:
            text += "a" if value != ord("a") else "b"
        elif kind is op.ANY:
            text += "a"
        elif kind is op.IN:
            choices = members(value)
            text += choices[pick % len(choices)]
        elif kind is op.BRANCH:
            branches = value[1]
            text += sample(branches[pick % len(branches)], pick)
        elif kind is op.SUBPATTERN:
            text += sample(value[-1], pick)
        elif kind is op.ATOMIC_GROUP:
            text += sample(value, pick)
        elif kind in REPEATS:
            low, high, body = value
            text += sample(body, pick) * max(low, min(1, high))
    return text


REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
_CLASSES = {
    op.CATEGORY_DIGIT: "1", op.CATEGORY_SPACE: " ", op.CATEGORY_WORD: "a1",
    op.CATEGORY_NOT_DIGIT: "a ", op.CATEGORY_NOT_SPACE: "a-1", op.CATEGORY_NOT_WORD: " -",
}  # fmt: skip
_PROBES = " a1-.,A'/éx\n("


def members(choices: Any) -> str:
    """A few characters of a class."""
    negated = choices[0][0] is op.NEGATE
    if negated:
        test = re.compile(f"[{''.join(map(_written, choices))}]")
        return "".join(c for c in _PROBES if test.match(c)) or "\x01"
    found = ""
    for kind, value in choices:
        if kind is op.LITERAL:
            found += chr(value)
        elif kind is op.RANGE:
            found += chr(value[0])
        elif kind is op.CATEGORY:
            found += _CLASSES[value]
    return found


def _written(choice: Any) -> str:
    kind, value = choice
    if kind is op.NEGATE:
        return "^"
    if kind is op.LITERAL:
        return re.escape(chr(value))
    if kind is op.RANGE:
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    return {
        op.CATEGORY_DIGIT: r"\d", op.CATEGORY_SPACE: r"\s", op.CATEGORY_WORD: r"\w",
        op.CATEGORY_NOT_DIGIT: r"\D", op.CATEGORY_NOT_SPACE: r"\S", op.CATEGORY_NOT_WORD: r"\W",
    }[value]  # fmt: skip


def parts(parsed: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """What comes before each repetition, and one round of it, in a few spellings."""
    for at, (kind, value) in enumerate(parsed):
        ahead = before + sample(parsed[:at])
        if kind in REPEATS:
            if value[1] > 4:
                for pick in range(6):
                    yield ahead, sample(value[2], pick)
            yield from parts(value[2], ahead)
        elif kind is op.BRANCH:
            for branch in value[1]:
                yield from parts(branch, ahead)
        elif kind is op.SUBPATTERN:
            yield from parts(value[-1], ahead)
        elif kind is op.ATOMIC_GROUP:
            yield from parts(value, ahead)
        elif kind in (op.ASSERT, op.ASSERT_NOT):
            yield from parts(value[1], ahead if value[0] > 0 else before)


class Attack(NamedTuple):
    """A text as long as is wanted: a beginning, what is repeated, an end."""

    ahead: str
    rounds: tuple[str, ...]
    end: str

    def text(self, limit: int) -> str:
        room = max(0, limit - len(self.ahead) - len(self.end)) // len(self.rounds)
        filled = "".join((one * (room // len(one) + 1))[:room] for one in self.rounds)
        return (self.ahead + filled + self.end)[-limit:]

    def collapsed(self) -> Attack:
        """With one blank where there are several."""
        ahead, end, *rounds = (
            re.sub(r"\s+", " ", part) for part in (self.ahead, self.end, *self.rounds)
        )
        return Attack(ahead, tuple(one for one in rounds if one != " ") or ("a",), end)


def attacks(pattern: str | bytes, flags: int) -> set[Attack]:
    """Texts made against the pattern."""
    told = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    parsed = _parser.parse(told, flags & ~re.UNICODE & ~re.ASCII)
    found = {(ahead, one) for ahead, one in parts(parsed) if one}
    wholes = {sample(parsed, pick) for pick in range(4)} - {""}
    few = sorted({one for _, one in found}, key=lambda one: (len(one), one))[:5]
    few += [one for one in (" ", "a", "1", "A ") if one not in few]
    made = {Attack(ahead, (one,), end) for ahead, one in found for end in ("", _END)}
    for one in [*few, *wholes, *{ahead for ahead, _ in found} - {""}]:
        made |= {Attack("", (one,), _END), Attack("", (f"{one} ",), "")}
    for whole in wholes:  # begins well, goes on and on, can't end; and that again and again
        made |= {Attack(whole, (one,), _END) for one in few}
        made |= {Attack("", (whole + one * 9,), _END) for one in few}
    return made | {Attack("", (one, two), _END) for one in few for two in few if one != two}


_END = "\x01"


def _stop(*_: Any) -> None:
    raise Late


def anchored(module: str, pattern: re.Pattern[Any]) -> bool:
    """Whether the pattern is only ever tried at the beginning of a text."""
    loaded = sys.modules[module]
    names = [
        name
        for name, value in vars(loaded).items()
        if isinstance(value, re.Pattern)
        and (value.pattern, value.flags) == (pattern.pattern, pattern.flags)
    ]
    if len(names) != 1 or not loaded.__file__:
        return False
    source = Path(loaded.__file__).read_text()
    used = re.findall(rf"\b{names[0]}\b(?:\.(\w+))?", source)
    return sorted(used)[0] == "" and set(sorted(used)[1:]) <= {"match", "fullmatch"}


def seconds(
    pattern: re.Pattern[Any], text: str, rounds: int = 1, *, everywhere: bool = True
) -> float:
    """Processor time of looking for the pattern in the text; the least of `rounds`."""
    given: Any = text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text
    best = 9.9
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.2)
    try:
        for _ in range(rounds):
            start = time.thread_time()
            for _ in pattern.finditer(given) if everywhere else [pattern.match(given)]:
                pass
            pattern.fullmatch(given)
            best = min(best, time.thread_time() - start)
    except Late:
        pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return best


def worst(
    pattern: re.Pattern[Any], tried: set[Attack], limit: int, *, everywhere: bool
) -> tuple[float, str]:
    """The most seconds and their text. All are tried short; those that take longest so, in full."""
    took = [(seconds(pattern, a.text(limit // 8), everywhere=everywhere), a) for a in tried]
    texts = [a.text(limit) for _, a in sorted(took, reverse=True)[:3]]
    return max((seconds(pattern, text, 2, everywhere=everywhere), text) for text in texts)


def limit_of(module: str) -> int:
    """Code points of the longest text that the module's patterns see."""
    return next((n for name, n in LIMITS.items() if module.startswith(name)), LIMIT)


def main(prefix: str = "augury.") -> None:
    """Collect, make texts, time."""
    signal.signal(signal.SIGVTALRM, _stop)
    slow, tried = [], 0
    found = [one for one in sorted(collect(), key=str) if one[0].startswith(prefix)]
    for module, source, flags, everywhere in found:
        pattern = re.compile(source, flags)
        made = attacks(source, flags)
        if module.startswith(COLLAPSED):
            made = {attack.collapsed() for attack in made}
        tried += len(made)
        everywhere = everywhere and not anchored(module, pattern)
        taken, text = worst(pattern, made, limit_of(module), everywhere=everywhere)
        if taken > BUDGET and taken > BUDGET * slower():
            slow.append([module, round(taken * 1000, 1), str(source), text])
    print(json.dumps({"patterns": len(found), "texts": tried, "slow": slow}))


if __name__ == "__main__":
    main(*sys.argv[1:])
