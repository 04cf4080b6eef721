"""What was called by whom and what came of it: a line of JSON a call, without secrets."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

from restwright.calls.response.result import Result
from restwright.jsontypes import JsonObject
from restwright.net.secret import mask_url
from restwright.tools.tool import Tool


@dataclass(frozen=True, slots=True)
class CallLog:
    """
    Appends to a file, which only its owner can read.

    Args:
        path: Made where it is missing.
    """

    path: Path

    def check(self) -> None:
        """
        Make the file, so that what keeps it from being written is known before the first call.

        Raises:
            OSError: It cannot be written.
        """
        os.close(os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600))

    def write(self, tool: Tool, result: Result, *, user: str, seconds: float, trace: str) -> None:
        """Append a line about a call."""
        line = _describe_call(tool, result)
        line |= {"user": user, "seconds": round(seconds, 3), "traceparent": trace}
        text = json.dumps({name: each for name, each in line.items() if each not in ("", None)})
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, f"{text}\n".encode())
        finally:
            os.close(handle)


def _describe_call(tool: Tool, result: Result) -> JsonObject:
    request = result.request
    return {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "tool": tool.name,
        "method": request.method if request else "",
        "url": mask_url(request.url, request.secrets) if request else "",
        "outcome": result.kind,
        "status": result.status,
        "effect": result.effect,
        "text": result.text[:500],
    }
