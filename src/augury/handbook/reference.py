"""Makes the reference pages of the documentation from the code: commands, API, errors, metrics, and
tools for language models."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import typer
from prometheus_client import REGISTRY
from typer.main import get_command

from augury import cli, errors
from augury.app import create_app
from augury.http import openapi
from augury.settings import Settings

SOURCE = Path(__file__).parents[1]
"""Folder of Augury's source code."""
MADE = "*Made from the code of this version; nothing here is written by hand.*"


def pages() -> dict[str, str]:
    """All reference pages: page name -> Markdown."""
    app = create_app(Settings())  # not started: only its routes are read
    made = {
        "reference-commands": commands(),
        "reference-api": api(openapi.document(app, "all")),
        "reference-errors": error_codes(),
        "reference-metrics": metrics(),
    }
    try:
        made["reference-tools"] = tools()
    except ModuleNotFoundError as error:
        made["reference-tools"] = f"# Tools for language models\n\n{errors.missing_extra(error)}\n"
    return made


def row(*cells: object) -> str:
    """One line of a Markdown table."""
    texts = (" ".join(str(cell).split()).replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(texts)} |"


def table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> list[str]:
    """The lines of a Markdown table with the column titles `head`; empty if there are no rows."""
    lines = [row(*r) for r in rows]
    return [row(*head), "|" + "---|" * len(head), *lines, ""] if lines else []


# --- commands --------------------------------------------------------------------------------


EXIT_CODES = (
    (0, "The command succeeded."),
    (1, "The command failed, or a check found something wrong; standard error says why."),
    (2, "An option or argument was wrong; standard error says which one."),
    (130, "The command was interrupted (Ctrl-C)."),
)
"""Exit codes of all commands of `augury`, and what they mean."""


def every_command() -> dict[str, Any]:
    """Every command of `augury`: the words that call it, e.g. `keys create` -> the command."""
    app = typer.Typer(name="augury")
    cli.mount(app)
    return dict(_commands(get_command(app), ""))


