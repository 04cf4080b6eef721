"""
A document in an earlier version than 3.2, for programs that read no later one.

What the earlier version cannot say is left out or said loosely, and each place is told of.

Source: OAS 3.2.0, 3.1.1 and 3.0.4; JSON Schema 2020-12.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import Problem
from restwright.openapi.references import find_ref, join_pointer, lookup_reference
from restwright.openapi.versions.object_map import ObjectKind, find_slot, is_extension

EarlierVersion = Literal["3.1", "3.0"]
VERSIONS: Mapping[EarlierVersion, str] = {"3.1": "3.1.1", "3.0": "3.0.4"}
_LEFT_OUT = "left out"

# Keys of 3.2 that 3.1 has not, by the object that they stand in.
_OF_32: Mapping[ObjectKind, frozenset[str]] = {
    "document": frozenset({"$self"}),
    "components": frozenset({"mediaTypes"}),
    "path item": frozenset({"query", "additionalOperations"}),
    "response": frozenset({"summary"}),
    "media type": frozenset({"itemEncoding", "prefixEncoding"}),
    "encoding": frozenset({"encoding", "itemEncoding", "prefixEncoding"}),
    "security scheme": frozenset({"oauth2MetadataUrl", "deprecated"}),
}
# Keys of 3.1 that 3.0 has not.
_OF_31: Mapping[ObjectKind, frozenset[str]] = {
    "document": frozenset({"webhooks", "jsonSchemaDialect"}),
    "components": frozenset({"pathItems"}),
}
_SCHEMA_OF_31 = frozenset({
    "if", "then", "else", "contains", "minContains", "maxContains", "dependentSchemas",
    "dependentRequired", "patternProperties", "propertyNames", "unevaluatedItems",
    "unevaluatedProperties", "contentSchema", "$id", "$anchor", "$schema", "$dynamicRef",
    "$dynamicAnchor", "$comment", "$vocabulary", "$defs",
})  # fmt: skip
# Of these nobody who validates or reads misses anything.
_UNTOLD = frozenset({"$comment", "$schema"})


class _Place(NamedTuple):
    """Where a node stands."""

    pointer: str
    kind: ObjectKind


def downgrade_document(
    document: JsonObject, to: EarlierVersion
) -> tuple[JsonObject, tuple[Problem, ...]]:
    """
    Say a document in an earlier version.

    Args:
        document: In 3.2, as `upgrade_document()` gives it; stays as it is.

    Returns:
        A new document, and what it could not say.
    """
    downgrade = _Downgrade(document, to)
    whole = downgrade.convert(document, _Place("", "document"))
    return {**whole, "openapi": VERSIONS[to]}, tuple(downgrade.problems)


@dataclass(slots=True)
class _Downgrade:
    document: JsonObject
    to: EarlierVersion
    problems: list[Problem] = field(default_factory=list[Problem])

    def convert(self, node: JsonObject, place: _Place) -> JsonObject:
        """An object with all that stands in it; its own changes come before those below."""
        node = dict(node)
        self._leave_out(node, place, _OF_32.get(place.kind, frozenset()))
        if self.to == "3.0":
            self._leave_out(node, place, _OF_31.get(place.kind, frozenset()))
        if change := _CHANGES.get(place.kind):
            change(self, node, place)
        found = {key: self._convert_member(node, key, place) for key in node}
        if place.kind == "schema" and self.to == "3.0":
            return _simplify_schema(self, found, place)
        return found

    def tell(self, pointer: str, what: str, action: str = _LEFT_OUT) -> None:
        """Keep what cannot be said."""
        self.problems.append(Problem(pointer, what, "warning", action))

    def _leave_out(self, node: JsonObject, place: _Place, keys: frozenset[str]) -> None:
        for key in [key for key in node if key in keys]:
            del node[key]
            what = f"OpenAPI {self.to} has no `{key}` in a {place.kind}"
            self.tell(f"{place.pointer}{join_pointer(key)}", what)

    def _convert_member(self, node: JsonObject, key: str, place: _Place) -> Json:
        value = node[key]
        slot = find_slot(place.kind, node, key)
        if slot is None or (key == "additionalProperties" and isinstance(value, bool)):
            return value
        pointer = f"{place.pointer}{join_pointer(key)}"
        if slot.shape == "one":
            return self._convert_one(value, _Place(pointer, slot.kind))
        if slot.shape == "list" and is_array(value):
            found = [
                self._convert_one(item, _Place(f"{pointer}/{number}", slot.kind))
                for number, item in enumerate(value)
            ]
            return [item for item in found if item is not None]
        if slot.shape == "map" and is_object(value):
            return {
                name: member
                if is_extension(slot, name)
                else self._convert_one(member, _Place(f"{pointer}{join_pointer(name)}", slot.kind))
                for name, member in value.items()
            }
        return value

    def _convert_one(self, value: Json, place: _Place) -> Json:
        if place.kind == "schema" and isinstance(value, bool) and self.to == "3.0":
            return {} if value else {"not": {}}
        if not is_object(value):
            return value
        if place.kind == "media type" and "$ref" in value:
            value = self.look_up(value)
        if place.kind == "parameter" and value.get("in") == "querystring":
            what = f"OpenAPI {self.to} has no parameter that is the whole query"
            self.tell(place.pointer, what)
            return None
        return self.convert(value, place)

    def look_up(self, reference: JsonObject) -> JsonObject:
        """What a reference to a component leads to that the earlier version has not."""
        try:
            found = lookup_reference(self.document, str(reference["$ref"]))
        except UnresolvedReference:
            return reference
        return found if is_object(found) else reference


def _change_document(downgrade: _Downgrade, node: JsonObject, place: _Place) -> None:
    node["servers"] = [
        _without(downgrade, server, {"name"}, f"/servers/{number}", "server")
        for number, server in enumerate(node.get("servers", ()))
    ]
    if not node["servers"]:
        del node["servers"]
    if is_array(node.get("tags")):
        node["tags"] = [
            _without(downgrade, tag, {"summary", "parent", "kind"}, f"/tags/{number}", "tag")
            for number, tag in enumerate(node["tags"])
        ]
    if downgrade.to == "3.0":
        node["paths"] = _place_path_items(downgrade, node.get("paths", {}))
        info = _without(downgrade, node.get("info"), {"summary"}, "/info", "info")
        licensed = info.get("license") if is_object(info) else None
        if is_object(licensed) and "identifier" in licensed:
            info["license"] = _without(
                downgrade, licensed, {"identifier"}, "/info/license", "license"
            )
        node["info"] = info
    del place


def _place_path_items(downgrade: _Downgrade, paths: Json) -> JsonObject:
    """The paths, with the components of path items that 3.0 does not have where they are used."""
    placed: JsonObject = {}
    for path, item in paths.items() if is_object(paths) else ():
        is_shared = str(find_ref(item) or "").startswith("#/components/pathItems/")
        own = {key: value for key, value in item.items() if key != "$ref"} if is_shared else item
        placed[path] = {**downgrade.look_up(item), **own} if is_shared else own
    return placed


def _without(downgrade: _Downgrade, node: Json, keys: set[str], pointer: str, kind: str) -> Json:
    if not is_object(node):
        return node
    for key in sorted(keys & node.keys()):
        downgrade.tell(f"{pointer}/{key}", f"OpenAPI {downgrade.to} has no `{key}` in a {kind}")
    return {key: value for key, value in node.items() if key not in keys}


def _change_response(downgrade: _Downgrade, node: JsonObject, place: _Place) -> None:
    del downgrade, place
    if "$ref" not in node:
        node.setdefault("description", "")


def _change_media_type(downgrade: _Downgrade, node: JsonObject, place: _Place) -> None:
    if "itemSchema" in node:
        items = node.pop("itemSchema")
        downgrade.tell(
            f"{place.pointer}/itemSchema",
            f"OpenAPI {downgrade.to} has no items of a sequence",
            "said as a list",
        )
        node.setdefault("schema", {"type": "array", "items": items})


def _change_parameter(downgrade: _Downgrade, node: JsonObject, place: _Place) -> None:
    if node.get("style") == "cookie":
        node["style"] = "form"
        what = f"OpenAPI {downgrade.to} has no style `cookie`"
        downgrade.tell(f"{place.pointer}/style", what, "said as `form`")


def _change_example(downgrade: _Downgrade, node: JsonObject, place: _Place) -> None:
    del downgrade, place
    for key in ("dataValue", "serializedValue"):
        if key in node:
            value = node.pop(key)
            if "externalValue" not in node:
                node.setdefault("value", value)


def _change_security_scheme(downgrade: _Downgrade, node: JsonObject, place: _Place) -> None:
    flows = node.get("flows")
    if is_object(flows) and "deviceAuthorization" in flows:
        node["flows"] = {key: value for key, value in flows.items() if key != "deviceAuthorization"}
        what = f"OpenAPI {downgrade.to} has no flow `deviceAuthorization`"
        downgrade.tell(f"{place.pointer}/flows/deviceAuthorization", what)
    if node.get("type") == "mutualTLS" and downgrade.to == "3.0":
        what = "OpenAPI 3.0 has no `mutualTLS`"
        downgrade.tell(place.pointer, what, "kept, which its readers may refuse")


def _change_schema(downgrade: _Downgrade, node: JsonObject, place: _Place) -> None:
    discriminator = node.get("discriminator")
    if is_object(discriminator) and "defaultMapping" in discriminator:
        pointer = f"{place.pointer}/discriminator"
        node["discriminator"] = _without(
            downgrade, discriminator, {"defaultMapping"}, pointer, "discriminator"
        )
    xml = node.get("xml")
    if is_object(xml) and "nodeType" in xml:
        node["xml"] = {key: value for key, value in xml.items() if key != "nodeType"}
        if xml["nodeType"] == "attribute":
            node["xml"]["attribute"] = True
        elif xml["nodeType"] != "element":
            what = f"OpenAPI {downgrade.to} has no nodeType {xml['nodeType']!r}"
            downgrade.tell(f"{place.pointer}/xml/nodeType", what)


def _simplify_schema(downgrade: _Downgrade, node: JsonObject, place: _Place) -> JsonObject:
    """A Schema Object of 3.0, which is no JSON Schema; what stands below is one already."""
    for key in [key for key in node if key in _SCHEMA_OF_31]:
        del node[key]
        if key not in _UNTOLD:
            pointer = f"{place.pointer}{join_pointer(key)}"
            downgrade.tell(pointer, f"OpenAPI 3.0 has no `{key}` in a schema")
    if "$ref" in node and len(node) > 1:
        reference = node.pop("$ref")
        node["allOf"] = [{"$ref": reference}, *node.get("allOf", ())]
    if "const" in node:
        node["enum"] = [node.pop("const")]
    examples = node.pop("examples", None)
    if is_array(examples) and examples:
        node.setdefault("example", examples[0])
    _simplify_bounds(node)
    _simplify_items(downgrade, node, place)
    _simplify_contents(downgrade, node, place)
    return _simplify_types(_take_null(node))


def _simplify_bounds(node: JsonObject) -> None:
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        limit = node.get(exclusive)
        if isinstance(limit, bool) or not isinstance(limit, int | float):
            continue
        own = node.get(bound)
        is_narrower = own is not None and (own > limit if bound == "minimum" else own < limit)
        if is_narrower:
            del node[exclusive]
        else:
            node[bound], node[exclusive] = limit, True


def _simplify_items(downgrade: _Downgrade, node: JsonObject, place: _Place) -> None:
    first = node.pop("prefixItems", None)
    if is_array(first):
        downgrade.tell(
            f"{place.pointer}/prefixItems",
            "OpenAPI 3.0 has no `prefixItems` in a schema",
            "said as items of any of these kinds",
        )
        rest = [node["items"]] if is_object(node.get("items")) else []
        node["items"] = {"anyOf": [*first, *rest]}
    if node.get("type") == "array" and "items" not in node:
        node["items"] = {}


def _simplify_contents(downgrade: _Downgrade, node: JsonObject, place: _Place) -> None:
    encoding, media_type = node.pop("contentEncoding", None), node.pop("contentMediaType", None)
    if encoding in {"base64", "base64url"}:
        node.setdefault("format", "byte")
    elif media_type == "application/octet-stream":
        node.setdefault("type", "string")
        node.setdefault("format", "binary")
    elif encoding or media_type:
        what = f"OpenAPI 3.0 has no content of {media_type or encoding} in a text"
        downgrade.tell(place.pointer, what)


def _take_null(node: JsonObject) -> JsonObject:
    """Null as `nullable` in the place of a type or an alternative."""
    for keyword in ("anyOf", "oneOf"):
        several = node.get(keyword)
        if not is_array(several):
            continue
        others = [one for one in several if one != _NULL]
        if len(others) < len(several):
            node["nullable"] = True
            if len(others) == 1 and is_object(others[0]) and "allOf" not in node:
                del node[keyword]
                node["allOf"] = others
            else:
                node[keyword] = others
    return node


def _simplify_types(node: JsonObject) -> JsonObject:
    types = node.get("type")
    if types == "null":
        del node["type"]
        return {**node, **_NULL}
    if not is_array(types):
        return node
    others = [one for one in types if one != "null"]
    if len(others) < len(types):
        node["nullable"] = True
    if len(others) == 1:
        node["type"] = others[0]
    else:
        del node["type"]
        alternatives: list[JsonObject] = [
            {"type": one, **({"items": {}} if one == "array" else {})} for one in others
        ]
        if others:
            node["allOf"] = [*node.get("allOf", ()), {"anyOf": alternatives}]
        else:
            node |= _NULL
    return node


_NULL: JsonObject = {"nullable": True, "enum": [None]}
"""What 3.0 has for the type of null alone."""
_CHANGES: Mapping[ObjectKind, Callable[[_Downgrade, JsonObject, _Place], None]] = {
    "document": _change_document,
    "response": _change_response,
    "media type": _change_media_type,
    "parameter": _change_parameter,
    "example": _change_example,
    "security scheme": _change_security_scheme,
    "schema": _change_schema,
}
