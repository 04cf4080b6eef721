"""
Servers of others against our client (`make test-mcp`).

Each is installed once into `.clients`, listed, called, made to fail, and cancelled in each revision
that it speaks. What cannot be installed is named and passed over. Nothing but loopback is reached.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.support.mcp.run_conformance import NODE
from tests.support.mcp.tricky import Upstream
from tests.support.mcp.try_environment import FOLDER, install

import restwright as rw
from restwright.errors import RestwrightError
from restwright.policy import ALLOW

NPM = FOLDER / "npm"
ERAS = ("legacy", "2026-07-28")
COLUMNS = ("server", "revision", "tools", "call", "fail", "cancel")
CANCEL_AFTER_S = 0.2


@dataclass(frozen=True, kw_only=True)
class Server:
    """
    A server of somebody else, from a registry.

    Args:
        package: With its version.
        arguments: After its program; `{folder}` is an empty Git repository with `a.txt`.
        call: A tool without its namespace, its arguments, and what is to be read in its result.
        failing: One that the server itself refuses; None where it refuses nothing.
        slow: One that takes seconds; None where every call is quick, so that one is given up
            as it comes.
        eras: That it speaks.
    """

    package: str
    program: str
    arguments: Sequence[str] = ()
    call: tuple[str, Mapping[str, Any], str] | None = None
    failing: tuple[str, Mapping[str, Any]] | None = None
    slow: tuple[str, Mapping[str, Any]] | None = None
    eras: Sequence[str] = ("legacy",)

    @property
    def is_npm(self) -> bool:
        """Whether it is from npm."""
        return "==" not in self.package


THOUGHT = {"thought": "tea", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1}
MISSING = {"observations": [{"entityName": "nobody", "contents": ["x"]}]}
RESOURCE = {"resourceType": "Text", "resourceId": -1}
SERVERS = {
    "everything": Server(
        package="@modelcontextprotocol/server-everything@2026.8.31",
        program="mcp-server-everything",
        arguments=("stdio",),
        call=("echo", {"message": "tea"}, "tea"),
        failing=("get-resource-reference", RESOURCE),
        slow=("trigger-long-running-operation", {"duration": 10, "steps": 2}),
    ),
    "filesystem": Server(
        package="@modelcontextprotocol/server-filesystem",
        program="mcp-server-filesystem",
        arguments=("{folder}",),
        call=("read_text_file", {"path": "{folder}/a.txt"}, "tea"),
        failing=("read_text_file", {"path": "/etc/hostname"}),
    ),
    "memory": Server(
        package="@modelcontextprotocol/server-memory",
        program="mcp-server-memory",
        call=("search_nodes", {"query": "tea"}, "entities"),
        failing=("add_observations", MISSING),
    ),
    "thinking": Server(
        package="@modelcontextprotocol/server-sequential-thinking",
        program="mcp-server-sequential-thinking",
        call=("sequentialthinking", THOUGHT, "thoughtNumber"),
    ),
    # Its calls would leave this machine.
    "context7": Server(package="@upstash/context7-mcp@4.1.1", program="context7-mcp", eras=ERAS),
    "git": Server(
        package="mcp-server-git==2026.10.19",
        program="mcp-server-git",
        call=("status", {"repo_path": "{folder}"}, "a.txt"),
        failing=("status", {"repo_path": "/nowhere"}),
        eras=ERAS,
    ),
    "time": Server(
        package="mcp-server-time==2026.10.19",
        program="mcp-server-time",
        call=("get_current_time", {"timezone": "UTC"}, "UTC"),
        failing=("get_current_time", {"timezone": "Nowhere/None"}),
        eras=ERAS,
    ),
    "fetch": Server(
        package="mcp-server-fetch==2026.10.24",
        program="mcp-server-fetch",
        arguments=("--ignore-robots-txt", "--allow-private-ips"),
        call=("fetch", {"url": "{api}/text", "raw": True}, "plain words"),
        failing=("fetch", {"url": "{api}/fails"}),
        slow=("fetch", {"url": "{api}/slow"}),
        eras=ERAS,
    ),
}


@dataclass
class Tried:
    """What came of one server in one revision, as a row of a table."""

    row: list[str]
    wrong: list[str] = field(default_factory=list)

    def tell(self, what: str, *, is_right: bool, why: object = "") -> None:
        self.row.append("yes" if is_right else "NO")
        if not is_right:
            self.wrong.append(f"{self.row[0]}, {self.row[1]}: {what}: {str(why)[:300]}")


def find_command(name: str, server: Server) -> list[str] | None:
    """The command of a server; None where it cannot be installed."""
    if not server.is_npm:
        python = install(f"server_{name}", (server.package,))
        return None if python is None else [str(python.with_name(server.program))]
    program = NPM / "node_modules" / ".bin" / server.program
    npm = shutil.which("npm")
    NPM.mkdir(parents=True, exist_ok=True)
    if not (NPM / "package.json").exists():
        (NPM / "package.json").write_text('{"private": true}')
    if not program.exists() and npm is not None:
        command = [npm, "install", "--silent", "--no-audit", "--no-fund", NODE, server.package]
        subprocess.run(command, cwd=NPM, check=False, capture_output=True)  # noqa: S603
    return [str(program.with_name("node")), str(program)] if program.exists() else None


def try_server(name: str, server: Server, command: list[str], era: str, fill: Any) -> Tried:
    """List, call, fail and cancel."""
    tried = Tried([name, era])
    words = [*command, *fill(server.arguments)]
    env = {"MEMORY_FILE_PATH": fill("{folder}/memory.json")}
    try:
        with rw.mcp(words, name=name, era=era, env=env) as running:  # type: ignore[arg-type]
            asyncio.run(try_tools(running.catalog, name, server, fill, tried))
    except RestwrightError as error:
        tried.tell("list", is_right=False, why=error)
    return tried


async def try_tools(
    catalog: rw.Catalog, name: str, server: Server, fill: Any, tried: Tried
) -> None:
    tried.row.append(str(len(catalog)))

    async def call(tool: str, arguments: Mapping[str, Any]) -> rw.Result:
        return await rw.call_async(catalog[f"{name}__{tool}"], fill(arguments), policy=ALLOW)

    if server.call is None:
        tried.row += ["-", "-", "-"]
        return
    tool, arguments, wanted = server.call
    result = await call(tool, arguments)
    tried.tell("call", is_right=result.ok and wanted in json.dumps(result.value), why=result)
    if server.failing is None:
        tried.row.append("-")
    else:
        failed = await call(*server.failing)
        tried.tell("fail", is_right=not failed.ok and bool(failed.text), why=failed)
    task = asyncio.ensure_future(call(*(server.slow or (tool, arguments))))
    await asyncio.sleep(CANCEL_AFTER_S if server.slow else 0)
    is_under_way = task.cancel()
    await asyncio.wait([task])
    again = await call(tool, arguments)
    is_right = is_under_way and task.cancelled() and again.ok
    tried.tell("cancel", is_right=is_right, why=again)


@contextmanager
def place(api: Upstream) -> Iterator[Any]:
    """A folder to work in; what is made of texts and data with `{folder}` and `{api}`."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "a.txt").write_text("tea")
        git = ["git", "init", "--quiet", folder]
        subprocess.run(git, check=True, capture_output=True)  # noqa: S603

        def fill(value: Any) -> Any:
            text = json.dumps(value).replace("{folder}", folder).replace("{api}", api.url)
            return json.loads(text)

        yield fill


def try_servers(api: Upstream) -> list[str]:
    """Try all of them; returns what went wrong."""
    rows: list[Sequence[str]] = [COLUMNS]
    wrong: list[str] = []
    with place(api) as fill:
        for name, server in SERVERS.items():
            command = find_command(name, server)
            if command is None:
                rows.append((name, "SKIPPED", f"{server.package} cannot be installed"))
                continue
            for era in server.eras:
                tried = try_server(name, server, command, era, fill)
                rows.append(tried.row)
                wrong += tried.wrong
    print_table(rows)
    return wrong


def print_table(rows: Sequence[Sequence[str]]) -> None:
    whole = [row for row in rows if len(row) == len(COLUMNS)]
    widths = [max(map(len, column)) for column in zip(*whole, strict=True)]
    for row in rows:
        cells = (text.ljust(width) for text, width in zip(row, widths, strict=False))
        print("  ".join(cells).rstrip())  # noqa: T201 - the table is what it is for
