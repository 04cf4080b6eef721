"""What the commands of a chat print."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from restwright.cli.render.output import Output, counted, one_line

if TYPE_CHECKING:
    from restwright.agents.journal.conversations import ConversationSummary
    from restwright.agents.memory.turn import Turn, WriteRecord
    from restwright.agents.steps import RoleUsage, Usage

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


def print_cost(turns: Sequence[Turn], out: Output) -> None:
    """Print what all turns used: each role of the model, each API, and what it cost."""
    from restwright.agents.memory.turn import total

    usage = total([turn.usage for turn in turns])
    rows = [_used(role, own) for role, own in usage.roles.items()]
    rows.append(_used("all", usage))
    print_table(("role", "requests", "tokens read", "tokens written", "seconds"), rows, out)
    for namespace, calls in usage.apis.items():
        out.text(f"{namespace}: {counted(calls, 'HTTP call')}")
    out.text(_price(turns, usage.cost))


def _used(role: str, own: RoleUsage | Usage) -> tuple[str, ...]:
    counts = (own.model_calls, own.input_tokens, own.output_tokens)
    return (role, *(f"{count:,}" for count in counts), f"{own.elapsed_s:.1f}")


def _price(turns: Sequence[Turn], cost: float | None) -> str:
    """What is known of the cost, and of whom it is not."""
    asked = [turn for turn in turns if turn.usage.model_calls]
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


def print_since(turn: Turn, turns: Sequence[Turn], out: Output) -> None:
    """Say what was sent after a turn was interrupted: it may have been for the same end."""
    later = [item for item in turns if item.place > turn.place]
    for write_record in (write for own in later for write in own.writes):
        out.note(f"sent since then: {_written(write_record)}")


def print_unfinished(turns: Sequence[Turn], out: Output) -> None:
    """Say which of the last turns can be gone on with."""
    for turn in unfinished(turns)[-_RECAP:]:
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


def unfinished(turns: Sequence[Turn]) -> list[Turn]:
    """All turns that were interrupted or failed, and that the journal has, oldest first."""
    return [turn for turn in turns if not turn.has_ended and turn.session]


def print_recap(turns: Sequence[Turn], session: str, out: Output) -> None:
    """Say in short what the last turns were about."""
    out.note(f"{'session':<9}{session}, {counted(len(turns), 'turn')} so far")
    for turn in turns[-_RECAP:]:
        answer = turn.answer.text if turn.answer else "(interrupted)"
        out.note(f"> {_cut(one_line(turn.question))}")
        out.note(_cut(one_line(answer), 3 * _LONGEST))


def _cut(text: str, limit: int = _LONGEST) -> str:
    text = one_line(text)
    return text if len(text) <= limit else f"{text[:limit]}..."
