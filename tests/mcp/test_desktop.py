"""The tools through other people's programs: the bundle that a desktop client installs, and the
official inspector's command line over both transports. Both need Node.js."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from tests.mcp.calling import call, refused, use_everything, use_the_rest
from tests.mcp.conftest import Running

from augury import __version__
from mcp import StdioServerParameters

sys.path.insert(0, str(Path(__file__).parents[2] / "deploy" / "mcp"))

import bundle  # pyright: ignore[reportMissingImports]

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js"),
]

INSPECTOR = Path(__file__).parent / "inspector" / "node_modules" / ".bin" / "mcp-inspector-cli"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle, built and unpacked as a desktop client does."""
    folder = tmp_path_factory.mktemp("bundle")
    made = bundle.build(folder / "a")
    assert made.name == f"augury-{__version__}.mcpb"
    assert made.read_bytes() == bundle.build(folder / "b").read_bytes()
    with zipfile.ZipFile(made) as file:
        assert set(file.namelist()) == {"manifest.json", "server/index.mjs"}
        file.extractall(folder / "installed")
    return folder / "installed"


@asynccontextmanager
async def bundled(folder: Path, url: str, key: str, mode: str = "auto") -> AsyncIterator[Client]:
    """The official client of the bundle, started as its manifest says."""
    server = json.loads((folder / "manifest.json").read_text())["server"]["mcp_config"]
    chosen = {"${user_config.url}": url, "${user_config.api_key}": key}
    started = StdioServerParameters(
        command=server["command"],
        args=[arg.replace("${__dirname}", str(folder)) for arg in server["args"]],
        env={name: chosen[value] for name, value in server["env"].items()},
    )
    async with Client(stdio_client(started), mode=mode) as client:
        yield client


async def test_the_bundle_says_what_the_service_lists(installed: Path, service: Running) -> None:
    made = json.loads((installed / "manifest.json").read_text())
    assert made["version"] == __version__
    assert set(made["user_config"]) == {"url", "api_key"}
    assert made["user_config"]["api_key"]["sensitive"]
    async with bundled(installed, service.url, service.keys["all"]) as client:
        listed = (await client.list_tools()).tools
        assert [tool["name"] for tool in made["tools"]] == [tool.name for tool in listed]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_every_tool_through_the_bundle(installed: Path, service: Running, mode: str) -> None:
    async with bundled(installed, service.url + "/", service.keys["all"], mode) as client:
        if mode == "legacy":
            assert (await call(client, "search_markets", query="gold"))["results"]
        else:
            await use_everything(client)
            await use_the_rest(client)
        seen: list[float] = []

        async def tell(progress: float, total: float | None, message: str | None) -> None:
            seen.append(progress)

        asked = {"questions": ["US recession in 2027?", "Gold above $5,000?"]}
        await client.call_tool("forecast_many", asked, progress_callback=tell)
        assert seen[-1] == 2


async def test_the_bundle_says_what_is_wrong(installed: Path, service: Running) -> None:
    async with bundled(installed, service.url, "") as client:
        assert "AUGURY_API_KEY" in await refused(client, "forecast", question="Gold?")
        assert (await call(client, "search_markets", query="gold"))["results"]
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the client wraps it in groups
        async with bundled(installed, "http://127.0.0.1:1", "k") as client:
            await client.list_tools()
    assert "augury serve" in _told(caught.value)


def _told(error: BaseException) -> str:
    inner = getattr(error, "exceptions", ())
    return str(error) + "".join(_told(one) for one in inner)


async def _inspect(*arguments: str) -> Any:
    """What the inspector prints, which is JSON."""
    process = await asyncio.create_subprocess_exec(
        INSPECTOR, "--cli", *arguments,
        cwd=INSPECTOR.resolve().parent,  # it looks for its own version from where it is started
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate()
    assert process.returncode == 0, (out + err).decode()[-2000:]
    return json.loads(out)


@pytest.mark.skipif(
    not INSPECTOR.exists(),
    reason="no inspector: npm ci --ignore-scripts --prefix tests/mcp/inspector",
)
@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_the_inspector(service: Running, transport: str) -> None:
    key = service.keys["all"]
    if transport == "http":
        target = [f"{service.url}/mcp", "--transport", "http"]
        last = ["--header", f"Authorization: Bearer {key}"]
    else:
        path = os.pathsep.join(part for part in sys.path if part)
        env = {"PYTHONPATH": path, "AUGURY_URL": service.url, "AUGURY_API_KEY": key}
        target = [sys.executable, "-m", "augury", "mcp"]
        last = [part for name, value in env.items() for part in ("-e", f"{name}={value}")]
    listed = await _inspect(*target, "--method", "tools/list", *last)
    assert len(listed["tools"]) == 12
    assert all(tool["outputSchema"] and tool["annotations"] for tool in listed["tools"])
    asked = ["--method", "tools/call", "--tool-name", "search_markets"]
    found = await _inspect(*target, *asked, "--tool-arg", "query=gold", *last)
    assert found["structuredContent"]["results"]
    assert json.loads(found["content"][0]["text"]) == found["structuredContent"]
