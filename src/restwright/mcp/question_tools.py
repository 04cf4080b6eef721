"""
The open questions of runs that wait, as a tool: a person answers them in the forms of their client.

The model of a client can have them asked, and answers none: no argument is an answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
from anyio.to_thread import run_sync

from restwright.agents.journal.questions import OpenQuestion, answer_question
from restwright.agents.journal.store import Journal
from restwright.agents.steps import Question
from restwright.calls.approval.approval import escape_unprintable
from restwright.errors import RestwrightError
from restwright.jsontypes import Json
from restwright.mcp.agent_tools import ANSWER, make_form
from restwright.mcp.client_runs import ClientRun, ClientRuns
from restwright.mcp.consent import APPROVAL_FORM, find_refusal
from restwright.mcp.exchange import Exchange
from restwright.mcp.providers import ToolOutcome
from restwright.mcp.results import error_result, text_block

NAME = "answer_open_questions"
MAX_ASKED = 20
"""Questions of one call."""
_MAX_TEXT = 200
_OTHERWISE = "answer it by `restwright sessions answer`"


@dataclass(slots=True, kw_only=True)
class QuestionTools:
    """
    A `ToolProvider` of one tool.

    Args:
        journal: Has the runs that wait.
        runs: Ask the client.
        person: Who answers, by the name that is kept.
    """

    journal: Journal
    runs: ClientRuns = field(repr=False)
    person: str

    def names(self) -> Sequence[str]:
        """The one."""
        return (NAME,)

    def describe(self, name: str) -> types.Tool:
        """What it is for."""
        return types.Tool.model_validate(
            {
                "name": name,
                "title": "Answer open questions",
                "description": "Shows the user what runs that wait want to be allowed or told, one"
                " after another, and keeps what they say; the runs go on with that.",
                "inputSchema": {"type": "object", "additionalProperties": False},
                "annotations": {"destructiveHint": True, "openWorldHint": True},
            },
            by_name=False,
        )

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        """It takes nothing."""
        return {"type": "object", "additionalProperties": False} if name == NAME else None

    def close_names(self, name: str) -> Sequence[str]:
        """The one, where somebody speaks of questions."""
        return (NAME,) if "question" in name else ()

    async def call(
        self, exchange: Exchange, name: str, arguments: Mapping[str, Any]
    ) -> ToolOutcome | None:
        """Have the user answer."""
        if name != NAME:
            return None
        if arguments:
            return error_result("it takes no arguments: its user answers, in a form")
        if exchange.user:
            # The journal does not know which of several users a run is of.
            return error_result(f"this server has several users: {_OTHERWISE} where it runs")
        return await self.runs.carry_out(exchange, self._ask_all, "open questions")

    async def _ask_all(self, run: ClientRun) -> types.CallToolResult:
        questions = (await run_sync(self.journal.questions))[:MAX_ASKED]
        lines = [await self._ask(run, question) for question in questions]
        text = "\n".join(lines) or "No run waits for anybody."
        return types.CallToolResult(content=[text_block(text)])

    async def _ask(self, run: ClientRun, question: OpenQuestion) -> str:
        """Have one answered, and say what came of it."""
        line = f"{question.id} ({question.kind}, session {question.session})"
        form = _make_form(question)
        if form is None or not run.exchange.can_be_asked:
            text = " ".join(question.text.split())[:_MAX_TEXT]
            return f"{line}: open; no form can ask for it here, {_OTHERWISE}: {text}"
        message = escape_unprintable(question.text)
        params = types.ElicitRequestFormParams(message=message, requested_schema=form)
        said = await run.ask({question.id: types.ElicitRequest(params=params)})
        answer = said[question.id]
        if not isinstance(answer, types.ElicitResult) or answer.action == "cancel":
            return f"{line}: open; the user said nothing"
        value = _read_answer(question, answer)
        if value is None:
            return f"{line}: open; the user did not answer"
        try:
            await run_sync(
                lambda: answer_question(self.journal, question.id, value, by=self.person)
            )
        except RestwrightError as error:
            return f"{line}: {error.message}"
        word = "" if question.kind == "question" else ": allowed" if value else ": refused"
        return f"{line}: answered{word}; the run goes on where a worker has it"


def _make_form(question: OpenQuestion) -> dict[str, Any] | None:
    if question.is_sealed:
        return None
    if question.kind == "approval":
        return APPROVAL_FORM
    return make_form(Question(question.text, question.tool, question.schema, question.name))


def _read_answer(question: OpenQuestion, said: types.ElicitResult) -> Json:
    """What the user said; None for nothing. Who declines an approval says no."""
    if question.kind == "approval":
        return find_refusal(said) == ""
    content = said.content or {}
    if said.action != "accept":
        return None
    return content.get(ANSWER) if {*content} <= {ANSWER} else dict(content)
