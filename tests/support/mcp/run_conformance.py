"""
The official conformance suite against our server and our client (`make conformance`).

`python -m tests.support.mcp.run_conformance` prints how many of the scored scenarios of each
revision passed, and ends with 1 where one failed. The suite and its Node.js come from npm once,
into `.conformance`; where they cannot be had within a minute, it says so and ends with 0. A run
itself reaches loopback only.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parents[3] / ".conformance"
SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
NODE = "node@22"  # an older one cannot run the suite
REVISIONS = ("2025-11-25", "2026-07-28")
FIXTURES = Path(__file__).with_name("conformance_fixtures.py")
SERVER = (
    *(sys.executable, "-m", "restwright", "mcp", "serve", f"{FIXTURES}:Fixtures"),
    *("--http", "127.0.0.1:0", "--no-namespaces", "--expose", "all", "--no-journal"),
    *("--name-length", "64"),
)
CLIENT = (sys.executable, "-W", "ignore", "-m", "tests.support.mcp_client.conformance_client")
BIN = FOLDER / "node_modules" / ".bin"
INSTALL_S = 60
# Without a network, npm tries each package again for minutes.
INSTALL = ("install", "--silent", "--no-audit", "--no-fund", "--fetch-retries=0")


def fetch_suite() -> str:
    """Why the suite is not here; empty where it is."""
    if (BIN / "conformance").exists() and (BIN / "node").exists():
        return ""
    npm = shutil.which("npm")
    if npm is None:
        return "npm is not installed"
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "package.json").write_text('{"private": true}')
    command = [npm, *INSTALL, NODE, SUITE]
    try:
        subprocess.run(command, cwd=FOLDER, check=True, capture_output=True, timeout=INSTALL_S)  # noqa: S603
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        how = "in time" if isinstance(error, subprocess.TimeoutExpired) else "(is it offline?)"
        return f"npm cannot install {NODE} and {SUITE} {how}"
    return ""


def run_suite(url: str, revision: str) -> bool:
    """Whether every scored scenario of a revision passed; prints what did not."""
    with tempfile.TemporaryDirectory() as folder:
        command = [BIN / "node", BIN / "conformance", "server", "--url", url]
        command += ["--requirements", revision, "-o", folder]
        ended = subprocess.run(  # noqa: S603
            command, check=False, capture_output=True, text=True, timeout=600
        )
        told = ended.stdout + ended.stderr
        return report(told, revision, Path(folder))


def report(told: str, revision: str, folder: Path) -> bool:
    summary, _, tail = told.partition("=== SUMMARY ===")[2].partition("Not scored for")
    ran = re.findall(r"^([✓✗]) (\S+): (\d+) passed, (\d+) failed", summary, re.MULTILINE)
    unscored = {*re.findall(r"^  [✓✗] (\S+) \(", tail, re.MULTILINE)}
    scored = [row for row in ran if row[1] not in unscored]
    failed = [name for mark, name, _, _ in scored if mark == "✗"]
    passed = sum(int(row[2]) for row in scored)
    checks = passed + sum(int(row[3]) for row in scored)
    total = len(scored)
    print(f"conformance: {total - len(failed)}/{total} of {revision} ({passed}/{checks} checks)")
    for name in failed:
        print(f"  FAILED {name}")
        for path in sorted(folder.glob(f"server-{name}-2*/checks.json")):
            for check in json.loads(path.read_text()):
                if check.get("status") == "FAILURE":
                    print(f"    {check['id']}: {(check.get('errorMessage') or '')[:200]}")
    if not scored:
        print(told[-2_000:])
    return bool(scored) and not failed


def run_client_suite(revision: str) -> bool:
    """Whether our client passed every scored scenario of a revision, one at a time."""
    suite = [str(BIN / "node"), str(BIN / "conformance")]
    listed = _output([*suite, "list", "--requirements", revision])
    scored = listed.partition("Client scenarios")[2].partition("Run and reported")[0]
    names = re.findall(r"^  - (\S+)", scored, re.MULTILINE)
    failed = [name for name in names if not _has_client_passed(suite, name, revision)]
    print(f"conformance: client {len(names) - len(failed)}/{len(names)} of {revision}")
    for name in failed:
        print(f"  FAILED {name}")
    return bool(names) and not failed


def _has_client_passed(suite: list[str], name: str, revision: str) -> bool:
    command = [*suite, "client", "--command", " ".join(CLIENT), "--scenario", name]
    with tempfile.TemporaryDirectory() as cache:
        told = _output([*command, "--spec-version", revision, "--timeout", "60000"], cache)
    return "OVERALL: PASSED" in told


def _output(command: list[str], cache: str = "") -> str:
    own = {**os.environ, "XDG_CACHE_HOME": cache} if cache else None
    ended = subprocess.run(  # noqa: S603
        command, check=False, capture_output=True, text=True, timeout=120, env=own
    )
    return ended.stdout + ended.stderr


def main() -> int:
    if why := fetch_suite():
        print(f"conformance: SKIPPED: {why}")
        return 0
    own = {**os.environ, "PYTHONPATH": str(FIXTURES.parents[3])}
    with subprocess.Popen(SERVER, stdout=subprocess.PIPE, text=True, env=own) as server:  # noqa: S603
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            passed = [run_suite(url, revision) for revision in REVISIONS]
        finally:
            server.terminate()
    passed += [run_client_suite(revision) for revision in REVISIONS]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
