"""Where the references of a document lead once it is in canonical form."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from restwright.errors import UnresolvedReference
from restwright.openapi.references import lookup, pointer_of, tokens_of
from restwright.openapi.versions.object_map import Slot, members, slot
from restwright.openapi.versions.schema import moved
from restwright.typing import Json, JsonObject, is_array, is_object

Tokens = tuple[str, ...]

# OAS 3.2.0 "Components Object": the characters of a name.
_ILLEGAL = re.compile(r"[^a-zA-Z0-9._-]+")
_DOCUMENT = Slot("one", "document")
_MOVED = {
    "definitions": ("components", "schemas"),
    "securityDefinitions": ("components", "securitySchemes"),
}
# RFC 3986 "Fragment", beside letters and digits; the slash separates the tokens.
_FRAGMENT = "/?:@!$&'()*+,;=-._~"


def legal_names(components: Json) -> Mapping[str, Mapping[str, str]]:
    """
    `{kind: {name: legal name}}` of the components whose names are not legal.

    What is legal stays; the rest stays readable, and gets eight digits of its SHA-256 where the
    readable name is taken.
    """
    if not is_object(components):
        return {}
    return {
        kind: _legal(several)
        for kind, several in components.items()
        if is_object(several) and not kind.startswith("x-")
    }


def _legal(several: JsonObject) -> dict[str, str]:
    illegal = [name for name in several if not name or _ILLEGAL.search(name)]
    taken = {name.lower() for name in several.keys() - set(illegal)}
    names: dict[str, str] = {}
    for name in illegal:
        readable = _ILLEGAL.sub("_", name).strip("_")
        if not readable or readable.lower() in taken:
            digits = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
            readable = f"{readable}_{digits}".lstrip("_")
        taken.add(readable.lower())
        names[name] = readable
    return names


def fragment_of(tokens: Tokens) -> str:
    """
    The reference to what stands under `tokens` in the same document.

    Source: RFC 6901, "URI Fragment Identifier Representation".
    """
    return f"#{quote(pointer_of(*tokens), safe=_FRAGMENT)}"


@dataclass(slots=True, kw_only=True)
class References:
    """
    The references of one document, each looked at once.

    Args:
        document: As written.
        canonical: In the shape of OpenAPI 3.2, its schemas the objects of `document`.
        shared: `{reference: what it leads to in canonical}` where that was found out before; the
            references without percent-encoding.
        names: As `legal_names()`.
    """

    document: JsonObject = field(repr=False)
    canonical: JsonObject = field(repr=False)
    shared: Mapping[str, str]
    names: Mapping[str, Mapping[str, str]]
    _known: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    _places: dict[int, Tokens] = field(default_factory=dict[int, Tokens], repr=False)

    def canonical_ref(self, ref: str) -> str:
        """What `ref` is in the upgraded document; itself where it leads elsewhere or nowhere."""
        if ref not in self._known:
            self._known[ref] = self._canonical(self.shared.get(unquote(ref), ref))
        return self._known[ref]

    def name(self, kind: str, name: str) -> str:
        """The name of a component."""
        return self.names.get(kind, {}).get(name, name)

    def _canonical(self, ref: str) -> str:
        fragment = unquote(ref[1:])
        if not ref.startswith("#") or not fragment.startswith("/"):
            return ref
        tokens = tokens_of(fragment)
        there = self._upgraded(self._place(ref, tokens))
        if there == tokens:
            return ref
        return fragment_of(there)

    def _place(self, ref: str, tokens: Tokens) -> Tokens:
        """The tokens of the same object in `canonical`."""
        if self.canonical is self.document or tokens[0] == "components":
            return tokens
        if tokens[0] in _MOVED:
            return (*_MOVED[tokens[0]], *tokens[1:])
        try:
            target = lookup(self.document, ref)
        except UnresolvedReference:
            return tokens
        if not self._places:
            for each, place in _places(self.canonical):
                # Components come first.
                self._places.setdefault(each, place)
        return self._places.get(id(target), tokens)

    def _upgraded(self, tokens: Tokens) -> Tokens:
        """The tokens after names were made legal and schemas upgraded."""
        there: list[str] = []
        node: Json = self.canonical
        place: Slot | None = _DOCUMENT
        for index, token in enumerate(tokens):
            if place is not None and place.shape == "one" and is_object(node):
                following = tokens[index + 1] if index + 1 < len(tokens) else None
                is_schema = place.kind == "schema"
                there.extend(moved(node, token, following) if is_schema else (token,))
                place = slot(place.kind, node, token)
            else:
                is_name = len(there) == 2 and there[0] == "components"
                there.append(self.name(there[1], token) if is_name else token)
                place = Slot("one", place.kind) if place is not None else None
            node = _member(node, token)
        return tuple(there)


def _member(node: Json, token: str) -> Json:
    if is_object(node):
        return node.get(token)
    if is_array(node) and token.isdecimal() and int(token) < len(node):
        return node[int(token)]
    return None


def _places(document: JsonObject) -> Iterator[tuple[int, Tokens]]:
    """`(id, tokens)` of every object that the grammar knows, from the end of the document on."""
    waiting: list[tuple[Tokens, Slot, Json]] = [((), _DOCUMENT, document)]
    while waiting:
        tokens, place, node = waiting.pop()
        if place.shape != "one":
            one = Slot("one", place.kind)
            waiting.extend(((*tokens, key), one, each) for key, each in members(place, node))
        elif is_object(node):
            yield id(node), tokens
            for key, each in node.items():
                if (found := slot(place.kind, node, key)) is not None:
                    waiting.append(((*tokens, key), found, each))
