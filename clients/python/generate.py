"""Writes `models.py`, `sync_api.py` and `async_api.py` of augury_client from the OpenAPI document.

    PYTHONPATH=src python clients/python/generate.py [--check]

Every schema becomes a class with every field; every operation in `NAMES` becomes a method with
every parameter and every field of its body. `--check` writes nothing and exits 1 on a difference.
"""

from __future__ import annotations

import keyword
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent / "src" / "augury_client"
Schema = dict[str, Any]

VIEWS = {
    "SearchResponse": "Found",
    "MarketDetail": "MarketView",
    "MarketHistory": "HistoryView",
    "FullForecast": "ForecastView",
    "RunAnswer": "ForecastView",
    "FullGraph": "GraphView",
    "DrawnGraph": "DrawnView",
    "PublicCausalGraph": "DrawnView",
    "PageGraph": "DrawnView",
    "MarketRecord": "Priced",
    "SearchResult": "Priced",
    "RelatedMarket": "Priced",
    "EvidenceMarket": "Priced",
    "GraphMarket": "Priced",
    "PageMarket": "Priced",
    "PublicMarketSummary": "Priced",
}
"""Model -> its base class in views.py, for models that can show themselves or become data
frames."""

WATCHLISTS = "/v1/watchlists/{watchlist_id}"
NAMES = {
    "Api": {
        "health": "GET /v1/health",
        "search": "POST /v1/search",
    },
    "Markets": {
        "list": "GET /v1/markets",
        "get": "GET /v1/markets/{market_id}",
        "history": "GET /v1/markets/{market_id}/history",
        "sparklines": "GET /v1/sparklines",
    },
    "Forecasts": {
        "make": "POST /v1/forecasts",
        "get": "GET /v1/forecasts/{answer_id}",
        "public": "POST /v1/forecast",
        "scorecard": "GET /v1/forecast/scorecard",
        "decided": "GET /v1/forecast/decided",
        "start_run": "POST /v1/forecast-runs",
        "run": "GET /v1/forecast-runs/{run_id}",
    },
    "Graphs": {
        "draw": "POST /v1/graphs",
        "get": "GET /v1/graphs/{graph_id}",
    },
    "Factors": {"list": "GET /v1/factors"},
    "Rvol": {
        "models": "GET /v1/rvol/models",
        "assets": "GET /v1/rvol/assets",
        "latest": "GET /v1/rvol/latest",
        "history": "GET /v1/rvol/history",
        "actuals": "GET /v1/rvol/actuals",
        "features": "GET /v1/rvol/features/latest",
        "scorecard": "GET /v1/rvol/scorecard",
    },
    "Watchlists": {
        "create": "POST /v1/watchlists",
        "list": "GET /v1/watchlists",
        "get": f"GET {WATCHLISTS}",
        "change": f"PATCH {WATCHLISTS}",
        "delete": f"DELETE {WATCHLISTS}",
        "evaluate": f"POST {WATCHLISTS}/evaluate",
        "alerts": f"GET {WATCHLISTS}/alerts",
        "snooze": f"POST {WATCHLISTS}/alerts/{{alert_id}}/snooze",
        "add_target": f"POST {WATCHLISTS}/targets",
        "add_targets": f"POST {WATCHLISTS}/targets/bulk",
        "targets": f"GET {WATCHLISTS}/targets",
        "delete_target": f"DELETE {WATCHLISTS}/targets/{{target_id}}",
        "chart": f"GET {WATCHLISTS}/targets/{{target_id}}/chart",
        "add_rule": f"POST {WATCHLISTS}/rules",
        "add_rules": f"POST {WATCHLISTS}/rules/bulk",
        "preview_rule": f"POST {WATCHLISTS}/rules/preview",
        "rules": f"GET {WATCHLISTS}/rules",
        "change_rule": f"PATCH {WATCHLISTS}/rules/{{rule_id}}",
        "silence_rule": f"POST {WATCHLISTS}/rules/{{rule_id}}/silence",
        "delete_rule": f"DELETE {WATCHLISTS}/rules/{{rule_id}}",
        "add_delivery": f"POST {WATCHLISTS}/deliveries",
        "deliveries": f"GET {WATCHLISTS}/deliveries",
        "change_delivery": f"PATCH {WATCHLISTS}/deliveries/{{delivery_id}}",
        "delete_delivery": f"DELETE {WATCHLISTS}/deliveries/{{delivery_id}}",
        "ping_delivery": f"POST {WATCHLISTS}/deliveries/{{delivery_id}}/ping",
        "delivery_log": f"GET {WATCHLISTS}/deliveries/{{delivery_id}}/log",
        "replay_delivery": f"POST {WATCHLISTS}/deliveries/{{delivery_id}}/replay",
    },
    "Series": {
        "create": "POST /v1/external-series",
        "list": "GET /v1/external-series",
        "get": "GET /v1/external-series/{series_id}",
        "delete": "DELETE /v1/external-series/{series_id}",
        "refresh": "POST /v1/external-series/{series_id}/refresh",
        "points": "GET /v1/external-series/{series_id}/points",
    },
    "WebPages": {
        "search": "POST /extension/v1/search",
        "sports_search": "POST /extension/v1/sports-search",
        "graph": "POST /extension/v1/graph",
        "prices": "POST /extension/v1/prices",
    },
}
"""Group -> name of a method in the client -> the operation that it calls."""

