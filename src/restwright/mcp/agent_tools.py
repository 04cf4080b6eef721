"""
The agents of manifests as tools: `ask_NAME` with a question.

A run goes on in a task of its own, with its steps as progress. What its user must agree to or only
they know is asked by forms. In revisions without sessions the call ends with the question while the
run waits, and the client's next call goes on with it. Who cancels the call ends the run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import mcp_types as types

from restwright.agents.events import Event
from restwright.agents.journal.handoffs import start_handoff
from restwright.agents.journal.store import Journal
from restwright.agents.steps import Answer, Model, NoAnswer, Question, UserAnswer
from restwright.calls.approval.approval import escape_unprintable, format_approval_question
from restwright.calls.approval.policy import Policy
from restwright.calls.auth.oauth.driver import AsyncSend
from restwright.errors import RestwrightError
from restwright.jsontypes import JsonObject, is_object
from restwright.manifests.own.asking import AskedAgent, ask_agents
from restwright.manifests.own.manifest import Manifest
from restwright.manifests.session.session import HandoffRequest
from restwright.mcp.annotations import annotate_class
from restwright.mcp.caller import send_in_trace
from restwright.mcp.client_runs import ClientRun, ClientRuns
from restwright.mcp.consent import (
    APPROVAL_FORM,
    USED,
    find_refusal,
)
from restwright.mcp.exchange import Exchange
from restwright.mcp.providers import ToolOutcome
from restwright.mcp.results import error_result, text_block
from restwright.mcp.served import ServedAgent, ServedTools
from restwright.mcp.unicode_text import to_unicode_text
from restwright.net.messages import Request
from restwright.net.secret_names import is_secret_name
from restwright.stepping import drive_async
from restwright.tools.tool import Tool

FindModel = Callable[[Manifest], Model | None]
"""The model of a manifest's agent; None where none is named, so that nobody can ask it."""
MAX_RUNS = 100
"""Under way at the same time, those among them that wait for their user."""
MAX_QUESTION = 20_000
_PREFIX = "ask_"
_MAX_NAME = 45
_MAX_PROGRESS = 200
_ASKED, ANSWER = "agent", "answer"
_TOLD = frozenset({"plan", "select", "call", "response", "refusal", "note"})
_PLAIN = frozenset({"string", "number", "integer", "boolean"})


@dataclass(slots=True, kw_only=True)
class AgentTools:
    """
    A `ToolProvider` of one tool for each agent whose model is known.

    Args:
        served: Right now.
        send: Carries requests.
        journal: Keeps the runs; None for nowhere.
    """

    served: Callable[[], ServedTools]
    send: AsyncSend = field(repr=False)
    find_model: FindModel = field(repr=False)
    journal: Journal | None = None
    _models: dict[str, Model | None] = field(default_factory=dict[str, "Model | None"])
    runs: ClientRuns = field(default_factory=ClientRuns)

    def close(self) -> None:
        """Let go of the models."""
        for model in self._models.values():
            close = getattr(model, "close", None)
            if close is not None:
                close()

    def names(self) -> Sequence[str]:
        """One for each agent."""
        return [*self._by_name()]

    def describe(self, name: str) -> types.Tool:
        """The tool of an agent."""
        served, agent = self.served(), self._by_name()[name]
        hints = annotate_class("read" if served.is_read_only else "destructive", "POST")
        what = agent.description or f"Answers questions: {agent.title}"
        return types.Tool.model_validate(
            {
                "name": name,
                "title": to_unicode_text(f"Ask {agent.title}"),
                "description": to_unicode_text(
                    f"{what}\nAn agent: it plans, makes the calls and answers in words."
                ),
                "inputSchema": self.input_schema(name),
                "annotations": hints,
            },
            by_name=False,
        )

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        """The schema of its arguments."""
        if name not in self._by_name():
            return None
        question = {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_QUESTION,
            "description": "What is wanted, whole and in words; the agent knows nothing else.",
        }
        return {
            "type": "object",
            "properties": {"question": question},
            "required": ["question"],
            "additionalProperties": False,
        }

    def close_names(self, name: str) -> Sequence[str]:
        """Those of all agents, where somebody means one."""
        return [*self._by_name()] if name.startswith(_PREFIX) else ()

    async def call(
        self, exchange: Exchange, name: str, arguments: Mapping[str, Any]
    ) -> ToolOutcome | None:
        """Ask an agent, or go on with a run whose user was asked."""
        agent = self._by_name().get(name)
        if agent is None:
            return None
        question = arguments.get("question")
        is_text = isinstance(question, str) and 0 < len(question) <= MAX_QUESTION
        if not is_text or {*arguments} != {"question"}:
            return error_result(
                f"/question: expected a text of at most {MAX_QUESTION:,} characters"
            )
        run = self.runs.take_up(exchange)
        if run is None and exchange.request_state is not None:
            return error_result(USED)
        if run is None and self.runs.count >= MAX_RUNS:
            return error_result(f"{MAX_RUNS} runs are under way: try again later")
        if run is None:
            run = self.runs.start(exchange, partial(self._answer, agent, str(question)))
        return await run.attend(exchange, f"{name} goes on")

    async def _answer(
        self, agent: ServedAgent, question: str, run: ClientRun
    ) -> types.CallToolResult:
        try:
            return _tell_answer(await self._ask(agent, question, AgentUser(run)))
        except RestwrightError as error:
            return error_result(f"{error.message}. {error.hint}".strip(". "))
        except Exception as error:  # noqa: BLE001 - its words may hold anything
            return error_result(f"The run failed: {type(error).__name__}")

    async def _ask(self, agent: ServedAgent, question: str, user: AgentUser) -> Answer:
        model = self._find_model(agent.manifest)
        assert model is not None  # noqa: S101  (else it is no tool)

        async def perform(asked: AskedAgent) -> tuple[Answer, HandoffRequest | None]:
            switches: list[HandoffRequest] = []
            exchange = user.run.exchange
            blueprint, connections = agent.build(asked.manifest)
            made = blueprint.agent(
                model,
                on_switch=switches.append,
                memory=asked.memory,
                send=partial(send_in_trace, self.send, exchange.traceparent),
                connections={
                    name: connections.find(name, exchange.user) for name in blueprint.connections
                },
                approve=partial(user.approve, blueprint.policy),
                human=user.answer_question,
                on_event=user.tell_event,
            )
            resume = None
            if self.journal is not None and asked.before is not None:
                header = made.session_header(asked.question)
                resume = start_handoff(self.journal, asked.before.session, header)
            answer = await made.ask_async(asked.question, journal=self.journal, resume=resume)
            return answer, switches[0] if switches else None

        return await drive_async(ask_agents(agent.manifest, question), perform)

    def _find_model(self, manifest: Manifest) -> Model | None:
        """The model of an agent, made once."""
        if manifest.source not in self._models:
            self._models[manifest.source] = self.find_model(manifest)
        return self._models[manifest.source]

    def _by_name(self) -> dict[str, ServedAgent]:
        found: dict[str, ServedAgent] = {}
        agents = [agent for agent in self.served().agents if self._find_model(agent.manifest)]
        for number, agent in enumerate(agents, 1):
            plain = re.sub(r"[^A-Za-z0-9_-]+", "_", agent.manifest.name).strip("_") or str(number)
            name = f"{_PREFIX}{plain}"[:_MAX_NAME]
            found[name if name not in found else f"{name[: _MAX_NAME - 4]}_{number}"] = agent
        return found


