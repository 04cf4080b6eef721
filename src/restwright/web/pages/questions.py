"""The open questions of runs that wait, wherever they are worked on: listed, and answered."""

from __future__ import annotations

from contextlib import suppress
from secrets import compare_digest
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from restwright.agents.journal.questions import OpenQuestion, answer_question, value_from_text
from restwright.agents.journal.store import Journal
from restwright.doors.access import find_user, find_user_name
from restwright.errors import RefusedRequest, RestwrightError, UnusableSession, UsageError
from restwright.jsontypes import JsonObject
from restwright.web.chat.chats import Chat
from restwright.web.pages.chat import chats_of, read_form
from restwright.web.rendering import render_json, render_page
from restwright.web.site import site_of

_SHOWN = 200


def show_questions(request: Request) -> Response:
    """What runs wait for; with `.json` for programs."""
    journal = _journal_of(request)
    if request.url.path.endswith(".json"):
        return render_json({"questions": [_to_json(one) for one in journal.questions()]})
    return _render(request, journal, answered=request.query_params.get("answered", ""))


async def answer(request: Request) -> Response:
    """Answer a question: an approval for the request of that hash alone, and once."""
    journal, form = _journal_of(request), await read_form(request)
    question = await run_in_threadpool(_find, journal, request.path_params["question"])
    can_write = site_of(request).can_write
    try:
        if not compare_digest(question.request_hash.encode(), form.get("hash", "").encode()):
            raise RefusedRequest(question.tool or question.id, "another request was shown")
        if question.kind == "approval" and form.get("word") not in {"yes", "no"}:
            raise UsageError("the word is neither yes nor no", "word")
        if form.get("word") == "yes" and question.kind == "approval" and not can_write:
            raise RefusedRequest(question.tool, "this page was started to read alone")
        given = form.get("word" if question.kind == "approval" else "value", "")
        value = value_from_text(question, given)
        by = _name_person(request)
        await run_in_threadpool(answer_question, journal, question.id, value, by=by)
    except RestwrightError as error:
        problem = f"{error.message} {error.hint}".strip()
        return await run_in_threadpool(_render, request, journal, problem=problem)
    if (chat := _chat_in_memory(request, question.session)) is not None:
        # It was asked here: nobody else goes on with it.
        return _go_on(request, chat, question.session)
    return RedirectResponse(f"/questions?answered={quote(question.id)}", 303)


async def resume(request: Request) -> Response:
    """Go on here with a run whose question was answered."""
    journal = _journal_of(request)
    question = await run_in_threadpool(_find, journal, request.path_params["question"])
    return _go_on(request, chats_of(request).find(question.session), question.session)


def _go_on(request: Request, chat: Chat, session: str) -> Response:
    chats_of(request).resume(chat, session)
    return RedirectResponse(f"/chat/{quote(chat.id)}#latest", 303)


def _render(
    request: Request, journal: Journal, *, answered: str = "", problem: str = ""
) -> Response:
    questions = journal.questions()[:_SHOWN]
    asked_for: dict[str, str] = {}
    for question in questions:
        with suppress(UnusableSession):
            asked_for[question.session] = journal.find(question.session).header.question
    found = journal.question(answered) if answered else None
    response = render_page(
        request,
        "questions.html",
        questions=questions,
        asked_for=asked_for,
        answered=found if found is not None and not found.is_open else None,
        can_write=site_of(request).can_write,
        can_resume=found is not None and not found.is_closed,
        problem=problem,
    )
    response.status_code = 422 if problem else 200
    return response


def _find(journal: Journal, name: str) -> OpenQuestion:
    found = journal.question(name)
    if found is None:
        raise HTTPException(404, "there is no question of that id")
    return found


def _journal_of(request: Request) -> Journal:
    journal = chats_of(request).journal
    if journal is None:
        raise HTTPException(404, "nothing is kept here, so that no run waits")
    return journal


def _name_person(request: Request) -> str:
    user = find_user(request)
    return f"{find_user_name(request)} {user}" if user else site_of(request).person


def _chat_in_memory(request: Request, session: str) -> Chat | None:
    for chat in chats_of(request).in_memory():
        if any(turn.session == session and turn.can_resume for turn in chat.turns):
            return chat
    return None


def _to_json(question: OpenQuestion) -> JsonObject:
    return {
        "id": question.id,
        "session": question.session,
        "kind": question.kind,
        "text": question.text,
        "tool": question.tool,
        "name": question.name,
        "schema": question.schema,
        "request_hash": question.request_hash,
        "asked": question.asked,
        "is_sealed": question.is_sealed,
    }


ROUTES = (
    Route("/questions", show_questions, methods=["GET"]),
    Route("/questions.json", show_questions, methods=["GET"]),
    Route("/questions/{question}", answer, methods=["POST"]),
    Route("/questions/{question}/resume", resume, methods=["POST"]),
)
