"""Which operations supply the ids that an input takes, and which of its values are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from restwright.agents.execution.tool_inputs import required_of
from restwright.agents.memory.context import background
from restwright.agents.rest.facts import KnownResponse, iterate_elements, values_at
from restwright.agents.rest.run import RestRun
from restwright.calls.json_lists import find_list_path, items_at
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.tools.producers import Producer, find_producers
from restwright.tools.producers.fields import response_fields
from restwright.tools.producers.paths import (
    collection_path,
    is_of_thing,
    is_path_prefix,
    is_same_path,
    path_shape,
)
from restwright.tools.text.words import split_words
from restwright.tools.tool import Tool

PLAIN_IDS = frozenset({"id", "uuid", "guid", "uri", "key", "name", "slug", "code"})
"""Names of an identifier that do not say of what."""

# Of them, what a thing is known by whose input is called otherwise, the surest first.
_IDENTITIES = ("id", "uuid", "guid", "key", "slug", "code")


def find_suppliers(run: RestRun, tool: Tool, name: str) -> list[Producer]:
    """The operations that supply an input, and the lists above it in the path."""
    found = [
        producer
        for producer in find_producers(tool, name, run.siblings(tool))
        if not _is_of_part(tool, name, producer)
    ]
    depths: dict[str, int] = {}
    for producer in found:
        depth = len(producer.path)
        depths[producer.tool.name] = min(depth, depths.get(producer.tool.name, depth))
    above = collection_path(tool.operation.path, name)
    lists = (other for other in run.siblings(tool) if run.is_read(other) and is_at(other, above))
    paths = ((other, _identity_path(run, other)) for other in lists)
    # What is known of it may be an id that a part of its things has.
    return found + [
        Producer(other, path, "the list above it in the path")
        for other, path in paths
        if other.name not in depths or 0 < len(path) < depths[other.name]
    ]


def iterate_producers(run: RestRun, tool: Tool, name: str) -> Iterator[Producer]:
    """The reads that supply an input to whoever has not its value."""
    for producer in find_suppliers(run, tool, name):
        is_own = producer.tool.name == tool.name and not producer.path
        is_fit = not (is_own or _needs_itself(producer.tool, tool, name))
        if is_fit and run.is_read(producer.tool):
            yield producer


def _needs_itself(producer: Tool, tool: Tool, name: str) -> bool:
    """Whether an operation can supply an input only to whoever has its value."""
    thing = item_path(tool, name)
    inside = [item_path(producer, other) for other in required_of(producer)]
    is_inside = bool(thing) and any(is_same_path(path, thing) for path in inside if path)
    return is_inside or name in required_of(producer)


def inputs_above(
    tool: Tool, name: str, producer: Tool, beside: Mapping[str, Json]
) -> Mapping[str, Json]:
    """The inputs of a call that come before `name` in its path, and that a producer has too."""
    above = collection_path(tool.operation.path, name)
    return shared_ids(
        tool, {one: value for one, value in beside.items() if f"{{{one}}}" in above}, producer
    )


def supplied_ids(
    run: RestRun, tool: Tool, name: str, earlier: Sequence[KnownResponse] = ()
) -> frozenset[str | int]:
    """
    The values that responses of the run, and `earlier` ones, gave for an input.

    These stand where the document says that an operation supplies it, or under its own name (see
    `has_under_name`); or a read of the thing, or of what is inside it, has succeeded with them.
    """
    paths: dict[str, list[tuple[str, ...]]] = {}
    for producer in find_suppliers(run, tool, name):
        paths.setdefault(producer.tool.name, []).append(producer.path)
    base = item_path(tool, name)
    ids: set[Json] = set()
    for response in (*earlier, *run.responses):
        for path in paths.get(response.tool, ()):
            ids.update(value for value, _ in values_at(response.body, path))
        reader = run.catalog[response.tool]
        if has_under_name(tool, name, reader):
            ids.update(
                element[name]
                for element in (response.body, *iterate_elements(response.body))
                if is_object(element) and isinstance(element.get(name), str | int)
            )
        if base:
            ids.add(response.arguments.get(_name_at(reader, base)))
    return frozenset(value for value in ids if isinstance(value, str | int))


def has_under_name(tool: Tool, name: str, reader: Tool | None) -> bool:
    """
    Whether what `reader` gives has values for an input under the input's own name.

    `ship_id` is one wherever it stands; a plain `id` only where things of its path are read.
    """
    if name.lower() not in PLAIN_IDS:
        return True
    if reader is None:
        return False
    path = reader.operation.path
    own = item_path(tool, name)
    return is_at(reader, collection_path(tool.operation.path, name)) or is_same_path(path, own)


def _is_of_part(tool: Tool, name: str, producer: Producer) -> bool:
    """Whether a plain `id` is that of a part: `/ships/{id}/crew` has ids of sailors."""
    is_plain = name.lower() in PLAIN_IDS and producer.path[-1:] == (name,)
    return is_plain and is_path_prefix(item_path(tool, name), producer.tool.operation.path)


def item_path(tool: Tool, name: str) -> str:
    """The path of the thing that an input identifies; empty where it stands in no path."""
    path = tool.operation.path
    start = path.find("{" + name + "}")
    return path[: start + len(name) + 2] if start >= 0 else ""


def _name_at(tool: Tool, path: str) -> str:
    """What an operation calls the id at the end of a path template; empty where it has none."""
    return next((name for name, item in _items_on_path(tool) if is_same_path(item, path)), "")


def _items_on_path(tool: Tool) -> list[tuple[str, str]]:
    """The ids in the path of an operation, each with the path of its thing."""
    names = (field.name for field in tool.inputs if field.location == "path")
    return [(name, item) for name in names if (item := item_path(tool, name))]


def shared_ids(tool: Tool, arguments: Mapping[str, Json], other: Tool) -> JsonObject:
    """
    Return the arguments of a call that stand in the path of another operation too.

    They go by the names that it has for them: `ship_id` of `/ships/{ship_id}/crew` is `id` of
    `/ships/{id}`.
    """
    return {
        own: arguments[name]
        for name, item in _items_on_path(tool)
        if name in arguments and (own := _name_at(other, item))
    }


def names_ids(name: str) -> bool:
    """Whether an input is called as lists of identifiers are: `ids`, `userIds`, `order_ids`."""
    return bool({"id", "uri", "uuid", "guid"} & set(split_words(name)[-1:]))


def is_at(tool: Tool, path: str) -> bool:
    """Whether a tool is at a path template, but for the names of its placeholders."""
    return bool(path) and is_same_path(tool.operation.path, path)


def find_reads_at(run: RestRun, tool: Tool, path: str) -> list[Tool]:
    """The reads of a tool's API at a path template; none at an empty one."""
    return [other for other in run.siblings(tool) if run.is_read(other) and is_at(other, path)]


