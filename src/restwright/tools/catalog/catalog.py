"""Many APIs become one set of tools, built when they are asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import itemgetter
from types import NoneType
from typing import TYPE_CHECKING

from restwright.errors import NameCollision, UnknownTool, require_type
from restwright.net.callbacks import await_callback_result
from restwright.openapi.model import API, Operation, Problem
from restwright.tools.build import DocumentSchemas, build_schemas, build_tool
from restwright.tools.human_inputs import Separation, by_extension
from restwright.tools.naming.accessor import name_by_accessor
from restwright.tools.naming.collisions import assign_namespaces
from restwright.tools.naming.names import (
    NAMESPACE_SEPARATOR,
    OperationNames,
    name_operations,
    room_for_name,
    tool_name,
)
from restwright.tools.naming.namespace import Namespace
from restwright.tools.naming.stable_names import PinnedNames, api_identity, name_with_pins
from restwright.tools.options import DEFAULT_TOOL_OPTIONS, NamingStyle, ToolOptions
from restwright.tools.tool import Tool

if TYPE_CHECKING:
    from restwright.tools.catalog.resolve import DispatchResult
    from restwright.tools.catalog.summary import NamespaceSummary
    from restwright.tools.dialects import Dialect
    from restwright.tools.render import RenderedTool
    from restwright.tools.schemas.visible import SchemaView
    from restwright.tools.search.search import SearchResult

_MAX_SUGGESTIONS = 50
SAMCHON = by_extension("x-samchon-human")
_NAMINGS: Mapping[NamingStyle, Callable[..., OperationNames]] = {
    "operation-id": name_operations,
    "accessor": name_by_accessor,
}


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """A tool that may not have been built yet."""

    operation: Operation
    namespace: str
    operation_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog(Mapping[str, Tool]):
    """
    The tools of one or more APIs: a mapping of full names to tools.

    A tool is built when it is first asked for, and kept. Names come from the documents alone.

    Args:
        apis: `{namespace: API}`.
        namespaces: `{namespace: Namespace}`, each with its reason.
        entries: `{name: what its tool is built from}`, by namespace and operation, code points.
        schemas: The cleaned schemas of each API so far.
        built: The tools so far.
        options: How they are presented.
        name_problems: Names that had to be changed, and operations that are left out.
        problems_by_namespace: The same by namespace, `{namespace: problems}`.
    """

    apis: Mapping[str, API]
    namespaces: Mapping[str, Namespace] = field(repr=False)
    entries: Mapping[str, CatalogEntry] = field(repr=False)
    schemas: Mapping[str, DocumentSchemas] = field(repr=False, compare=False)
    built: dict[str, Tool] = field(repr=False, compare=False)
    options: ToolOptions = DEFAULT_TOOL_OPTIONS
    name_problems: tuple[Problem, ...] = field(default=(), repr=False)
    problems_by_namespace: Mapping[str, tuple[Problem, ...]] = field(
        default_factory=dict[str, tuple[Problem, ...]], repr=False
    )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all tools, by code points of namespace and operation. Builds none."""
        return tuple(self.entries)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """All tools, in the order of their names."""
        return tuple(map(self._tool, self.entries))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything doubtful in the documents, unresolvable references included."""
        of_documents = [problem for api in self.apis.values() for problem in api.problems]
        return tuple(dict.fromkeys([*of_documents, *self.name_problems]))

    def __repr__(self) -> str:
        """Say on one short line how many tools each API has."""
        counts = Counter(entry.namespace for entry in self.entries.values())
        return f"Catalog({', '.join(f'{name}: {counts[name]}' for name in self.apis)})"

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def __getitem__(self, name: str) -> Tool:
        """
        The tool of that full name.

        Raises:
            UnknownTool: There is none; it is a `KeyError` too.
            WrongType: The name is no text.
        """
        require_type(name, str, what="the name of a tool", wanted="text, such as one of `names`")
        if name not in self.entries:
            from restwright.tools.catalog.resolve import nearest_names

            near = nearest_names(self.entries, name, count=_MAX_SUGGESTIONS)
            known = {full: full for full in near}
            if NAMESPACE_SEPARATOR not in name:
                known = {self.entries[full].operation_name: full for full in reversed(near)} | known
            raise UnknownTool(name, known)
        return self._tool(name)

    def find(self, name: str) -> Tool | None:
        """The tool of a full name, or of a bare operation name that only one API has."""
        from restwright.tools.catalog.resolve import resolve_name

        full = resolve_name(self.entries, name)
        return self._tool(full) if full else None

    def dispatch(self, name: str, *, namespace: str | None = None) -> DispatchResult:
        """
        The tool that a model means, or what to tell it; never a tool of another API.

        Args:
            namespace: Where a provider gives it apart from the name.
        """
        from restwright.tools.catalog.resolve import dispatch_name

        require_type(name, str, what="the name of a tool", wanted="text")
        return dispatch_name(self, name, namespace=namespace)

    def name_of(self, operation: Operation, *, namespace: str) -> str | None:
        """The full name of an operation of the API in `namespace`; None where it has no tool."""
        require_type(operation, Operation, what="`operation`", wanted="an `Operation` of the API")
        return next(
            (
                name
                for name, each in self.entries.items()
                if each.namespace == namespace and each.operation.pointer == operation.pointer
            ),
            None,
        )

    def part(self, name: str, pointer: str) -> SchemaView:
        """
        The part of a tool's schema at a JSON Pointer, as `show_schema_part()` gives it.

        Raises:
            UnknownTool: There is no tool of that full name.
            UnresolvedReference: Nothing is at `pointer`.
        """
        from restwright.tools.schema_part import show_schema_part

        tool = self[name]
        return show_schema_part(
            tool, pointer, schemas=self.schemas[tool.namespace], options=self.options
        )

    def render(self, name: str, dialect: Dialect) -> RenderedTool:
        """
        A tool in a provider's shape, as `render_tool()` gives it.

        Raises:
            UnknownTool: There is no tool of that full name.
            WrongType: `dialect` is none, such as the name of one.
        """
        from restwright.tools.dialects import Dialect
        from restwright.tools.render import render_tool

        wanted = "a `Dialect`, as `dialect_named('openai')` gives"
        require_type(dialect, Dialect, what="`dialect`", wanted=wanted)
        tool = self[name]
        return render_tool(
            tool, dialect, schemas=self.schemas[tool.namespace], options=self.options
        )

    def search(self, query: str, *, k: int = 20) -> tuple[SearchResult, ...]:
        """The `k` best tools for `query`, best first, as `tools.search.search()` finds them."""
        from restwright.tools.search.search import search

        require_type(query, str, what="`query`", wanted="text")
        require_type(k, int, what="`k`", wanted="a number of tools")
        return search(query, self, k=k)

    def index(self, *, measure: bool = False) -> dict[str, NamespaceSummary]:
        """
        `{namespace: what there is of it}`, as `tools.index` says it.

        Args:
            measure: Say how many characters and problems there are, too; that takes a while.
        """
        from restwright.tools.catalog.summary import summarize_namespaces

        return summarize_namespaces(self, measure=measure)

    def _tool(self, name: str) -> Tool:
        if name not in self.built:
            entry = self.entries[name]
            made = build_tool(
                entry.operation,
                self.apis[entry.namespace],
                namespace=entry.namespace,
                operation_name=entry.operation_name,
                schemas=self.schemas[entry.namespace],
                options=self.options,
            )
            # The name may have been given without its namespace.
            self.built[name] = made if made.name == name else replace(made, name=name)
        return self.built[name]


def catalog(
    *apis: API | Catalog,
    options: ToolOptions = DEFAULT_TOOL_OPTIONS,
    fixed: Mapping[str, PinnedNames] | None = None,
) -> Catalog:
    """
    The tools of `apis`, each under its namespace.

    Names do not depend on the order of `apis`. One that is added changes no name but those of APIs
    that want its namespace; a problem names each of them.

    Args:
        apis: Catalogs among them, such as of functions, stay as they are, behind the APIs.
        fixed: `{identity of an API: what it is called}`, also of APIs that are not here, whose
            namespaces no other API may get.

    Raises:
        NameCollision: Two of them have the same alias, or a catalog has a namespace of another.
        WrongType: One of `apis` is no API, such as the path of a document.
    """
    for item in apis:
        wanted = "an `API`, as `load('shop.yaml')` gives"
        require_type(item, (API, Catalog), what="each of `apis`", wanted=wanted)
    require_type(options, ToolOptions, what="`options`", wanted="`ToolOptions`")
    require_type(fixed, (Mapping, NoneType), what="`fixed`", wanted="a mapping or None")
    documents = [item for item in apis if isinstance(item, API)]
    others = [item for item in apis if isinstance(item, Catalog)]
    if not others:
        return _catalog_of_apis(documents, options, fixed)
    own = [_catalog_of_apis(documents, options, fixed)] if documents else []
    return combine_catalogs([*own, *others])


def _catalog_of_apis(
    apis: Sequence[API], options: ToolOptions, fixed: Mapping[str, PinnedNames] | None
) -> Catalog:
    found = assign_namespaces(apis, style=options.namespace_style, fixed=fixed)
    pinned = fixed or {}
    entries: dict[str, CatalogEntry] = {}
    problems: dict[str, tuple[Problem, ...]] = {}
    # The tools of an API stand beside each other, whatever other namespaces begin with its own.
    for name, api in sorted(found.apis.items(), key=itemgetter(0)):
        own, doubts = _name_entries(
            name, api, options, pinned.get(api_identity(api)) if pinned else None
        )
        entries.update(sorted(own, key=itemgetter(0)))
        if several := (*found.problems.get(name, ()), *doubts):
            problems[name] = several
    return Catalog(
        apis=found.apis,
        namespaces=found.namespaces,
        entries=entries,
        schemas={name: build_schemas(api, options) for name, api in found.apis.items()},
        built={},
        options=options,
        name_problems=tuple(problem for several in problems.values() for problem in several),
        problems_by_namespace=problems,
    )


def combine_catalogs(catalogs: Iterable[Catalog]) -> Catalog:
    """
    Put catalogs together whose namespaces are different.

    Raises:
        NameCollision: A namespace is in two of them.
    """
    first, *others = catalogs
    for other in others:
        for name in other.apis:
            if name in first.apis:
                raise NameCollision(name, [first.apis[name].source, other.apis[name].source])
        first = replace(
            first,
            apis={**first.apis, **other.apis},
            namespaces={**first.namespaces, **other.namespaces},
            entries={**first.entries, **other.entries},
            schemas={**first.schemas, **other.schemas},
            built=first.built | other.built,
            name_problems=(*first.name_problems, *other.name_problems),
            problems_by_namespace={**first.problems_by_namespace, **other.problems_by_namespace},
        )
    return first


def filter_operations(whole: Catalog, keep: Callable[[Operation], bool]) -> Catalog:
    """The part of a catalog whose operations `keep` accepts; names stay as they are."""
    entries = {
        name: each
        for name, each in whole.entries.items()
        if await_callback_result(keep(each.operation), "keep")
    }
    return replace(whole, entries=entries)


def _name_entries(
    namespace: str, api: API, options: ToolOptions, pinned: PinnedNames | None
) -> tuple[list[tuple[str, CatalogEntry]], list[Problem]]:
    """The operations of one API under their names, and what had to be done for these."""
    operations, problems = api.operations, list[Problem]()
    # Who takes names from accessors means the other keys of that ecosystem, too.
    theirs = SAMCHON if options.naming == "accessor" else None
    for separation in filter(None, (options.separation, theirs)):
        operations, more = _drop_human_operations(operations, separation)
        problems += more
    room = room_for_name(namespace, name_length=options.name_length)
    naming = partial(_NAMINGS[options.naming], namespace=namespace)
    named = name_with_pins(naming, operations, pinned, max_length=room)
    entries: list[tuple[str, CatalogEntry]] = [
        (tool_name(namespace, name), CatalogEntry(operation, namespace, name))
        for operation in operations
        for name in (named.names[operation.pointer],)
    ]
    return entries, [*problems, *named.problems]


def _drop_human_operations(
    operations: Sequence[Operation], separation: Separation
) -> tuple[tuple[Operation, ...], list[Problem]]:
    kept: list[Operation] = []
    problems: list[Problem] = []
    for operation in operations:
        if separation.is_human_operation(operation):
            what = f"only a human may call {operation.method.upper()} {operation.path}"
            problems.append(
                Problem(operation.pointer, what, "information", "no tool is made of it")
            )
        else:
            kept.append(operation)
    return tuple(kept), problems
