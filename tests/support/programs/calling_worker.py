"""`restwright` with a model that has `things__list_things` called once in each run."""

from __future__ import annotations

import json
import sys
from typing import Any

from restwright.agents.steps import Complete, Completion
from restwright.cli import main
from restwright.cli.surroundings import Surroundings

TOOL = "things__list_things"


class Lister:
    """Lists things, and says so."""

    name = "lister"
    calls_tools = False
    is_small = False

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        del deadline_s
        is_called = any("/seen/" in message.text for message in request.messages)
        calls: list[dict[str, Any]] = [] if is_called else [{"tool": TOOL, "arguments": {}}]
        replies: dict[str, Any] = {
            "selector": {"tools": [{"reason": "r", "name": TOOL}], "answer": ""},
            "caller": {"calls": calls},
        }
        return Completion(text=json.dumps(replies.get(request.role, {"answer": "listed"})))


def find_model(name: str | None, url: str | None) -> Any:
    del name, url
    return Lister()


if __name__ == "__main__":
    surroundings = Surroundings(find_model=find_model)
    sys.exit(main(sys.argv[1:], surroundings=surroundings))
