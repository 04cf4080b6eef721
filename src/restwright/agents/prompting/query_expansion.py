"""What else to search for: a query in the words of API documentation, as a model puts it."""

from __future__ import annotations

from collections.abc import Callable

from restwright.agents.prompting.structured_output import ask
from restwright.agents.prompting.templates import render, schema
from restwright.agents.runtime.driver import run_steps
from restwright.agents.steps import Complete, Model, Outcome, Step, Steps
from restwright.errors import RestwrightError

MOST = 4
_QUERY = 1_000
_DEADLINE_S = 60.0

Expander = Callable[[str], tuple[str, ...]]


def phrases_for(query: str) -> Steps[tuple[str, ...]]:
    """
    Let the model word what `query` needs, in one request.

    Returns:
        At most four phrases, none twice.

    Raises:
        UnusableReply: The reply is none.
    """
    prompt = render("expander", query=query[:_QUERY])
    reply = yield from ask("expander", prompt, schema("expander"), max_tokens=120, tries=1)
    said = (" ".join(str(each).split()) for each in reply["phrases"])
    return tuple(dict.fromkeys(each for each in said if each))[:MOST]


def expander(
    model: Model,
    *,
    deadline_s: float = _DEADLINE_S,
    on_note: Callable[[str], None] = lambda text: None,
) -> Expander:
    """
    Make the function that a search expands queries with.

    It asks `model` once for each query, and remembers what it said. Where that fails, the query is
    searched as it is.

    Args:
        deadline_s: Longest wait for one reply.
        on_note: Called with one line where the model gave nothing to search for.
    """
    known: dict[str, tuple[str, ...]] = {}

    def perform(step: Step) -> Outcome:
        assert isinstance(step, Complete)  # noqa: S101  (the only step of `phrases_for`)
        return model.complete(step, deadline_s=deadline_s)

    def expanded(query: str) -> tuple[str, ...]:
        if query not in known:
            try:
                known[query] = run_steps(phrases_for(query), perform)
            except RestwrightError as error:
                on_note(f"the search is not expanded: {error}")
                known[query] = ()
        return known[query]

    return expanded
