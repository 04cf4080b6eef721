"""The chat: words as they come, beside them what is done for them, and what is asked on the way."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from typing import Any
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from restwright.agents.agent import KINDS
from restwright.errors import NoSuchPart, RestwrightError, UnusableSession, UsageError
from restwright.jsontypes import Json, JsonObject
from restwright.web.chat.chats import Chat, Chats
from restwright.web.chat.runs import Run
from restwright.web.chat.sessions import list_sessions
from restwright.web.chat.view import RunUpdates, show_turn, turn_to_json
from restwright.web.rendering import is_part, render_json, render_page, render_text
from restwright.web.site import site_of

PING_S = 15.0
"""A comment is sent where nothing happens for as long, so that nobody takes a stream for dead."""
_RECENT = 8


def chats_of(request: Request) -> Chats:
    """
    The chats of the server.

    Raises:
        HTTPException: It was started without.
    """
    chats = site_of(request).chats
    if chats is None:
        raise HTTPException(404, "there is no chat here: nobody is there to talk with")
    return chats


async def show_start(request: Request) -> Response:
    """A new chat, and the latest ones."""
    chats = chats_of(request)
    recent = list_sessions(chats, "")[:_RECENT]
    return render_page(request, "chat_start.html", chats=chats, recent=recent, **_choices(None))


async def begin_chat(request: Request) -> Response:
    """Begin a chat with its first message."""
    chats, form = chats_of(request), await read_form(request)
    chat = chats.begin(speaker=form.get("speaker", ""))
    chats.choose(chat, model=form.get("model", "").strip(), kind=form.get("kind", ""))
    chats.say(chat, form.get("text", ""))
    return RedirectResponse(f"/chat/{quote(chat.id)}", 303)


async def show_chat(request: Request) -> Response:
    """A chat as it is now; with `.json` behind it for programs."""
    chats, name = chats_of(request), request.path_params["chat"]
    chat = _find_chat(chats, name.removesuffix(".json"))
    if name.endswith(".json"):
        return render_json(_chat_to_json(chats, chat))
    turns = [show_turn(chats, chat, turn) for turn in chat.turns]
    return render_page(request, "chat.html", chats=chats, chat=chat, turns=turns, **_choices(chat))


async def say(request: Request) -> Response:
    """Take a message: the new turn as a part of the page, or the page for a browser without it."""
    chats, form = chats_of(request), await read_form(request)
    chat = _find_chat(chats, request.path_params["chat"])
    try:
        chats.choose(chat, model=form.get("model", "").strip(), kind=form.get("kind", ""))
        chats.say(chat, form.get("text", ""))
    except RestwrightError as error:
        if not is_part(request):
            raise
        return _render_problem(error)
    if not is_part(request):
        return RedirectResponse(f"/chat/{quote(chat.id)}#latest", 303)
    *_, previous, shown = [None, *(show_turn(chats, chat, own) for own in chat.turns[-2:])]
    return HTMLResponse(
        render_text("chat_turn_added.html", chats=chats, chat=chat, turn=shown, previous=previous)
    )


async def resume(request: Request) -> Response:
    """Go on with a turn that was interrupted."""
    chats, form = chats_of(request), await read_form(request)
    chat = _find_chat(chats, request.path_params["chat"])
    chats.resume(chat, form.get("session", ""))
    return RedirectResponse(f"/chat/{quote(chat.id)}#latest", 303)


async def go_back(request: Request) -> Response:
    """Go on from an earlier turn: those after it are forgotten, what they sent is not undone."""
    chats, form = chats_of(request), await read_form(request)
    chat = _find_chat(chats, request.path_params["chat"])
    number = form.get("turn", "")
    if not number.isdecimal():
        raise UsageError("a turn is a number", "turn")
    chats.go_back(chat, int(number))
    return RedirectResponse(f"/chat/{quote(chat.id)}" if chat.turns else "/chat", 303)


async def stop_run(request: Request) -> Response:
    """End a run; what it did until then is kept."""
    run = _find_run(request)
    run.stop()
    return _answer_part(request, run)


async def decide(request: Request) -> Response:
    """The word on a write: for the request of that hash alone, and once."""
    run, form = _find_run(request), await read_form(request)
    word = form.get("word", "")
    if word not in {"yes", "no"}:
        raise UsageError("the word is neither yes nor no", "word")
    try:
        run.decide(form.get("asked", ""), form.get("hash", ""), is_allowed=word == "yes")
    except RestwrightError as error:
        if not is_part(request):
            raise
        return _render_problem(error)
    return _answer_part(request, run)


async def reply(request: Request) -> Response:
    """What the user says to a question."""
    run, form = _find_run(request), await read_form(request)
    text = form.get("value", "")
    try:
        run.reply(form.get("asked", ""), None if form.get("word") == "no" else _value_of(run, text))
    except UsageError as error:
        if not is_part(request):
            raise
        return _render_problem(error)
    return _answer_part(request, run)


async def follow_run(request: Request) -> Response:
    """What happens in a run as a stream of numbered messages; from `Last-Event-ID` on."""
    run, chats = _find_run(request), chats_of(request)
    given = request.headers.get("last-event-id") or request.query_params.get("after", "")
    after = int(given) if given.isascii() and given.isdecimal() else 0
    chat = _find_chat(chats, run.chat)

    async def stream() -> AsyncGenerator[str]:
        last, page, pace = min(after, run.last), RunUpdates(chats, chat, run), chats.runs.pace
        with pace.watch():
            while True:
                records = await run.wait(last, timeout_s=PING_S)
                if not records and not run.has_ended:
                    yield ": still here\n\n"
                    continue
                if records:
                    last, began = records[-1].number, time.thread_time()
                    message = _message(page.render(records), last)
                    pause_s = pace.pause_s(time.thread_time() - began)
                    yield message
                    await asyncio.sleep(pause_s)
                if run.has_ended and last >= run.last:
                    yield "event: done\ndata: -\n\n"
                    return

    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(stream(), media_type="text/event-stream", headers=headers)


async def show_run(request: Request) -> Response:
    """All records of a run, for programs."""
    run = _find_run(request)
    records = [record.to_json() for record in run.records()]
    return render_json(
        {"run": run.id, "chat": run.chat, "question": run.question, "state": run.state}
        | {"records": records}
    )


async def show_image(request: Request) -> Response:
    """An image that an API gave in a run."""
    run = _find_run(request)
    number: int = request.path_params["number"]
    if not 1 <= number <= len(run.images):
        raise HTTPException(404, "there is no such image")
    image = run.images[number - 1]
    headers = {"cache-control": "private, max-age=3600", "content-disposition": "inline"}
    return Response(image.data, media_type=image.media_type, headers=headers)


def _message(html: str, number: int) -> str:
    lines = "".join(f"data: {line}\n" for line in html.splitlines() if line.strip())
    return f"id: {number}\n{lines}\n"


def _answer_part(request: Request, run: Run) -> Response:
    """Nothing where the stream of the page tells what came of it, else the page."""
    if is_part(request):
        return Response(status_code=204)
    return RedirectResponse(f"/chat/{quote(run.chat)}#latest", 303)


def _render_problem(error: RestwrightError) -> Response:
    return HTMLResponse(
        render_text("chat_problem.html", why=f"{error.message} {error.hint}".strip())
    )


def _find_chat(chats: Chats, name: str) -> Chat:
    try:
        return chats.find(name)
    except UnusableSession as error:
        raise HTTPException(404, error.message) from None


def _find_run(request: Request) -> Run:
    try:
        return chats_of(request).runs.find(request.path_params["run"])
    except NoSuchPart as error:
        raise HTTPException(404, error.message) from None


async def read_form(request: Request) -> dict[str, str]:
    """The texts of a form."""
    form = await request.form()
    return {name: value for name, value in form.items() if isinstance(value, str)}


def _value_of(run: Run, text: str) -> Json:
    """A text as it is, or as JSON where the question has a schema that is no text's."""
    schema = getattr(run.pending, "schema", None)
    if schema is None or schema.get("type") == "string":
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _choices(chat: Chat | None) -> dict[str, Any]:
    return {
        "kinds": [*KINDS],
        "model": chat.model if chat else "",
        "kind": chat.kind if chat else "",
    }


