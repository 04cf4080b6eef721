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
from restwright.openapi.model import API, Operation, Problem, SecurityRequirements, Server
from restwright.openapi.read.cursor import (
    Cursor,
    ReadContext,
    merge_path_item,
    merge_reference_problems,
)
from restwright.openapi.read.lint import limit_problems, lint_api
from restwright.openapi.read.objects import (
    parse_security_requirements,
    parse_security_schemes,
    parse_servers,
)
from restwright.openapi.read.operation import PARTS, OperationSite, report_unknown_keys
from restwright.openapi.read.paths import (
    ADDITIONAL,
    OperationRow,
    find_server_levels,
    walk_paths,
    walk_webhooks,
)
from restwright.openapi.references import join_pointer, split_pointer
from restwright.openapi.versions.detect import detect_specification
from restwright.openapi.versions.swagger import convert_swagger_operation, convert_swagger_root
from restwright.openapi.versions.swagger_parameters import SharedParameters

_DEFAULT_SERVERS = (Server(url="/"),)


def read_api(document: Document, *, alias: str | None = None) -> API:
    """
    Read a document. Does no I/O.

    Returns:
        Operations in document order; their parts and problems are read when asked for.

    Raises:
        NotOpenAPI: It is of no version that we read (2.0, 3.0, 3.1 and 3.2).
        UnreadableDocument: It cannot be parsed.
    """
    reader = APIReader(document)
    info = Cursor(reader.root, reader.silent_context).object_at("info")
    return api_from_reader(
        reader,
        alias=alias,
        title=info.text("title"),
        version=info.text("version"),
        description=info.text("description") or info.text("summary"),
        specification=reader.specification,
        servers=reader.servers,
        own_server=reader.own_server,
        operations=tuple(map(reader.make, walk_paths(reader.root, reader.silent_context))),
        extensions=_scalar_extensions(reader.root),
    )


def api_from_reader(reader: APIReader, **now: Json) -> API:
    """
    The API whose parts `reader` reads when they are asked for.

    Args:
        now: The fields that are there already, all but `source`.
    """
    now["source"] = reader.document.source
    return API.deferred(tuple(now), now.values(), reader.read_api_field)


