"""Many APIs become one set of tools, built when they are asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypedDict

from restwright.errors import NameCollision, UnknownTool
from restwright.openapi.model import API, Operation, Problem
from restwright.tools.accessor import accessor_names
from restwright.tools.build import Schemas, build_tool, schemas_of
from restwright.tools.namespace import Namespace, namespace_of
from restwright.tools.naming import MAX_LENGTH, SEPARATOR, Names, operation_names, tool_name
from restwright.tools.options import DEFAULT, Naming, ToolOptions
from restwright.tools.pinned import Pinned, identity_of, pinned_names
from restwright.tools.separation import Separation
from restwright.tools.tool import Tool

if TYPE_CHECKING:
    from restwright.tools.dialects import Dialect
    from restwright.tools.said import Said
    from restwright.tools.shows import Shown

_NAMINGS: Mapping[Naming, Callable[..., Names]] = {
    "operation-id": operation_names,
    "accessor": accessor_names,
}


class IndexEntry(TypedDict):
    """What the index says about one namespace."""

    title: str
    description: str
    tools: int
    reads: int
    writes: int
    reason: str
    source: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A tool that may not have been built yet."""

    operation: Operation
    namespace: str
    operation_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """
    The tools of one or more APIs.

    A tool is built when it is first asked for, and kept. Names come from the documents alone.

    Args:
        apis: `{namespace: API}`.
        namespaces: `{namespace: Namespace}`, each with its reason.
        entries: `{name: what its tool is built from}`, by code points.
        schemas: The cleaned schemas of each API so far.
        built: The tools so far.
        options: How they are presented.
        name_problems: Names that had to be changed, and operations that are left out.
    """

    apis: Mapping[str, API]
    namespaces: Mapping[str, Namespace] = field(repr=False)
    entries: Mapping[str, Entry] = field(repr=False)
    schemas: Mapping[str, Schemas] = field(repr=False, compare=False)
    built: dict[str, Tool] = field(repr=False, compare=False)
    options: ToolOptions = DEFAULT
    name_problems: tuple[Problem, ...] = field(default=(), repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all tools, by code points. Builds none."""
        return tuple(self.entries)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """All tools, ordered by the code points of their names."""
        return tuple(self)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything doubtful in the documents, unresolvable references included."""
        of_documents = [each for api in self.apis.values() for each in api.problems]
        return tuple(dict.fromkeys([*of_documents, *self.name_problems]))

    def __repr__(self) -> str:
        """Say on one short line how many tools each API has."""
        counts = Counter(each.namespace for each in self.entries.values())
        return f"Catalog({', '.join(f'{name}: {counts[name]}' for name in self.apis)})"

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Tool]:
        return map(self._tool, self.entries)

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def __getitem__(self, name: str) -> Tool:
        """
        The tool of that full name.

        Raises:
            UnknownTool: There is none.
        """
        if name not in self.entries:
            bare = [each.operation_name for each in self.entries.values()]
            raise UnknownTool(name, self.names if SEPARATOR in name else [*self.names, *bare])
        return self._tool(name)

    def find(self, name: str) -> Tool | None:
        """The tool of a full name, or of a bare operation name that only one API has."""
        if name in self.entries:
            return self._tool(name)
        of_name = [full for full, each in self.entries.items() if each.operation_name == name]
        return self._tool(of_name[0]) if len(of_name) == 1 else None

    def part(self, name: str, pointer: str) -> Shown:
        """
        The part of a tool's schema at a JSON Pointer, as `part_of()` gives it.

        Raises:
            UnknownTool: There is no tool of that full name.
            UnresolvedReference: Nothing is at `pointer`.
        """
        from restwright.tools.part import part_of

        tool = self[name]
        return part_of(tool, pointer, schemas=self.schemas[tool.namespace], options=self.options)

    def said(self, name: str, dialect: Dialect) -> Said:
        """
        A tool in a provider's shape, as `said()` gives it.

        Raises:
            UnknownTool: There is no tool of that full name.
        """
        from restwright.tools.said import said

        tool = self[name]
        return said(tool, dialect, schemas=self.schemas[tool.namespace], options=self.options)

    def index(self) -> dict[str, IndexEntry]:
        """`{namespace: {title, description, tools, reads, writes, reason, source}}`."""
        return {name: self._index_entry(name) for name in sorted(self.apis)}

    def _index_entry(self, namespace: str) -> IndexEntry:
        api = self.apis[namespace]
        own = [each for each in self.entries.values() if each.namespace == namespace]
        reads = sum(each.operation.method.is_read for each in own)
        return IndexEntry(
            title=api.title,
            description=api.description,
            tools=len(own),
            reads=reads,
            writes=len(own) - reads,
            reason=self.namespaces[namespace].reason,
            source=api.source,
        )

    def _tool(self, name: str) -> Tool:
        if name not in self.built:
            entry = self.entries[name]
            self.built[name] = build_tool(
                entry.operation,
                self.apis[entry.namespace],
                namespace=entry.namespace,
                operation_name=entry.operation_name,
                schemas=self.schemas[entry.namespace],
                options=self.options,
            )
        return self.built[name]


