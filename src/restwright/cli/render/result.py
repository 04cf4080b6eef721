"""What a call gave, printed."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from restwright.cli.render.errors import DONE, FAILED, STOPPED, report
from restwright.cli.render.output import Output, one_line, to_json
from restwright.cli.render.remedies import remedy
from restwright.errors import NoToken, RestwrightError, UnusableExpression
from restwright.jsontypes import Json, JsonObject

if TYPE_CHECKING:
    from restwright.calls.response.result import Result


def print_result(result: Result, out: Output, *, way_out: str = "", pick: str | None = None) -> int:
    """
    Print a result and return the exit code.

    Args:
        way_out: What would have sent it, where the user did not allow it; else empty.
        pick: Print only this part of a success, a JMESPath expression.

    Raises:
        UnusableExpression: The expression does not fit the value of a read.
    """
    if result.ok:
        return _print_success(result, pick, out)
    hint = way_out or _next_move(result)
    code = result.error.code if isinstance(result.error, NoToken) else result.kind
    if out.json:
        error = {"code": code, "message": one_line(result.text), "hint": hint}
        mended = {"repairable_by": result.repairable_by, "retry_after_s": result.retry_after_s}
        shown = {"status": result.status, "value": result.value}
        effect = {} if result.effect == "none" else {"effect": result.effect}
        out.value({"error": error, **shown, **mended, **effect, **_remarks(result)})
    else:
        report(code, result.text, hint, as_json=False)
        _note_remarks(result, out)
    return STOPPED if way_out else FAILED


def _print_success(result: Result, pick: str | None, out: Output) -> int:
    try:
        value = _picked(result.value, pick)
    except UnusableExpression as error:
        if result.effect != "done":
            raise
        # What a write gave must not be lost because a part of it cannot be picked.
        out.note(f"warning: {error.message}; it took effect, and this is all of the response")
        _print_value(result, result.value, out)
        return FAILED
    _print_value(result, value, out)
    return DONE


def _next_move(result: Result) -> str:
    """What whoever typed the command can do about a call that failed."""
    if isinstance(result.error, RestwrightError):
        return remedy(result.error)
    if result.status in _CREDENTIAL:
        return _CREDENTIAL[result.status]
    if result.repairable_by != "waiting":
        return ""
    seconds = result.retry_after_s
    return "try again later" if seconds is None else f"try again in {seconds:,.0f} s"


_CREDENTIAL = {
    401: "look at the credential that is given with --auth",
    403: "look at what the credential of --auth may do",
    407: "look at the credentials of the proxy",
}


def _picked(value: Json, expression: str | None) -> Json:
    if expression is None:
        return value
    from restwright.calls.response.projection import pick_value

    return pick_value(value, expression)


def _print_value(result: Result, value: Json, out: Output) -> None:
    if out.json:
        out.value({"status": result.status, "value": value, **_remarks(result)})
        return
    pages = f", {result.pages.read} pages, {result.pages.items:,} items" if result.pages else ""
    out.note(f"{result.status} ({_seconds(result)}{pages})")
    _note_remarks(result, out)
    if value is not None or result.value is not None or _has_body(result):
        out.text(value if isinstance(value, str) else to_json(value))


def _remarks(result: Result) -> JsonObject:
    """What a program reads about an unusual call; nothing about a plain one."""
    remarks: JsonObject = {
        "warnings": list(result.warnings),
        "repairs": [asdict(repair) for repair in result.repairs],
        "pages": asdict(result.pages) if result.pages else None,
    }
    return {name: each for name, each in remarks.items() if each}


def _note_remarks(result: Result, out: Output) -> None:
    for repair in result.repairs:
        out.note(f"repaired: {one_line(str(repair))}")
    for warning in result.warnings:
        out.note(f"warning: {one_line(warning)}")


def _has_body(result: Result) -> bool:
    return result.response is not None and bool(result.response.body)


def _seconds(result: Result) -> str:
    return f"{result.response.elapsed_s:.2f} s" if result.response else "no response"