def _commands(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    for name, command in getattr(group, "commands", {}).items():
        yield from _commands(command, f"{path} {name}".strip())
    if not getattr(group, "commands", None):
        yield path, group


def commands() -> str:
    """The page on commands, as Markdown: each command with its options and examples."""
    found = every_command()
    lines = [
        "# Commands",
        "",
        f"All commands of `augury`. In a checkout, type `./augury`. {MADE}",
        "",
        *table(("exit code", "meaning"), EXIT_CODES),
    ]
    for name, command in found.items():
        prose, examples = described(command.help or "")
        lines += [f"## augury {name}", "", *prose, ""]
        lines += ["```text", *examples, "```", ""] if examples else []
        lines += table(
            ("argument or option", "value", "default", "what it does"),
            [
                (f"`{a.written}`", a.value, f"`{a.default}`" if a.default else "", a.about)
                for a in map(Argument, command.params)
                if a.written != "--help"
            ],
        )
    return "\n".join(lines)


def described(text: str) -> tuple[list[str], list[str]]:
    """The help text of a command, split into two lists: its paragraphs and its examples. The word
    "Examples:" is left out."""
    prose: list[str] = []
    examples: list[str] = []
    for part in re.split(r"\n\s*\n", inspect.cleandoc(text.replace("\f", "").replace("\b", ""))):
        if re.match(r"Examples?:", part):
            lines = re.sub(r"^Examples?:\s*", "", part).splitlines()
            examples += [line.strip() for line in lines if line.strip()]
        else:
            prose += [" ".join(part.split()), ""]
    return prose[:-1], examples


class Argument:
    """An argument or option of a command, as the reference page shows it."""

    def __init__(self, param: Any) -> None:
        positional = param.param_type_name == "argument"
        name = (param.metavar or param.name).upper()
        self.written = name if positional else ", ".join([*param.opts, *param.secondary_opts])
        annotation = param.type_descriptor.annotation
        self.value = "" if getattr(param, "is_flag", False) else _value(annotation)
        if param.min is not None and param.max is not None:
            self.value += f", {param.min:g} to {param.max:g}"
        default = param.default
        plain = isinstance(default, str | int | float | Path) and not isinstance(default, bool)
        self.default = str(default) if plain else ""
        self.about = (param.help or "") + (" Required." if param.required else "")
        if param.envvar:
            self.about += f" Default: the value of {param.envvar}."
        if param.multiple or param.nargs != 1:
            self.about += " May be given repeatedly."


def _value(annotation: Any) -> str:
    """The kind of value that an option takes, in words, e.g. `whole number`."""
    if of := get_args(annotation):
        choices = get_origin(annotation) is Literal
        return " or ".join(map(str, of)) if choices else _value(of[0])
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return " or ".join(str(member.value) for member in annotation)
    words = {str: "text", int: "whole number", float: "number", Path: "path", datetime: "time"}
    return words.get(annotation, getattr(annotation, "__name__", str(annotation)))


# --- API -------------------------------------------------------------------------------------


def api(document: Mapping[str, Any]) -> str:
    """The page on the API, as Markdown: all operations in groups, then all objects with their
    fields.

    document : the OpenAPI document
    """
    lines = [
        "# API",
        "",
        f"All operations and objects of `/openapi.json`. [Try them](/docs/api). {MADE}",
        "",
    ]
    groups: dict[str, list[str]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            tag = (operation.get("tags") or ["service"])[0]
            groups.setdefault(tag, []).extend(_operation(method, path, operation))
    for tag in sorted(groups):
        lines += [f"## {tag.capitalize()}", "", *groups[tag]]
    lines += ["## Objects", ""]
    for name, schema in sorted(document["components"]["schemas"].items()):
        lines += [f"### {name}", "", " ".join(schema.get("description", "").split()), ""]
        lines += _fields(schema)
    return "\n".join(lines)


def _operation(method: str, path: str, operation: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"### {method.upper()} {path}", "", operation.get("summary", ""), "")
    text = " ".join(operation.get("description", "").split())
    if text:
        yield from (text, "")
    yield from table(
        ("parameter", "in", "type", "meaning"),
        [
            (f"`{p['name']}`" + (" (required)" if p.get("required") else ""), p["in"],
             _type(p.get("schema", {})), p.get("description", ""))
            for p in operation.get("parameters", ())
        ],
    )  # fmt: skip
    body = _schema(operation.get("requestBody", {}))
    if body:
        yield from (f"Body: {_type(body)}.", "")
    answers = [
        (status, _type(_schema(answer)), answer.get("description", ""))
        for status, answer in operation.get("responses", {}).items()
    ]
    yield from table(("status", "body", "meaning"), answers)


def _schema(holder: Mapping[str, Any]) -> Mapping[str, Any]:
    content = holder.get("content", {})
    return next((c["schema"] for c in content.values() if "schema" in c), {})


def _fields(schema: Mapping[str, Any]) -> list[str]:
    required = schema.get("required", ())
    return table(
        ("field", "type", "meaning"),
        [
            (f"`{name}`" + (" (required)" if name in required else ""), _type(field),
             field.get("description", ""))
            for name, field in schema.get("properties", {}).items()
        ],
    )  # fmt: skip


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if options := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(map(_type, options)))
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"map of {_type(schema['additionalProperties'])}"
    low, high = schema.get("minimum"), schema.get("maximum")
    shortest, longest = schema.get("minLength"), schema.get("maxLength")
    limits = f", {low} to {high}" if low is not None and high is not None else ""
    limits += f", at most {longest} characters" if longest and not shortest else ""
    limits += f", {shortest} to {longest} characters" if longest and shortest else ""
    limits += f", default {schema['default']}" if schema.get("default") is not None else ""
    return f"{schema.get('format', kind)}{limits}" if kind == "string" else f"{kind}{limits}"


# --- errors ----------------------------------------------------------------------------------


def error_codes() -> str:
    """The page on errors, as Markdown: every code of `X-Error-Code`, with its HTTP status and some
    of the messages that have it."""
    lines = [
        "# Errors",
        "",
        'The body of an error is `{"detail": ...}`: a text, or a list of issues with `loc`, `msg` '
        "and `type`. With `Prefer: detail=string`, it is always a text. Headers: `X-Error-Code` is "
        "the code in the table, for programs; with `X-Request-Id` you find the request in the log; "
        f"`Retry-After` says in how many seconds to try again. {MADE}",
        "",
    ]
    found: dict[tuple[int, str], list[str]] = {}
    for kind in sorted(_kinds(), key=lambda k: (k.status, k.code)):
        if kind is not errors.SetupProblem and kind is not errors.AuguryError:
            found.setdefault((kind.status, kind.code), [])
    found.setdefault((500, errors.AuguryError.code), ["The service has a bug; see its log."])
    for status, code, text in sorted(_raised()):
        texts = found.setdefault((status, code), [])
        if text and text not in texts and len(texts) < 4:
            texts.append(text)
    rows = [
        (f"`{code}`", status, " / ".join(texts)) for (status, code), texts in sorted(found.items())
    ]
    return "\n".join([*lines, *table(("code", "status", "messages (… is filled in)"), rows)])


def _kinds() -> set[type[errors.AuguryError]]:
    found: set[type[errors.AuguryError]] = set()
    open_ = [errors.AuguryError]
    while open_:
        kind = open_.pop()
        if kind not in found and kind.__module__.startswith("augury"):
            found.add(kind)
            open_ += kind.__subclasses__()
    return found


def _raised() -> Iterator[tuple[int, str, str]]:
    """The errors that the source code raises by calling an error class by its name, e.g.
    `NotFound("...")`: HTTP status, code and message of each."""
    kinds = {kind.__name__: kind for kind in _kinds()}
    for path in sorted(SOURCE.rglob("*.py")):
        if path.name == "commands.py" or path.parent.name == "handbook":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            kind = kinds.get(node.func.id)
            if kind is None or kind is errors.SetupProblem:
                continue
            given = {k.arg: k.value for k in node.keywords}
            code = given.get("code")
            text = _text(node.args[0]) if node.args else ""
            if code is None:
                yield kind.status, kind.code, text
            elif isinstance(code, ast.Constant):
                yield kind.status, str(code.value), text


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(v.value if isinstance(v, ast.Constant) else "…" for v in node.values)  # type: ignore[misc]
    return ""


# --- metrics ---------------------------------------------------------------------------------


def metrics() -> str:
    """The page on metrics, as Markdown: every metric of the service and of a worker (which does
    background jobs), with its labels."""
    found = []
    for collector in set(REGISTRY._collector_to_names):
        name = getattr(collector, "_name", "")
        if name.startswith("augury_"):
            kind = str(getattr(collector, "_type", ""))
            shown = f"{name}_total" if kind == "counter" else name
            labels = ", ".join(getattr(collector, "_labelnames", ()))
            found.append((f"`{shown}`", kind, labels, getattr(collector, "_documentation", "")))
    lines = [
        "# Metrics",
        "",
        "The metrics that `/metrics` gives to Prometheus, in addition to the usual `process_` and "
        "`python_` metrics. Reading them requires a key with the scope `metrics:read`, unless "
        "`AUGURY_METRICS=open`. A worker serves its own metrics on the port "
        f"`AUGURY_WORKER_METRICS_PORT`. {MADE}",
        "",
        *table(("metric", "type", "labels", "meaning"), sorted(found)),
    ]
    return "\n".join(lines)


# --- tools -----------------------------------------------------------------------------------


def tools() -> str:
    """The page on tools for language models, as Markdown: each tool with its arguments and the
    fields of its answer."""
    from augury.mcp import server

    async def nobody(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    found = asyncio.run(server.make(lambda _: nobody).list_tools())
    lines = [
        "# Tools for language models",
        "",
        "The tools that a language model can call through `augury mcp` and `/mcp`. "
        f"[MCP](mcp.md) says how to connect. {MADE}",
        "",
    ]
    for tool in found:
        lines += [f"## {tool.name}", "", *(tool.description or "").splitlines(), ""]
        lines += _fields_of("argument", tool.input_schema or {})
        lines += _fields_of("field of the answer", tool.output_schema or {})
    return "\n".join(lines)


def _fields_of(what: str, schema: Mapping[str, Any]) -> list[str]:
    required = schema.get("required", ())
    shapes = schema.get("$defs", {})
    rows = []
    for name, field in schema.get("properties", {}).items():
        kind = re.sub(r"\[(\w+)\]\(#\w+\)", r"\1", _type(field))
        known = [shape for shape in shapes if re.search(rf"\b{shape}\b", kind)]
        of = "; ".join(f"{k}: {', '.join(shapes[k].get('properties', {}))}" for k in known)
        about = field.get("description", "") + (f" ({of})" if of else "")
        rows.append((f"`{name}`" + (" (required)" if name in required else ""), kind, about))
    return table((what, "type", "meaning"), rows)