def catalog(
    *apis: API, options: ToolOptions = DEFAULT, fixed: Mapping[str, Pinned] | None = None
) -> Catalog:
    """
    The tools of `apis`, each under its namespace.

    Args:
        fixed: `{identity of an API: what it is called}`, also of APIs that are not here, whose
            namespaces no other API may get.

    Raises:
        NameCollision: Two of them have the same namespace.
    """
    namespaces: dict[str, Namespace] = {}
    named: dict[str, API] = {}
    for api in apis:
        pinned = (fixed or {}).get(identity_of(api))
        namespace = Namespace(pinned.namespace, "the lock") if pinned else namespace_of(api)
        if namespace.name in named:
            sources = (named[namespace.name].source, api.source)
            raise NameCollision(namespace.name, sources)
        namespaces[namespace.name], named[namespace.name] = namespace, api
    entries: dict[str, Entry] = {}
    problems: list[Problem] = []
    for name, api in named.items():
        _enter(entries, problems, name, api, options, (fixed or {}).get(identity_of(api)))
    return Catalog(
        apis=named,
        namespaces=namespaces,
        entries={name: entries[name] for name in sorted(entries)},
        schemas={name: schemas_of(api, options) for name, api in named.items()},
        built={},
        options=options,
        name_problems=tuple(problems),
    )


def only(whole: Catalog, keep: Callable[[Operation], bool]) -> Catalog:
    """The part of a catalog whose operations `keep` accepts; names stay as they are."""
    entries = {name: each for name, each in whole.entries.items() if keep(each.operation)}
    return replace(whole, entries=entries)


def _enter(
    entries: dict[str, Entry],
    problems: list[Problem],
    namespace: str,
    api: API,
    options: ToolOptions,
    pinned: Pinned | None,
) -> None:
    """Add the operations of one API under their names."""
    room = MAX_LENGTH - len(namespace) - len(SEPARATOR)
    operations = api.operations
    if options.separation:
        operations, left = _without_human(operations, options.separation)
        problems += left
    named = pinned_names(_NAMINGS[options.naming], operations, pinned, max_length=room)
    problems += named.problems
    names = named.names
    for operation in operations:
        name = names[operation.pointer]
        entries[tool_name(namespace, name)] = Entry(operation, namespace, name)


def _without_human(
    operations: Sequence[Operation], separation: Separation
) -> tuple[tuple[Operation, ...], list[Problem]]:
    kept: list[Operation] = []
    problems: list[Problem] = []
    for each in operations:
        if separation.is_human_operation(each):
            what = f"only a human may call {each.method.upper()} {each.path}"
            problems.append(Problem(each.pointer, what, "information", "no tool is made of it"))
        else:
            kept.append(each)
    return tuple(kept), problems
