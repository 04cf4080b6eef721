"""
A chat whose model says what stands in a file, as a program of its own: for real terminals.

`scripted_chat.py REPLIES ARGUMENT...`: REPLIES is a JSON list of texts and `[role, reply]`. A reply
`"wait"` never comes, so that somebody has to press Ctrl-C.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from restwright.agents.steps import Complete, Completion
from restwright.cli import main
from restwright.cli.surroundings import Surroundings
from restwright.testing import ScriptedModel


class Waiting(ScriptedModel):
    """Waits where the script says so."""

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        reply = super().complete(request, deadline_s=deadline_s)
        if reply.text == "wait":
            sys.stderr.write("waiting\n")
            sys.stderr.flush()
            for _ in range(600):
                time.sleep(0.1)
        return reply

    def stream(
        self, request: Complete, *, deadline_s: float, tell: Callable[[str], None]
    ) -> Completion:
        def slowly(piece: str) -> None:
            tell(piece)
            time.sleep(0.03)

        return super().stream(request, deadline_s=deadline_s, tell=slowly)


def scripted(*_: object) -> ScriptedModel:
    replies = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    return Waiting([each if isinstance(each, str) else tuple(each) for each in replies])


if __name__ == "__main__":
    sys.exit(main(["chat", *sys.argv[2:]], surroundings=Surroundings(find_model=scripted)))
