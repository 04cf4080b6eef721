"""The errors that a document promises are told to the caller after a first call failed."""

from __future__ import annotations

import pytest
from tests.support.rendered import requests_of

from restwright.agents.executor.documented import documented_errors
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.tool import Tool


def tool(**responses: str) -> Tool:
    said = {name.lstrip("_"): {"description": text} for name, text in responses.items()}
    paths = {"/pets": {"get": {"operationId": "list_pets", "responses": said}}}
    (made,) = catalog(load(document(paths))).tools
    return made


@pytest.mark.parametrize(
    ("status", "text", "told"),
    [
        ("_404", "No pet of that name", "404 No pet of that name"),
        ("_422", "The name is too long.\nSee the guide.", "422 The name is too long"),
        ("_4XX", "A name or a number is needed", "4XX A name or a number is needed"),
        ("_404", "Not found.", ""),
        ("_400", "Bad request", ""),
        ("_400", "Invalid request error", ""),
        ("_409", "", ""),
        ("_401", "The key of the shop is wanted", ""),
        ("_429", "Ten calls a minute", ""),
        ("_500", "The database is away", ""),
        ("_200", "The pets of the shop", ""),
        ("default", "What went wrong with the pets", ""),
    ],
)
def test_only_what_says_more_than_the_status_and_can_be_mended_is_told(
    status: str, text: str, told: str
) -> None:
    errors = documented_errors(tool(**{status: text}))
    marked = f"The document of the API says: <data>\n{told}\n</data>"
    assert errors == ((marked,) if told else ())


def test_what_is_told_is_bounded_and_told_once() -> None:
    made = tool(**{f"_4{n}": f"Reason {n} " + "long " * 100 for n in range(10, 18)})
    (text,) = documented_errors(made)
    assert len(text) < 5 * 140
    assert documented_errors(made, said=(text,)) == ()


def test_the_first_prompt_of_the_caller_has_no_error_in_it() -> None:
    *_, first, second = [each for each in requests_of("rest-do") if each.role == "caller"]
    assert "is lent already" not in str(first.messages)
    assert "409 The book is lent already; take another one\n</data>" in second.messages[-1].text