BY_HAND = {
    "POST /v1/forecast/stream": "stream() of the client, an iterator over events",
}
FOR_BROWSERS = ("/v1/session", "/v1/macro-runtime/")
"""Paths for which there is no method: the session of a browser, and answers passed
on from another service."""

READS = {
    "POST /v1/search",
    "POST /v1/forecast",
    f"POST {WATCHLISTS}/rules/preview",
    *NAMES["WebPages"].values(),
}
"""POSTs that change nothing, so that they may be sent again."""


def document() -> Schema:
    """The service's OpenAPI document."""
    from augury.app import create_app
    from augury.settings import Settings

    return create_app(Settings(sync="off", sample="off")).openapi()  # type: ignore[call-arg]


def kind(schema: Schema, *, sent: bool = False, prefix: str = "") -> str:
    """A schema as a Python type. `sent`: for a parameter, whose choices become a Literal.

    In answers a choice is any text, because a newer service may know one more.
    """
    again = {"sent": sent, "prefix": prefix}
    if "$ref" in schema:
        name = prefix + schema["$ref"].rpartition("/")[2]
        return f"{name} | Mapping[str, Any]" if sent else name
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            parts = list(dict.fromkeys(kind(s, **again) for s in schema[key]))
            if "float" in parts and "int" in parts:
                parts.remove("int")
            # msgspec takes one kind of text in a union; a date among texts stays a text.
            if not sent and "str" in parts:
                parts = [p for p in parts if p not in ("datetime", "date")]
            if len([p for p in parts if p in ("date", "float")]) == 2 and not sent:
                parts[parts.index("date")] = "str"
            return " | ".join(sorted(parts, key=lambda p: p == "None"))
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        if sent:
            return f"Literal[{', '.join(map(repr_, values))}]"
        return "str" if isinstance(values[0], str) else type(values[0]).__name__
    form = schema.get("format")
    match schema.get("type"):
        case "string" if form == "date-time":
            return "When" if sent else "datetime"
        case "string" if form == "date":
            return "date"
        case "string":
            return "str"
        case "integer":
            return "int"
        case "number":
            return "float"
        case "boolean":
            return "bool"
        case "null":
            return "None"
        case "array":
            inner = kind(schema.get("items", {}), **again)
            return f"Sequence[{inner}]" if sent else f"list[{inner}]"
        case "object":
            more = schema.get("additionalProperties")
            inner = kind(more, **again) if isinstance(more, dict) else "Any"
            return f"Mapping[str, {inner}]" if sent else f"dict[str, {inner}]"
        case _:
            return "Any"


def repr_(value: object) -> str:
    """A value as code."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def spelled(name: str) -> str:
    """A field's name; a keyword of Python gets an underscore."""
    return f"{name}_" if keyword.iskeyword(name) else name


def prose(text: str, indent: str) -> str:
    """`text` as a docstring: its first paragraph, wrapped."""
    text = " ".join(text.split("\n\n")[0].split()) if text else ""
    text = text.replace("\\", "\\\\")
    wrapped = textwrap.fill(text, 96 - len(indent), subsequent_indent=indent)
    end = f"\n{indent}" if "\n" in wrapped or len(wrapped) + len(indent) > 93 else ""
    return f'{indent}"""{wrapped}{end}"""\n' if text else ""


def ordered(schemas: dict[str, Schema]) -> list[tuple[str, Schema]]:
    """Schemas by name, but each one after those that it refers to."""
    found: dict[str, Schema] = {}

    def add(name: str) -> None:
        if name not in found:
            for part in re.findall(r"#/components/schemas/(\w+)", str(schemas[name])):
                if part != name:
                    add(part)
            found[name] = schemas[name]

    for name in sorted(schemas):
        add(name)
    return list(found.items())


