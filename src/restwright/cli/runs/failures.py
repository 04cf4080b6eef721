"""The calls of a run that failed, which commands tell by their exit code."""

from __future__ import annotations

from collections.abc import Iterable

from restwright.cli.render.output import one_line
from restwright.jsontypes import JsonObject


def list_failed_calls(steps: Iterable[JsonObject]) -> tuple[str, ...]:
    """
    Which calls failed and why, a line each, by the steps of a trace.

    A tool that was called again and succeeded has not failed.
    """
    failed: dict[str, str] = {}
    for step in steps:
        if step.get("step") != "call" or "outcome" not in step:
            continue
        tool = str(step["tool"])
        failed.pop(tool, None)
        if step["outcome"] != "ok":
            failed[tool] = one_line(f"{tool}: {step.get('text') or step['outcome']}")[:300]
    return tuple(failed.values())
