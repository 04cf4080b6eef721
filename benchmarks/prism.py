"""
An independent judge of requests: a mock server of Stoplight Prism checks one for each operation.

    python benchmarks/prism.py [DOCUMENT...]

Needs Node.js; without it the script says so and ends with 0. Prism is run by `npx`, or is the
program that `--prism` names. Documents come from `../shared/data/specs` unless some are given.
Writes `benchmarks/results/prism.json`; ends with 1 where a request was rejected for another reason
than a fault of Prism's own, which `FAULTS` names.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from examples import arguments_of
from restwright.calls.auth.connection import Connection
from restwright.calls.call import prepare
from restwright.errors import RestwrightError
from restwright.jsontypes import Json
from restwright.net.messages import Request
from restwright.net.secret import Secret
from restwright.openapi.api import load
from restwright.tools.catalog.catalog import catalog
from restwright.tools.tool import Tool

SPECS = Path(__file__).parents[1].parent / "shared/data/specs"
RESULTS = Path(__file__).parent / "results/prism.json"
PRISM = ("npx", "--yes", "@stoplight/prism-cli@5")
STARTS_WITHIN_S = 120
TIMEOUT_S = 60
FAULTS = (
    (
        "percent-encoding is asked of multipart parts, which have none (RFC 7578, section 2)",
        "multipart/form-data.*Reserved characters used in request body",
    ),
    (
        "an array of one multipart part is read as that part",
        "multipart/form-data.*must be array",
    ),
    (
        "a multipart part of type application/json is read as text",
        "multipart/form-data.*must be object",
    ),
    (
        "it ends itself over a parameter that it has read before",
        r"TypeError: .*(?:startsWith|split) is not a function",
    ),
    (
        'it ends itself over an object in a delimited style (OAS 3.1.1, "Style Values")',
        "only applicable to array parameter",
    ),
)
# Whose keys are names, of which `x-` may be the beginning.
MAPS = frozenset(("example", "headers", "parameters", "properties", "schemas", "securitySchemes"))
OF_ANSWERS = frozenset(
    (
        *("NOT_ACCEPTABLE", "NOT_FOUND", "NO_COMPLEX_OBJECT_TEXT", "NO_RESPONSE_DEFINED"),
        *("NO_RESPONSE_RESPONSE_DEFINED", "NO_SUCCESS_RESPONSE_DEFINED", "UNKNOWN"),
    )
)
DOCUMENTS = (
    "box__2024.json",
    "digitalocean__2.0.json",
    "discord__v10.json",
    "docker__1.55.yaml",
    "httpbin__0.9.json",
    "notion__1.0.json",
    "paramstyles__3.1.json",
    "pokeapi__v2.yaml",
    "qdrant__master.json",
    "readme-file-uploads__3.0.json",
    "slack__v2.json",
    "spotify__2025.yaml",
    "traintravel__3.1.json",
    "trello__1.0.json",
)


@dataclass
class Judged:
    """What Prism said of one document's requests."""

    counts: Counter[str] = field(default_factory=Counter)
    rejected: list[dict[str, str]] = field(default_factory=list)

    @property
    def is_passed(self) -> bool:
        return all(each["fault"] for each in self.rejected)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("documents", nargs="*", type=Path)
    parser.add_argument("--prism", help="the program, where it is installed")
    given = parser.parse_args()
    program = (given.prism,) if given.prism else PRISM
    if shutil.which(program[0]) is None:
        print(f"skipped: {program[0]} is not installed")
        return 0
    documents = given.documents or [SPECS / each for each in DOCUMENTS if (SPECS / each).exists()]
    found = {each.name: judged(each, program) for each in documents}
    if not given.documents:
        write(found)
    return int(not all(each.is_passed for each in found.values()))


def judged(document: Path, program: Sequence[str]) -> Judged:
    """One request for each operation of a document, sent to a mock of it."""
    whole = Judged()
    tools = list(catalog(load(document)).tools)
    with TemporaryDirectory() as folder:
        copy = copied(document, Path(folder) / "document.json")
        while tools:
            with prism(copy, program) as url:
                tools = judge_until_it_ends(tools, url, whole, copy.with_suffix(".log"))
    print(f"{document.name:32}", dict(whole.counts), flush=True)
    return whole


def judge_until_it_ends(tools: list[Tool], url: str, whole: Judged, log: Path) -> list[Tool]:
    """Judge tools while Prism runs; those that are left when it has ended."""
    for number, tool in enumerate(tools, 1):
        try:
            judge(tool, url, whole)
        except (OSError, HTTPException) as error:
            whole.counts["ended Prism"] += 1
            why = last_error(log) or str(error)
            reject(tool, {"why": why}, whole)
            return tools[number:]
    return []