def models(api: Schema) -> str:
    """Every schema as a class."""
    parts = [
        '"""What the service says and is sent. Generated by generate.py: don\'t edit."""\n',
        "from __future__ import annotations\n",
        "from datetime import date, datetime",
        "from typing import Any\n",
        "import msgspec\n",
        "from augury_client import views",
        "from augury_client.base import Model\n",
    ]
    for name, schema in ordered(api["components"]["schemas"]):
        view = VIEWS.get(name)
        lines = [f"\n\nclass {name}({f'views.{view}' if view else 'Model'}, kw_only=True):"]
        lines.append(prose(schema.get("description", ""), "    ").rstrip("\n"))
        required = schema.get("required", [])
        for field, spec in schema.get("properties", {}).items():
            told = kind(spec)
            if field in required:
                default = ""
            elif spec.get("type") == "array":
                default = f" = msgspec.field(default_factory={told})"
                if name.endswith("Request") and spec.get("default"):
                    told, default = f"{told} | None", " = None"
            elif spec.get("type") == "object":
                default = f" = msgspec.field(default_factory={told})"
            elif spec.get("default") is not None:
                default = f" = {repr_(spec['default'])}"
            else:
                told = told if "None" in told.split(" | ") or told == "Any" else f"{told} | None"
                default = " = None"
            if spelled(field) != field:
                default = default.replace(" = ", ", default=", 1)
                default = f' = msgspec.field(name="{field}"{default})'
            lines.append(f"    {spelled(field)}: {told}{default}")
            if words := spec.get("description"):
                lines.append(prose(words, "    ").rstrip("\n"))
        if len(lines) == 2:
            lines.append("    pass")
        parts.append("\n".join(line for line in lines if line))
    return "\n".join(parts) + "\n"


