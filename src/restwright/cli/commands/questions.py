"""`sessions questions` and `sessions answer`: what runs that wait want of a person."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

from typer import Argument, BadParameter

from restwright.cli.chat.views import print_table
from restwright.cli.inputs.human import find_person
from restwright.cli.inputs.run_options import JournalPlace
from restwright.cli.render.errors import DONE
from restwright.cli.render.output import Output, counted, is_terminal, line_for, one_line
from restwright.jsontypes import JsonObject

if TYPE_CHECKING:
    from restwright.agents.journal.questions import OpenQuestion

_COLUMNS = ("id", "asked", "kind", "session", "question")
_LONGEST = 100
_LEFT_OUT = ("answered", "by", "answer", "is_closed", "request_hash")


def list_questions(*, place: JournalPlace, out: Output) -> int:
    """List what runs that wait want of a person, what was asked first at first."""
    with place.open() as journal:
        found = journal.questions()
    if out.json:
        out.value({"questions": [_record(question) for question in found]})
        return DONE
    print_table(_COLUMNS, [_row(question) for question in found], out)
    out.note(counted(len(found), "open question"))
    return DONE


def answer(
    question: Annotated[str, Argument(metavar="ID", help="As `sessions questions` prints it.")],
    value: Annotated[
        str | None,
        Argument(
            metavar="ANSWER",
            help="yes or no to an approval; else text, or JSON where that is asked for. Without"
            " it the question is shown, and the answer read from the terminal.",
        ),
    ] = None,
    *,
    place: JournalPlace,
    out: Output,
) -> int:
    """Answer what a run waits for, in the name of the user of this machine."""
    from restwright.agents.journal.questions import answer_question, value_from_text

    with place.open() as journal:
        asked = journal.question(question)
        given = value
        if given is None and asked is not None:
            given = _read_answer(asked)
        said = given if asked is None else value_from_text(asked, given or "")
        answered = answer_question(journal, question, said, by=find_person())
    if out.json:
        out.value({"question": answered.id, "session": answered.session, "by": find_person()})
    else:
        out.note(f"answered; where no worker has it, go on with --resume {answered.session}")
    return DONE


def _read_answer(asked: OpenQuestion) -> str:
    if not is_terminal():
        raise BadParameter("an ANSWER is needed where there is no terminal to read it from")
    return line_for(f"{asked.text} [y/N] " if asked.kind == "approval" else f"{asked.text} ")


def _record(question: OpenQuestion) -> JsonObject:
    shown = {name: value for name, value in asdict(question).items() if name not in _LEFT_OUT}
    return {**shown, "asked": _time(question)}


def _row(question: OpenQuestion) -> tuple[str, ...]:
    text = one_line(question.text)
    text = f"{text[:_LONGEST]}..." if len(text) > _LONGEST else text
    return question.id, _time(question), question.kind, question.session, text


def _time(question: OpenQuestion) -> str:
    return datetime.fromtimestamp(question.asked, UTC).isoformat(timespec="seconds")
