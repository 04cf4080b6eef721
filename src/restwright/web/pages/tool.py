"""One tool: what a model reads and what is checked, and a form to call it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from anyio.to_thread import run_sync
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from restwright.calls.mismatch import Mismatch
from restwright.errors import RestwrightError
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.tools.catalog.records import tool_record
from restwright.tools.dialects import DIALECTS, dialect_named
from restwright.web.calling import ToolCalls, can_look_up, read_arguments, read_form
from restwright.web.forms.build import FormBuilder, can_show
from restwright.web.forms.draft import ABSENT, Draft, settle_draft
from restwright.web.forms.reading import FormAction
from restwright.web.forms.start import make_start
from restwright.web.pages.refusals import render_refusal
from restwright.web.rendering import render_json, render_page
from restwright.web.site import site_of

_MAX_ADDRESS_ARGUMENTS = 20_000


def find_calls(request: Request) -> ToolCalls:
    """
    The tool that an address names.

    Raises:
        HTTPException: There is none.
    """
    site, name = site_of(request), request.path_params["name"]
    found = site.catalog.find(name)
    if found is None:
        raise HTTPException(404, f"there is no tool named {name}")
    return ToolCalls(site=site, tool=found)


def show_tool(request: Request) -> Response:
    """One tool."""
    calls = find_calls(request)
    record = tool_record(calls.tool, calls.site.catalog, None)
    start = _read_address(request, calls)
    is_form = can_show(calls.schema, start)
    return render_page(
        request,
        "tool/page.html",
        {**_schema_values(request, calls), **_form_values(calls, start, is_form=is_form)},
        record=record,
        decision=calls.decision,
        api=calls.site.catalog.apis[calls.tool.namespace],
        fixed=calls.fixed,
    )


def send_tool(request: Request) -> Response:
    """As JSON."""
    calls = find_calls(request)
    dialect = request.query_params.get("dialect") or None
    if dialect is not None:
        dialect_named(dialect)
    return render_json(tool_record(calls.tool, calls.site.catalog, dialect))


def _schema_values(request: Request, calls: ToolCalls) -> JsonObject:
    """What the model reads, in the words of the provider that is asked for."""
    name = request.query_params.get("dialect", "json-schema")
    if name not in DIALECTS:
        raise HTTPException(404, f"there is no dialect named {name}")
    rendered = calls.site.catalog.render(calls.tool.name, dialect_named(name))
    return {"dialect": name, "dialects": list(DIALECTS), "rendered": rendered}


def _read_address(request: Request, calls: ToolCalls) -> JsonObject:
    """What the form begins with: the arguments of the address, else examples."""
    text = request.query_params.get("arguments", "")
    if text and len(text) <= _MAX_ADDRESS_ARGUMENTS:
        try:
            value: Json = json.loads(text)
        except (ValueError, RecursionError):
            raise HTTPException(400, "`arguments` of the address is no JSON") from None
        if not is_object(value):
            raise HTTPException(400, "`arguments` of the address is no JSON object")
        return value
    return make_start(calls.schema, fill=request.query_params.get("fill") == "examples")


def _form_values(calls: ToolCalls, draft: Draft, *, is_form: bool, notice: str = "") -> JsonObject:
    value = settle_draft(draft)
    whole = FormBuilder(calls.schema).build(draft) if is_form else None
    producers = calls.find_producers()
    return {
        "tool": calls.tool,
        "form": whole,
        "has_files": whole is not None and any(part.kind == "file" for part in whole.walk()),
        "as_json": json.dumps({} if value is ABSENT else value, indent=2, ensure_ascii=False),
        "notice": notice,
        "producers": {f"/{name}": several for name, several in producers.items()},
        "can_look_up": can_look_up,
    }


async def change_form(request: Request) -> Response:
    """One field again after a row was added or removed, or the whole form in another view."""
    calls, form = find_calls(request), await read_form(request)
    query = request.query_params
    view, at = query.get("view", ""), query.get("at", "")
    row = query.get("row", "0")
    action = FormAction(
        name=query.get("action", "show"), at=at, row=int(row) if row.isdecimal() else 0
    )
    draft = read_arguments(calls.schema, form, action)
    if view:
        return await run_sync(_change_view, request, calls, draft, view)
    values = await run_sync(lambda: _form_values(calls, draft, is_form=True))
    part = values["form"].find(at)
    if part is None:
        raise HTTPException(404, "there is no such field")
    is_new = action.name == "add"
    return render_page(
        request, "tool/field_part.html", values, field=part, changed=at, is_new=is_new
    )


def _change_view(request: Request, calls: ToolCalls, draft: Draft, view: str) -> Response:
    value = settle_draft(draft)
    is_form = view == "form" and is_object(value) and can_show(calls.schema, value)
    notice = ""
    if view == "form" and not is_form:
        notice = "The form cannot show all of this, so it stays as JSON: nothing of it is lost."
    values = _form_values(calls, draft, is_form=is_form, notice=notice)
    return render_page(request, "tool/form.html", values)


async def check_form(request: Request) -> Response:
    """What is wrong with the arguments as they are written."""
    calls, form = find_calls(request), await read_form(request)
    arguments = calls.complete(read_arguments(calls.schema, form))
    mismatches = await run_sync(calls.check, arguments)
    return _render_check(request, arguments, mismatches, is_sending=False)


def _render_check(
    request: Request, arguments: Json, mismatches: Sequence[Mismatch], *, is_sending: bool = True
) -> Response:
    text = json.dumps(arguments, indent=2, ensure_ascii=False)
    return render_page(
        request,
        "tool/checked.html",
        mismatches=mismatches,
        arguments=text,
        is_sending=is_sending,
    )


async def prepare_request(request: Request) -> Response:
    """The request that would be sent; nothing is."""
    calls, form = find_calls(request), await read_form(request)
    arguments = calls.complete(read_arguments(calls.schema, form))
    if mismatches := await run_sync(calls.check, arguments):
        return _render_check(request, arguments, mismatches)
    try:
        shown = await run_sync(calls.show, arguments)
    except RestwrightError as error:
        return render_refusal(request, error)
    return render_page(request, "tool/request.html", shown=shown)


async def send_form(request: Request) -> Response:
    """Send a read at once; ask before a write, with what would be sent."""
    calls, form = find_calls(request), await read_form(request)
    arguments = calls.complete(read_arguments(calls.schema, form))
    if mismatches := await run_sync(calls.check, arguments):
        return _render_check(request, arguments, mismatches)
    try:
        if calls.decision == "ask":
            key, held = await run_sync(calls.hold, arguments)
            shown = calls.show_request(held.request)
            policy = calls.site.served.policy_of(calls.tool.namespace)
            is_loss = policy.class_of(calls.tool) == "destructive"
            return render_page(
                request, "tool/consent.html", key=key, held=held, shown=shown, is_loss=is_loss
            )
        key, made = await run_sync(calls.send, arguments)
    except RestwrightError as error:
        return render_refusal(request, error)
    return render_page(request, "call/made.html", key=key, call=made)


async def look_up(request: Request) -> Response:
    """Values for an input, of another tool that yields them."""
    calls, name = find_calls(request), request.query_params.get("input", "")
    several = (await run_sync(calls.find_producers)).get(name, ())
    producer = next((producer for producer in several if can_look_up(producer)), None)
    if producer is None:
        raise HTTPException(404, "nothing yields values for it")
    try:
        choices, why = await run_sync(calls.look_up, producer)
    except RestwrightError as error:
        choices, why = (), error.message
    values = {"choices": choices, "why": why, "producer": producer, "at": f"/{name}"}
    return render_page(request, "tool/choices.html", values)


ROUTES = (
    Route("/tools/{name}.json", send_tool),
    Route("/tools/{name}", show_tool),
    Route("/tools/{name}/form", change_form, methods=["POST"]),
    Route("/tools/{name}/check", check_form, methods=["POST"]),
    Route("/tools/{name}/request", prepare_request, methods=["POST"]),
    Route("/tools/{name}/send", send_form, methods=["POST"]),
    Route("/tools/{name}/values", look_up, methods=["POST"]),
)
