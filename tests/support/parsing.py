"""The parser alone, with a script for the model."""

from __future__ import annotations

from typing import Any

from restwright.agents.roles.parser import parse_response
from restwright.agents.sandbox import run_code
from restwright.agents.steps import Complete, Completion, Extract
from restwright.jsontypes import Json
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog


def parsed(
    task: str, body: Json, *replies: str, made: str = "get_film()"
) -> tuple[Json, list[str]]:
    """The value that the parser takes out of a response, and the last message of each request."""
    paths: Json = {"/films": {"get": {"operationId": "get_film", "responses": {}}}}
    [tool] = catalog(load(document(paths)))
    steps = parse_response(task, tool, body, made=made)
    waiting, asked, outcome = list(replies), list[str](), None
    try:
        while True:
            step: Any = steps.send(outcome)
            if isinstance(step, Complete):
                asked.append(step.messages[-1].text)
                outcome = Completion(text=waiting.pop(0))
            else:
                outcome = run_code(step.code, step.body) if isinstance(step, Extract) else None
    except StopIteration as end:
        value: Json = end.value
    assert not waiting
    return value, asked


def code(text: str) -> str:
    """Code that returns what an expression gives."""
    return f"def parse(data):\n    return {text}"