@dataclass(eq=False)
class APIReader:
    """Reads what is asked for later; parses the document when it is needed for the first time."""

    document: Document
    _sites: dict[str, OperationSite] = field(default_factory=dict[str, OperationSite], repr=False)

    def __getstate__(self) -> dict[str, Json]:
        # What was read is kept by the identity of values, which a copy has other ones of.
        return {"document": self.document, "_sites": {}}

    @cached_property
    def _version(self) -> tuple[str, Problem | None]:
        return detect_specification(self.document.content, self.document.source)

    @property
    def specification(self) -> str:
        """`2.0`, `3.0`, `3.1` or `3.2`."""
        return self._version[0]

    @cached_property
    def root(self) -> JsonObject:
        """The OpenAPI Object; of Swagger 2.0 as OpenAPI says it."""
        content = self.document.content
        return convert_swagger_root(content) if self.specification == "2.0" else content

    @cached_property
    def silent_context(self) -> ReadContext:
        """A reading of which nobody asks the problems."""
        return self._new_context(None)

    def _new_context(self, problems: list[Problem] | None) -> ReadContext:
        converted = SharedParameters() if self.specification == "2.0" else None
        return ReadContext(document=self.document.content, problems=problems, converted=converted)

    @cached_property
    def servers(self) -> tuple[Server, ...]:
        """Of the document; `/` where it has none."""
        return parse_servers(Cursor(self.root, self.silent_context)) or _DEFAULT_SERVERS

    @cached_property
    def own_server(self) -> Server | None:
        """The one that most operations have of their own; None where most have the document's."""
        levels = find_server_levels(self.root)
        found = [
            () if level is self.root else parse_servers(Cursor(level, self.silent_context))
            for level in levels
        ]
        firsts = {several[0].url if several else "": several[:1] for several in found}
        counts = Counter(several[0].url if several else "" for several in found)
        most = firsts[counts.most_common(1)[0][0]] if counts else ()
        return next(iter(most), None)

    @cached_property
    def security(self) -> SecurityRequirements:
        """Of the document."""
        return parse_security_requirements(Cursor(self.root, self.silent_context)) or ()

    @cached_property
    def make(self) -> Callable[[OperationRow], Operation]:
        """What makes the operation of a row."""
        return Operation.deferring(OperationRow._fields, self.read_field)

    def read_field(self, operation: Operation, name: str) -> Json:
        """One field of an operation."""
        if name == "problems":
            found: list[Problem] = []
            self._collect_problems(operation, self._new_context(found))
            return tuple(dict.fromkeys(found))
        site = self._sites.get(operation.pointer)
        if site is None:
            site = self._sites[operation.pointer] = self._site(operation, self.silent_context)
        return PARTS[name](site)

    def _collect_problems(self, operation: Operation | OperationRow, reading: ReadContext) -> None:
        site = self._site(operation, reading)
        report_unknown_keys(site)
        for part in PARTS.values():
            part(site)

    def _site(self, operation: Operation | OperationRow, reading: ReadContext) -> OperationSite:
        tokens = split_pointer(operation.pointer)
        below = 2 if tokens[-2] == ADDITIONAL and len(tokens) > 3 else 1
        above, key = tokens[: -below - 1], tokens[-below - 1]
        place = Cursor(self.root, reading)
        for token in above:
            place = place.at(token)
        item = merge_path_item(place.node[key], place.at(key))
        found = item
        for token in tokens[-below:]:
            found = found.at(token)
        is_called = above == ("paths",)
        if self.specification == "2.0" and is_called:
            found, item = self._upgrade_operation(found, item)
        return OperationSite(
            operation=found,
            item=item,
            pointer=operation.pointer,
            path=operation.path if is_called else None,
            servers=self.servers,
            security=self.security,
            make=self.make,
        )

    def _upgrade_operation(self, operation: Cursor, item: Cursor) -> tuple[Cursor, Cursor]:
        """An operation of Swagger 2.0 as OpenAPI says it, with all that its path item says."""
        document = self.document.content
        reading = operation.context
        # Where problems are asked for, each operation tells those of all its parameters.
        shared = reading.converted if reading.problems is None else None
        canonical, doubts = convert_swagger_operation(document, item.node, operation.node, shared)
        for doubt in doubts:
            place = operation if doubt.level == "operation" else item
            pointer = place.pointer + join_pointer(*doubt.tokens)
            reading.add_problem(pointer, doubt.what, doubt.severity, doubt.action)
        kept = {key: value for key, value in item.node.items() if key != "parameters"}
        return _replace_node(operation, canonical), _replace_node(item, kept)

    def read_api_field(self, api: API, name: str) -> Json:
        """One field of the API that was not read at once."""
        if name == "sha256":
            return self.document.sha256
        if name == "document":
            return self.document.content
        root = Cursor(self.root, self.silent_context)
        if name == "security_schemes":
            return parse_security_schemes(root)
        if name == "webhooks":
            return tuple(map(self.make, walk_webhooks(self.root, self.silent_context)))
        return tuple(limit_problems(self._problems(api)))

    def _problems(self, api: API) -> Iterator[Problem]:
        """What was met while reading, in the order of the document, and what the linter says."""
        found: list[Problem] = [*self.document.problems]
        if self._version[1]:
            found.append(self._version[1])
        reading = self._new_context(found)
        root = Cursor(self.root, reading)
        root.object_at("info")
        parse_servers(root)
        parse_security_requirements(root)
        for rows in (walk_paths, walk_webhooks):
            for row in rows(self.root, reading):
                self._collect_problems(row, reading)
        parse_security_schemes(root)
        yield from merge_reference_problems([*found, *lint_api(api)])


def _replace_node(place: Cursor, node: Json) -> Cursor:
    return Cursor(node, place.context, place.token, place.parent)


def _scalar_extensions(root: JsonObject) -> dict[str, Json]:
    return {
        key: value
        for key, value in root.items()
        if key.startswith("x-") and isinstance(value, str | int | float)
    }
