"""
The resources of a document: collections, their items, and what can be done with them.

All of it is read from path templates and schemas. `/things` with a GET that answers an array of
objects is a collection; `/things/{id}` with a GET is its item; `/things/{id}/parts` is a collection
inside of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from restwright.jsontypes import JsonObject
from restwright.tools.tool import Tool
from restwright_bench.any.fields import Field, name_field, plain_fields
from restwright_bench.any.locate import Place, at, find_array, find_id, find_item
from restwright_bench.any.schemas import Schema, flatten, schema_of

_PLACEHOLDER = re.compile(r"\{([^{}/]*)\}")
_SUFFIX = re.compile(r"\.json$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """
    One kind of thing.

    Args:
        path: Of the collection, placeholders without names: `/shelves/{}/books`.
        noun: Its last segment.
        parent: The `path` of the resource that it is inside of; empty at the root.
        array: Where the items are in the response of `list`.
        item: Where the thing is in the response of `get`.
        id_name: The property that the item's path takes; empty for what has no item path.
        record: Of everything that is known of one thing, and `shown` of one in the list.
        operations: `{list, get, create, update, replace, delete, delete_all: tool}`.
    """

    path: str
    noun: str
    parent: str = ""
    array: Place = ()
    item: Place = ()
    id_name: str = ""
    record: Schema = field(repr=False)
    shown: Schema = field(repr=False)
    operations: Mapping[str, Tool] = field(default_factory=dict[str, Tool], repr=False)

    @property
    def name_of(self) -> str:
        """The property that its things are called by; empty where they have no names."""
        return name_field(self.record, self.id_name) or ""

    @property
    def fields(self) -> tuple[Field, ...]:
        """Its plain properties."""
        return plain_fields(self.record, self.id_name)

    @property
    def depth(self) -> int:
        """As many ids its collection takes."""
        return self.path.count("{}")


def routes(tools: Iterable[Tool]) -> dict[tuple[str, str], Tool]:
    """`{(method in upper case, path without the names of placeholders): tool}`."""
    found: dict[tuple[str, str], Tool] = {}
    for tool in tools:
        found.setdefault((tool.operation.method.upper(), plain_path(tool.operation.path)), tool)
    return found


def plain_path(path: str) -> str:
    """A template without the names of its placeholders and without `.json` at its end."""
    return _SUFFIX.sub("", _PLACEHOLDER.sub("{}", path).rstrip("/"))


def placeholders(path: str) -> tuple[str, ...]:
    """Names of the placeholders of a template, in order."""
    return tuple(_PLACEHOLDER.findall(path))


def find_resources(tools: Iterable[Tool]) -> tuple[Resource, ...]:
    """Return the resources whose collections can be reached through other resources."""
    by_route = routes(tools)
    found: dict[str, Resource] = {}
    for path in sorted(
        {path for method, path in by_route if method == "GET"}, key=lambda path: (len(path), path)
    ):
        resource = _resource_at(path, by_route)
        if resource is None:
            continue
        if "{}" not in path:
            found[path] = resource
        elif (parent := _parent(path)) in found and found[parent].id_name:
            found[path] = replace(resource, parent=parent)
    return tuple(found.values())


def _parent(path: str) -> str:
    """The collection whose item a path goes through."""
    return path[: path.rindex("/{}")] if path.rpartition("/")[0].endswith("{}") else ""


def _resource_at(path: str, by_route: Mapping[tuple[str, str], Tool]) -> Resource | None:
    noun = path.rpartition("/")[2]
    if not noun or "{}" in noun or ("GET", path) not in by_route:
        return None
    listing, getting = by_route["GET", path], by_route.get(("GET", f"{path}/{{}}"))
    response = schema_of(listing.output)
    array = find_array(response, noun, is_strict=getting is None)
    if array is None:
        return None
    shown = at(response, array)
    resource = Resource(
        path=path, noun=noun, array=array, record=shown, shown=shown, operations={"list": listing}
    )
    return _with_item(resource, getting, by_route)


def _with_item(
    resource: Resource, getting: Tool | None, by_route: Mapping[tuple[str, str], Tool]
) -> Resource:
    item_path = f"{resource.path}/{{}}"
    of_item = {name: by_route.get((method, item_path)) for name, method in _OF_ITEM.items()}
    of_list = {name: by_route.get((method, resource.path)) for name, method in _OF_LIST.items()}
    some = getting or next((each for each in of_item.values() if each is not None), None)
    operations = dict(resource.operations) | {k: v for k, v in of_list.items() if v is not None}
    if some is None:
        return replace(resource, operations=operations)
    placeholder = placeholders(some.operation.path)[-1]
    whole = schema_of(getting.output) if getting is not None else resource.shown
    place = find_item(whole, placeholder, resource.noun)
    place = _known_in_list(place, whole, resource, placeholder, some)
    if place is None:
        return replace(resource, operations=operations)
    operations |= {name: tool for name, tool in of_item.items() if tool is not None}
    if "update" not in operations and ("POST", item_path) in by_route:
        operations["update"] = by_route["POST", item_path]
    return replace(
        resource,
        item=place[0],
        id_name=place[1],
        record=_with_id(_merged(at(whole, place[0]), resource.shown), place[1], some),
        operations=operations,
    )


def _known_in_list(
    place: tuple[Place, str] | None, whole: Schema, resource: Resource, name: str, tool: Tool
) -> tuple[Place, str] | None:
    """The id, if the list tells it; else another property that both have, for a path of texts."""
    if place is None or place[1] in resource.shown.properties:
        return place
    other = find_id(resource.shown, name, resource.noun)
    taken = next((each.name for each in tool.inputs if each.target == name), "")
    is_text = schema_of(tool.properties.get(taken, {})).type == "string"
    is_shared = other is not None and other in at(whole, place[0]).properties
    return (place[0], str(other)) if is_shared and is_text else None


_OF_ITEM = {"get": "GET", "update": "PATCH", "replace": "PUT", "delete": "DELETE"}
_OF_LIST = {"create": "POST", "delete_all": "DELETE"}


def _merged(whole: Schema, shown: Schema) -> Schema:
    """What a record has that is served both ways; definitions of both."""
    node: JsonObject = {
        **whole.node,
        "type": "object",
        "properties": {**shown.properties, **whole.properties, **_shared(whole, shown)},
        "required": [*dict.fromkeys((*whole.required, *shown.required))],
    }
    return Schema(node, {**shown.definitions, **whole.definitions})


def _shared(whole: Schema, shown: Schema) -> JsonObject:
    """Plain properties that both have: what either says of them holds."""
    return {
        name: {"allOf": [whole.properties[name], shown.properties[name]]}
        for name in whole.properties
        if name in shown.properties and whole.member(name).is_scalar
    }


def _with_id(record: Schema, name: str, tool: Tool) -> Schema:
    """What the path takes as an id holds for the id too."""
    placeholder = placeholders(tool.operation.path)[-1]
    taken = next((each.name for each in tool.inputs if each.target == placeholder), "")
    path_schema = flatten(tool.properties.get(taken, {}), tool.checks.get("$defs", {}))
    own = record.member(name)
    if own.type != path_schema.type:
        return record
    node = {**path_schema.node, **own.node}
    properties = {**record.properties, name: node}
    return Schema({**record.node, "properties": properties}, record.definitions)
