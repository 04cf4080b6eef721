"""
XML becomes a plain JSON value. Document types, entities and whatever is outside are refused.

The value is `{name of the root: its content}`. Content is text where an element has neither
attributes nor children, and else an object: `@name` for an attribute, the children by their names
(a list where a name stands several times), `#text` for the text beside them. `xsi:nil="true"` is
null. Names are as written, prefix included; declarations of namespaces are left out. Every text
stays text: nothing is guessed to be a number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from restwright.jsontypes import Json, JsonObject, is_array

MAX_DEPTH = 200
"""Levels of elements."""
MAX_ELEMENTS = 200_000
"""Elements and attributes of one response."""


class UnreadableXML(ValueError):
    """The text is not XML that is read here; the message says why."""


def parse_xml(content: bytes, *, encoding: str | None = None) -> JsonObject:
    """
    Read XML.

    Args:
        encoding: What the transport says; wins over the declaration in the text.

    Raises:
        UnreadableXML: It is broken, has a document type or entities, or is over a limit.
    """
    reader = _TreeBuilder()
    try:
        parser = expat.ParserCreate(encoding)
        parser.buffer_text = True
        parser.ordered_attributes = True
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.StartElementHandler = reader.start
        parser.EndElementHandler = reader.end
        parser.CharacterDataHandler = reader.text
        parser.StartDoctypeDeclHandler = _refuse_declaration
        parser.EntityDeclHandler = _refuse_declaration
        parser.ExternalEntityRefHandler = _refuse_declaration
        parser.Parse(content, True)  # noqa: FBT003 - the signature is expat's
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise error if isinstance(error, UnreadableXML) else UnreadableXML(str(error)) from error
    return reader.value


def _refuse_declaration(*_: object) -> NoReturn:
    raise UnreadableXML("it has a document type or an entity of its own, which are not read")


@dataclass(slots=True)
class _Element:
    name: str
    members: JsonObject = field(default_factory=dict[str, Json])
    texts: list[str] = field(default_factory=list[str])
    is_nil: bool = False

    def add(self, name: str, value: Json) -> None:
        if name not in self.members:
            self.members[name] = value
        elif is_array(self.members[name]):
            self.members[name].append(value)
        else:
            self.members[name] = [self.members[name], value]

    @property
    def content(self) -> Json:
        text = "".join(self.texts)
        if not self.members:
            return None if self.is_nil else text
        text = text.strip()
        return {**self.members, "#text": text} if text else self.members


class _TreeBuilder:
    """Puts the value together as expat calls."""

    def __init__(self) -> None:
        self.value: JsonObject = {}
        self._open: list[_Element] = []
        self._remaining = MAX_ELEMENTS

    def start(self, name: str, attributes: list[str]) -> None:
        self._remaining -= 1 + len(attributes) // 2
        if len(self._open) >= MAX_DEPTH or self._remaining < 0:
            raise UnreadableXML("it nests too deep or has too many elements")
        element = _Element(name)
        for key, value in zip(attributes[::2], attributes[1::2], strict=True):
            if key.rpartition(":")[2] == "nil" and ":" in key:
                element.is_nil = value in {"true", "1"}
            elif key != "xmlns" and not key.startswith("xmlns:"):
                element.members[f"@{key}"] = value
        self._open.append(element)

    def end(self, name: str) -> None:
        element = self._open.pop()
        if self._open:
            self._open[-1].add(name, element.content)
        else:
            self.value = {name: element.content}

    def text(self, text: str) -> None:
        self._open[-1].texts.append(text)
