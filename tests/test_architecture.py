"""The arrows of the architecture: data flows one way, and pure modules stay pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from tests.source_code import SOURCE, modules, statements_of, text_of, tree_of

SHARED = {
    "augury",
    "augury.separate_process",
    "augury.clock",
    "augury.errors",
    "augury.input_files",
    "augury.ids",
    "augury.options",
    "augury.compiled",
    "augury.caches",
    "augury.setting_files",
    "augury.setting_sources",
    "augury.setting_values",
    "augury.settings",
    "augury.spreadsheet",
    "augury.pictures",
    "augury.tables",
    "augury.terminal",
}
"""What every module may use."""

COMPOSITION = {
    "app",
    "api",
    "cli",
    "serving",
    "service_file",
    "services",
    "service_work",
    "remote",
    "logs",
    "gc_tuning",
    "background",
    "worker",
    "__main__",
    "__init__",
}
"""Modules outside the nouns: they put the nouns together."""

NOUNS = {
    "storage": set(),
    "net": set(),
    "llm": {"net", "storage"},
    "jobs": {"storage"},
    "markets": {"language", "storage"},
    "venues": {"markets", "storage", "jobs", "net"},
    "imports": {"venues", "storage", "jobs"},
    "search": {"language", "markets", "net", "storage"},
    "propositions": {"language", "markets", "search"},
    "logic": {"propositions"},
    "relations": {
        "language",
        "propositions",
        "logic",
        "markets",
        "search",
        "storage",
        "jobs",
        "llm",
    },
    "graph": {
        "language",
        "propositions",
        "logic",
        "relations",
        "search",
        "markets",
        "storage",
        "jobs",
    },
    "access": {"storage"},
    "console": set(),
    "http": {"access", "storage"},
    "doctor": {"http", "net", "storage"},
    "handbook": {"app", "cli", "console", "http", "mcp"},
    "health": {"markets", "search", "venues", "rvol", "series", "storage", "jobs"},
    "language": set(),
    "matching": {"language", "logic"},
    "forecast": {
        "language",
        "propositions",
        "logic",
        "matching",
        "graph",
        "relations",
        "markets",
        "search",
        "storage",
        "jobs",
        "llm",
    },
    "series": {"net", "storage", "jobs"},
    "deliveries": {"net", "storage"},
    "macro": {"net"},
    "mcp": {"net"},
    "extension": {
        "language",
        "propositions",
        "graph",
        "relations",
        "search",
        "markets",
        "net",
        "storage",
    },
    "watchlists": {"markets", "series", "rvol", "deliveries", "storage", "jobs"},
    "rvol": {"net", "storage", "jobs"},
}
"""Which nouns a noun's services and stores may use. Its routes may also use http and access."""

COMMANDS = {
    "commands.py", "bench.py", "evaluations.py", "exporting.py", "fit.py", "rival.py", "soak.py",
    "trials.py",
}  # fmt: skip
"""Command-line edges: they may open the whole service."""

IMPURE = {"psycopg", "httpx2", "fastapi", "starlette", "asyncio", "socket", "subprocess", "typer"}
PURE = [
    "markets/records.py",
    "markets/freshness.py",
    "markets/families.py",
    "markets/grouping.py",
    "markets/quantities.py",
    "markets/sides.py",
    "markets/generator.py",
    "search/text.py",
    "search/query.py",
    "search/rank.py",
    "search/records.py",
    "search/scoring.py",
    "search/lists.py",
    "search/evaluate.py",
    "search/aliases.py",
    "relations/causal/parts.py",
    "relations/causal/knowledge.py",
    "relations/causal/factors.py",
    "relations/causal/paths.py",
    "relations/comovement.py",
    "relations/rank.py",
    "relations/causal/judged.py",
    "relations/columns.py",
    "relations/labels.py",
    "graph/view.py",
    "graph/logic.py",
    "graph/picture.py",
    "graph/exclusion.py",
    "graph/strength.py",
    "graph/calibrate.py",
    "search/postings.py",
    "search/related.py",
    "propositions/written_dates.py",
    "propositions/windows.py",
    "propositions/wording.py",
    "propositions/teams.py",
    "propositions/claims.py",
    "propositions/proposition.py",
    "propositions/blanked_text.py",
    "propositions/negations.py",
    "propositions/thresholds.py",
    "propositions/games.py",
    "propositions/predicates.py",
    "propositions/reading.py",
    "logic/joint_outcomes.py",
    "logic/windows.py",
    "logic/amounts.py",
    "logic/contests.py",
    "logic/relate.py",
    "relations/events.py",
    "llm/task.py",
    "forecast/evidence.py",
    "forecast/names.py",
    "forecast/framing.py",
    "forecast/verbatim.py",
    "forecast/bearing.py",
    "forecast/bounds.py",
    "forecast/properties.py",
    "forecast/figures.py",
    "forecast/denials.py",
    "forecast/normalize.py",
    "forecast/relative_dates.py",
    "forecast/levels.py",
    "forecast/order.py",
    "forecast/view.py",
    "forecast/cues.py",
    "forecast/coverage.py",
    "forecast/threshold_order.py",
    "forecast/window_order.py",
    "forecast/contest_order.py",
    "forecast/match.py",
    "forecast/pool.py",
    "forecast/doubt.py",
    "forecast/explain.py",
    "forecast/opinion.py",
    "forecast/tasks.py",
    "forecast/rewording.py",
    "forecast/roles.py",
    "forecast/exclusive_ways.py",
    "forecast/weighing.py",
    "forecast/engine.py",
    "forecast/compound.py",
    "forecast/rungs.py",
    "forecast/grade.py",
    "forecast/nulls.py",
    "forecast/outcomes.py",
    "forecast/rejected.py",
    "forecast/channels.py",
    "forecast/scoring.py",
    "forecast/calibrate.py",
    "forecast/distribution.py",
    "forecast/evaluate.py",
    "http/gcra.py",
    "access/keys.py",
    "net/addresses.py",
    "extension/fixtures.py",
    "extension/games.py",
    "extension/sports_vote.py",
    "extension/names.py",
    "extension/team_names.py",
    "extension/roster.py",
    "extension/sports.py",
    "extension/times.py",
    "extension/page.py",
    "extension/fitness.py",
    "macro/target.py",
    "macro/caching.py",
    "watchlists/rule_checks.py",
    "watchlists/rules.py",
    "watchlists/wording.py",
    "watchlists/measures.py",
    "watchlists/chart.py",
    "deliveries/schedule.py",
    "series/parse.py",
    "rvol/panel.py",
    "rvol/measures.py",
    "rvol/bars.py",
    "rvol/features.py",
    "rvol/regression.py",
    "rvol/members.py",
    "rvol/models.py",
    "rvol/walk.py",
    "rvol/scores.py",
    "rvol/scorecard.py",
    "rvol/sample.py",
    "rvol/calendars.py",
    "rvol/issuing.py",
]