@dataclass(frozen=True, slots=True)
class AgentUser:
    """Whoever is told of a run of an agent, and asked on its way."""

    run: ClientRun

    async def tell_event(self, event: Event) -> None:
        """Tell of a step as progress."""
        if self.run.is_attended and event.kind in _TOLD:
            line = " ".join(event.text.split())[:_MAX_PROGRESS]
            await self.run.exchange.report(to_unicode_text(f"{event.kind}: {line}"))

    async def approve(self, policy: Policy, tool: Tool, request: Request) -> bool:
        """Whether the user agrees to a write."""
        message = escape_unprintable(format_approval_question(tool, request, policy=policy))
        return find_refusal(await self._elicit(message, APPROVAL_FORM)) == ""

    async def answer_question(self, question: Question) -> UserAnswer | NoAnswer:
        """What the user says to a question; a form asks for no secret."""
        form = make_form(question)
        if form is None:
            return NoAnswer(f"a form of this client cannot ask for it: {question.text}")
        said = await self._elicit(escape_unprintable(question.text), form)
        if not isinstance(said, types.ElicitResult) or said.action != "accept":
            return NoAnswer(f"the user did not answer: {question.text}")
        content = said.content or {}
        return UserAnswer(content.get(ANSWER) if ANSWER in form["properties"] else content)

    async def _elicit(self, message: str, form: dict[str, Any]) -> object:
        """What the user answers to a form; None where nobody can be asked, or answers."""
        if not self.run.exchange.can_be_asked:
            return None
        params = types.ElicitRequestFormParams(message=message, requested_schema=form)
        said = await self.run.ask({_ASKED: types.ElicitRequest(params=params)})
        return said[_ASKED]


def make_form(question: Question) -> dict[str, Any] | None:
    """The form for a question; None where a form cannot have it, or must not since it is secret."""
    schema = question.schema
    if schema is not None and is_object(schema.get("properties")):
        members: JsonObject = schema["properties"]
        is_plain = all(_is_plain(name, each) for name, each in members.items())
        required = [name for name in schema.get("required", ()) if name in members]
        return _make_object(members, required) if is_plain and members else None
    value: JsonObject = {"type": "string"} if schema is None else schema
    if schema is not None and "enum" in schema:
        value = {"type": "string", **schema}
    named = question.name or ANSWER
    return _make_object({ANSWER: value}, [ANSWER]) if _is_plain(named, value) else None


def _make_object(members: JsonObject, required: Sequence[str]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(members), "required": [*required]}


def _is_plain(name: str, schema: object) -> bool:
    if not is_object(schema) or is_secret_name(name) or schema.get("format") == "password":
        return False
    return schema.get("type") in _PLAIN


def _tell_answer(answer: Answer) -> types.CallToolResult:
    content = [text_block(answer.text)] if answer.text else []
    if answer.stopped != "answered":
        content.append(text_block(f"Stopped ({answer.stopped}): {answer.reason}"))
    if answer.session:
        content.append(text_block(f"Note: kept as session {answer.session}"))
    return types.CallToolResult(content=[*content], is_error=answer.stopped != "answered")
