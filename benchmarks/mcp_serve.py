"""
What serving the Model Context Protocol costs, beside FastMCP's own bridge from OpenAPI.

    python benchmarks/mcp_serve.py --fastmcp PYTHON [--document FILE]

PYTHON is one that has `fastmcp`; without it only ours is measured. Prints, and writes
results/mcp.json: how soon the first list of tools comes and what memory that takes, for a large
document; milliseconds of a call over stdio and HTTP, and of the processor for it; and 200 calls at
once to an API that takes a second. Both are asked by the same few lines, in rounds that are
interleaved, on the revision with sessions.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2

RESULTS = Path(__file__).parent / "results" / "mcp.json"
GITHUB = Path(__file__).parents[2] / "shared" / "data" / "specs" / "github__v3.json"
STARTS, ROUNDS, CALLS, AT_ONCE = 2, 10, 30, 200
SLOW_S = 1.0
# As after an installation, modules are compiled, whatever the environment says of that.
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}
BODY = b'{"id": 7, "name": "tea", "tags": ["a", "b"]}'
BEGIN = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}
FASTMCP = """\
import json, sys, httpx2
from fastmcp import FastMCP
path, base, port = sys.argv[1:]
document = json.load(open(path))
made = FastMCP.from_openapi(openapi_spec=document, client=httpx2.AsyncClient(base_url=base))
if port == "0":
    made.run(transport="stdio", show_banner=False)
else:
    made.run(transport="http", host="127.0.0.1", port=int(port), show_banner=False)
"""


class Handler(BaseHTTPRequestHandler):
    """Answers every request alike, `/slow` after a second."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        if self.path.startswith("/slow"):
            time.sleep(SLOW_S)
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(BODY)}"
        self.wfile.write(f"{head}\r\n\r\n".encode() + BODY)

    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 512


def document(url: str) -> dict[str, Any]:
    def operation(name: str, *parameters: Any) -> dict[str, Any]:
        content = {"application/json": {"schema": {"type": "object"}}}
        responses = {"200": {"description": "ok", "content": content}}
        return {"get": {"operationId": name, "parameters": [*parameters], "responses": responses}}

    number = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Tea", "version": "1"},
        "servers": [{"url": url}],
        "paths": {"/things/{id}": operation("getThing", number), "/slow": operation("slow")},
    }


@dataclass
class Bridge:
    """
    One of those that are compared.

    Args:
        command: From document, base URL and port (0 for stdio) to what is started.
        prefix: Before the names of tools.
    """

    name: str
    command: Callable[[str, str, int], list[str]]
    prefix: str = ""
    times: dict[str, list[float]] = field(default_factory=dict)


def command_of_ours(path: str, url: str, port: int) -> list[str]:
    start = [sys.executable, "-m", "restwright", "mcp", "serve", path]
    return [
        *start,
        *(["--server", url] if url else []),
        *(["--http", f"127.0.0.1:{port}"] if port else []),
    ]


def command_of_fastmcp(python: str) -> Callable[[str, str, int], list[str]]:
    def command(path: str, url: str, port: int) -> list[str]:
        return [python, "-W", "ignore", "-c", FASTMCP, path, url or "http://127.0.0.1:9", str(port)]

    return command


def cpu_seconds(process: subprocess.Popen[bytes]) -> float:
    """Of the processor, by a process so far; what others do on the machine is not in it."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Stdio:
    """A client over standard input and output."""

    def __init__(self, command: list[str]) -> None:
        self.begun = time.perf_counter()
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=ENVIRONMENT
        )
        self.number = 0
        self.ask("initialize", BEGIN)
        self.write({"method": "notifications/initialized"})

    def write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        self.number += 1
        self.write({"id": self.number, "method": method, "params": params})
        while (told := self.read()).get("id") != self.number:
            pass
        return told["result"]

    def ask_at_once(self, name: str, count: int) -> int:
        """How many of so many calls came back without an error."""
        for number in range(count):
            params = {"name": name, "arguments": {}}
            self.write({"id": 1_000 + number, "method": "tools/call", "params": params})
        answers = [self.read() for _ in range(count)]
        return sum(not told.get("result", {"isError": True}).get("isError") for told in answers)

    def memory_mb(self) -> float:
        """The most that it has taken so far."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


