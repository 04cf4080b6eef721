"""
Values as XML, by the `xml` keyword of their schemas.

An object is an element whose properties are elements in it; an array is one element for each item,
in an element of its own where it is `wrapped`. Null is an element with `xsi:nil`.

Source: OAS 3.0 and 3.2, "XML Object".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from restwright.calls.request.body_schema import BodySchema
from restwright.calls.request.encode import Unwritable, encode_primitive
from restwright.jsontypes import Json, JsonObject, is_array, is_object

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
_XSI = ("xsi", "http://www.w3.org/2001/XMLSchema-instance")
# XML 1.0, "Names", without the colon, which prefixes end with.
_NAME = re.compile(r"[^\W\d][\w.\-\u00b7]*")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MAX_DEPTH = 100


def encode_xml(value: Json, *, described: BodySchema) -> str:
    """
    Return a value as an XML document.

    Args:
        described: Its schema; a root without a name of its own is called as its component.

    Raises:
        Unwritable: A name or a character is none of XML, or the value has no root.
    """
    elements = list(_write_elements(described.component or "root", value, described, 0))
    if len(elements) != 1:
        raise Unwritable("one value, which is what the root of XML is")
    return _HEAD + elements[0]


@dataclass(slots=True)
class _ElementContent:
    """What stands in one element."""

    attributes: list[str] = field(default_factory=list[str])
    inner: list[str] = field(default_factory=list[str])


def _write_elements(name: str, value: Json, described: BodySchema, depth: int) -> Iterator[str]:
    """The elements that a value under `name` becomes: any number for an array, else one."""
    if depth > _MAX_DEPTH:
        raise Unwritable(f"at most {_MAX_DEPTH} levels")
    xml = _xml_keyword(described)
    own = xml.get("name")
    own = own if isinstance(own, str) and own else None
    if is_array(value):
        items = described.items
        inner = [
            text
            for index, item in enumerate(value)
            for text in _write_nested(
                index, own or name if _is_wrapped(xml) else name, item, items, depth
            )
        ]
        if _is_wrapped(xml) or depth == 0:
            yield _write_element(own or name, xml, _ElementContent(inner=inner))
        else:
            yield from inner
        return
    yield _write_element(own or name, xml, _build_content(value, described, depth))


def _write_nested(
    key: str | int, name: str, value: Json, described: BodySchema, depth: int
) -> Iterator[str]:
    try:
        yield from _write_elements(name, value, described, depth + 1)
    except Unwritable as error:
        raise Unwritable(str(error), (key, *error.path)) from None


def _build_content(value: Json, described: BodySchema, depth: int) -> _ElementContent:
    content = _ElementContent()
    if value is None:
        content.attributes += [f'xmlns:{_XSI[0]}="{_XSI[1]}"', f'{_XSI[0]}:nil="true"']
    elif is_object(value):
        for key, each in value.items():
            _add_property(content, key, each, described.member(key), depth)
    else:
        content.inner.append(_escape_text(encode_primitive(value)))
    return content


def _add_property(
    content: _ElementContent, key: str, value: Json, described: BodySchema, depth: int
) -> None:
    """Put one property into an element, as an attribute, as text or as elements."""
    xml = _xml_keyword(described)
    kind = _node_type(xml)
    if kind in {"attribute", "text", "cdata"}:
        try:
            _add_text(content, kind, _prefix_name(str(xml.get("name") or key), xml), xml, value)
        except Unwritable as error:
            raise Unwritable(str(error), (key, *error.path)) from None
    else:
        content.inner += _write_nested(key, key, value, described, depth)


def _add_text(content: _ElementContent, kind: str, name: str, xml: JsonObject, value: Json) -> None:
    if value is None:
        return
    # OAS 3.2: an array in an attribute or a text is a list between spaces.
    members = value if is_array(value) else [value]
    text = " ".join(encode_primitive(member) for member in members)
    if kind == "attribute":
        content.attributes += [
            *_namespace_attributes(xml),
            f"{name}={_quote_text(text)}",
        ]
    elif kind == "cdata":
        content.inner.append(f"<![CDATA[{_check_text(text).replace(']]>', ']]]]><![CDATA[>')}]]>")
    else:
        content.inner.append(_escape_text(text))


def _write_element(name: str, xml: JsonObject, content: _ElementContent) -> str:
    tag = _prefix_name(name, xml)
    attributes = dict.fromkeys([*_namespace_attributes(xml), *content.attributes])
    start = " ".join([tag, *attributes])
    inner = "".join(content.inner)
    return f"<{start}>{inner}</{tag}>" if inner else f"<{start}/>"


def _namespace_attributes(xml: JsonObject) -> list[str]:
    """The declaration of the namespace that the `xml` keyword names."""
    namespace = xml.get("namespace")
    if not isinstance(namespace, str) or not namespace:
        return []
    prefix = xml.get("prefix")
    attribute = f"xmlns:{_check_name(prefix)}" if isinstance(prefix, str) and prefix else "xmlns"
    return [f"{attribute}={_quote_text(namespace)}"]


def _prefix_name(name: str, xml: JsonObject) -> str:
    prefix = xml.get("prefix")
    return (
        f"{_check_name(prefix)}:{_check_name(name)}"
        if isinstance(prefix, str) and prefix
        else _check_name(name)
    )


def _check_name(name: str) -> str:
    if not all(_NAME.fullmatch(part) for part in name.split(":", 1)):
        raise Unwritable("names that XML allows")
    return name


def _quote_text(text: str) -> str:
    # It brings the standard library's HTTP client along, which few calls are worth.
    from xml.sax.saxutils import quoteattr

    return quoteattr(_check_text(text))


def _escape_text(text: str) -> str:
    from xml.sax.saxutils import escape

    # A return that is written as it is would be read as a line feed.
    return escape(_check_text(text), {"\r": "&#13;"})


def _check_text(text: str) -> str:
    if _NOT_XML.search(text):
        raise Unwritable("text of characters that XML allows")
    return text


def _xml_keyword(described: BodySchema) -> JsonObject:
    xml = described.keyword("xml")
    return xml if is_object(xml) else {}


def _node_type(xml: JsonObject) -> str:
    """`nodeType` of OpenAPI 3.2, or what stood for it before."""
    kind = xml.get("nodeType")
    if isinstance(kind, str):
        return kind
    return "attribute" if xml.get("attribute") is True else "element"


def _is_wrapped(xml: JsonObject) -> bool:
    return xml.get("wrapped") is True or xml.get("nodeType") == "element"