def find_lists_beside(run: RestRun, tool: Tool) -> list[Tool]:
    """The lists of what is inside of the thing that an operation is inside of; none for none."""
    above = path_shape(tool.operation.path).rpartition("/")[0]
    paths = ((other, path_shape(other.operation.path)) for other in run.siblings(tool))
    lists = [
        other
        for other, path in paths
        if path.rpartition("/")[0] == above and not is_of_thing(path) and run.is_read(other)
    ]
    return lists if is_of_thing(above) else []


def _identity_path(run: RestRun, tool: Tool) -> tuple[str, ...]:
    """
    Where the response of a list has the ids of its items; empty where none is called so.

    Where the document says none of them, a response of the run does.
    """
    # The ids of what an item consists of are not its own.
    fields = (field.path for field in response_fields(tool))
    paths = [path for path in fields if path[-2:-1] == ("[]",) and path.count("[]") == 1]
    if known := _find_identity(paths):
        return known
    bodies = (response.body for response in run.responses if response.tool == tool.name)
    return next(map(observed_identity, bodies), ())


def observed_identity(body: Json) -> tuple[str, ...]:
    """Where a list that was read has the ids of its items; empty where none is called so."""
    place = find_list_path(body)
    if place is None:
        return ()
    names = [name for item in items_at(body, place)[:1] if is_object(item) for name in item]
    return _find_identity([(*place, "[]", name) for name in names])


def _find_identity(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    called = (path for name in _IDENTITIES for path in paths if path[-1].lower() == name)
    return next(called, ())


def is_supplied(run: RestRun, tool: Tool, name: str, value: Json) -> bool:
    """
    Whether a response of the conversation gave a value for an input; any one, where none is known
    to supply it.
    """
    if isinstance(value, str | int) and value in supplied_ids(run, tool, name, _earlier_reads(run)):
        return True
    return not find_suppliers(run, tool, name) and not item_path(tool, name)


def is_known_id(run: RestRun, tool: Tool, name: str, value: Json) -> bool:
    """Whether a response of this run gave a value for an input: earlier ones may be stale."""
    return isinstance(value, str | int) and value in supplied_ids(run, tool, name)


def _earlier_reads(run: RestRun) -> list[KnownResponse]:
    """What earlier turns of the conversation read."""
    return [
        KnownResponse(tool=done.tool, arguments=done.arguments, body=done.value)
        for done in background().done
        if done.tool in run.catalog.entries and not done.is_write
    ]
