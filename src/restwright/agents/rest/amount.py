"""A condition that asks how many there are: none, or some. A test of a field cannot say it."""

from __future__ import annotations

from collections.abc import Sequence

from restwright.agents.prompting.structured_output import ask, closed
from restwright.agents.prompting.templates import render
from restwright.agents.rest.asked import Asked
from restwright.agents.rest.query import WHOLE, Listing, QueryResult, excludes, is_of_field
from restwright.agents.steps import Steps
from restwright.jsontypes import JsonObject

NO_TEST = "whether it is so is a test of a field in where"
"""What is wrong with a query for yes or no that has no such test."""

_NONE, _SOME = "that there are none", "that there are some"
_UNKNOWN = QueryResult(None, evidence="whether there is to be one, or none, is not known")
_ASKS = closed({"asks": {"enum": [_NONE, _SOME, "something else"]}})


def holds_for_count(condition: str, count: int) -> Steps[bool | None]:
    """
    Say whether a condition holds by how many things there are of those that it is about.

    A small model tells none and some apart, and not both from what is asked of a field of one
    thing: that is for whoever asks to know.

    Args:
        condition: In words.

    Returns:
        None where it asks something else.
    """
    prompt = render("rest_amount", condition=condition)
    reply = yield from ask("amount", prompt, _ASKS, max_tokens=20)
    return {_NONE: count == 0, _SOME: count > 0}.get(str(reply["asks"]))


def tell_existence(
    asked: Asked,
    query: JsonObject,
    listing: Listing,
    result: QueryResult,
    around: Sequence[str],
) -> Steps[QueryResult]:
    """
    What a query says of a condition over several things, which may ask that there be none of them.

    Where the query itself excludes some, and the condition asks that there be none, nobody knows
    whether that is meant once or twice. That nothing has a value is no reason for a change where no
    thing ever has it there, nor the condition a word of the field: it may be of other things. What
    is told by all of them, since nothing is tested, may keep from a change alone: it may be asked
    of some of them.

    Args:
        around: What the things are inside of, by its id and by its name.
    """
    if not asked.is_condition:
        return result
    # That a text has something within is told like that of a list.
    is_text = listing.name == WHOLE and any(test["is"] == "contains" for test in query["where"])
    is_of_one = listing.name == WHOLE or result.subject is not None or asked.list_apart(around)
    # Without a test all of a list that was read whole are meant, unless something else is wrong.
    is_of_all = not query["where"] and result.evidence == NO_TEST and not listing.is_inner
    if (is_of_one and not is_text) or (result.evidence and not is_of_all):
        return result
    count = len(listing.items) if is_of_all else int(bool(result.value))
    holds = yield from holds_for_count(asked.condition, count)
    if holds is None:
        return result
    is_sure = all(is_of_field(test, listing, asked.condition) for test in query["where"])
    is_absent = not is_of_all and count == 0 and not is_sure
    is_reason = holds in asked.deciding and (is_of_all or is_absent)
    if is_reason or (is_absent and holds):
        return _UNKNOWN
    if not is_of_all and holds is bool(result.value):
        return result
    return _UNKNOWN if excludes(query) or asked.is_part else QueryResult(holds, result.keys)
