"""Servers that behave as a test says."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from restwright.mcp_client.opening import mcp
from restwright.mcp_client.server import MCPServer
from restwright.mcp_client.settings import ServerLimits

SCRIPT = Path(__file__).parents[1] / "support" / "mcp_client" / "stdio_server.py"
Start = Callable[..., MCPServer]


def command_of(*words: str) -> list[str]:
    return [sys.executable, str(SCRIPT), *words]


@pytest.fixture(params=["legacy", "modern"])
def era(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    """Where a server notes what it was called."""
    return tmp_path / "calls.txt"


@pytest.fixture
def start(calls: Path) -> Iterator[Start]:
    """Start `stdio_server.py`, and stop it at the end."""
    with ExitStack() as stack:

        def started(kind: str = "plain", era: str = "legacy", **more) -> MCPServer:
            limits = ServerLimits(**{"start_s": 120.0, "call_s": 120.0, **more.pop("limits", {})})
            command = command_of(era, kind, str(calls))
            return stack.enter_context(mcp(command, name="notes", limits=limits, **more))

        yield started


@dataclass
class Noting:
    """A server of HTTP that keeps the headers of each request."""

    url: str
    seen: list[list[tuple[str, str]]] = field(default_factory=list)


@pytest.fixture
def server_that_notes() -> Iterator[Callable[..., Noting]]:
    with ExitStack() as stack:

        def started(body: bytes = b"{}") -> Noting:
            class Handler(BaseHTTPRequestHandler):
                def do_GET(self) -> None:
                    made.seen.append(
                        [(name.lower(), value) for name, value in self.headers.items()]
                    )
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)

                def log_message(self, *_: object) -> None:
                    """Say nothing."""

            server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            made = Noting(f"http://127.0.0.1:{server.server_port}/")
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
            stack.callback(server.server_close)
            stack.callback(server.shutdown)
            return made

        yield started
