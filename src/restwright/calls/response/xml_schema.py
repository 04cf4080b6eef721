"""
XML as the value that a schema with `xml` keywords describes.

What the schema says nothing about stays as it was read; a text that is none of the type that is
asked for stays a text, for the check to find.

Source: OAS 3.0 and 3.2, "XML Object".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import isfinite

from restwright.calls.request.body_schema import BodySchema
from restwright.jsontypes import Json, JsonObject, is_array, is_object

_MAX_DEPTH = 100
_INTEGER = re.compile(r"[+-]?\d{1,300}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d{1,300}(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def value_from_xml(value: JsonObject, described: BodySchema) -> Json:
    """
    Return the value that an XML document stands for.

    Args:
        value: `{name of the root: its content}`, as it was read.
        described: The schema of the whole.
    """
    content = next(iter(value.values()), None)
    if _has_type(described, "array"):
        return _unwrap_items(content, described, described.component, 0)
    return _convert_value(content, described, 0)


def _convert_value(content: Json, described: BodySchema, depth: int) -> Json:
    if depth > _MAX_DEPTH or content is None:
        return content
    if _has_type(described, "object") or described.properties:
        return _convert_object(content, described, depth)
    if is_object(content) and _scalar_types(described):
        content = content.get("#text", "")  # It has attributes that the schema does not ask for.
    if isinstance(content, str):
        return _parse_scalar(content, described)
    return _convert_object(content, described, depth) if is_object(content) else content


def _convert_object(content: Json, described: BodySchema, depth: int) -> Json:
    """The properties of an element, and what else stands in it."""
    if isinstance(content, str):
        content = {"#text": content} if content.strip() else {}
    if not is_object(content):
        return content
    left = {key: each for key, each in content.items() if not key.startswith("@")}
    found: JsonObject = {}
    for name, each in described.properties.items():
        value = _take_property(left, content, name, each, depth)
        if value is not _MISSING:
            found[name] = value
    text = left.pop("#text", None)
    if text is not None and not found:
        return _parse_scalar(text, described)  # A text where an object should be.
    for key, each in left.items():
        name = _local_name(key)
        found.setdefault(name, _convert_elements(each, described.member(name), depth))
    return found


_MISSING: Json = object()


def _take_property(
    left: JsonObject, content: JsonObject, name: str, described: BodySchema, depth: int
) -> Json:
    """The value of one property, taken out of what is left; `_MISSING` for none."""
    xml = described.keyword("xml")
    xml = xml if is_object(xml) else {}
    own = xml.get("name")
    own = own if isinstance(own, str) and own else name
    kind = xml.get("nodeType") or ("attribute" if xml.get("attribute") is True else "element")
    if kind == "attribute":
        return _convert_text(_find_member(content, f"@{own}"), described)
    if kind in {"text", "cdata"}:
        return _convert_text(left.pop("#text", _MISSING), described)
    if not _has_type(described, "array"):
        key = _find_key(left, own)
        return _MISSING if key is None else _convert_value(left.pop(key), described, depth + 1)
    if xml.get("wrapped") is True or xml.get("nodeType") == "element":
        key = _find_key(left, own)
        return _MISSING if key is None else _unwrap_items(left.pop(key), described, own, depth + 1)
    key = _find_key(left, _item_name(described, name))
    return _MISSING if key is None else _convert_items(left.pop(key), described, depth)


def _unwrap_items(content: Json, described: BodySchema, name: str, depth: int) -> Json:
    """The items in an element of their own."""
    if not is_object(content):
        return content or []
    members = {key: each for key, each in content.items() if not key.startswith(("@", "#"))}
    key = _find_key(members, _item_name(described, name))
    only = next(iter(members)) if len(members) == 1 else None
    found = key or only
    return _convert_items(members[found], described, depth) if found else content


def _convert_items(content: Json, described: BodySchema, depth: int) -> Json:
    values = content if is_array(content) else [content]
    return [_convert_value(each, described.element(i), depth + 1) for i, each in enumerate(values)]


def _convert_elements(content: Json, described: BodySchema, depth: int) -> Json:
    """What stands under a name that no property has: one element, or several."""
    if is_array(content):
        return _convert_items(content, described, depth)
    return _convert_value(content, described, depth + 1)


def _convert_text(text: Json, described: BodySchema) -> Json:
    """The value of an attribute or a text; a list stands between spaces."""
    if isinstance(text, str) and _has_type(described, "array"):
        return [_parse_scalar(part, described.items) for part in text.split()]
    return _parse_scalar(text, described) if isinstance(text, str) else text


def _item_name(described: BodySchema, missing: str) -> str:
    xml = described.items.keyword("xml")
    name = xml.get("name") if is_object(xml) else None
    return name if isinstance(name, str) and name else missing


def _find_member(members: JsonObject, name: str) -> Json:
    key = _find_key(members, name)
    return _MISSING if key is None else members[key]


def _find_key(members: JsonObject, name: str) -> str | None:
    """The member of this name, whatever prefix it has."""
    if name in members:
        return name
    return next((key for key in members if _local_name(key) == name), None)


def _local_name(key: str) -> str:
    sign = "@" if key.startswith("@") else ""
    return sign + key.removeprefix("@").rpartition(":")[2]


def _has_type(described: BodySchema, kind: str) -> bool:
    own = described.keyword("type")
    return own == kind or (is_array(own) and kind in own)


def _scalar_types(described: BodySchema) -> list[str]:
    return [kind for kind in (*_SCALAR_PARSERS, "string") if _has_type(described, kind)]


def _parse_scalar(text: str, described: BodySchema) -> Json:
    """A text as the type that is asked for, where it is one."""
    for kind in _scalar_types(described):
        value = _SCALAR_PARSERS[kind](text.strip()) if kind in _SCALAR_PARSERS else None
        if value is not None:
            return value
    return text


def _parse_integer(text: str) -> Json:
    return int(text) if _INTEGER.fullmatch(text) else None


def _parse_number(text: str) -> Json:
    found = float(text) if _NUMBER.fullmatch(text) else None
    return found if found is not None and isfinite(found) else None


_SCALAR_PARSERS: Mapping[str, Callable[[str], Json]] = {
    "integer": _parse_integer,
    "number": _parse_number,
    "boolean": _BOOLEANS.get,
}