@cache
def imports(path: Path) -> frozenset[str]:
    """Modules a file imports when it runs; imports for type checkers alone do not count."""
    return frozenset(_imports(statements_of(path)))


def _imports(nodes: tuple[ast.stmt, ...]) -> Iterator[str]:
    skipped = {
        id(inner)
        for node in nodes
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in nodes:
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def noun_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def test_every_folder_is_a_noun_of_the_table() -> None:
    folders = {p.name for p in SOURCE.iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert folders == set(NOUNS)


def beyond(path: Path) -> set[str]:
    """Nouns that a file uses and may not."""
    noun = noun_of(path)
    if noun in COMPOSITION or f"augury.{noun}" in SHARED or path.name in COMMANDS:
        return set()
    allowed = NOUNS[noun] | {noun}
    if path.name == "routing.py" or path.stem.endswith(("routes", "schemas")):
        allowed |= {"http", "access"}
    used = {
        name.split(".")[1]
        for name in imports(path)
        if name.startswith("augury.") and ".".join(name.split(".")[:2]) not in SHARED
    }
    return used - {"__version__"} - allowed


def test_a_noun_uses_only_what_stands_before_it() -> None:
    found = {str(path.relative_to(SOURCE)): beyond(path) for path in modules()}
    assert not {path: nouns for path, nouns in found.items() if nouns}


def may_hold_sql(path: Path) -> bool:
    return (
        path.parent.name in ("storage", "jobs")
        or "migrations" in path.parts
        or "store" in (path.stem, path.parent.name)
        or path.name in COMMANDS
    )


def test_only_stores_hold_sql() -> None:
    """SQL belongs in the noun's store."""
    others = [path for path in modules() if not may_hold_sql(path)]
    assert not [str(path) for path in others if ".execute(" in text_of(path).lower()]


def test_pure_modules_do_no_io() -> None:
    found = {
        name: [
            module
            for module in imports(SOURCE / name)
            if module.split(".")[0] in IMPURE
            or module.startswith(("augury.settings", "augury.clock"))
        ]
        for name in PURE
    }
    assert not {name: impure for name, impure in found.items() if impure}


def test_every_module_says_what_it_is_for() -> None:
    assert not [str(path) for path in modules() if not ast.get_docstring(tree_of(path))]


def every_import(path: Path, known: frozenset[str]) -> Iterator[str]:
    """Augury's modules that a file names in imports: at its head, for types alone, in functions."""
    for node in statements_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in known else node.module


def test_no_files_import_each_other_in_a_circle() -> None:
    """Also not for types alone. Commands are loaded by the composition when they are called."""
    files = {
        ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(
            ".__init__"
        ): path
        for path in modules()
        if noun_of(path) not in COMPOSITION
    }
    known = frozenset(files)
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for name, path in files.items():
        sorter.add(name, *({*every_import(path, known)} & known - {name}))
    sorter.prepare()


def test_no_function_sets_a_global() -> None:
    """What a process needs one of is wired in `services.py`, or made by `caches.Once`."""
    setting = [
        path.name
        for path in modules()
        for node in statements_of(path)
        if isinstance(node, ast.Global)
    ]
    assert not setting


def test_the_keys_of_locks_stand_in_one_place() -> None:
    taking = [path.name for path in modules() if "_advisory_" in text_of(path)]
    assert taking == ["locks.py"]


def test_no_test_module_is_imported() -> None:
    """What several test modules use stands in a file of its own, named after what it is."""
    tests = SOURCE.parents[1] / "tests"
    using = [
        f"{path.relative_to(tests).as_posix()}: {word}"
        for path in tests.rglob("*.py")
        for word in re.findall(r"^\s*\"?(?:from|import) (tests\.\S+)", text_of(path), re.MULTILINE)
        if word.rsplit(".", 1)[-1].startswith("test_")
    ]
    assert using == []
