"""
Ids are obtained backwards: the model says which thing is meant, and the operations that supply its
id are tried, the cheapest first. The API decides what exists; no rule does.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from restwright.agents.execution.failure import say
from restwright.agents.execution.tool_inputs import properties_of, required_of
from restwright.agents.prompting.structured_output import ask, closed
from restwright.agents.prompting.templates import render
from restwright.agents.rest.asked import Asked
from restwright.agents.rest.caller import fill_arguments, is_id, is_valid_id, open_inputs
from restwright.agents.rest.facts import Fact, find_label, iterate_scalars, things_at, values_at
from restwright.agents.rest.parser import parse_response
from restwright.agents.rest.plan import PlanStep
from restwright.agents.rest.provenance import (
    is_in_text,
    normalize_scalars,
    normalize_text,
    quote_singly,
)
from restwright.agents.rest.run import RestRun
from restwright.agents.rest.selector import choose_operations, max_listed
from restwright.agents.rest.suppliers import (
    find_suppliers,
    has_under_name,
    inputs_above,
    is_at,
    iterate_producers,
    names_ids,
    observed_identity,
)
from restwright.agents.steps import Question, Steps, UserAnswer
from restwright.calls.response.page_inputs import fill_all_choices
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.producers import Producer
from restwright.tools.producers.paths import collection_path
from restwright.tools.tool import Tool

MAX_DEPTH = 2
"""Of look-ups for what a look-up needs."""
MAX_PRODUCERS = 2
"""As many operations are tried for one id."""

_MAX_WHICH_CHARS = 80
_MAX_CHOICES = 8


@dataclass(frozen=True, slots=True)
class Lookup:
    """
    What is looked up.

    Args:
        which: The thing in words.
        called: Its name; empty for a thing that is only described.
        path: Where the producer's response has the values.
        inside: What the producer is to be called with.
        is_exact: Whether only what is called just so is it: a change has no other of its name.
        is_described: Whether the parser may find it by what is said of it.
    """

    tool: Tool
    name: str
    which: str
    called: str
    path: tuple[str, ...] = ()
    inside: Mapping[str, Json] = field(default_factory=dict[str, Json])
    is_exact: bool = False
    is_described: bool = True


def supply_id(
    run: RestRun,
    tool: Tool,
    name: str,
    step: PlanStep,
    *,
    which: str = "",
    is_name: bool = False,
    depth: int = 0,
    beside: Mapping[str, Json] = MappingProxyType({}),
    inside: str = "",
) -> Steps[str | int | None]:
    """
    Find the value of an id: among what was found, else by a look-up.

    Args:
        which: What the user calls the thing; the model is asked where that is empty.
        is_name: Whether only a thing that is called so is it.
        beside: What is known of the other inputs: a look-up is made inside of the same things.
        inside: What is called so, the thing is to be found for; by itself it is not found.

    Returns:
        The id, from a response; None where nothing supplies it.
    """
    known = list(known_ids(run, tool, name, step)) if not which else []
    if len(known) == 1:
        return known[0]
    found = list(iterate_producers(run, tool, name))
    if not found or depth > MAX_DEPTH:
        return None
    called = which
    if not which:
        which, called = yield from _ask_which(run, tool, name, step)
        if is_in_text(inside, normalize_text(which)):
            return None
        is_name = bool(called) and step.kind == "change"
    producers = _order_producers(run, tool, name, found, step, is_called=bool(called))
    lookup = Lookup(
        tool,
        name,
        which,
        called or which,
        is_exact=is_name or step.kind == "change",
        is_described=bool(called) and not is_name,
    )
    tried = [one for one in producers if called or _find_searched(run, one.tool)]
    fact = yield from _try_producers(run, tried, lookup, step, depth, beside)
    if fact is None and not called:
        # What has no name that is found is a task of its own.
        lookup = replace(lookup, called="", is_described=True)
        producers = yield from _choose_producers(run, producers, which)
        task = replace(step, what=which)
        fact = yield from _try_producers(run, producers, lookup, task, depth, beside)
    if fact is None:
        return None
    run.facts += [] if fact in run.facts else [fact]
    return fact.value  # type: ignore[return-value]


def _try_producers(
    run: RestRun,
    producers: Sequence[Producer],
    lookup: Lookup,
    step: PlanStep,
    depth: int,
    beside: Mapping[str, Json],
) -> Steps[Fact | None]:
    for producer in producers[:MAX_PRODUCERS]:
        inside = inputs_above(lookup.tool, lookup.name, producer.tool, beside)
        where = replace(lookup, path=producer.path, inside=inside)
        fact = yield from _look_up(run, producer.tool, where, step, depth)
        if fact is not None:
            return fact
    return None


def known_ids(run: RestRun, tool: Tool, name: str, step: PlanStep) -> Iterator[str | int]:
    """Yield the ids that the things of the steps before have for an input, each once."""
    seen: set[str | int] = set()
    for fact in run.facts_of(step):
        for item in fact.items:
            value = id_of(run, tool, name, item, fact.tool)
            if value is not None and value not in seen:
                seen.add(value)
                run.names.setdefault(value, str(item.get(find_label(item), "")))
                yield value


def id_of(run: RestRun, tool: Tool, name: str, item: JsonObject, source: str) -> str | int | None:
    """
    The value that one thing has for an input of `tool`.

    It stands where the document says that the operation `source` supplies it, else under the
    input's own name (see `has_under_name`).
    """
    for producer in find_suppliers(run, tool, name):
        if producer.tool.name == source and producer.path:
            value = _value_by(run, producer, item)
            if is_valid_id(tool, name, value):
                return value
    is_own = has_under_name(tool, name, run.catalog[source] if source else None)
    return item[name] if is_own and is_valid_id(tool, name, item.get(name)) else None


def _value_by(run: RestRun, producer: Producer, item: JsonObject) -> Json:
    """
    What a thing has where a producer supplies an id, or is inside of it: `customer.id` of a card.

    None where it is no thing of that place: the `id` of a card is not that of its customer.
    """
    *above, last = producer.path
    if last == "[]" and above:
        return item[above[-1]] if item.keys() == {above[-1]} else None
    inside = _after_lists(producer.path)
    for response in run.responses:
        if response.tool == producer.tool.name:
            place = producer.path[: len(producer.path) - len(inside)]
            if item in things_at(response.body, place):
                return next((value for value, _ in values_at(item, inside)), None)
            if item in things_at(response.body, above):
                return item.get(last)
    return None


def _after_lists(path: tuple[str, ...]) -> tuple[str, ...]:
    """The end of a path that leads through no list."""
    return path if "[]" not in path else path[len(path) - path[::-1].index("[]") :]


def _ask_which(run: RestRun, tool: Tool, name: str, step: PlanStep) -> Steps[tuple[str, str]]:
    """Which thing is meant, and what it is called; that is empty where nobody calls it so."""
    facts = run.fact_lines()
    prompt = render(
        "rest_lookup",
        question=quote_singly(run.message),
        facts=facts,
        task=quote_singly(run.describe(step)),
        input=f"{name} of {tool.operation.method.upper()} {tool.operation.path}",
    )
    text: JsonObject = {"type": "string", "minLength": 1, "maxLength": _MAX_WHICH_CHARS}
    schema = closed({"kind": text, "which": text, "name": {"anyOf": [text, {"type": "null"}]}})
    reply = yield from ask("lookup", prompt, schema, max_tokens=60)
    called = str(reply["name"] or "")
    is_known = is_in_text(called, f"{run.said()}\n{normalize_text(facts)}")
    return str(reply["which"]), called if is_known else ""


def _order_producers(
    run: RestRun,
    tool: Tool,
    name: str,
    found: Sequence[Producer],
    step: PlanStep,
    *,
    is_called: bool,
) -> Sequence[Producer]:
    """
    The reads that supply an input: the list above it in the path first, then the cheapest.

    What has such things (`id` of an option) comes before what only mentions some of them
    (`option_id` of what is in a cart), and what a name can be given to before a list.
    """
    above = collection_path(tool.operation.path, name)

    def cost(producer: Producer) -> tuple[bool, bool, bool, int]:
        ids = [one for one in required_of(producer.tool) if is_id(run, producer.tool, one)]
        unknown = [one for one in ids if not any(known_ids(run, producer.tool, one, step))]
        return (
            not is_at(producer.tool, above),
            producer.path[-1:] == (name,),
            is_called and not _find_searched(run, producer.tool),
            len(unknown),
        )

    return sorted(found, key=cost)


def _choose_producers(
    run: RestRun, producers: Sequence[Producer], which: str
) -> Steps[Sequence[Producer]]:
    """Those that the model takes for a thing that is only described; else all, in their order."""
    if len(producers) == 1:
        return producers
    listed = [producer.tool for producer in producers[: max_listed(run)]]
    chosen = yield from choose_operations(run, listed, which, "find")
    return [one for tool in chosen for one in producers if one.tool is tool] or producers


def _find_searched(run: RestRun, tool: Tool, known: Collection[str] = ()) -> str:
    """The one input that an operation needs, where that is a text to search for; else empty."""
    needed = [name for name in required_of(tool) if name not in known]
    schemas = (properties_of(tool)[name] for name in needed)
    are_texts = all(
        is_object(one) and one.get("type") == "string" and not one.keys() & {"enum", "format"}
        for one in schemas
    )
    is_one = len(needed) == 1 and are_texts and not names_ids(needed[0])
    return needed[0] if is_one and not is_id(run, tool, needed[0]) else ""


def _look_up(
    run: RestRun, producer: Tool, lookup: Lookup, step: PlanStep, depth: int
) -> Steps[Fact | None]:
    """
    Ask one operation for the id of a thing; what was looked up before is not asked again.

    It is called as plainly as it can be; with what may narrow its list only where that is too long.
    """
    where = (*lookup.path, lookup.called, json.dumps(dict(lookup.inside)), str(lookup.is_exact))
    key = (producer.name, "/".join((*where, str(lookup.is_described))), lookup.which)
    if key in run.lookups:
        return run.lookups[key]
    run.lookups[key] = None
    optional = [name for name in open_inputs(producer) if name not in required_of(producer)]
    fact, is_whole = yield from _search(run, producer, lookup, step, depth, without=optional)
    if fact is None and optional and not is_whole:
        fact, _ = yield from _search(run, producer, lookup, step, depth, without=())
    if fact is None and (wide := fill_all_choices(producer)):
        wider = replace(lookup, inside={**wide, **lookup.inside})
        fact, _ = yield from _search(run, producer, wider, step, depth, without=optional)
    if fact is not None:
        yield say("note", f"{lookup.name} of {lookup.which} is {fact.value}")
    run.lookups[key] = fact
    return fact


def _search(
    run: RestRun,
    producer: Tool,
    lookup: Lookup,
    step: PlanStep,
    depth: int,
    *,
    without: Collection[str],
) -> Steps[tuple[Fact | None, bool]]:
    """What one call of an operation gives for a thing, and whether it gave its whole list."""
    arguments = yield from _fill_search(run, producer, lookup, step, depth, without)
    if arguments is None:
        return None, True
    if _find_searched(run, producer, lookup.inside):
        # What fits best comes first.
        result, is_whole = (yield from run.send_read(producer, arguments)), True
    else:
        result, is_whole = yield from run.read_whole(producer, arguments)
    if not result.ok or result.value in (None, [], {}, ""):
        return None, True
    lookup = replace(lookup, path=lookup.path or observed_identity(result.value))
    if lookup.path and not any(values_at(result.value, lookup.path)):
        return None, True
    ids = _find_by_name(lookup, result.value)
    if not ids and lookup.is_described and not _is_nowhere(run, lookup, result.value):
        ids = yield from _find_by_parser(run, producer, arguments, lookup, result.value)
    if not ids:
        return None, is_whole
    value = yield from _choose(run, lookup, step, ids)
    if value is None:
        return None, True
    _note_name(run, lookup, result.value, value)
    notes = (f"one of {len(ids)} that it may be",) if len(ids) > 1 else ()
    what = f"the {lookup.name} of {lookup.which}"
    return Fact(what=what, value=value, tool=producer.name, notes=notes), is_whole


def _is_nowhere(run: RestRun, lookup: Lookup, body: Json) -> bool:
    """Whether a thing is looked for by a name in quotation marks that a response has nowhere."""
    is_name = run.is_quoted(lookup.called)
    return is_name and not is_in_text(lookup.called, normalize_scalars(body))


def _choose(
    run: RestRun, lookup: Lookup, step: PlanStep, ids: Sequence[str | int]
) -> Steps[str | int | None]:
    """Which of several things is meant: the first for a read; for a change the user says it."""
    if len(ids) == 1 or step.kind != "change":
        return ids[0]
    shown = ", ".join(map(str, ids[:_MAX_CHOICES]))
    several = f"{len(ids)} things may be {lookup.which}"
    reply = yield Question(
        f"{run.describe(step)}: {several}. Which {lookup.name}: {shown}?",
        tool=lookup.tool.name,
        schema=properties_of(lookup.tool)[lookup.name],
        name=lookup.name,
    )
    value = reply.value if isinstance(reply, UserAnswer) else None
    return value if isinstance(value, str | int) and value in ids else None


def _fill_search(
    run: RestRun,
    producer: Tool,
    lookup: Lookup,
    step: PlanStep,
    depth: int,
    without: Collection[str],
) -> Steps[JsonObject | None]:
    """The arguments that make an operation find a thing; None where an id of them is not known."""
    which, inside = lookup.which, lookup.inside
    key = (producer.name, json.dumps([which, lookup.called, dict(inside)]), bool(without))
    if key in run.searches:
        return run.searches[key]
    run.searches[key] = None
    if lookup.called and (searched := _find_searched(run, producer, inside)):
        run.searches[key] = {**inside, searched: lookup.called}
        return run.searches[key]
    filled = yield from fill_arguments(run, producer, step, inside, task=which, without=without)
    arguments = dict(filled.arguments)
    for name in required_of(producer):
        if name not in arguments:
            given = filled.wanted.get(name)
            value = yield from supply_id(
                run,
                producer,
                name,
                step,
                which=given if isinstance(given, str) else "",
                depth=depth + 1,
                beside=arguments,
                inside=lookup.called,
            )
            if value is None:
                return None
            arguments[name] = value
    run.searches[key] = arguments
    return arguments


def _note_name(run: RestRun, lookup: Lookup, body: Json, value: str | int) -> None:
    """Remember what a thing is called, and not what it was asked for as."""
    owners = [owner for found, owner in values_at(body, lookup.path) if found == value]
    for owner in owners:
        texts = [text for text in owner.values() if isinstance(text, str)]
        said = next((one for one in texts if is_in_text(one, normalize_text(lookup.which))), "")
        run.names.setdefault(value, said or str(owner.get(find_label(owner), "")))


def _find_by_name(lookup: Lookup, body: Json) -> list[str | int]:
    """
    The ids of the things of a response that are called as is said, or whose name stands in it.

    The longest name counts: of `Blue Heron` and `Heron`, the former is the blue heron. Where there
    is none, those whose name has what is said.
    """
    wanted, called = normalize_text(lookup.which), normalize_text(lookup.called)
    named: dict[str, list[str | int]] = {}
    near: list[str | int] = []
    for value, owner in values_at(body, lookup.path):
        if not is_valid_id(lookup.tool, lookup.name, value):
            continue
        texts = {normalize_text(text) for text in owner.values() if isinstance(text, str)}
        label = normalize_text(str(owner.get(find_label(owner), "")))
        if (called or wanted) in texts:
            named.setdefault(wanted, []).append(value)  # type: ignore[arg-type]
        elif label and not lookup.is_exact and is_in_text(label, wanted):
            named.setdefault(label, []).append(value)  # type: ignore[arg-type]
        elif called and not lookup.is_exact and called in label:
            near.append(value)  # type: ignore[arg-type]
    return list(dict.fromkeys(named[max(named, key=len)] if named else near))


def _find_by_parser(
    run: RestRun, producer: Tool, arguments: JsonObject, lookup: Lookup, body: Json
) -> Steps[list[str | int]]:
    """The id of the thing that the parser finds; none where it may be several."""
    key = lookup.path[-1] if lookup.path else lookup.name
    parsed = yield from parse_response(run, producer, arguments, body, Asked(what=lookup.which))
    value = [*parsed.items] if parsed.items else parsed.value
    # A number that is not in a thing may be a count.
    found = [
        item.get(key, item.get(lookup.name)) if is_object(item) else item
        for item in (value if is_array(value) else [value])
        if is_object(item) or isinstance(item, str)
    ]
    given = {item for item, _ in values_at(body, lookup.path)} or set(iterate_scalars(body))
    ids = dict.fromkeys(
        item for item in found if is_valid_id(lookup.tool, lookup.name, item) and item in given
    )
    return list(ids) if len(ids) == 1 else []  # type: ignore[arg-type]
