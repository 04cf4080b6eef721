"""
`/v1/models` and `/v1/chat/completions`: agents as models of OpenAI's Chat Completions.

What happens in a run is told as `reasoning_content`, which clients show folded. A write ends the
turn with the request; it is sent where the next message of that same chat says yes.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from secrets import token_hex

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from restwright.agents.events import Event
from restwright.agents.runtime.stream_events import AnswerEvent, AskingEvent, WordsEvent
from restwright.agents.steps import Answer, Usage
from restwright.doors.access import find_user
from restwright.doors.agents import DoorAgent, Turn
from restwright.doors.chat_messages import (
    ChatRequest,
    UnusableRequest,
    answer_interface_task,
    hash_chat,
    parse_chat_request,
)
from restwright.doors.chat_replies import (
    ASKS_FOR_YES,
    NOTHING_WAITS,
    apply_reply,
    format_request_to_user,
    is_askable,
)
from restwright.doors.open_questions import COMMAND, OpenQuestions
from restwright.doors.refusals import error_json, refuse_request, refuse_when_full
from restwright.doors.runs import ActiveRun, RunTable, TooManyRuns
from restwright.doors.streaming import (
    EventStreamResponse,
    UnreadableBody,
    explain_failure,
    format_data,
    read_object,
    run_unless_gone,
)
from restwright.jsontypes import JsonObject

_TOLD = frozenset({"plan", "select", "call", "response", "refusal", "feedback", "note"})
_MAX_LINE = 400
_CONTENT, _REASONING = "content", "reasoning_content"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatDoor:
    """
    The routes of Chat Completions.

    Args:
        agents: `{id of a model: agent}` right now.
        questions: Of runs that wait; None where they are not answered here.
        created: When the models were made, in seconds since the epoch.
    """

    agents: Callable[[], Mapping[str, DoorAgent]]
    runs: RunTable
    questions: OpenQuestions | None = None
    created: int = field(default_factory=lambda: int(time.time()))

    def routes(self) -> list[BaseRoute]:
        """Where clients ask."""
        return [
            Route("/v1/models", self.list_models),
            Route("/v1/models/{name:path}", self.show_model),
            Route("/v1/chat/completions", self.complete_chat, methods=["POST"]),
        ]

    async def list_models(self, request: Request) -> Response:
        """All agents."""
        del request
        models = [self._describe(name, agent) for name, agent in self.agents().items()]
        return JSONResponse({"object": "list", "data": models})

    async def show_model(self, request: Request) -> Response:
        """One agent."""
        name = request.path_params["name"]
        agent = self.agents().get(name)
        if agent is None:
            return _refuse_model(name)
        return JSONResponse(self._describe(name, agent))

    def _describe(self, name: str, agent: DoorAgent) -> JsonObject:
        # `name` and `description` are no part of OpenAI's schema; some interfaces show them.
        own = {"name": agent.title or name, "description": agent.description}
        return {
            "id": name,
            "object": "model",
            "created": self.created,
            "owned_by": "restwright",
            **own,
        }

    async def complete_chat(self, request: Request) -> Response | EventStreamResponse:
        """Answer the last message of a chat."""
        try:
            asked = parse_chat_request(await read_object(request))
        except UnreadableBody as error:
            return refuse_request(400, str(error))
        except UnusableRequest as error:
            return refuse_request(400, error.why, param=error.param, code=error.code)
        agent = self.agents().get(asked.model)
        if agent is None:
            return _refuse_model(asked.model)
        turn = _ChatTurn(agent, self.runs, asked, find_user(request), self.questions)
        if self.runs.is_full:
            return refuse_when_full()
        if asked.is_streamed:
            return EventStreamResponse(_stream_chunks(turn))
        try:
            return JSONResponse(await run_unless_gone(request, _collect(turn)))
        except TooManyRuns:
            return refuse_when_full()
        except Exception as error:  # noqa: BLE001 - its words may hold anything
            return refuse_request(502, explain_failure(error), kind="server_error")


@dataclass(slots=True)
class _ChatTurn:
    """
    One message of a user, and what is said to it.

    Args:
        content: What was said until now; the client sends it with the next message.
        answer: Of the run, once it has ended.
    """

    agent: DoorAgent
    runs: RunTable
    asked: ChatRequest
    user: str
    questions: OpenQuestions | None = None
    content: str = ""
    answer: Answer | None = None
    _wording: int = 0
    _told: str = ""

    @property
    def finish(self) -> str:
        """Why it ended, in the words of OpenAI."""
        return "length" if self.answer is not None and self.answer.stopped == "limit" else "stop"

    @property
    def usage(self) -> JsonObject:
        """What the run used; nothing where it waits for its user."""
        used = self.answer.usage if self.answer is not None else Usage()
        return {
            "prompt_tokens": used.input_tokens,
            "completion_tokens": used.output_tokens,
            "total_tokens": used.input_tokens + used.output_tokens,
            "prompt_tokens_details": {"cached_tokens": used.cache_read_tokens},
            "completion_tokens_details": {"reasoning_tokens": used.reasoning_tokens},
        }

    async def pieces(self) -> AsyncGenerator[tuple[str, str]]:
        """Give `(member of a message, text)` as they come."""
        fixed = answer_interface_task(self.asked)
        if fixed is None and self._was_asked() and self.runs.find(self._key()) is None:
            fixed = NOTHING_WAITS
        if fixed is not None:
            yield self._say(fixed)
            return
        async with self.runs.attend(self._begin) as run:
            if run.asked is not None:
                yield self._ask_user(run, run.asked)
                return
            async with aclosing(run.go_on()) as events:
                async for event in events:
                    piece = self._tell(run, event)
                    if piece[1]:
                        yield piece

    def _begin(self) -> ActiveRun:
        """The run that waits for this message, or a new one."""
        key = self._key()
        if self.questions is not None and self.asked.question == COMMAND:
            self.runs.drop(key)
            return ActiveRun(self.questions.stream(self.user))
        waiting = self.runs.find(key)
        if waiting is not None and waiting.asked is not None:
            is_answered = apply_reply(waiting.asked, self.asked.question)
            if is_answered is not None:
                run = self.runs.take(key)
                assert run is not None  # noqa: S101  (it was found)
                run.asked = None if is_answered else run.asked
                return run
            self.runs.drop(key)
        turn = Turn(user=self.user, question=self.asked.question, history=self.asked.history)
        return ActiveRun(self.agent.stream(turn))

    def _key(self) -> str:
        return hash_chat(self.user, self.asked.model, self.asked.history)

    def _was_asked(self) -> bool:
        """Whether the message is a word on a request that was shown right before it."""
        last = self.asked.history[-1] if self.asked.history else {}
        is_word = self.asked.question.strip(" .!`").casefold() in {"yes", "y"}
        return is_word and last.get("role") == "assistant" and ASKS_FOR_YES in str(last)

    def _tell(self, run: ActiveRun, event: Event) -> tuple[str, str]:
        match event:
            case WordsEvent():
                return self._say_words(event)
            case AnswerEvent():
                return self._end(event.answer)
            case AskingEvent():
                return self._ask_user(run, event)
            case _ if event.kind in _TOLD:
                return _REASONING, f"{event.kind}: {_shorten(event.text)}\n"
            case _:
                return _REASONING, ""

    def _say(self, text: str) -> tuple[str, str]:
        self.content += text
        return _CONTENT, text

    def _say_words(self, event: WordsEvent) -> tuple[str, str]:
        # What was told cannot be taken back: another wording stands below it.
        is_new = event.reply != self._wording
        self._told = event.text if is_new else self._told + event.text
        self._wording = event.reply
        return self._say(f"{self._break() if is_new else ''}{event.text}")

    def _break(self) -> str:
        return "\n\n" if self.content else ""

    def _end(self, answer: Answer) -> tuple[str, str]:
        self.answer = answer
        text = answer.text or answer.reason
        if answer.stopped != "answered" and answer.reason and answer.reason not in text:
            text = f"{text}\n\nStopped: {answer.reason}"
        if self._told and text.startswith(self._told):
            return self._say(text[len(self._told) :])
        return self._say(f"{self._break()}{text}")

    def _ask_user(self, run: ActiveRun, event: AskingEvent) -> tuple[str, str]:
        if not is_askable(event):
            event.refuse()
            return _REASONING, f"question: {_shorten(event.text)} (not asked in a chat)\n"
        piece = self._say(f"{self._break()}{format_request_to_user(event)}")
        said = [
            *self.asked.history,
            {"role": "user", "content": self.asked.question},
            {"role": "assistant", "content": self.content},
        ]
        run.asked = event
        self.runs.wait(hash_chat(self.user, self.asked.model, said), run)
        return piece


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_LINE else f"{text[:_MAX_LINE]}..."


def _head(turn: _ChatTurn) -> JsonObject:
    return {
        "id": f"chatcmpl-{token_hex(12)}",
        "created": int(time.time()),
        "model": turn.asked.model,
    }


async def _collect(turn: _ChatTurn) -> JsonObject:
    """The whole reply at once."""
    told: dict[str, list[str]] = {_CONTENT: [], _REASONING: []}
    async with aclosing(turn.pieces()) as pieces:
        async for member, text in pieces:
            told[member].append(text)
    message: JsonObject = {"role": "assistant", "refusal": None}
    message |= {member: "".join(texts) for member, texts in told.items()}
    choice = {"index": 0, "message": message, "finish_reason": turn.finish, "logprobs": None}
    head = {**_head(turn), "object": "chat.completion"}
    return {**head, "choices": [choice], "usage": turn.usage}


async def _stream_chunks(turn: _ChatTurn) -> AsyncGenerator[bytes]:
    head = {**_head(turn), "object": "chat.completion.chunk"}

    def chunk(delta: JsonObject, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return format_data({**head, "choices": [choice]})

    yield chunk({"role": "assistant", "content": ""})
    try:
        async with aclosing(turn.pieces()) as pieces:
            async for member, text in pieces:
                yield chunk({member: text})
    except Exception as error:  # noqa: BLE001 - its words may hold anything
        full = isinstance(error, TooManyRuns)
        why = "too many runs are under way" if full else explain_failure(error)
        yield format_data(error_json(why, kind="server_error"))
        return
    yield chunk({}, turn.finish)
    if turn.asked.includes_usage:
        yield format_data({**head, "choices": [], "usage": turn.usage})
    yield b"data: [DONE]\n\n"


def _refuse_model(name: str) -> Response:
    why = f"The model {json.dumps(name)} does not exist: `GET /v1/models` lists those that do."
    return refuse_request(404, why, param="model", code="model_not_found")
