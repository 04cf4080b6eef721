"""A conversation as text: for people as Markdown, for programs as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from restwright.cli.render.output import counted, one_line, printable
from restwright.jsontypes import JsonObject

if TYPE_CHECKING:
    from restwright.agents.memory.turn import Turn
    from restwright.agents.steps import CallRecord

INTERRUPTED = "interrupted"


def as_json_lines(turns: Sequence[Turn]) -> str:
    """One JSON object a turn and line."""
    lines = (json.dumps(turn_json(turn), ensure_ascii=False) for turn in turns)
    return "".join(f"{printable(line)}\n" for line in lines)


def turn_json(turn: Turn) -> JsonObject:
    """What was asked and answered, and what was done for it."""
    answer = turn.answer
    return {
        "question": turn.question,
        "answer": answer.text if answer else "",
        "stopped": answer.stopped if answer else INTERRUPTED,
        "reason": answer.reason if answer else "",
        "calls": [asdict(call) for call in turn.calls],
        "usage": asdict(turn.usage),
        "model": turn.model,
        **({"session": turn.session} if turn.session else {}),
    }


def as_markdown(turns: Sequence[Turn], *, title: str) -> str:
    """Turn by turn: the question, the answer, and the calls between them."""
    parts = [f"# {one_line(title)}", *(part for turn in turns for part in _parts(turn))]
    return printable("\n\n".join(parts)) + "\n"


def _parts(turn: Turn) -> Iterator[str]:
    yield "\n".join(f"> {line}" for line in turn.question.splitlines() or [""])
    answer = turn.answer
    if answer and answer.text:
        yield answer.text
    if answer is None or answer.stopped != "answered":
        yield f"({INTERRUPTED})" if answer is None else f"({answer.stopped}: {answer.reason})"
    if turn.calls:
        yield "\n".join(f"- {_call(call)}" for call in turn.calls)
    used = counted(turn.usage.model_calls, "model call")
    yield f"*{one_line(turn.model)}, {used}, {turn.usage.elapsed_s:.1f} s*"


def _call(record: CallRecord) -> str:
    given = json.dumps(record.arguments, ensure_ascii=False)
    status = "no response" if record.status is None else record.status
    return f"`{one_line(f'{record.tool} {given}')}` -> {status}"
