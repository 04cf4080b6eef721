"""
Calls of tools that no document describes and that a function of this process carries out.

Such a call is shown, approved, counted and kept as a request is: one to `function:NAME`, whose body
are the arguments.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import quote

from restwright.calls.approval.approval import Approval
from restwright.calls.arguments.check import check_value
from restwright.calls.arguments.repair import Repair
from restwright.calls.auth.connection import list_secret_texts
from restwright.calls.response.redact import make_masker, mask_value
from restwright.calls.response.result import EFFECT_NOTES, CallEffect, Result
from restwright.calls.truncate import compact_json
from restwright.errors import RefusedRequest, Said
from restwright.jsontypes import JsonObject
from restwright.net.messages import FUNCTION, Request
from restwright.tools.tool import LocalResult, Tool


def narrow_tool(tool: Tool, arguments: JsonObject) -> Tool:
    """The tool as one call of it is, whose arguments may say that it only reads."""
    if (
        tool.handler is None
        or tool.handler.narrow_operation is None
        or check_value(tool.checks, arguments)
    ):
        return tool
    return replace(tool, operation=tool.handler.narrow_operation(arguments))


def build_function_request(tool: Tool, arguments: JsonObject) -> Request:
    """What a call of a function is shown as, approved by and known by; it is never sent."""
    return Request(
        method=tool.operation.method.upper(),
        url=f"{FUNCTION}{quote(tool.name)}",
        headers=(("Content-Type", "application/json"),),
        body=compact_json(arguments).encode("utf-8", "surrogatepass"),
        secrets=tool.handler.list_secrets() if tool.handler and tool.handler.list_secrets else (),
    )


@dataclass(slots=True, kw_only=True)
class FunctionCall:
    """
    A call of a function that is checked; `needs_approval` says whether it has to be approved.

    Args:
        run_function: The function.
        hooks: Each is told of the request right before it runs.
        is_sent: Whether it has begun to run.
    """

    tool: Tool
    arguments: JsonObject
    request: Request
    approval: Approval
    repairs: tuple[Repair, ...]
    needs_approval: bool
    is_write: bool
    run_function: Callable[[JsonObject], LocalResult]
    hooks: tuple[Callable[[Request], None], ...]
    is_sent: bool = False

    def run(self) -> Result:
        """Run it; what it raises is in the result."""
        try:
            self.approval.spend(self.request)
        except RefusedRequest as error:
            return self._complete_result(Result(kind="refused", text=error.message))
        for hook in self.hooks:
            hook(self.request)
        self.is_sent = True
        try:
            said = self.run_function(self.arguments)
        except Said as error:
            effect = self._unknown_effect if error.may_have_acted else "none"
            return self._exception_result(error.message, effect, error)
        except Exception as error:  # noqa: BLE001 - a function may raise anything
            return self._exception_result(type(error).__name__, self._unknown_effect, error)
        try:
            return self._result_from_local(said)
        except Exception as error:  # noqa: BLE001 - and give anything
            why = f"what it gave cannot be read ({type(error).__name__})"
            return self._exception_result(why, "done" if self.is_write else "none", error)

    @property
    def _unknown_effect(self) -> CallEffect:
        return "unknown" if self.is_write else "none"

    def _result_from_local(self, local_result: LocalResult) -> Result:
        secrets = list_secret_texts(self.request)
        effect: CallEffect = "done" if self.is_write else "none"
        if local_result.error:
            text = make_masker(secrets)(local_result.error)
            refused = self._refusal_result(local_result, text)
            return replace(refused, is_foreign=local_result.is_foreign)
        # What is no JSON could not be shown to a model, or kept.
        json.dumps(local_result.value)
        value = mask_value(local_result.value, secrets) if secrets else local_result.value
        given = Result(
            kind="ok",
            value=value,
            effect=effect,
            is_foreign=local_result.is_foreign,
            warnings=local_result.warnings,
        )
        return self._complete_result(given)

    def _refusal_result(self, local_result: LocalResult, text: str) -> Result:
        if local_result.is_user_refusal:
            return self._complete_result(Result(kind="refused", text=text, repairable_by="user"))
        return self._function_error_result(
            text, self._unknown_effect if local_result.may_have_acted else "none"
        )

    def _function_error_result(self, text: str, effect: CallEffect) -> Result:
        """A failure in the function's own words, which a model can heed where nothing was done."""
        if effect == "none":
            return self._complete_result(Result(kind="mismatch", text=text, repairable_by="model"))
        text = f"{text}{EFFECT_NOTES[effect]}"
        return self._complete_result(Result(kind="no_response", text=text, effect=effect))

    def _exception_result(self, why: str, effect: CallEffect, error: Exception) -> Result:
        text = f"{self.tool.name} failed: {make_masker(list_secret_texts(self.request))(why)}"
        if isinstance(error, Said):
            return replace(self._function_error_result(text, effect), error=error)
        text = f"{text}{EFFECT_NOTES[effect]}"
        failed = Result(kind="no_response", text=text, effect=effect, error=error)
        return self._complete_result(failed)

    def _complete_result(self, result: Result) -> Result:
        return replace(result, request=self.request, repairs=self.repairs)
