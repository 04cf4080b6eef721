"""Queries in the words of API documentation, as a model puts them."""

from __future__ import annotations

import pytest

from restwright.agents.prompting.query_expansion import expander
from restwright.agents.steps import Complete, Completion
from restwright.errors import LimitReached
from restwright.testing import Reply, ScriptedModel

SAID: Reply = ("expander", {"phrases": ["list  orders", "get product", "list orders"]})


def test_a_model_says_what_else_to_search_for_in_one_request() -> None:
    model = ScriptedModel([SAID])
    assert expander(model)("where is my stuff?") == ("list orders", "get product")
    (request,) = model.asked
    assert request.messages[-1].text == "where is my stuff?"
    assert request.max_tokens == 120
    assert request.schema is not None
    assert request.schema["properties"]["phrases"]["maxItems"] == 4


def test_a_query_is_put_to_the_model_once() -> None:
    model = ScriptedModel([SAID])
    expanded = expander(model)
    assert expanded("it") == expanded("it")
    assert len(model.asked) == 1


def test_a_long_query_is_cut() -> None:
    model = ScriptedModel([SAID])
    expander(model)("x" * 5_000)
    assert len(model.asked[0].messages[-1].text) == 1_000


@pytest.mark.parametrize(
    "reply", ["no JSON", {"phrases": []}, {"phrases": "list"}, {"phrases": ["x" * 200]}, {}]
)
def test_a_reply_that_cannot_be_used_leaves_the_query_as_it_is(reply: Reply) -> None:
    notes: list[str] = []
    model = ScriptedModel([reply])
    assert expander(model, on_note=notes.append)("it") == ()
    assert len(model.asked) == 1
    assert notes[0].startswith("the search is not expanded: ")


def test_a_model_that_fails_leaves_the_query_as_it_is() -> None:
    class Slow:
        name = "slow"

        def complete(self, request: Complete, *, deadline_s: float) -> Completion:
            assert deadline_s == 3
            raise LimitReached("seconds", 3)

    notes: list[str] = []
    assert expander(Slow(), deadline_s=3, on_note=notes.append)("it") == ()
    assert "seconds" in notes[0]
