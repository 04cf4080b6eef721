"""An API gets a namespace: the part of its tools' names before the two underscores."""

from __future__ import annotations

import re
from dataclasses import dataclass

from restwright.openapi.model import API
from restwright.tools.words import folded

MAX_LENGTH = 20

_OTHER = re.compile(r"[^a-z0-9]+")
# `(Preview)`, `(beta)`
_REMARK = re.compile(r"\([^()]*\)")
_VERSION = re.compile(r"v?[0-9]+([._][0-9]+)*")
# Words of titles that tell nothing apart.
_FILLERS = frozenset(
    (
        *("a", "an", "and", "by", "for", "from", "of", "our", "s", "the", "with"),
        *("api", "apis", "http", "openapi", "rest", "restful", "swagger", "web"),
        *("definition", "demo", "document", "documentation", "official", "open", "public"),
        *("reference", "schema", "service", "services", "spec", "specification"),
    )
)


@dataclass(frozen=True, slots=True)
class Namespace:
    """
    A namespace, and where it comes from.

    Args:
        name: Lower case letters, digits and single underscores, at most 20 characters.
        reason: In words.
    """

    name: str
    reason: str


def namespace_of(api: API) -> Namespace:
    """The namespace of `api`: its alias, else its `x-namespace`, else the words of its title."""
    named = api.extensions.get("x-namespace")
    if api.alias and (name := slug(api.alias)):
        return Namespace(name, "the alias given by the user")
    if isinstance(named, str) and (name := slug(named)):
        return Namespace(name, "`x-namespace` of the document")
    if name := _title_slug(api.title):
        return Namespace(name, f"the title {api.title!r}")
    return Namespace("api", "the title says nothing")


def slug(text: str) -> str:
    """`text` as a namespace; empty where no ASCII letter or digit is left."""
    words = _OTHER.sub("_", folded(text).lower()).strip("_")
    if words[:1].isdecimal():
        words = f"n{words}"
    return _cut(words)


def _title_slug(title: str) -> str:
    words = _OTHER.sub(" ", folded(_REMARK.sub(" ", title)).lower()).split()
    telling = [each for each in words if each not in _FILLERS and not _VERSION.fullmatch(each)]
    return slug(" ".join(telling or words))


def _cut(name: str) -> str:
    """At most 20 characters, ending with a whole word where one fits."""
    if len(name) <= MAX_LENGTH:
        return name
    kept, _, _ = name[: MAX_LENGTH + 1].rpartition("_")
    return kept or name[:MAX_LENGTH]
