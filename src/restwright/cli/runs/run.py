"""One run of an agent with its progress and its end shown; shared by `ask` and `demo`."""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from traceback import format_exception
from typing import TYPE_CHECKING

from typer import BadParameter

from restwright.cli.render.answer import print_answer
from restwright.cli.render.errors import DONE, FAILED, STOPPED, report
from restwright.cli.render.images import print_images
from restwright.cli.render.output import (
    Output,
    counted,
    printable,
    to_json,
    without_passwords,
)
from restwright.cli.render.remedies import remedy
from restwright.cli.runs.failures import list_failed_calls
from restwright.errors import RestwrightError, UnusableSession, UsageError
from restwright.jsontypes import Json, JsonObject
from restwright.workspace.output_files import check_writable, write_whole

if TYPE_CHECKING:
    from restwright.agents.journal.store import Journal, SharedLimits
    from restwright.agents.steps import Answer, StopReason, Usage
    from restwright.cli.inputs.run_options import JournalPlace, ResumeOptions

EXIT_CODES: Mapping[StopReason, int] = {
    "answered": DONE,
    "limit": STOPPED,
    "question": STOPPED,
    "refused": STOPPED,
    "error": FAILED,
}


def answer_json(answer: Answer) -> JsonObject:
    """The trace that `ask --json` and `--trace` give."""
    return {
        "answer": answer.text,
        "steps": list(answer.steps),
        "calls": [asdict(record) for record in answer.calls],
        "usage": asdict(answer.usage),
        "stopped": answer.stopped,
        "reason": answer.reason,
        **({"error": _error_json(answer.error)} if answer.error else {}),
        **({"session": answer.session} if answer.session else {}),
    }


def _error_json(error: RestwrightError) -> JsonObject:
    return {"code": error.code, "message": error.message, "hint": remedy(error)}


def finish(
    answer: Answer,
    out: Output,
    *,
    trace: Path | None,
    values: Sequence[Json] = (),
    way_out: str = "",
    fails_on_calls: bool = False,
    images: Sequence[JsonObject] = (),
) -> int:
    """
    Print the answer, write the trace, and say by the exit code how the run ended.

    Args:
        values: What the run found, which may be shown as a table.
        way_out: What would send the writes that nobody could be asked about; else empty.
        fails_on_calls: Whether a call that failed is told by the exit code too.
        images: What code showed, as JSON objects.
    """
    shown = answer_json(answer) | ({"images": [*images]} if images else {})
    if answer.error is not None:
        way_out = way_out or remedy(answer.error)
    if out.json:
        out.value(shown)
    else:
        note_end(answer, out, way_out=way_out)
        _print_end(answer, out, values=values, way_out=way_out)
        print_images(images, out)
    failed = list_failed_calls(answer.steps) if fails_on_calls else ()
    for call in failed:
        out.note(f"{'failed':<9}{call}")
    code = EXIT_CODES[answer.stopped] or (STOPPED if failed else DONE)
    return _written(trace, shown) or code


def _print_end(answer: Answer, out: Output, *, values: Sequence[Json], way_out: str) -> None:
    if answer.text:
        print_answer(answer.text, out, values=values)
    elif out.quiet and answer.stopped != "answered":
        # Else a run would end without a word.
        report(answer.stopped, f"{answer.stopped}: {answer.reason}", way_out, as_json=False)


def _written(trace: Path | None, shown: JsonObject) -> int:
    """Write a trace; 0 where that is done, or none is wanted."""
    if trace is None:
        return DONE
    sys.stdout.flush()
    try:
        write_whole(trace, to_json(shown) + "\n")
    except OSError as error:
        # On standard output stands the answer already.
        report("file", f"the trace is not in {trace}: {error.strerror}", as_json=False)
        return FAILED
    return DONE


def note_end(answer: Answer, out: Output, *, way_out: str = "") -> None:
    """Say what a run used, and why it ended where it was not with an answer."""
    usage = answer.usage
    calls = f"{counted(usage.http_calls, 'HTTP call')}, {counted(usage.model_calls, 'model call')}"
    cost = f", ${usage.cost:.4f}" if usage.cost else ""
    read, written = usage.input_tokens, usage.output_tokens
    tokens = f", {read:,}+{written:,} tokens" if read or written else ""
    out.note(f"{'done':<9}{calls}{tokens}, {usage.elapsed_s:.1f} s{cost}")
    if out.verbose:
        _print_roles(usage, out)
    if answer.stopped != "answered":
        out.note(f"stopped  {answer.stopped}: {answer.reason}")
        if out.verbose and answer.error is not None and answer.error.__cause__ is not None:
            lines = format_exception(answer.error.__cause__)
            print(printable(without_passwords("".join(lines))), end="", file=sys.stderr)
        if answer.session:
            out.note(f"{'session':<9}{answer.session}, to go on with --resume {answer.session}")
    if way_out:
        out.note(f"{'way out':<9}{way_out}")


def _print_roles(usage: Usage, out: Output) -> None:
    for role, own in usage.roles.items():
        tokens = f"{own.input_tokens:,} tokens read, {own.output_tokens:,} written"
        calls = counted(own.model_calls, "model call")
        out.note(f"{'role':<9}{role}: {calls}, {tokens}, {own.elapsed_s:.1f} s")


@contextmanager
def kept_in_journal(kept: ResumeOptions, out: Output) -> Generator[Journal | None]:
    """
    The journal of a run; None where none is wanted, or none can be written.

    When the run is interrupted, it is said how to go on with it; but not where it cannot be.

    Raises:
        OSError: There is none to resume from.
    """
    journal = (
        None
        if kept.no_journal
        else open_journal(kept.place, out, is_needed=kept.resume is not None)
    )
    if journal is None:
        yield None
        return
    with journal:
        try:
            yield journal
        except UnusableSession:
            raise
        except BaseException:
            if journal.last_id:
                out.note(
                    f"{'session':<9}{journal.last_id}, to go on with --resume {journal.last_id}"
                )
            raise


def open_journal(
    place: JournalPlace, out: Output, *, is_needed: bool = False, user: str = ""
) -> Journal | None:
    """
    The journal of a run, to be closed; None where none can be written, which is said.

    Args:
        user: Whose runs are kept there, apart from those of others; empty for one user.

    Raises:
        OSError: It is needed, or was named.
        RestwrightError: There is no such place, secret or key.
    """
    try:
        return place.open(user)
    except OSError as error:
        if is_needed or place.journal:
            raise
        out.note(f"nothing is kept of what is done: {error.strerror} ({error.filename})")
        return None


def find_shared_limits(
    journal: Journal | None, out: Output, *, is_wanted: bool = True
) -> SharedLimits | None:
    """
    What machines share by a journal, where that is wanted; it is said what they do not.

    Raises:
        UsageError: It is wanted, and the journal is of one machine.
    """
    if not is_wanted:
        return None
    shared = journal.shared_limits() if journal is not None else None
    if shared is None:
        why = "this journal is of one machine"
        raise UsageError(why, "--share-limits", "give --journal postgresql://HOST/DATABASE")
    if not shared.shares_tokens:
        out.note("tokens of OAuth stay on this machine; --journal-key SECRET shares them, sealed")
    return shared


def check_trace(trace: Path | None) -> None:
    """
    Find out before a long run whether its trace can be written.

    Raises:
        BadParameter: It cannot.
    """
    if trace is None:
        return
    try:
        check_writable(trace)
    except OSError as error:
        why = f"no file can be written there ({error.strerror})"
        raise BadParameter(f"--trace {trace}: {why}") from None
