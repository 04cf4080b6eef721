"""The command line with a model whose every reply is the same, for a process of its own."""

from __future__ import annotations

import itertools
import sys
from typing import Any

from restwright.agents.steps import Complete, Completion
from restwright.cli import main
from restwright.cli.surroundings import Surroundings


class Echo:
    """Answers at once, and says in which words it was asked."""

    name = "echo"
    calls_tools = False
    is_small = False
    numbers = itertools.count(1)

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        del deadline_s
        if request.role != "selector":
            return Completion(text='{"answer": "echo"}')
        asked = request.messages[-1].text
        return Completion(text=f'{{"tools": [], "answer": "I was asked {len(asked) > 0}"}}')


def find_model(name: str | None, url: str | None) -> Any:
    del name, url
    return Echo()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], surroundings=Surroundings(find_model=find_model)))
