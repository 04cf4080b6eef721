"""Mismatches as text that a model can act on."""

from __future__ import annotations

from collections.abc import Sequence

from restwright.calls.mismatch import Mismatch

MAX_LINES = 20


def feedback(tool_name: str, mismatches: Sequence[Mismatch]) -> str:
    """
    Return what was wrong with a call, one line a mismatch, most relevant first.

    At most 20 mismatches are listed; a last line counts the others.
    """
    lines = [str(mismatch).replace("\n", " ") for mismatch in mismatches[:MAX_LINES]]
    left = len(mismatches) - len(lines)
    more = [f"... and {left} more"] if left else []
    head = f"{tool_name} was not called. Fix these and call it again:"
    return "\n".join([head, *lines, *more])
