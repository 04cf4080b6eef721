"""An API gets a namespace: the part of its tools' names before the two underscores."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from restwright.openapi.model import API
from restwright.tools.naming.hosts import (
    Host,
    host_from_urls,
    parse_host,
    reference_label,
    telling_segment,
)
from restwright.tools.naming.names import hash_digits
from restwright.tools.text.words import fold_to_ascii

MAX_NAMESPACE_LENGTH = 20

NamespaceStyle = Literal["sound", "url"]

_OTHER = re.compile(r"[^a-z0-9]+")
# `(Preview)`, `(beta)`
_REMARK = re.compile(r"\([^()]*\)")
_VERSION = re.compile(r"v?[0-9]+([._][0-9]+)*")
_URL = re.compile(r"https?://", re.IGNORECASE)
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


def choose_namespace(
    *,
    alias: str | None = None,
    declared: str = "",
    server_url: str = "",
    document_url: str = "",
    title: str = "",
    style: NamespaceStyle = "sound",
) -> Namespace:
    """
    The namespace of an API; the same for the same arguments, whatever these are.

    Its alias, else what it declares, else the label of its host that somebody registered, else the
    words of its title where the host is local, an address or made up by a machine. Where the host
    is a public suffix itself, under which many APIs live, the path and the title come before it.

    Args:
        declared: `x-namespace` of the document.
        server_url: As written, variables filled in; may be relative, or no URL at all.
        document_url: Where the document came from; empty where that is no URL.
        style: `url` takes the label of the host before the last, as document 004 does, or `local`
            or `unknown`.
    """
    if alias and (name := to_slug(alias)):
        return Namespace(name, "the alias given by the user")
    if name := to_slug(declared):
        return Namespace(name, "`x-namespace` of the document")
    if style == "url":
        return Namespace(to_slug(reference_label(server_url)), "the server URL, style `url`")
    name = host_from_urls(server_url, document_url)
    if name is None:
        return _namespace_from_title(title)
    host = parse_host(name)
    if host.kind == "shared" and (own := to_slug(telling_segment(server_url))):
        why = f"the path of {server_url}, as {host.label} has many APIs"
        return Namespace(own, why)
    return _namespace_from_host(host, title)


def namespace_from_api(api: API, *, style: NamespaceStyle = "sound") -> Namespace:
    """The namespace of `api` by itself: others may want the same."""
    declared = api.extensions.get("x-namespace")
    return choose_namespace(
        alias=api.alias,
        declared=declared if isinstance(declared, str) else "",
        server_url=main_server_url(api),
        document_url=base_document_url(api),
        title=api.title,
        style=style,
    )


def main_server_url(api: API) -> str:
    """
    The server that speaks for a document, variables filled in.

    It is the one that most operations have, their own or the document's. Where that is relative,
    the first of the document that names a host. Other operations stay in the same namespace.
    """
    own = api.own_server
    urls = [server.default_url for server in (*((own,) if own else ()), *api.servers)]
    absolute = (url for url in urls if host_from_urls(url, "") is not None)
    return next(absolute, None) or next(iter(urls), "")


def base_document_url(api: API) -> str:
    """Where the document came from; empty where that is no URL."""
    return api.source if _URL.match(api.source) else ""


def to_slug(text: str) -> str:
    """`text` as a namespace; empty where no ASCII letter or digit is left."""
    words = _OTHER.sub("_", fold_to_ascii(text).lower()).strip("_")
    # Not every provider accepts a name that begins with a digit.
    if words[:1].isdecimal():
        words = f"api_{words}"
    return fit_namespace(words)


def title_words(title: str) -> tuple[str, ...]:
    """The words of a title that tell it apart; all of them where none does."""
    words = _OTHER.sub(" ", fold_to_ascii(_REMARK.sub(" ", title)).lower()).split()
    telling = [word for word in words if word not in _FILLERS and not _VERSION.fullmatch(word)]
    return tuple(telling or words)


def fit_namespace(name: str, room: int = MAX_NAMESPACE_LENGTH) -> str:
    """At most `room` characters, ending with a whole word where one fits."""
    if len(name) <= room:
        return name
    kept, _, _ = name[: room + 1].rpartition("_")
    return kept or name[:room]


def _namespace_from_host(host: Host, title: str) -> Namespace:
    """By the host, or by the title where that tells too little."""
    if host.kind == "named" and (name := to_slug(host.label)):
        return Namespace(name, f"the host {host.name}")
    why = _HOST_REASONS[host.kind].format(host=host.name or "the server")
    if name := to_slug(" ".join(title_words(title))):
        return Namespace(name, f"the title {title!r}, as {why}")
    return Namespace(
        next(filter(None, _fallback_names(host))), f"{why}, and the title says nothing"
    )


def _fallback_names(host: Host) -> Iterator[str]:
    yield to_slug(host.label)
    if host.label:
        yield f"api_{hash_digits(host.label, 6)}"
    yield "unknown" if host.kind == "invalid" else "local"


_HOST_REASONS = {
    "named": "{host} has no letters of ASCII",
    "shared": "{host} has many APIs",
    "vague": "{host} names nobody",
    "local": "{host} names nobody",
    "invalid": "{host} is no host",
}


def _namespace_from_title(title: str) -> Namespace:
    if name := to_slug(" ".join(title_words(title))):
        return Namespace(name, f"the title {title!r}")
    return Namespace("api", "the title says nothing")
