"""The ids of things that the user names, by the lists above them and without asking a model."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from restwright.agents.execution.call_keys import key_of
from restwright.agents.execution.failure import say
from restwright.agents.execution.tool_inputs import required_of
from restwright.agents.rest.caller import is_valid_id
from restwright.agents.rest.facts import Fact, find_label, values_at
from restwright.agents.rest.plan import PlanStep
from restwright.agents.rest.provenance import find_named, is_in_text, normalize_text
from restwright.agents.rest.run import RestRun
from restwright.agents.rest.spoken import speaks_of_things
from restwright.agents.rest.suppliers import (
    find_reads_at,
    inputs_above,
    is_at,
    item_path,
    iterate_producers,
    observed_identity,
)
from restwright.agents.steps import Steps
from restwright.calls.response.page_inputs import fill_all_choices, fill_largest_page
from restwright.jsontypes import Json, JsonObject
from restwright.tools.producers import Producer
from restwright.tools.producers.paths import collection_path, is_path_end
from restwright.tools.search.analysis import tokenize_text
from restwright.tools.tool import Tool

_LEAST_CHARS = 3


def find_called(
    run: RestRun, tool: Tool, name: str, step: PlanStep, beside: Mapping[str, Json]
) -> Steps[Sequence[str | int]]:
    """
    Find the ids of the things that a step has in quotation marks.

    The list above them in the path is read whole, where all that this needs is known. Just one of
    its things has to be called so. What the plan leaves out is not looked for.

    Args:
        beside: What is known of the other inputs.
    """
    spared = {normalize_text(one) for other in run.plan.steps for one in other.exceptions}
    called = {normalize_text(one): one for one in find_named(step.what)}
    called = {name: one for name, one in called.items() if name not in spared}
    for producer, inside in _lists_above(run, tool, name, beside) if called else ():
        ids = yield from _read_called(run, (tool, name), producer, dict(inside), called)
        if ids == {} and (wide := fill_all_choices(producer.tool)):
            ids = yield from _read_called(run, (tool, name), producer, {**inside, **wide}, called)
        found = ids or {}
        for value, which in found.items():
            yield say("note", f"{name} of {which} is {value}")
            run.names.setdefault(value, which)
            key = (producer.tool.name, "/".join((*producer.path, which)), which)
            what = f"the {name} of {which}"
            run.lookups[key] = Fact(what=what, value=value, tool=producer.tool.name)
        return tuple(found)
    return ()


def _read_called(
    run: RestRun,
    given: tuple[Tool, str],
    producer: Producer,
    arguments: JsonObject,
    called: Mapping[str, str],
) -> Steps[dict[str | int, str] | None]:
    """
    The ids of the things of a list that are known by one of some names, each with that name.

    None where that cannot be told: two are called so, or the list was not read whole.
    """
    result, is_whole = yield from run.read_whole(producer.tool, arguments)
    path = producer.path or observed_identity(result.value)
    ids = _ids_called(*given, path, called, result.value) if result.ok and path else {}
    return None if len({*ids.values()}) < len(ids) or not is_whole else ids


def find_said(run: RestRun, tool: Tool) -> Steps[JsonObject]:
    """
    Find the ids in the path of an operation, or those that a function needs, which the message has
    as they are.

    Each is the only one of the list above it that this message has, in the same case. That list is
    read whole for it, where the message speaks of its things or has the id of what it is in. A
    number, or a text of two characters, may mean anything, and is no id here.
    """
    given: JsonObject = {}
    for name in _ids_of(run, tool):
        for producer, inside in _lists_above(run, tool, name, given):
            if not given and not _speaks_of(run, tool, name, producer.tool):
                continue
            said = yield from _find_said_of(run, producer, dict(inside))
            if said and is_valid_id(tool, name, said):
                given[name] = said
                break
        if name not in given:
            break
    return given


def find_only(run: RestRun, tool: Tool, known: Collection[str] = ()) -> Steps[JsonObject]:
    """
    Find the ids of what an operation is inside of, where the API has only one of that.

    The first list of them needs nothing, and each other one those before: what cannot be another
    one needs no choice. The thing that an operation is of itself is never taken so. Nor is one that
    the message speaks of: it may mean another one, which there is not.

    Args:
        known: Inputs that are known: what is inside of one of these is not looked for.
    """
    given: JsonObject = {}
    path = tool.operation.path
    for name in _ids_of(run, tool):
        if name in known or not item_path(tool, name) or is_path_end(path, name):
            break
        only = yield from _find_only_of(run, tool, name, given)
        if not is_valid_id(tool, name, only):
            break
        yield say("note", f"{name} is {only}, the only one")
        given[name] = only
    return given


def _find_only_of(run: RestRun, tool: Tool, name: str, given: JsonObject) -> Steps[Json]:
    """The id of the only thing of the list above an input in the path; None for more or none."""
    for producer, inside in _lists_above(run, tool, name, given):
        if _speaks_of(run, tool, name, producer.tool):
            continue
        # A long list is not read whole to see that it is one.
        first = yield from run.send_read(
            producer.tool, {**fill_largest_page(producer.tool), **inside}
        )
        path = producer.path or observed_identity(first.value)
        if not (first.ok and path and len([*values_at(first.value, path)]) == 1):
            continue
        result, is_whole = yield from run.read_whole(producer.tool, dict(inside))
        ids = [value for value, _ in values_at(result.value, path)]
        if is_whole and len(ids) == 1:
            return ids[0]
    return None


def find_passed(run: RestRun, tool: Tool, name: str) -> Sequence[str]:
    """The lists of the things that an id of an operation is of, by their names."""
    if above := collection_path(tool.operation.path, name) if item_path(tool, name) else "":
        return [one.name for one in find_reads_at(run, tool, above)]
    return [one.tool.name for one, _ in _lists_above(run, tool, name, {})]


def _find_said_of(run: RestRun, producer: Producer, inside: JsonObject) -> Steps[str]:
    """The one id of a list that the message has; empty for none. A list is read once for that."""
    key = key_of(producer.tool, {**inside, "": producer.path})
    if key not in run.said_ids:
        result, is_whole = yield from run.read_whole(producer.tool, inside)
        place = producer.path or observed_identity(result.value)
        ids = [one for one, _ in values_at(result.value, place) if isinstance(one, str)]
        is_known = result.ok and is_whole and bool(place)
        said = {one for one in ids if is_known and _is_meant(run, one)}
        run.said_ids[key] = said.pop() if len(said) == 1 else ""
    return run.said_ids[key]


def _ids_of(run: RestRun, tool: Tool) -> list[str]:
    """The ids in the path of an operation, in their order; those in its query where it has none."""
    path = tool.operation.path
    names = [name for name in required_of(tool) if f"{{{name}}}" in path]
    if not names:
        located = (field.name for field in tool.inputs if field.location == "query")
        names = [
            name for name in located if name in required_of(tool) and _is_of_list(run, tool, name)
        ]
    return sorted(names, key=lambda name: path.find(f"{{{name}}}"))


def _is_of_list(run: RestRun, tool: Tool, name: str) -> bool:
    """Whether an input is an id that an operation lists which needs nothing."""
    return any(_lists_above(run, tool, name, {}))


def _speaks_of(run: RestRun, tool: Tool, name: str, lister: Tool) -> bool:
    """Whether the message has the words at the end of a list's path, or of a function's input."""
    words = {*tokenize_text(f"{run.question}\n{run.message}")}
    if item_path(tool, name):
        return speaks_of_things(words, lister.operation.path)
    kind = {*tokenize_text(name)} - {*tokenize_text("id ids")}
    return bool(kind) and kind <= words


def _is_meant(run: RestRun, one: str) -> bool:
    """Whether the message has an id as it is, and the plan does not leave it out."""
    told = f"{run.question}\n{run.message}"
    if len(one) < _LEAST_CHARS or one.isdecimal() or one not in told:
        return False
    spared = (normalize_text(left) for step in run.plan.steps for left in step.exceptions)
    return is_in_text(one, normalize_text(told)) and not any(
        is_in_text(one, left) for left in spared
    )


def _lists_above(
    run: RestRun, tool: Tool, name: str, beside: Mapping[str, Json]
) -> Iterator[tuple[Producer, Mapping[str, Json]]]:
    """
    The lists that have the things of an id and can be read, and what each is to be read with.

    Of an id in the path these are above it; of any other, those that hold it.
    """
    above = collection_path(tool.operation.path, name) if item_path(tool, name) else ""
    for producer in iterate_producers(run, tool, name):
        inside = inputs_above(tool, name, producer.tool, beside)
        is_above = is_at(producer.tool, above) if above else bool(producer.path)
        if is_above and not {*required_of(producer.tool)} - inside.keys():
            yield producer, inside


def _ids_called(
    tool: Tool, name: str, path: tuple[str, ...], called: Mapping[str, str], body: Json
) -> dict[str | int, str]:
    """The ids of the things that are known by one of some names, each with that name."""
    return {
        value: called[known]  # type: ignore[misc]
        for value, owner in values_at(body, path)
        if is_valid_id(tool, name, value)
        for known in map(normalize_text, (str(owner.get(find_label(owner), "")), str(value)))
        if known in called
    }
