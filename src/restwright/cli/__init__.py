"""The command line: thin commands over the other packages, and how their failures are shown."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from restwright.cli.surroundings import Surroundings

INTERRUPTED = 130
# Documents are trees of many small values that stay: looking for cycles among them as often as
# Python does by default takes a quarter of a command's time.
_COLLECT_AFTER = 100_000


def main(argv: Sequence[str] | None = None, *, surroundings: Surroundings | None = None) -> int:
    """
    Run one command.

    Args:
        argv: Without the program's name; None for those of the process.
        surroundings: What stands in the place of its own models, network and terminal.

    Returns:
        0 done, 1 failed, 2 wrong command line, 3 an agent or a write was stopped, 130 interrupted.
    """
    if argv is None:
        gc.set_threshold(_COLLECT_AFTER)
    try:
        from restwright.cli.app import run

        return run(argv, surroundings)
    except KeyboardInterrupt:
        return INTERRUPTED
