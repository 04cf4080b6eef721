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
from xml.sax.saxutils import escape, quoteattr

from restwright.calls.request.body_schema import Described
from restwright.calls.request.encode import Unwritable, primitive
from restwright.jsontypes import Json, JsonObject, is_array, is_object

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
_XSI = ("xsi", "http://www.w3.org/2001/XMLSchema-instance")
# XML 1.0, "Names", without the colon, which prefixes end with.
_NAME = re.compile(r"[^\W\d][\w.\-\u00b7]*")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MAX_DEPTH = 100


def xml_text(value: Json, *, described: Described) -> str:
    """
    Return a value as an XML document.

    Args:
        described: Its schema; a root without a name of its own is called as its component.

    Raises:
        Unwritable: A name or a character is none of XML, or the value has no root.
    """
    elements = list(_elements(described.component or "root", value, described, 0))
    if len(elements) != 1:
        raise Unwritable("one value, which is what the root of XML is")
    return _HEAD + elements[0]


@dataclass(slots=True)
class _Content:
    """What stands in one element."""

    attributes: list[str] = field(default_factory=list[str])
    inner: list[str] = field(default_factory=list[str])


def _elements(name: str, value: Json, described: Described, depth: int) -> Iterator[str]:
    """The elements that a value under `name` becomes: any number for an array, else one."""
    if depth > _MAX_DEPTH:
        raise Unwritable(f"at most {_MAX_DEPTH} levels")
    xml = _xml(described)
    own = xml.get("name")
    own = own if isinstance(own, str) and own else None
    if is_array(value):
        items = described.items
        inner = [
            each
            for index, item in enumerate(value)
            for each in _within(
                index, own or name if _is_wrapped(xml) else name, item, items, depth
            )
        ]
        if _is_wrapped(xml) or depth == 0:
            yield _element(own or name, xml, _Content(inner=inner))
        else:
            yield from inner
        return
    yield _element(own or name, xml, _content(value, described, depth))


def _within(
    key: str | int, name: str, value: Json, described: Described, depth: int
) -> Iterator[str]:
    try:
        yield from _elements(name, value, described, depth + 1)
    except Unwritable as error:
        raise Unwritable(str(error), (key, *error.path)) from None


def _content(value: Json, described: Described, depth: int) -> _Content:
    content = _Content()
    if value is None:
        content.attributes += [f'xmlns:{_XSI[0]}="{_XSI[1]}"', f'{_XSI[0]}:nil="true"']
    elif is_object(value):
        for key, each in value.items():
            _add(content, key, each, described.member(key), depth)
    else:
        content.inner.append(_escaped(primitive(value)))
    return content


def _add(content: _Content, key: str, value: Json, described: Described, depth: int) -> None:
    """Put one property into an element, as an attribute, as text or as elements."""
    xml = _xml(described)
    kind = _kind(xml)
    if kind in {"attribute", "text", "cdata"}:
        try:
            _add_text(content, kind, _prefixed(str(xml.get("name") or key), xml), xml, value)
        except Unwritable as error:
            raise Unwritable(str(error), (key, *error.path)) from None
    else:
        content.inner += _within(key, key, value, described, depth)


def _add_text(content: _Content, kind: str, name: str, xml: JsonObject, value: Json) -> None:
    if value is None:
        return
    # OAS 3.2: an array in an attribute or a text is a list between spaces.
    members = value if is_array(value) else [value]
    text = " ".join(primitive(each) for each in members)
    if kind == "attribute":
        content.attributes += [*_declared(xml), f"{name}={quoteattr(_checked(text))}"]
    elif kind == "cdata":
        content.inner.append(f"<![CDATA[{_checked(text).replace(']]>', ']]]]><![CDATA[>')}]]>")
    else:
        content.inner.append(_escaped(text))


def _element(name: str, xml: JsonObject, content: _Content) -> str:
    tag = _prefixed(name, xml)
    attributes = dict.fromkeys([*_declared(xml), *content.attributes])
    start = " ".join([tag, *attributes])
    inner = "".join(content.inner)
    return f"<{start}>{inner}</{tag}>" if inner else f"<{start}/>"


def _declared(xml: JsonObject) -> list[str]:
    """The declaration of the namespace that the `xml` keyword names."""
    namespace = xml.get("namespace")
    if not isinstance(namespace, str) or not namespace:
        return []
    prefix = xml.get("prefix")
    attribute = f"xmlns:{_legal(prefix)}" if isinstance(prefix, str) and prefix else "xmlns"
    return [f"{attribute}={quoteattr(_checked(namespace))}"]


def _prefixed(name: str, xml: JsonObject) -> str:
    prefix = xml.get("prefix")
    return (
        f"{_legal(prefix)}:{_legal(name)}" if isinstance(prefix, str) and prefix else _legal(name)
    )


def _legal(name: str) -> str:
    if not all(_NAME.fullmatch(each) for each in name.split(":", 1)):
        raise Unwritable("names that XML allows")
    return name


def _escaped(text: str) -> str:
    # A return that is written as it is would be read as a line feed.
    return escape(_checked(text), {"\r": "&#13;"})


def _checked(text: str) -> str:
    if _NOT_XML.search(text):
        raise Unwritable("text of characters that XML allows")
    return text


def _xml(described: Described) -> JsonObject:
    xml = described.keyword("xml")
    return xml if is_object(xml) else {}


def _kind(xml: JsonObject) -> str:
    """`nodeType` of OpenAPI 3.2, or what stood for it before."""
    kind = xml.get("nodeType")
    if isinstance(kind, str):
        return kind
    return "attribute" if xml.get("attribute") is True else "element"


def _is_wrapped(xml: JsonObject) -> bool:
    return xml.get("wrapped") is True or xml.get("nodeType") == "element"
