"""The chats that are kept: listed, searched, exported and deleted."""

from __future__ import annotations

import json
from dataclasses import asdict
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from restwright.agents.journal.conversations import StoredConversation, find_conversation
from restwright.agents.journal.store import Journal
from restwright.errors import UnusableSession
from restwright.web.chat.chats import Chats
from restwright.web.chat.sessions import list_sessions
from restwright.web.pages.chat import chats_of
from restwright.web.rendering import is_part, render_json, render_page

_LISTED = 200


def show_sessions(request: Request) -> Response:
    """All that are kept, or those that a search is about; with `.json` for programs."""
    chats, query = chats_of(request), request.query_params.get("q", "")
    found = list_sessions(chats, query)
    if request.url.path.endswith(".json"):
        return render_json({"sessions": [asdict(line) for line in found]})
    template = "session_list.html" if is_part(request) else "sessions.html"
    shown, count = found[:_LISTED], len(found)
    return render_page(request, template, chats=chats, lines=shown, count=count, query=query)


def export_session(request: Request) -> Response:
    """A chat as lines of JSON: what each turn was about, then its steps and outcomes."""
    journal, stored = _stored(request)
    lines = [line for turn in stored.turns for line in journal.export(turn.session.id)]
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    name = quote(stored.id)
    headers = {"content-disposition": f'attachment; filename="{name}.jsonl"'}
    return PlainTextResponse(text, headers=headers, media_type="application/x-ndjson")


def ask_delete(request: Request) -> Response:
    """What is lost with a chat, before it is."""
    _, stored = _stored(request)
    return render_page(request, "session_delete.html", stored=stored)


def delete_session(request: Request) -> Response:
    """Delete a chat with all that is kept of it."""
    journal, stored = _stored(request)
    chats_of(request).forget([stored.id])
    journal.delete([turn.session.id for turn in stored.turns])
    return RedirectResponse("/sessions", 303)


def _stored(request: Request) -> tuple[Journal, StoredConversation]:
    chats: Chats = chats_of(request)
    if chats.journal is None:
        raise HTTPException(404, "nothing is kept here")
    try:
        return chats.journal, find_conversation(chats.journal, request.path_params["session"])
    except UnusableSession as error:
        raise HTTPException(404, error.message) from None


ROUTES = (
    Route("/sessions", show_sessions),
    Route("/sessions.json", show_sessions),
    Route("/sessions/{session}.jsonl", export_session),
    Route("/sessions/{session}/delete", ask_delete, methods=["GET"]),
    Route("/sessions/{session}/delete", delete_session, methods=["POST"]),
)
