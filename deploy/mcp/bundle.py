"""Builds the bundle that a desktop client installs from one file.

    PYTHONPATH=src python deploy/mcp/bundle.py FOLDER

Writes FOLDER/augury-VERSION.mcpb: the manifest with the tools as the server lists them, and the
script that passes messages to the service. The same sources give the same bytes.
"""

from __future__ import annotations

import asyncio
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

from augury import __version__
from augury.mcp import server

SOURCES = Path(__file__).with_name("bundle")
FILES = ("server/index.mjs",)
LONG_AGO = (1980, 1, 1, 0, 0, 0)


def manifest() -> dict[str, Any]:
    """The manifest, with this version and these tools."""

    def nothing(_: Any) -> Any:
        raise AssertionError("no tool is called here")

    made = json.loads((SOURCES / "manifest.json").read_text(encoding="utf-8"))
    tools = asyncio.run(server.make(nothing).list_tools())
    made["version"] = __version__
    made["tools"] = [
        {"name": tool.name, "description": (tool.description or "").partition(". ")[0] + "."}
        for tool in tools
    ]
    return made


def build(folder: Path) -> Path:
    """The bundle's file."""
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / f"augury-{__version__}.mcpb"
    texts = {"manifest.json": json.dumps(manifest(), indent=2, ensure_ascii=False)}
    texts |= {name: (SOURCES / name).read_text(encoding="utf-8") for name in FILES}
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in texts.items():
            file.writestr(zipfile.ZipInfo(name, LONG_AGO), text, zipfile.ZIP_DEFLATED)
    return made


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    print(build(Path(sys.argv[1])))