def _chat_to_json(chats: Chats, chat: Chat) -> JsonObject:
    agent = chats.catalog_agent(chat)
    kind = agent.chosen_kind
    return {
        "id": chat.id,
        "agent": chat.speaker or None,
        "model": agent.model.name,
        "kind": kind if isinstance(kind, str) else getattr(kind, "__name__", "own"),
        "is_running": chat.running is not None,
        "turns": [turn_to_json(turn) for turn in chat.turns],
    }


ROUTES = (
    Route("/chat", show_start, methods=["GET"]),
    Route("/chat", begin_chat, methods=["POST"]),
    Route("/chat/runs/{run}/events", follow_run, methods=["GET"]),
    Route("/chat/runs/{run}.json", show_run, methods=["GET"]),
    Route("/chat/runs/{run}/images/{number:int}", show_image, methods=["GET"]),
    Route("/chat/runs/{run}/stop", stop_run, methods=["POST"]),
    Route("/chat/runs/{run}/approval", decide, methods=["POST"]),
    Route("/chat/runs/{run}/question", reply, methods=["POST"]),
    Route("/chat/{chat}", show_chat, methods=["GET"]),
    Route("/chat/{chat}", say, methods=["POST"]),
    Route("/chat/{chat}/resume", resume, methods=["POST"]),
    Route("/chat/{chat}/back", go_back, methods=["POST"]),
)
