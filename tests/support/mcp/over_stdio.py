"""The command `mcp serve` as a process, spoken to over its standard input and output."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COMMAND = (sys.executable, "-m", "restwright", "mcp", "serve")
BEGIN = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


@dataclass
class Spoken:
    """One process; what it writes is read a line at a time."""

    process: subprocess.Popen[bytes]
    number: int = 0

    def send(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        self.number += 1
        self.send({"id": self.number, "method": method, "params": dict(params or {})})
        while (told := self.line()).get("id") != self.number:
            pass
        return told

    def begin(self) -> Any:
        told = self.ask("initialize", BEGIN)
        self.send({"method": "notifications/initialized"})
        return told

    def line(self, seconds: float = 240) -> Any:
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        assert ready, "nothing was written"
        text = self.process.stdout.readline()
        assert text, "it has ended"
        return json.loads(text)

    def wait(self, seconds: float = 30) -> int:
        return self.process.wait(seconds)

    def peak_kib(self) -> int:
        """The most memory that this process alone has held so far."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1])


@contextmanager
def over_stdio(*arguments: str, **environment: str) -> Iterator[Spoken]:
    process = subprocess.Popen(  # noqa: S603 - our own command
        [*COMMAND, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
        bufsize=0,
    )
    try:
        yield Spoken(process)
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def wait_until(is_so: Any, seconds: float = 30) -> None:
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, "it does not happen"
        time.sleep(0.02)
