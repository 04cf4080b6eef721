"""Replies of a planner."""

from __future__ import annotations

from collections.abc import Sequence

from restwright.jsontypes import JsonObject
from restwright.testing import Reply


def plan_of(
    *asked: str, named: Sequence[tuple[str, str]] = (), language: str = "English"
) -> JsonObject:
    """
    What a planner replies.

    Args:
        asked: Steps such as `find the director of #1`.
        named: `(name, kind of thing)`; they have the first numbers.
    """
    things = [
        {"id": number, "name": name, "thing": thing}
        for number, (name, thing) in enumerate(named, 1)
    ]
    steps = [
        {"id": number, "type": each.split()[0], "thing": "thing", "what": each.partition(" ")[2]}
        for number, each in enumerate(asked, len(things) + 1)
    ]
    return {"language": language, "named": things, "asked": steps}


def planned(*asked: str, named: Sequence[tuple[str, str]] = (), language: str = "English") -> Reply:
    """One reply of a script, as `plan_of` makes it."""
    return ("planner", plan_of(*asked, named=named, language=language))