def parameters(operation: Schema, api: Schema) -> tuple[list[tuple[str, str, Schema, bool]], str]:
    """The parameters of an operation as (where, name, schema, required); and "body" if it has a
    body with fields, else ""."""
    found = [
        (p["in"], p["name"], p["schema"] | {"description": p.get("description", "")},
         p.get("required", False))
        for p in operation.get("parameters", [])
        if p["in"] != "header" and p["name"] not in ("cursor", "format")
    ]  # fmt: skip
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema: Schema = body.get("schema", {})
    schema = next((s for s in schema.get("anyOf", []) if "$ref" in s), schema)
    if "$ref" in schema:
        schema = api["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    required = schema.get("required", [])
    for name, spec in schema.get("properties", {}).items():
        found.append(("body", name, spec, name in required))
    return found, "body" if schema.get("properties") else ""


def answer(operation: Schema) -> tuple[str, bool]:
    """The type of the answer, and whether it is a list, of which more pages may follow."""
    good = next(r for c, r in sorted(operation["responses"].items()) if c.startswith("2"))
    schema = good.get("content", {}).get("application/json", {}).get("schema")
    told = kind(schema, prefix="m.") if schema else "None"
    paged = any(p["name"] == "cursor" for p in operation.get("parameters", []))
    return told, paged or told.startswith("list[")


def method(name: str, call: str, api: Schema, *, awaited: bool) -> str:
    """An operation as a method."""
    verb, path = call.split(" ")
    operation = api["paths"][path][verb.lower()]
    asked, body = parameters(operation, api)
    told, paged = answer(operation)
    is_run = path == "/v1/forecast-runs/{run_id}"
    paged = paged and not is_run
    changing = verb == "PATCH"
    before, after = ["self"], []
    for where, field, schema, required in sorted(asked, key=lambda p: not p[3]):
        typed = kind(schema, sent=True, prefix="m.")
        if required:
            before.append(f"{spelled(field)}: {typed}")
        elif where == "body" and changing:
            typed = f"{typed.removesuffix(' | None')} | UnsetType" + " | None" * typed.endswith(
                "None"
            )
            after.append(f"{spelled(field)}: {typed} = UNSET")
        else:
            typed = typed if typed.endswith("None") or typed == "Any" else f"{typed} | None"
            after.append(f"{spelled(field)}: {typed} = None")
    if is_run:
        after.append("cursor: str | None = None")
    if len(before) > 2:  # one thing asked for may go without its name
        before.insert(2, "*")
        if re.search(r"\{.*\{", path):
            before.remove("*")
            before.insert(path.count("{") + 1, "*")
            if before[-1] == "*":
                before.pop()
    if after and "*" not in before:
        after.insert(0, "*")
    named = {w: [f for x, f, *_ in asked if x == w] for w in ("path", "query", "body")}
    if is_run:
        named["query"].append("cursor")
    repeat = verb == "GET" or call in READS
    keyed = verb == "POST" and "409" in operation["responses"]
    made = [f'"{verb}"', repr_(path), "type(None)" if told == "None" else told]
    if named["path"]:
        made.append(f"path=({', '.join(map(spelled, named['path']))},)")
    for where in ("query", "body"):
        if named[where]:
            values = ", ".join(f"{repr_(f)}: {spelled(f)}" for f in named[where])
            made.append(f"{where}={{{values}}}")
    if body == "" and verb in ("POST", "PATCH") and "requestBody" in operation:
        made.append("body={}")
    if repeat:
        made.append("repeat=True")
    if keyed:
        made.append("keyed=True")
    words = operation.get("description") or operation.get("summary", "")
    doc = [prose(words, "        ").rstrip("\n")]
    told_of = [
        f"        {spelled(f)}: {' '.join(s['description'].split())}"
        for _, f, s, _ in asked
        if s.get("description")
    ]
    if told_of:
        first = doc[0].rstrip()
        doc = [first[:-3].rstrip(), "", "        Parameters", "        ----------"]
        for line in told_of:
            doc.append(textwrap.fill(line.strip(), 92, initial_indent=" " * 8,
                                     subsequent_indent=" " * 12))  # fmt: skip
        doc.append('        """')
        doc = [line.replace("\\", "\\\\") for line in doc]
    if paged:
        item = item_of(told, api)
        pages = "AsyncPages" if awaited else "Pages"
        returned, run, define = f"{pages}[{told}, {item}]", "self._pages", "def"
    else:
        returned = told
        run, define = ("await self._send", "async def") if awaited else ("self._send", "def")
    told_doc = "\n".join(doc)
    return (
        f"    {define} {name}({', '.join([*before, *after])}) -> {returned}:\n"
        f"{told_doc}\n"
        f"        return {run}(Call({', '.join(made)}))\n"
    )


def item_of(told: str, api: Schema) -> str:
    """The type of the items of a list."""
    if told.startswith("list["):
        return told[5:-1]
    page = api["components"]["schemas"][told.removeprefix("m.")]
    return kind(page["properties"]["items"], prefix="m.")[5:-1]


def group(name: str, called: dict[str, str], api: Schema, *, awaited: bool) -> str:
    """A class of methods."""
    parent = "AsyncCaller" if awaited else "Caller"
    prefix = "Async" if awaited else ""
    methods = [method(n, c, api, awaited=awaited) for n, c in called.items()]
    # `list` comes last: inside the class it would hide the type of that name.
    methods.sort(key=lambda text: bool(re.match(r"    (async )?def list\(", text)))
    return f"\n\nclass {prefix}{name}({parent}):\n" + "\n".join(methods)


def calls(api: Schema, *, awaited: bool) -> str:
    """Every operation as a method, in groups."""
    head = (
        '"""The service\'s operations. Generated by generate.py: don\'t edit."""\n\n'
        "from __future__ import annotations\n\n"
        "from collections.abc import Mapping, Sequence\n"
        "from typing import Any, Literal\n\n"
        "from msgspec import UNSET, UnsetType\n\n"
        "from augury_client import models as m\n"
        "from augury_client.calls import Call, When\n"
        "from augury_client.transport import "
        + ("AsyncCaller, AsyncPages" if awaited else "Caller, Pages")
        + "\n"
    )
    return head + "".join(group(n, c, api, awaited=awaited) for n, c in NAMES.items())


def formatted(text: str, name: str) -> str:
    """`text` as ruff formats it."""
    ruff = Path(sys.executable).parent / "ruff"
    common = ["--config", str(Path(__file__).parent / "pyproject.toml"), "--stdin-filename", name]
    fix = ["check", "--fix", "--quiet", "--exit-zero", "--select", "F401,I", *common, "-"]
    for arguments in (fix, ["format", *common, "-"]):
        done = subprocess.run(
            [ruff, *arguments], input=text, capture_output=True, text=True, check=True
        )
        text = done.stdout
    return text


def made(api: Schema) -> dict[str, str]:
    """The generated files: their text by name."""
    texts = {
        "models.py": models(api),
        "sync_api.py": calls(api, awaited=False),
        "async_api.py": calls(api, awaited=True),
    }
    return {name: formatted(text, str(PACKAGE / name)) for name, text in texts.items()}


def keep(texts: dict[str, str], folder: Path) -> int:
    """Write the files that differ, or with `--check` only name them. Returns the exit status."""
    changed = 0
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            changed += 1
            if "--check" in sys.argv:
                print(f"{path} differs from the OpenAPI document. Run generate.py.")
            else:
                path.write_text(text)
    return int(bool(changed) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(keep(made(document()), PACKAGE))
