"""What the commands of a chat print."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from restwright.cli.render.output import Output, counted, one_line
from restwright.jsontypes import JsonObject

if TYPE_CHECKING:
    from restwright.agents.conversation import Conversation
    from restwright.agents.journal.conversations import ConversationSummary
    from restwright.agents.memory.turn import Turn, WriteRecord
    from restwright.agents.steps import Answer, RoleUsage, Usage

_LONGEST = 200
_RECAP = 3
_EFFECTS = {
    "done": "took effect",
    "failed": "was answered with an error",
    "unknown": "may have taken effect: look",
}


def print_table(titles: Sequence[str], rows: Sequence[Sequence[str]], out: Output) -> None:
    """Print a table on a terminal, else one row a line between tabs."""
    if sys.stdout.isatty() and rows:
        from restwright.cli.render import tables

        tables.print_table(titles, rows)
        return
    for row in rows:
        out.text("\t".join(row))


def print_trace(turn: Turn, out: Output) -> None:
    """Print what was done for a turn; of one from the journal, its calls."""
    steps = turn.answer.steps if turn.answer else ()
    lines = [line for step in steps for line in _step_lines(step)] if steps else _calls(turn)
    out.text("\n".join([f"{'asked':<9}{one_line(turn.question)}", *lines]))
    if turn.answer is None:
        out.text(f"{'stopped':<9}interrupted")
    elif turn.answer.stopped != "answered":
        out.text(f"{'stopped':<9}{turn.answer.stopped}: {one_line(turn.answer.reason)}")


def print_steps(question: str, answer: Answer, out: Output) -> None:
    """Print what was done for a message."""
    lines = [line for step in answer.steps for line in _step_lines(step)]
    out.text("\n".join([f"{'asked':<9}{one_line(question)}", *lines]))


def _calls(turn: Turn) -> list[str]:
    return [
        f"{'call':<9}{call.tool} {_cut(json.dumps(call.arguments, ensure_ascii=False))}"
        f" -> {'no response' if call.status is None else call.status}"
        for call in turn.calls
    ]


def _step_lines(step: JsonObject) -> Iterator[str]:
    lines = _LINES.get(step["step"])
    text = lines(step) if lines else str(step.get("text", ""))
    if text:
        yield f"{step['step']:<9}{_cut(text)}"


def _complete_line(step: JsonObject) -> str:
    tokens = f"{step['input_tokens']:,}+{step['output_tokens']:,} tokens, {step['seconds']:.1f} s"
    return f"{step['role']} ({tokens}): {step['reply'] or _dumped(step.get('calls', ''))}"


def _call_line(step: JsonObject) -> str:
    if step.get("method"):
        # The request and its response have lines of their own.
        return f"{step['tool']} {_dumped(step['arguments'])}: {step['outcome']}"
    return str(step.get("text", ""))


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


_LINES: Mapping[str, Callable[[JsonObject], str]] = {
    "complete": _complete_line,
    "call": _call_line,
    "extract": lambda step: step["error"] or _dumped(step["value"]),
    "question": lambda step: f"{step['text']} {step.get('why') or 'answered'}",
    "approve": lambda step: f"{step['tool']}: {'yes' if step['is_allowed'] else step['text']}",
}


def print_cost(conversation: Conversation, out: Output) -> None:
    """Print what all turns used: each role of the model, each API, and what it cost."""
    usage = conversation.usage
    rows = [_used(role, own) for role, own in usage.roles.items()]
    rows.append(_used("all", usage))
    print_table(("role", "requests", "tokens read", "tokens written", "seconds"), rows, out)
    for namespace, calls in usage.apis.items():
        out.text(f"{namespace}: {counted(calls, 'HTTP call')}")
    out.text(_price(conversation))


def _used(role: str, own: RoleUsage | Usage) -> tuple[str, ...]:
    counts = (own.model_calls, own.input_tokens, own.output_tokens)
    return (role, *(f"{count:,}" for count in counts), f"{own.elapsed_s:.1f}")


def _price(conversation: Conversation) -> str:
    """What is known of the cost, and of whom it is not."""
    cost = conversation.usage.cost
    asked = [turn for turn in conversation.turns if turn.usage.model_calls]
    unknown = sorted({turn.model for turn in asked if turn.usage.cost is None})
    if not unknown:
        return f"cost: ${cost or 0.0:.4f}"
    known = f"${cost:.4f} and what is not known of " if cost is not None else "not known of "
    return f"cost: {known}{', '.join(map(one_line, unknown))}"


def print_undone(turn: Turn, out: Output) -> None:
    """Say what is forgotten, and what is not undone by that."""
    out.text(f"Forgotten: {one_line(turn.question)}")
    if turn.writes:
        out.text("What was sent cannot be undone:")
    for write in turn.writes:
        out.text(f"  {_written(write)}")


def _written(write: WriteRecord) -> str:
    given = _cut(json.dumps(write.arguments, ensure_ascii=False))
    return f"{write.tool} {given}: {_EFFECTS[write.effect]}"


def print_since(turn: Turn, conversation: Conversation, out: Output) -> None:
    """Say what was sent after a turn was interrupted: it may have been for the same end."""
    later = [item for item in conversation.turns if item.place > turn.place]
    for write_record in (write for own in later for write in own.writes):
        out.note(f"sent since then: {_written(write_record)}")


def print_unfinished(conversation: Conversation, out: Output) -> None:
    """Say which of the last turns can be gone on with."""
    for turn in conversation.unfinished[-_RECAP:]:
        out.note(f"interrupted: {_cut(turn.question)}; /resume {turn.session} goes on with it")


def print_conversations(summaries: Sequence[ConversationSummary], own: str, out: Output) -> None:
    """Print conversations that can be taken up, the latest first."""
    rows = [
        (
            summary.id + ("*" if summary.id == own else ""),
            datetime.fromtimestamp(summary.started, UTC).isoformat(timespec="seconds"),
            str(summary.turns),
            _cut(one_line(summary.question), 80),
        )
        for summary in summaries
    ]
    print_table(("id", "last", "turns", "last message"), rows, out)
    if not rows:
        out.text("No chat is kept yet.")


def print_recap(conversation: Conversation, out: Output) -> None:
    """Say in short what the last turns were about."""
    turns = conversation.turns
    out.note(f"{'session':<9}{conversation.id}, {counted(len(turns), 'turn')} so far")
    for turn in turns[-_RECAP:]:
        answer = turn.answer.text if turn.answer else "(interrupted)"
        out.note(f"> {_cut(one_line(turn.question))}")
        out.note(_cut(one_line(answer), 3 * _LONGEST))


def _cut(text: str, limit: int = _LONGEST) -> str:
    text = one_line(text)
    return text if len(text) <= limit else f"{text[:limit]}..."
