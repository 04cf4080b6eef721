"""
Clients of others against our server, and servers of others against our client (`make test-mcp`).

`python -m tests.support.mcp.try_clients` gives each its own environment in `.clients`, has it list
and call the tools of an API that trips bridges, and ends with 1 where one raised what it must not.
A client that cannot be installed is named and passed over.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.mcp.over_http import over_http
from tests.support.mcp.over_stdio import COMMAND
from tests.support.mcp.run_conformance import BIN, fetch_suite
from tests.support.mcp.serving import serving_api
from tests.support.mcp.tricky import upstream
from tests.support.mcp.try_environment import install
from tests.support.mcp.try_servers import try_servers

from restwright.calls.approval.policy import ALLOW

PROGRAMS = Path(__file__).parent / "clients"
INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
CLIENTS: Mapping[str, tuple[str, ...]] = {
    "fastmcp": ("fastmcp==4.1.2",),
    "openai_agents": ("openai-agents==0.24.0",),
    "pydantic_ai": ("pydantic-ai-slim[mcp]==2.68.0",),
    "langchain": ("langchain-mcp-adapters==0.3.2",),
}
# What each is called with, and what a model must read of it; some clients tell it no error.
CALLS: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "tricky__getNode": ({"id": "7"}, "/nodes/7"),
    "tricky__wrong": ({}, "seven"),
    "tricky__listNodes": ({}, "2}"),
    "tricky__text": ({}, "plain words"),
    "tricky__picture": ({}, ""),
    "tricky__deleteNode": ({"id": "7"}, "204"),
    "tricky__fails": ({}, "stack is full"),
    "tricky__putNode": ({"id": "7", "body_id": 1, "next": {"id": "x"}}, "/next/id"),
}
# What is told after a call that was cancelled.
CANCELLED = ("cancelled", "2}")


def run_client(python: Path, name: str, url: str, command: list[str]) -> list[str]:
    """What went wrong with one client."""
    given = json.dumps({name: arguments for name, (arguments, _) in CALLS.items()})
    program = [python, "-W", "ignore", PROGRAMS / f"{name}.py", url, given, *command]
    ended = subprocess.run(  # noqa: S603
        program, check=False, capture_output=True, text=True, timeout=300
    )
    if ended.returncode:
        return [ended.stderr.strip().splitlines()[-1] if ended.stderr else "it failed"]
    wrong: list[str] = []
    for kind, told in json.loads(ended.stdout.splitlines()[-1]).items():
        wanted = {**{call: text for call, (_, text) in CALLS.items()}, CANCELLED[0]: CANCELLED[1]}
        missing = wanted.keys() - told["calls"].keys()
        wrong += [f"{kind} {call}: not called" for call in missing]
        print(f"{name} over {kind}: {told['tools']} tools, {len(told['calls'])} calls")
        for call, (outcome, shown) in told["calls"].items():
            if wanted[call] not in shown:
                wrong.append(f"{kind} {call}: {outcome} ({shown[:200]})")
    return wrong


def run_inspector(url: str) -> list[str]:
    """What went wrong with the Inspector's command line, in both revisions."""
    found: list[str] = []
    for era in ("legacy", "modern"):
        base = [BIN / "node", BIN / "mcp-inspector", "--cli", url, "--protocol-era", era]
        for more, status in (
            (["--method", "tools/list", "--strict"], 0),
            (["--method", "tools/call", "--tool-name", "tricky__listNodes"], 0),
        ):
            ended = subprocess.run(  # noqa: S603
                [*base, *more], check=False, capture_output=True, text=True, timeout=120
            )
            if ended.returncode != status:
                found.append(f"{era} {more[1]}: {ended.returncode} {ended.stderr[-300:]}")
        print(f"inspector, {era}: list and call")
    return found


def run_config(folder: Path) -> list[str]:
    """What the Inspector has against what `mcp config` prints for it."""
    path = folder / "hosts.json"
    config = [sys.executable, "-m", "restwright", "mcp", "config", str(folder / "tricky.json")]
    told = subprocess.run(  # noqa: S603
        [*config, "--for", "inspector"], check=True, capture_output=True, text=True
    )
    path.write_text(told.stdout)
    command = [BIN / "node", BIN / "mcp-inspector", "--cli", "--config", path, "--server", "tricky"]
    ended = subprocess.run(  # noqa: S603
        [*command, "--method", "tools/list"], check=False, capture_output=True, text=True
    )
    print("inspector: --config as `mcp config` prints it")
    is_right = ended.returncode == 0 and "tricky__getNode" in ended.stdout
    return [] if is_right else [f"config: {ended.returncode} {ended.stderr[-300:]}"]


def main() -> int:
    failed = False
    with upstream() as api, tempfile.TemporaryDirectory() as folder:
        served = serving_api(api, Path(folder), policy=ALLOW)
        command = [*COMMAND, str(Path(folder) / "tricky.json"), "--server", api.url, "--yes"]
        command += ["--expose", "all"]
        with over_http(served) as running:
            for name, packages in CLIENTS.items():
                python = install(name, packages)
                if python is None:
                    print(f"{name}: SKIPPED: {' '.join(packages)} cannot be installed")
                    continue
                wrong = run_client(python, name, running.url, command)
                failed = failed or bool(wrong)
                for what in wrong:
                    print(f"{name}: FAILED: {what}")
            if why := fetch_suite() or fetch_inspector():
                print(f"inspector: SKIPPED: {why}")
            else:
                for what in (*run_inspector(running.url), *run_config(Path(folder))):
                    failed = True
                    print(f"inspector: FAILED: {what}")
        for what in try_servers(api):
            failed = True
            print(f"FAILED: {what}")
    return 1 if failed else 0


def fetch_inspector() -> str:
    """Why the Inspector is not here; empty where it is."""
    if (BIN / "mcp-inspector").exists():
        return ""
    npm = shutil.which("npm") or "npm"
    command = [npm, "install", "--silent", "--no-audit", "--no-fund", INSPECTOR]
    folder = BIN.parents[1]
    ended = subprocess.run(command, cwd=folder, check=False, capture_output=True)  # noqa: S603
    return "" if ended.returncode == 0 else f"npm cannot install {INSPECTOR}"


if __name__ == "__main__":
    sys.exit(main())
