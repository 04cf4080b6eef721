"""Requests that wait for a word, and what came of calls."""

from __future__ import annotations

from anyio.to_thread import run_sync
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from restwright.calls.response.pagination import UnreachablePage, next_page_arguments
from restwright.calls.response.projection import pick_value
from restwright.errors import RestwrightError, UnusableExpression
from restwright.jsontypes import Json, JsonObject
from restwright.web.calling import ToolCalls, read_form
from restwright.web.kept import KeptCall
from restwright.web.pages.refusals import render_refusal
from restwright.web.rendering import is_part, render_json, render_page
from restwright.web.site import site_of
from restwright.web.values import find_matches, find_table, fold_value


async def decide(request: Request) -> Response:
    """Send what is held, or forget it; either happens once."""
    site, form = site_of(request), await read_form(request)
    held = site.kept.spend(request.path_params["key"], form.get("hash", ""))
    if held is None:
        why = "This was decided already, or is too old. Nothing was sent now."
        return render_page(request, "tool/not_sent.html", why=why)
    if form.get("word") != "send":
        return render_page(request, "tool/not_sent.html", why="Nothing was sent.")
    calls = ToolCalls(site=site, tool=held.tool)
    try:
        key, made = await run_sync(calls.send, held.arguments, held)
    except RestwrightError as error:
        return render_refusal(request, error)
    return render_page(request, "call/made.html", key=key, call=made)


def show_call(request: Request) -> Response:
    """A response whole, or the part of it that is picked or searched for."""
    made = _find_call(request)
    values = {"key": request.path_params["key"], "call": made, **_view(request, made)}
    is_changed = "pick" in request.query_params or "find" in request.query_params
    part = "call/seen.html" if is_changed else "call/view.html"
    template = part if is_part(request) else "call/page.html"
    return render_page(request, template, values)


def send_call(request: Request) -> Response:
    """As JSON."""
    made = _find_call(request)
    result = made.result
    value: JsonObject = {
        "tool": made.tool.name,
        "arguments": made.arguments,
        "kind": result.kind,
        "status": result.status,
        "seconds": round(made.seconds, 3),
        "value": _pick(request, result.value)[0],
        "text": result.text,
        "warnings": list(result.warnings),
    }
    return render_json(value)


async def send_next_page(request: Request) -> Response:
    """Ask for the page after a response."""
    made, site = _find_call(request), site_of(request)
    try:
        arguments = next_page_arguments(made.tool, made.arguments, made.result)
        if arguments is None:
            return render_page(request, "tool/not_sent.html", why="That was the last page.")
        calls = ToolCalls(site=site, tool=made.tool)
        if calls.decision != "allow":
            why = "A further page of a write is asked for by the form."
            return render_page(request, "tool/not_sent.html", why=why)
        key, following = await run_sync(calls.send, arguments)
    except UnreachablePage as error:
        return render_page(request, "tool/not_sent.html", why=f"{error}.")
    except RestwrightError as error:
        return render_refusal(request, error)
    return render_page(request, "call/made.html", key=key, call=following)


def _find_call(request: Request) -> KeptCall:
    found = site_of(request).kept.find(request.path_params["key"])
    if found is None:
        raise HTTPException(404, "this response is not kept any more: send the request again")
    return found


def _view(request: Request, made: KeptCall) -> JsonObject:
    picked, why = _pick(request, made.result.value)
    sought = request.query_params.get("find", "").strip()
    return {
        "value": picked,
        "why": why,
        "pick": request.query_params.get("pick", ""),
        "sought": sought,
        "matches": find_matches(picked, sought) if sought else (),
        "node": fold_value(picked),
        "table": find_table(picked),
        "has_next": _has_next(made),
    }


def _pick(request: Request, value: Json) -> tuple[Json, str]:
    """`(the part that is asked for, what is wrong with the expression)`."""
    expression = request.query_params.get("pick", "").strip()
    if not expression:
        return value, ""
    try:
        return pick_value(value, expression), ""
    except UnusableExpression as error:
        return None, error.message


def _has_next(made: KeptCall) -> bool:
    if not made.result.ok:
        return False
    try:
        return next_page_arguments(made.tool, made.arguments, made.result) is not None
    except UnreachablePage:
        return False


ROUTES = (
    Route("/held/{key}", decide, methods=["POST"]),
    Route("/calls/{key}.json", send_call),
    Route("/calls/{key}", show_call),
    Route("/calls/{key}/next", send_next_page, methods=["POST"]),
)
