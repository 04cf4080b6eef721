"""Calls of tools that no document describes."""

from __future__ import annotations

from dataclasses import replace

from restwright.calls.arguments import check_value
from restwright.calls.coercion import repaired
from restwright.calls.feedback import feedback
from restwright.calls.policy import Policy
from restwright.calls.result import Result
from restwright.tools.tool import Tool
from restwright.typing import JsonObject


def narrowed(tool: Tool, arguments: JsonObject) -> Tool:
    """The tool as one call of it is, whose arguments may say that it only reads."""
    if tool.own is None or tool.own.narrowed is None or check_value(tool.checks, arguments):
        return tool
    return replace(tool, operation=tool.own.narrowed(arguments))


def carried_out(tool: Tool, arguments: JsonObject, *, policy: Policy) -> Result:
    """Carry a call out that sends nothing; its arguments are repaired and checked like others."""
    if policy.decision(tool) == "refuse":
        return Result(kind="refused", text=f"{tool.name} is not allowed by the policy")
    given = repaired(tool, arguments)
    mismatches = check_value(tool.checks, given.arguments)
    if mismatches:
        text = feedback(tool.name, mismatches)
        return Result(kind="mismatch", text=text, repairable_by="model", repairs=given.repairs)
    assert tool.own is not None and tool.own.answers is not None  # noqa: S101, PT018  (asked before)
    said = tool.own.answers(given.arguments)
    if not said.error:
        return Result(kind="ok", value=said.value, repairs=given.repairs)
    return Result(
        kind="refused" if said.is_of_user else "mismatch",
        text=said.error,
        repairable_by="user" if said.is_of_user else "model",
        repairs=given.repairs,
    )
