"""
The ids that an operation needs: from the user's words, from earlier results, else looked up.

A look-up calls the operations that the document says can supply an id, the likeliest first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from restwright.agents.filling import fill
from restwright.agents.inputs import properties_of, required_of
from restwright.agents.lookup import is_plainly, names_in, phrases
from restwright.agents.memory import (
    Known,
    id_producers,
    label_of,
    mentioned,
    thing_of,
    values_at,
)
from restwright.agents.outcome import Failure, say, text_schema
from restwright.agents.prompts import contained, render
from restwright.agents.replies import ask
from restwright.agents.running import Run
from restwright.agents.steps import Steps
from restwright.tools.offer import matches
from restwright.tools.producers import Producer
from restwright.tools.tool import Tool
from restwright.typing import Json, JsonObject, is_object

AT_ONCE = 5
"""As many things may be meant where a read needs one id."""

_DEPTH = 3
_RELEVANT = 30
# What belongs to the user is listed for the user; a search over everybody's things misses it.
_OWN = re.compile(r"(?i)\b(my|mine|our|ours)\b")


@dataclass(frozen=True, slots=True)
class Sought:
    """What is looked up: a thing in words, and where its id stands in the response."""

    wanted: str
    path: tuple[str, ...]

    def found_in(self, body: Json) -> Json:
        """
        The thing whose name is all that is said of it, told by code; None where that is not so.

        The first one of several of that name: searches give the likeliest first.
        """
        if not self.path:
            return None
        best: tuple[int, Json] = (0, None)
        for value, owner in values_at(body, self.path):
            label = label_of(owner)
            if len(label) > best[0] and is_plainly(self.wanted, label):
                best = (len(label), {self.path[-1]: value, "name": label})
        return best[1]


Use: TypeAlias = Callable[[Run, Tool, str, int, Sought], Steps[Json | Failure]]
"""Calls an operation for a task, at a depth of look-ups, to find what is sought."""


def ids_for(
    run: Run, tool: Tool, task: str, use: Use, *, depth: int
) -> Steps[list[JsonObject] | Failure]:
    """
    Find the ids that `tool` requires: in the user's words, in the results, else by a look-up.

    Returns:
        The fixed arguments of each call to make: one, or several when a read is asked of several.
    """
    choices: list[JsonObject] = [{}]
    for name in required_of(tool):
        if not id_producers(tool, name, run.beside(tool)):
            continue
        known = yield from _candidates(run, tool, name, task, use, depth=depth)
        if isinstance(known, Failure):
            return known
        if len(known) > 1 and not run.is_read(tool):
            known = yield from _choose(run, tool, name, known, task)
        choices = [{**fixed, name: each.value} for fixed in choices for each in known[:AT_ONCE]]
    return choices[:AT_ONCE]


def _candidates(
    run: Run, tool: Tool, name: str, task: str, use: Use, *, depth: int
) -> Steps[tuple[Known, ...] | Failure]:
    said = mentioned(tool, name, run.question)
    known = run.memory.known(tool, name, run.beside(tool))
    named = tuple(each for each in known if _is_named(each, task))
    found = said or named or known
    if found:
        return found
    return (yield from _look_up(run, tool, name, task, use, depth=depth))


def _is_named(known: Known, task: str) -> bool:
    label = known.label.lower()
    return str(known.value).lower() in task.lower() or (bool(label) and label in task.lower())


def _choose(
    run: Run, tool: Tool, name: str, known: tuple[Known, ...], task: str
) -> Steps[tuple[Known, ...]]:
    """Let the model pick one of the known ids."""
    offered = {name: known}
    reply = yield from fill(run, tool, task, (name,), offered, ())
    return tuple(each for each in known if each.value == reply.get(name))[:1] or known[:1]


def _look_up(
    run: Run, tool: Tool, name: str, task: str, use: Use, *, depth: int
) -> Steps[tuple[Known, ...] | Failure]:
    """Call an operation that can supply `name`, and keep the ids that match the task."""
    thing = thing_of(tool, name)
    if depth >= _DEPTH:
        return Failure(f"no {thing} could be found for: {task}")
    wanted = yield from _wanted(tool, name, task, thing)
    for supplier in _suppliers(run, tool, name, wanted)[: _DEPTH - depth]:
        called = f"{run.short_name(supplier.tool)} to find {wanted}"
        yield say("select", called, tool=supplier.tool.name)
        sought = Sought(wanted, supplier.path)
        outcome = yield from use(run, supplier.tool, wanted, depth + 1, sought)
        known = run.memory.known(tool, name, run.beside(tool))
        if not isinstance(outcome, Failure) and known:
            yield say("result", ", ".join(f"{each.label} ({each.value})" for each in known[:5]))
            return known
    return Failure(f"no {thing} matches: {wanted}")


def _wanted(tool: Tool, name: str, task: str, thing: str) -> Steps[str]:
    """Which thing to look up: a phrase of the task itself, where it has one."""
    offered = phrases(task, tool, name)
    if len(offered) == 1:
        return offered[0]
    schema = text_schema("look_up")
    if offered:
        schema["properties"]["look_up"] = {"enum": list(offered)}
    prompt = render("lookup", task=task, thing=contained(thing))
    reply = yield from ask("planner", prompt, schema, max_tokens=80)
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

    def rank(each: Producer) -> tuple[bool, bool, int]:
        other = each.tool
        needs_id = any(id_producers(other, key, run.beside(other)) for key in required_of(other))
        return needs_id, is_named != _takes_words(other), places.get(other.name, _RELEVANT)

    return sorted(reads, key=rank)


def _places(run: Run, wanted: str) -> dict[str, int]:
    """Which reads a search finds for the words, and at which place."""
    found = matches(wanted, run.part(reads=True), _RELEVANT)
    return {each.name: place for place, each in enumerate(found)}


def _takes_words(tool: Tool) -> bool:
    """Whether an operation must be given words to search for."""
    return any(True for _ in _words_of(tool))


def _words_of(tool: Tool) -> Iterator[str]:
    places = {each.name: each.location for each in tool.inputs}
    for name in required_of(tool):
        schema = properties_of(tool)[name]
        is_text = is_object(schema) and schema.get("type") == "string"
        if is_text and "enum" not in schema and places.get(name) == "query":
            yield name