class HTTP:
    """A client over streamable HTTP, in a session."""

    def __init__(self, command: list[str], port: int) -> None:
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT
        )
        self.url = f"http://127.0.0.1:{port}/mcp"
        self.client = httpx2.Client(trust_env=False, verify=False, timeout=120)
        self.headers = {"accept": "application/json, text/event-stream"}
        self.number = 0
        response = self._begin()
        self.headers["mcp-session-id"] = response.headers["mcp-session-id"]
        self.headers["mcp-protocol-version"] = BEGIN["protocolVersion"]
        self.post({"method": "notifications/initialized"})

    def _begin(self) -> httpx2.Response:
        for _ in range(300):
            try:
                return self.post({"id": 0, "method": "initialize", "params": BEGIN})
            except httpx2.TransportError:
                time.sleep(0.1)
        raise TimeoutError(self.url)

    def post(self, message: dict[str, Any]) -> httpx2.Response:
        return self.client.post(self.url, json={"jsonrpc": "2.0", **message}, headers=self.headers)

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        self.number += 1
        response = self.post({"id": self.number, "method": method, "params": params})
        lines = response.text.splitlines()
        text = next((line[5:] for line in lines if line.startswith("data: {")), response.text)
        return json.loads(text)["result"]

    def ask_at_once(self, name: str, count: int) -> int:
        def ask(_: int) -> bool:
            result = self.ask("tools/call", {"name": name, "arguments": {}})
            return not result.get("isError")

        with ThreadPoolExecutor(count) as pool:
            return sum(pool.map(ask, range(count)))

    def close(self) -> None:
        self.client.close()
        self.process.kill()
        self.process.wait()


@contextmanager
def api() -> Iterator[str]:
    with Server(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def measure_start(bridge: Bridge, path: Path) -> dict[str, float]:
    """Seconds, processor seconds and megabytes until the first list of tools is there."""
    rows: list[tuple[float, float, float, int]] = []
    for _ in range(STARTS):
        client = Stdio(bridge.command(str(path), "", 0))
        listed = client.ask("tools/list", {})
        took = time.perf_counter() - client.begun
        rows.append(
            (took, cpu_seconds(client.process), client.memory_mb(), len(json.dumps(listed)))
        )
        client.close()
    return {
        "seconds": round(min(row[0] for row in rows), 2),
        "cpu_seconds": round(min(row[1] for row in rows), 2),
        "memory_mb": round(max(row[2] for row in rows), 1),
        "list_tokens": rows[0][3] // 4,
    }


def measure_calls(bridges: list[Bridge], path: str, url: str) -> dict[str, Any]:
    """Milliseconds of a call, and how many of those at once came back, over both transports."""
    found: dict[str, Any] = {bridge.name: {} for bridge in bridges}
    total = ROUNDS * CALLS
    for kind in ("stdio", "http"):
        clients: dict[str, Stdio | HTTP] = {}
        for place, bridge in enumerate(bridges):
            port = 0 if kind == "stdio" else 8870 + place
            command = bridge.command(path, url, port)
            clients[bridge.name] = Stdio(command) if kind == "stdio" else HTTP(command, port)
        for bridge in bridges:
            found[bridge.name][kind] = {}
        before = {name: cpu_seconds(client.process) for name, client in clients.items()}
        times = time_calls(bridges, clients)
        after = {name: cpu_seconds(client.process) for name, client in clients.items()}
        for bridge in bridges:
            client = clients[bridge.name]
            begun = time.perf_counter()
            came = client.ask_at_once(f"{bridge.prefix}slow", AT_ONCE)
            found[bridge.name][kind] = {
                "ms": round(statistics.median(times[bridge.name]), 2),
                "cpu_ms": round((after[bridge.name] - before[bridge.name]) * 1000 / total, 2),
                "at_once": came,
                "at_once_seconds": round(time.perf_counter() - begun, 2),
            }
            client.close()
    return found


def time_calls(bridges: list[Bridge], clients: dict[str, Any]) -> dict[str, list[float]]:
    """The medians of rounds."""
    times: dict[str, list[float]] = {bridge.name: [] for bridge in bridges}
    for _ in range(ROUNDS):
        for bridge in bridges:
            client = clients[bridge.name]
            round_: list[float] = []
            for number in range(CALLS):
                begun = time.perf_counter()
                params = {"name": f"{bridge.prefix}getThing", "arguments": {"id": number}}
                result = client.ask("tools/call", params)
                round_.append((time.perf_counter() - begun) * 1000)
                assert not result.get("isError"), result
            times[bridge.name].append(statistics.median(round_))
    return times


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--fastmcp", help="a Python that has it")
    parser.add_argument("--document", type=Path, default=GITHUB)
    given = parser.parse_args()
    bridges = [Bridge("restwright", command_of_ours, "tea__")]
    if given.fastmcp:
        bridges.append(Bridge("fastmcp", command_of_fastmcp(given.fastmcp)))
    else:
        print("without --fastmcp only ours is measured")
    found: dict[str, Any] = {"python": platform.python_version()}
    if given.document.exists():
        found["start"] = {each.name: measure_start(each, given.document) for each in bridges}
    else:
        print(f"there is no {given.document}: its list is not measured")
    with api() as url, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tea.json"
        path.write_text(json.dumps(document(url)))
        found["calls"] = measure_calls(bridges, str(path), url)
    print(json.dumps(found, indent=2))
    RESULTS.write_text(json.dumps(found, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
