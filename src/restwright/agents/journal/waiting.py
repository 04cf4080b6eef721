"""What a run asks of people by its journal: answers that are there are used, others waited for."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field

from restwright.agents.journal.questions import (
    APPROVAL_LIFETIME_S,
    OpenQuestion,
    QuestionKind,
    make_question_id,
)
from restwright.agents.journal.store import JournalSession
from restwright.agents.runtime.human_input import Human, Said, is_fitting_answer
from restwright.agents.steps import Question, UserAnswer
from restwright.calls.approval.approval import (
    Approve,
    format_approval_question,
    hash_request,
    refuse_all,
)
from restwright.jsontypes import JsonObject
from restwright.net.callbacks import await_callback_result
from restwright.net.messages import Request
from restwright.tools.tool import Tool


class RunSuspended(BaseException):
    """Ends the turn of a run that waits for a person; no loop is to go on without the answer."""

    def __init__(self, question: OpenQuestion) -> None:
        super().__init__(question.id)
        self.question = question


@dataclass(slots=True)
class Waiting:
    """
    What people said to a run that waited for them, and what it waits for now.

    Args:
        waits: Whether what nobody is there to say is left open, and ends the turn.
        approve: Asked about a write where nothing is kept; `refuse_all` stands for nobody.
        human: Asked what nobody answered yet.
    """

    session: JournalSession
    waits: bool
    approve: Approve
    human: Human
    approvers: dict[str, str] = field(default_factory=dict[str, str])
    """`{place: who allowed its write}`."""
    _sent: set[str] = field(default_factory=set[str])

    def decide(
        self, place: str, tool: Tool, arguments: JsonObject, request: Request
    ) -> bool | None:
        """
        Return what a person said to exactly this request; None where `approve` is to be asked.

        An answer is used up with it, whether the request is sent then or not.

        Raises:
            RunSuspended: Nobody said anything yet, and the run waits.
        """
        known = hash_request(request)
        id_ = make_question_id(self.session.id, place, known)
        kept = self.session.questions.get(id_)
        if kept is not None and kept.answered is not None:
            # It may have been used up by this run, where the database was lost meanwhile.
            is_fresh = time.time() - kept.answered <= APPROVAL_LIFETIME_S
            if self._use_up(kept) and is_fresh:
                self.approvers[place] = kept.by
                return kept.answer is True
            kept = None
        # Of a call that has sent something already none knows how far it came.
        if not self.waits or self.approve is not refuse_all or place in self._sent:
            return None
        asked = OpenQuestion(
            id=id_,
            session=self.session.id,
            place=place,
            kind="approval",
            text=format_approval_question(tool, request),
            tool=tool.name,
            request_hash=known,
            arguments=arguments,
        )
        raise self._suspend(asked, kept)

    def ask(self, place: str, question: Question) -> Said:
        """
        Return the answer to a question, of whoever gave it.

        Raises:
            RunSuspended: Nobody did yet, and the run waits.
        """
        said = json.dumps([question.text, question.tool, question.name, question.schema])
        id_ = make_question_id(self.session.id, place, said)
        kept = self.session.questions.get(id_)
        if kept is not None and kept.answered is not None:
            if is_fitting_answer(question, kept.answer):
                return UserAnswer(kept.answer)
            self._use_up(kept)
            kept = None
        outcome = await_callback_result(self.human(question), "human")
        if not self.waits or isinstance(outcome, UserAnswer):
            return outcome
        asked = OpenQuestion(
            id=id_,
            session=self.session.id,
            place=place,
            kind="question",
            text=question.text,
            tool=question.tool,
            name=question.name,
            schema=question.schema,
        )
        raise self._suspend(asked, kept)

    def _suspend(self, asked: OpenQuestion, kept: OpenQuestion | None) -> RunSuspended:
        # One that is open may have been answered since the run was taken up.
        if kept is None:
            self._close(asked.place, asked.kind)
            self.session.reopen()
            self.session.journal.open_question(self.session.token, asked)
        return RunSuspended(asked)

    def arguments_at(self, place: str) -> JsonObject | None:
        """The arguments of a call that a person was asked about; None where nobody was."""
        for kept in self.session.questions.values():
            if kept.place == place and kept.kind == "approval":
                return kept.arguments
        return None

    def settle(self, place: str, *, is_sent: bool = False) -> None:
        """What was said to a step is used up: it is being sent, or its outcome is kept."""
        if is_sent:
            self._sent.add(place)
        self._close(place)

    def _close(self, place: str, kind: QuestionKind | None = None) -> None:
        """
        Use up what is kept of a step.

        Args:
            kind: Of questions; None for all. What was said of an earlier sending holds while the
                next one waits for its approval.
        """
        own = [
            kept.id
            for kept in self.session.questions.values()
            if kept.place == place and kind in (None, kept.kind)
        ]
        if own:
            self.session.journal.close_questions(self.session.id, self.session.token, own)
            for id_ in own:
                del self.session.questions[id_]

    def _use_up(self, kept: OpenQuestion) -> bool:
        """Whether an answer was not used before."""
        del self.session.questions[kept.id]
        closed = self.session.journal.close_questions(
            self.session.id, self.session.token, [kept.id]
        )
        return closed > 0
