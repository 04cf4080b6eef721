"""
How an id is looked up: by the operations that the document says can supply it.

The likeliest are asked first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from restwright.agents.executor.meaning import is_for_all, meant_for, read_in_part
from restwright.agents.executor.running import Run
from restwright.agents.executor.taking import needs_id
from restwright.agents.memory.lookup import is_plainly, is_related, names_in, phrases
from restwright.agents.memory.memory import (
    Known,
    Memory,
    id_producers,
    label_of,
    thing_of,
    values_at,
)
from restwright.agents.memory.referring import is_told
from restwright.agents.memory.tool_inputs import required_of, words_input
from restwright.agents.roles.failure import Failure, say, text_schema
from restwright.agents.roles.structured_output import ask, briefly
from restwright.agents.roles.templates import render
from restwright.agents.spotlighting import escape_marks
from restwright.agents.steps import Steps
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.producers import Producer
from restwright.tools.tool import Tool
from restwright.tools.toolset import match_tools

_DEPTH = 3
_RELEVANT = 30
_LONGEST_NAME = 80
# One word with digits in it, which is a key rather than a name that could be searched for.
_CODE = re.compile(r"(?=\S*\d)\S{8,}")
_SELF = frozenset({"me", "self", "whoami", "user", "account", "profile", "current_user"})
# What belongs to the user is listed for the user; a search over everybody's things misses it.
_OWN = re.compile(r"(?i)\b(my|mine|our|ours)\b")


@dataclass(frozen=True, slots=True)
class Sought:
    """What is looked up: one thing or all in words, and where the id stands in the response."""

    wanted: str
    path: tuple[str, ...]
    is_own: bool = False
    is_all: bool = False

    def found_in(self, body: Json) -> Json:
        """
        What code can tell of a response: the id and name of what is sought; False if it is not
        there, None where it takes reading.

        A thing is what has the name that is all that is said of it; the first one of several, as
        searches give the likeliest first. Where the whole response is what has the name, all that
        belongs to it is meant. Of all that are meant one name tells no more than one.
        """
        places = list(values_at(body, self.path)) if self.path else []
        if not places:
            return False if self.path else None
        if self.is_own:
            return _thing(self.path, *places[0])
        best: tuple[int, Json] = (0, None)
        for value, owner in places:
            label = label_of(owner)
            if not self.is_all and len(label) > best[0] and is_plainly(self.wanted, label):
                best = (len(label), _thing(self.path, value, owner))
        if not best[0] and is_object(body) and is_plainly(self.wanted, label_of(body)):
            return [_thing(self.path, *each) for each in places]
        return best[1]


def _thing(path: tuple[str, ...], value: Json, owner: JsonObject) -> Json:
    return {path[-1]: value, "name": label_of(owner)}


Use: TypeAlias = Callable[[Run, Tool, str, int, Sought], Steps[Json | Failure]]
"""Calls an operation for a task, at a depth of look-ups, to find what is sought."""


def look_up(
    run: Run, tool: Tool, name: str, task: str, use: Use, *, depth: int
) -> Steps[tuple[Known, ...] | Failure]:
    """Call an operation that can supply `name`, and keep the ids that match the task."""
    thing = thing_of(tool, name)
    if depth >= _DEPTH:
        return Failure(f"no {thing} could be found for: {task}")
    meant = meant_for(run, tool, name)
    wanted = meant.text if meant else (yield from wanted_by(tool, name, task, thing))
    key = tool.operation.path, name, wanted
    is_all, since = is_for_all(run, tool, name, task, meant), len(run.memory.sources)
    if key in run.sought and not is_all:
        return Failure(f"no {thing} matches: {wanted}")
    run.sought.add(key)
    if run.find and is_related(wanted):
        outcome = yield from run.find(run, wanted, depth + 1, _needing(run, tool, name))
        if known := _found_since(run, tool, name, since if is_all else 0):
            return _whole(run, known, since) if is_all else known
        named = _name_of(outcome)
        wanted = named if is_told(named) else wanted
    lost: Failure | None = None
    for supplier in _suppliers(run, tool, name, wanted)[: _DEPTH - depth]:
        called = f"{run.short_name(supplier.tool)} to find {wanted}"
        yield say("select", called, tool=supplier.tool.name)
        is_own = _is_own(run, tool, supplier, wanted)
        sought = Sought(wanted, supplier.path, is_own=is_own, is_all=is_all)
        outcome = yield from use(run, supplier.tool, wanted, depth + 1, sought)
        known = _found_since(run, tool, name, since if is_all else 0)
        if not isinstance(outcome, Failure) and known:
            yield say("result", ", ".join(f"{each.label} ({each.value})" for each in known[:5]))
            return _whole(run, known, since) if is_all else known
        if isinstance(outcome, Failure) and outcome.stopped == "question":
            # Only the user can mend it, and has to know.
            lost = outcome
    return lost or Failure(f"no {thing} matches: {wanted}")


def _found_since(run: Run, tool: Tool, name: str, since: int) -> tuple[Known, ...]:
    return Memory(sources=run.memory.sources[since:]).known(tool, name, run.beside(tool))


def _whole(run: Run, known: tuple[Known, ...], since: int) -> tuple[Known, ...] | Failure:
    """All that was found since then, where nothing was read in part."""
    if run.partly.intersection(each.tool for each in run.memory.sources[since:]):
        return read_in_part(known)
    return known


def _needing(run: Run, tool: Tool, name: str) -> tuple[str, ...]:
    """The operations that need the very id that is sought."""
    thing = tool.operation.path.partition("{" + name + "}")[0] + "{"
    return tuple(
        each.name
        for each in run.beside(tool)
        if thing != "{" and each.operation.path.startswith(thing)
    )


def _name_of(outcome: Json | Failure) -> str:
    """The name that was found: of a thing, of the first of several, or the text itself."""
    if is_array(outcome):
        return _name_of(outcome[0]) if outcome else ""
    if is_object(outcome):
        return label_of(outcome) or next(map(_name_of, outcome.values()), "")
    is_name = isinstance(outcome, str) and len(outcome) <= _LONGEST_NAME
    return str(outcome) if is_name and not _CODE.fullmatch(str(outcome)) else ""


def _is_own(run: Run, tool: Tool, supplier: Producer, wanted: str) -> bool:
    """
    Whether what is sought is the user's own: what `/me` gives, which needs no name.

    So it is where something is to be changed, or nobody is named.
    """
    last = supplier.tool.operation.path.rstrip("/").rpartition("/")[2].lower()
    if last not in _SELF or supplier.tool.model_checks.get("properties"):
        return False
    return not run.is_read(tool) or not names_in(wanted) or bool(_OWN.search(wanted))


def wanted_by(tool: Tool, name: str, task: str, thing: str) -> Steps[str]:
    """Which thing to look up: a phrase of the task itself, where it has one."""
    offered = phrases(task, tool, name)
    if len(offered) == 1:
        return offered[0]
    schema = text_schema("look_up")
    if offered:
        schema["properties"]["look_up"] = {"enum": list(offered)}
    prompt = render("lookup", task=task, thing=escape_marks(thing))
    reply = yield from ask("planner", prompt, schema, max_tokens=80, checks=briefly(schema))
    return str(reply["look_up"])


def _suppliers(run: Run, tool: Tool, name: str, wanted: str) -> list[Producer]:
    """
    The reads that can supply `name`, the likeliest to know `wanted` first.

    Those that need no other id come first. A name is searched for, before lists are read that may
    not have it; a description (`the most popular one`) is no search text: there the operations
    come first that do what it says.
    """
    found = id_producers(tool, name, run.beside(tool))
    reads = [each for each in found if run.is_read(each.tool) and each.tool.name != tool.name]
    is_named = bool(names_in(wanted)) and not _OWN.search(wanted)
    places = {} if is_named or len(reads) < 2 else _places(run, wanted)

    def rank(each: Producer) -> tuple[bool, int, int]:
        other = each.tool
        is_beside = needs_id(run, other)
        order = _order_for_names if is_named else _order_for_descriptions
        place = places.get(other.name, _RELEVANT)
        return not _is_own(run, tool, each, wanted), order(other, needs_id=is_beside), place

    return sorted(reads, key=rank)


def _order_for_names(tool: Tool, *, needs_id: bool) -> int:
    """First what searches; then lists; then what needs the id of another thing, of that name."""
    if needs_id:
        return 2
    return 0 if words_input(tool) else 3 if _is_single(tool) else 1


def _order_for_descriptions(tool: Tool, *, needs_id: bool) -> int:
    return 2 if needs_id else int(bool(words_input(tool)))


def _is_single(tool: Tool) -> bool:
    """Whether an operation without inputs gives one thing, whichever that is: `/films/latest`."""
    output = tool.output
    properties: JsonObject = output.get("properties", {}) if is_object(output) else {}
    return not required_of(tool) and "id" in properties


def _places(run: Run, wanted: str) -> dict[str, int]:
    """Which reads a search finds for the words, and at which place."""
    found = match_tools(wanted, run.part(reads=True), _RELEVANT)
    return {each.name: place for place, each in enumerate(found)}