def copied(document: Path, copy: Path) -> Path:
    """
    The document as JSON, without references to other files and without extensions.

    Prism starts with no document that has a reference it cannot follow, wherever that stands.
    """
    copy.write_text(json.dumps(reduced(load(document).document)))
    return copy


def reduced(value: Json, *, is_map: bool = False) -> Json:
    if isinstance(value, list):
        return [reduced(each) for each in value]
    if not isinstance(value, dict):
        return value
    ref = value.get("$ref")
    if isinstance(ref, str) and not ref.startswith("#"):
        return {}
    return {
        name: reduced(each, is_map=not is_map and name in MAPS)
        for name, each in value.items()
        if is_map or not name.startswith("x-")
    }


def judge(tool: Tool, url: str, whole: Judged) -> None:
    """Count what becomes of the request of one operation."""
    arguments = arguments_of(tool)
    if arguments is None:
        whole.counts["no arguments"] += 1
        return
    auth = {name: Secret("user:password") for name in tool.security_schemes}
    try:
        request = prepare(tool, arguments, Connection(server=url, auth=auth))
        fault = fault_of(answer_to(request))
    except RestwrightError as error:
        whole.counts[type(error).__name__] += 1
        print("   ", tool.name, error)
        return
    if fault is None:
        whole.counts["accepted"] += 1
        return
    whole.counts["rejected"] += 1
    reject(tool, said(request, fault), whole)


def reject(tool: Tool, told: dict[str, str], whole: Judged) -> None:
    """Keep what Prism said, beside the fault of its own that it is."""
    text = " ".join(told.values())
    fault = next((name for name, sign in FAULTS if re.search(sign, text, re.DOTALL)), "")
    whole.rejected.append({"tool": tool.name, "fault": fault, **told})
    print("   ", tool.name, f"fault of Prism: {fault}" if fault else json.dumps(told), flush=True)


def answer_to(request: Request) -> bytes:
    """
    The body of the answer to a request, sent as it was prepared.

    Not by the project's transport: Prism makes up headers of the documents such as
    `Content-Encoding`, which say what is not so.
    """
    url = urlsplit(request.url)
    connection = HTTPConnection(url.hostname or "", url.port, timeout=TIMEOUT_S)
    try:
        target = f"{url.path or '/'}{'?' if url.query else ''}{url.query}"
        connection.putrequest(request.method, target, skip_accept_encoding=True)
        for name, value in request.headers:
            connection.putheader(name, value.encode())
        if request.body:
            connection.putheader("Content-Length", str(len(request.body)))
        connection.endheaders(request.body or None)
        return connection.getresponse().read()
    finally:
        connection.close()


def fault_of(answer: bytes) -> dict[str, str] | None:
    """`{type, detail}` of what Prism rejects; None where the request has passed."""
    if b"stoplight.io/prism/errors" not in answer:
        return None
    told = json.loads(answer)
    kind = told["type"].rpartition("#")[2]
    violations = told.get("validation", ())
    of_request = [each for each in violations if each["location"][:1] != ["response"]]
    # It checks its own answers too, and may find none to give: by then the request has passed.
    if kind in OF_ANSWERS or (violations and not of_request):
        return None
    return {"type": kind, "detail": json.dumps(of_request or told.get("detail", ""))}


def said(request: Request, fault: dict[str, str]) -> dict[str, str]:
    body = request.body[:200].decode(errors="replace")
    content = dict(request.headers).get("Content-Type", "")
    target = urlsplit(request.url)._replace(scheme="", netloc="").geturl()
    return {
        "request": f"{request.method} {target}",
        "content_type": content,
        "body": body,
        "why": f"{fault['type']} {fault['detail']}",
    }


@contextmanager
def prism(document: Path, program: Sequence[str]) -> Iterator[str]:
    """A mock server of a document on a free port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [*program, "mock", "--host", "127.0.0.1", "--port", str(port), "--errors"]
    log = document.with_suffix(".log")
    # A group of its own, since `npx` starts a process that outlives it.
    server = subprocess.Popen(
        [*command, str(document.resolve())],
        stdout=log.open("w"),
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        wait_for(port, server, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGTERM)
        server.wait()


def last_error(log: Path) -> str:
    """The last line of what Prism says of itself that tells of an error."""
    time.sleep(0.2)
    found = re.findall(r"^(?:Type)?Error: .*|fatal +.*", log.read_text(), re.MULTILINE)
    return found[-1] if found else ""


def wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    ends = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < ends and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    sys.exit(f"Prism did not start: {last_error(log)}")


def write(found: dict[str, Judged]) -> None:
    documents = {
        name: {"counts": dict(each.counts), "rejected": each.rejected}
        for name, each in found.items()
    }
    whole: dict[str, object] = {
        "judge": PRISM[-1],
        "date": datetime.now(tz=UTC).date().isoformat(),
        "documents": documents,
    }
    RESULTS.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.exit(main())
