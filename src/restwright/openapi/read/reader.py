"""
A document becomes an `API`: what a list needs at once, the rest of each operation when asked for.

Whatever is wrong with one part costs that part: it is left out or repaired, and a `Problem` says
so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from restwright.jsontypes import Json, JsonObject
from restwright.openapi.document import Document
from restwright.openapi.model import API, Operation, Problem, Security, Server
from restwright.openapi.read.cursor import Place, Reading, merged_item, told_once
from restwright.openapi.read.lint import bounded, lint
from restwright.openapi.read.objects import security_scheme_values, security_value, server_values
from restwright.openapi.read.operation import PARTS, Site, say_unknown_keys
from restwright.openapi.read.paths import (
    ADDITIONAL,
    Row,
    own_servers_of_paths,
    rows_of_paths,
    rows_of_webhooks,
)
from restwright.openapi.references import pointer_of, tokens_of
from restwright.openapi.versions.detect import specification_of
from restwright.openapi.versions.swagger import canonical_operation, canonical_root
from restwright.openapi.versions.swagger_parameters import Shared

_DEFAULT_SERVERS = (Server(url="/"),)


def read(document: Document, *, alias: str | None = None) -> API:
    """
    Read a document. Does no I/O.

    Returns:
        Operations in document order; their parts and problems are read when asked for.

    Raises:
        NotOpenAPI: It is of no version that we read (2.0, 3.0, 3.1 and 3.2).
        UnreadableDocument: It cannot be parsed.
    """
    reader = Reader(document)
    info = Place(reader.root, reader.plain).object_at("info")
    return api_from(
        reader,
        alias=alias,
        title=info.text("title"),
        version=info.text("version"),
        description=info.text("description") or info.text("summary"),
        specification=reader.specification,
        servers=reader.servers,
        own_server=reader.own_server,
        operations=tuple(map(reader.make, rows_of_paths(reader.root, reader.plain))),
        extensions=_plain_extensions(reader.root),
    )


def api_from(reader: Reader, **now: Json) -> API:
    """
    The API whose parts `reader` reads when they are asked for.

    Args:
        now: The fields that are there already, all but `source`.
    """
    now["source"] = reader.document.source
    return API.deferred(tuple(now), now.values(), reader.part_of_api)


@dataclass(eq=False)
class Reader:
    """Reads what is asked for later; parses the document when it is needed for the first time."""

    document: Document
    _sites: dict[str, Site] = field(default_factory=dict[str, Site], repr=False)

    def __getstate__(self) -> dict[str, Json]:
        # What was read is kept by the identity of values, which a copy has other ones of.
        return {"document": self.document, "_sites": {}}

    @cached_property
    def _version(self) -> tuple[str, Problem | None]:
        return specification_of(self.document.content, self.document.source)

    @property
    def specification(self) -> str:
        """`2.0`, `3.0`, `3.1` or `3.2`."""
        return self._version[0]

    @cached_property
    def root(self) -> JsonObject:
        """The OpenAPI Object; of Swagger 2.0 as OpenAPI says it."""
        content = self.document.content
        return canonical_root(content) if self.specification == "2.0" else content

    @cached_property
    def plain(self) -> Reading:
        """A reading of which nobody asks the problems."""
        return self._reading(None)

    def _reading(self, problems: list[Problem] | None) -> Reading:
        converted = Shared() if self.specification == "2.0" else None
        return Reading(document=self.document.content, problems=problems, converted=converted)

    @cached_property
    def servers(self) -> tuple[Server, ...]:
        """Of the document; `/` where it has none."""
        return server_values(Place(self.root, self.plain)) or _DEFAULT_SERVERS

    @cached_property
    def own_server(self) -> Server | None:
        """The one that most operations have of their own; None where most have the document's."""
        levels = own_servers_of_paths(self.root)
        found = [
            () if level is self.root else server_values(Place(level, self.plain))
            for level in levels
        ]
        firsts = {several[0].url if several else "": several[:1] for several in found}
        counts = Counter(several[0].url if several else "" for several in found)
        most = firsts[counts.most_common(1)[0][0]] if counts else ()
        return next(iter(most), None)

    @cached_property
    def security(self) -> Security:
        """Of the document."""
        return security_value(Place(self.root, self.plain)) or ()

    @cached_property
    def make(self) -> Callable[[Row], Operation]:
        """What makes the operation of a row."""
        return Operation.deferring(Row._fields, self.part)

    def part(self, operation: Operation, name: str) -> Json:
        """One field of an operation."""
        if name == "problems":
            found: list[Problem] = []
            self._collect(operation, self._reading(found))
            return tuple(dict.fromkeys(found))
        site = self._sites.get(operation.pointer)
        if site is None:
            site = self._sites[operation.pointer] = self._site(operation, self.plain)
        return PARTS[name](site)

    def _collect(self, operation: Operation | Row, reading: Reading) -> None:
        site = self._site(operation, reading)
        say_unknown_keys(site)
        for part in PARTS.values():
            part(site)

    def _site(self, operation: Operation | Row, reading: Reading) -> Site:
        tokens = tokens_of(operation.pointer)
        below = 2 if tokens[-2] == ADDITIONAL and len(tokens) > 3 else 1
        above, key = tokens[: -below - 1], tokens[-below - 1]
        place = Place(self.root, reading)
        for token in above:
            place = place.at(token)
        item = merged_item(place.node[key], place.at(key))
        found = item
        for token in tokens[-below:]:
            found = found.at(token)
        is_called = above == ("paths",)
        if self.specification == "2.0" and is_called:
            found, item = self._converted(found, item)
        return Site(
            operation=found,
            item=item,
            pointer=operation.pointer,
            path=operation.path if is_called else None,
            servers=self.servers,
            security=self.security,
            make=self.make,
        )

    def _converted(self, operation: Place, item: Place) -> tuple[Place, Place]:
        """An operation of Swagger 2.0 as OpenAPI says it, with all that its path item says."""
        document = self.document.content
        reading = operation.reading
        # Where problems are asked for, each operation tells those of all its parameters.
        shared = reading.converted if reading.problems is None else None
        canonical, doubts = canonical_operation(document, item.node, operation.node, shared)
        for doubt in doubts:
            place = operation if doubt.level == "operation" else item
            pointer = place.pointer + pointer_of(*doubt.tokens)
            reading.problem(pointer, doubt.what, doubt.severity, doubt.action)
        kept = {key: value for key, value in item.node.items() if key != "parameters"}
        return _with_node(operation, canonical), _with_node(item, kept)

    def part_of_api(self, api: API, name: str) -> Json:
        """One field of the API that was not read at once."""
        if name == "sha256":
            return self.document.sha256
        if name == "document":
            return self.document.content
        root = Place(self.root, self.plain)
        if name == "security_schemes":
            return security_scheme_values(root)
        if name == "webhooks":
            return tuple(map(self.make, rows_of_webhooks(self.root, self.plain)))
        return tuple(bounded(self._problems(api)))

    def _problems(self, api: API) -> Iterator[Problem]:
        """What was met while reading, in the order of the document, and what the linter says."""
        found: list[Problem] = [*self.document.problems]
        if self._version[1]:
            found.append(self._version[1])
        reading = self._reading(found)
        root = Place(self.root, reading)
        root.object_at("info")
        server_values(root)
        security_value(root)
        for rows in (rows_of_paths, rows_of_webhooks):
            for row in rows(self.root, reading):
                self._collect(row, reading)
        security_scheme_values(root)
        yield from told_once([*found, *lint(api)])


def _with_node(place: Place, node: Json) -> Place:
    return Place(node, place.reading, place.token, place.above)


def _plain_extensions(root: JsonObject) -> dict[str, Json]:
    return {
        key: value
        for key, value in root.items()
        if key.startswith("x-") and isinstance(value, str | int | float)
    }
