"""
What runs that wait want of a person: an approval of one request, or an answer.

A question is kept with its run, is answered once by somebody whose name is kept, and an approval is
worth one request, the one that was shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

from restwright.agents.journal.rows import SEALED
from restwright.agents.journal.sealing import Contents, SealedContent
from restwright.agents.runtime.human_input import is_fitting_answer
from restwright.agents.steps import Question
from restwright.errors import UnusableSession, UsageError
from restwright.jsontypes import Json, JsonObject, is_object

if TYPE_CHECKING:
    from restwright.agents.journal.store import Journal

QuestionKind = Literal["approval", "question"]

APPROVAL_LIFETIME_S = 86_400.0
"""Seconds from an approval that was given to a run that waits until it is worth nothing."""
_YES = {"yes": True, "y": True, "true": True, "no": False, "n": False, "false": False}
COLUMNS = (
    "id, session, place, kind, request_hash, contents, asked, answered, answered_by, answer, closed"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """
    What a run wants of a person.

    Args:
        id: By which it is answered.
        session: Of the run.
        place: Of its step.
        kind: `approval` of a write, answered by true or false; or `question`.
        text: As it is put to the person; of an approval the request, without secrets.
        tool: Which tool needs it; empty for none.
        name: What it is asked for, such as the name of an input.
        schema: Of the answer; None for free text.
        request_hash: Of the one request that an approval is for; empty otherwise.
        arguments: Of the call that is to be approved, with its idempotency key.
        asked: Seconds since the epoch.
        answered: The same, of the answer; None while there is none.
        by: Who answered; empty while nobody did.
        answer: True, false or a value.
        is_closed: Whether the answer was used, or is not wanted any more.
        is_sealed: Whether it can be read with a key alone that is not given.
    """

    id: str
    session: str
    place: str
    kind: QuestionKind
    text: str
    tool: str = ""
    name: str = ""
    schema: JsonObject | None = None
    request_hash: str = ""
    arguments: JsonObject = field(default_factory=dict[str, Json])
    asked: float = 0.0
    answered: float | None = None
    by: str = ""
    answer: Json = None
    is_closed: bool = False
    is_sealed: bool = False

    @property
    def is_open(self) -> bool:
        """Whether an answer is waited for."""
        return self.answered is None and not self.is_closed

    def contents(self) -> str:
        """What is kept of it under the key of the journal."""
        return json.dumps(
            {
                "text": self.text,
                "tool": self.tool,
                "name": self.name,
                "schema": self.schema,
                "arguments": self.arguments,
            }
        )


def make_question_id(session: str, place: str, said: str) -> str:
    """Return the id of a question of a step; another request has another one."""
    return f"q{sha256(json.dumps([session, place, said]).encode()).hexdigest()[:11]}"


def questions_from_rows(
    rows: Iterable[tuple[Json, ...]], contents: Contents
) -> tuple[OpenQuestion, ...]:
    """
    Read rows of `COLUMNS`; those that are damaged are left out, and asked again by their run.

    What is sealed with a key that is not given has an empty text, and says so.
    """
    return tuple(found for row in rows if (found := _question_from_row(row, contents)) is not None)


def _question_from_row(row: tuple[Json, ...], contents: Contents) -> OpenQuestion | None:
    id_, session, place, kind, request_hash, kept, asked, answered, by, answer, closed = row
    try:
        said = json.loads(contents.unseal(session, f"question {id_}", kept))
        value: Json = None
        if answered is not None:
            value = json.loads(contents.unseal(session, f"answer {id_}", answer))
        is_sealed = False
    except SealedContent:
        said, value, is_sealed = {"text": ""}, None, True
    except (AttributeError, TypeError, ValueError, RecursionError):
        return None
    if not is_object(said) or not isinstance(said.get("text"), str):
        return None
    return OpenQuestion(
        id=id_,
        session=session,
        place=place,
        kind=kind,
        request_hash=request_hash,
        asked=asked,
        answered=answered,
        by=by,
        answer=value,
        is_closed=closed is not None,
        is_sealed=is_sealed,
        **said,
    )


def answer_question(journal: Journal, id_: str, value: Json, *, by: str) -> OpenQuestion:
    """
    Answer an open question of a run that waits; the run goes on when it is resumed.

    Args:
        value: True or false to an approval; else what fits the schema of the question, or text.
        by: The person who answers, by the name that the face knows them by; it is kept.

    Returns:
        The question; its `session` is what is to be resumed.

    Raises:
        UsageError: There is no such question, the value does not fit, or nobody is named.
        UnusableSession: It was answered already, or is not waited for any more.
    """
    if not by.strip():
        raise UsageError("who answers is to be named", "by", "give the name of the person")
    found = journal.question(id_)
    if found is None:
        how = "`restwright sessions questions` lists those that there are"
        raise UsageError("there is no question of that id", id_, how)
    if found.is_sealed:
        raise UnusableSession(found.session, SEALED)
    if not fits(found, value):
        wanted = "true or false is" if found.kind == "approval" else _describe_wanted(found)
        raise UsageError(f"{wanted} wanted", f"the answer to {id_}")
    if found.is_open and journal.write_answer(found, value, by=by.strip()):
        return found
    again = journal.question(id_) or found
    why = f"was answered by {again.by}" if again.answered is not None else "is wanted no more"
    raise UnusableSession(found.session, f"its question {id_} {why}")


def fits(question: OpenQuestion, value: Json) -> bool:
    """Whether an answer is what a question asks for."""
    if question.kind == "approval":
        return isinstance(value, bool)
    return is_fitting_answer(
        Question(question.text, question.tool, question.schema, question.name), value
    )


def value_from_text(question: OpenQuestion, text: str) -> Json:
    """What somebody typed: yes or no, a text, or JSON where only that fits."""
    if question.kind == "approval":
        return _YES.get(text.strip().lower() or "no", text)
    return next((value for value in (text, *_from_json(text)) if fits(question, value)), text)


def _from_json(text: str) -> tuple[Json, ...]:
    try:
        return (json.loads(text),)
    except (ValueError, RecursionError):
        return ()


def _describe_wanted(question: OpenQuestion) -> str:
    if question.schema is None:
        return "text is"
    return f"a value of {json.dumps(question.schema)[:200]} is"
