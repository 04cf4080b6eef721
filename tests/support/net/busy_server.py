"""A server that sees how many requests it has at the same time, and when each of them began."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class BusyServer:
    """What it saw; `answers` are given first, each `(status, headers)`."""

    url: str = ""
    takes_s: float = 0.05
    answers: list[tuple[int, dict[str, str]]] = field(
        default_factory=list[tuple[int, dict[str, str]]]
    )
    starts: list[float] = field(default_factory=list[float])
    methods: list[str] = field(default_factory=list[str])
    most: int = 0
    now: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


class _Server(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True


@contextmanager
def running_busy_server(takes_s: float = 0.05) -> Generator[BusyServer]:
    seen = BusyServer(takes_s=takes_s)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one segment

        def do_GET(self) -> None:
            with seen.lock:
                seen.starts.append(time.monotonic())
                seen.methods.append(self.command)
                seen.now += 1
                seen.most = max(seen.most, seen.now)
                status, headers = seen.answers.pop(0) if seen.answers else (200, {})
            self.rfile.read(int(self.headers.get("content-length") or 0))
            time.sleep(seen.takes_s)
            # Who is answered begins the next one before this thread is asked again.
            with seen.lock:
                seen.now -= 1
            self.send_response(status)
            for name, value in ({"content-length": "2"} | headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(b"{}")

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Keep the output clean."""

    server = _Server(("127.0.0.1", 0), Handler)
    seen.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
