"""
Catalogs made of other catalogs: parts of one, other names, fewer inputs, tools from elsewhere.

Each function returns a new catalog and leaves the old one as it is, so they are put together
freely. A name or an input that they are told must be there: else it is the developer's slip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import zip_longest

from restwright.errors import NameCollision, NoSuchPart, UnknownTool
from restwright.openapi.model import API, Problem
from restwright.tools.build import build_schemas
from restwright.tools.catalog.catalog import Catalog, CatalogEntry
from restwright.tools.naming.names import NAMESPACE_SEPARATOR, ToolName
from restwright.tools.naming.namespace import Namespace
from restwright.tools.safety import classify_operation
from restwright.tools.tool import Tool

READY_MADE_REASON = "given with its tools"
_MAX_NAMED = 5
_CONTROLLER = "x-samchon-controller"

EntryFilter = Callable[[str, CatalogEntry], bool]


def filter_catalog(whole: Catalog, keep: EntryFilter) -> Catalog:
    """The tools whose name and entry `keep` accepts."""
    entries = {name: each for name, each in whole.entries.items() if keep(name, each)}
    return replace(whole, entries=entries)


def filter_by_name(whole: Catalog, *globs: str) -> Catalog:
    """The tools of which the full or the bare name matches one of `globs`, case included."""
    return filter_catalog(whole, lambda name, entry: _matches_globs(name, entry, globs))


def exclude_by_name(whole: Catalog, *globs: str) -> Catalog:
    """All but the tools of which the full or the bare name matches one of `globs`."""
    return filter_catalog(whole, lambda name, entry: not _matches_globs(name, entry, globs))


def filter_by_tag(whole: Catalog, *tags: str) -> Catalog:
    """
    The tools that have one of `tags`, whatever its case.

    `x-samchon-controller` of an operation counts as one where names are those of accessors.
    """
    wanted = {tag.casefold() for tag in tags}
    has_controllers = whole.options.naming == "accessor"
    return filter_catalog(
        whole, lambda _, entry: bool(wanted & _tags_of(entry, has_controllers=has_controllers))
    )


def _tags_of(entry: CatalogEntry, *, has_controllers: bool) -> set[str]:
    operation = entry.operation
    controller = operation.extensions.get(_CONTROLLER) if has_controllers else None
    own = (controller,) if isinstance(controller, str) else ()
    return {tag.casefold() for tag in (*operation.tags, *own)}


def filter_by_method(whole: Catalog, *methods: str) -> Catalog:
    """The tools with one of `methods`, whatever its case."""
    wanted = {method.upper() for method in methods}
    return filter_catalog(whole, lambda _, entry: entry.operation.method.upper() in wanted)


def filter_reads(whole: Catalog) -> Catalog:
    """The tools that change nothing, as `classify_operation()` says."""
    return filter_catalog(whole, lambda _, entry: classify_operation(entry.operation) == "read")


def exclude_deprecated(whole: Catalog) -> Catalog:
    """The tools that are not deprecated."""
    return filter_catalog(whole, lambda _, entry: not entry.operation.deprecated)


def hide_tools(whole: Catalog, *names: str) -> Catalog:
    """
    All tools but those of `names`; a bare name where it is unique.

    Raises:
        UnknownTool: There is none of such a name.
    """
    gone = {_resolve_full_name(whole, text) for text in names}
    return filter_catalog(whole, lambda name, _: name not in gone)


def hide_inputs(whole: Catalog, name: str, *inputs: str) -> Catalog:
    """
    The same tools, of which one has fewer parameters: the API's own defaults hold for these.

    Properties of a body stay; what a human fills in instead of a model is a `Separation`.

    Args:
        inputs: Names of parameters as the document has them.

    Raises:
        UnknownTool: There is none of that name.
        NoSuchPart: It has no such parameter, or needs it.
    """
    full = _resolve_full_name(whole, name)
    entry = whole.entries[full]
    own = {parameter.name: parameter for parameter in entry.operation.parameters}
    for tool_input in inputs:
        if tool_input not in own:
            raise NoSuchPart(tool_input, f"is no parameter of {full}", list(own))
        if own[tool_input].required:
            raise NoSuchPart(tool_input, f"is required by {full}, so it cannot be hidden")
    left = tuple(
        parameter for parameter in entry.operation.parameters if parameter.name not in inputs
    )
    operation = replace(entry.operation, parameters=left)
    built = {name: tool for name, tool in whole.built.items() if name != full}
    entries = {**whole.entries, full: replace(entry, operation=operation)}
    return replace(whole, entries=entries, built=built)


def rename_tools(whole: Catalog, names: Mapping[str, str] | Callable[[str], str]) -> Catalog:
    """
    The same tools under other names; each stays in its namespace.

    Args:
        names: `{full name, or unique bare name: new name without namespace}`; or a function from
            the one without namespace to the other.

    Raises:
        UnknownTool: There is no tool of such a name.
        NameCollision: Two tools would have one name.
        ValueError: A name that no provider accepts.
    """
    if callable(names):
        new = {full: names(each.operation_name) for full, each in whole.entries.items()}
    else:
        new = {_resolve_full_name(whole, name): given for name, given in names.items()}
    entries: dict[str, CatalogEntry] = {}
    built: dict[str, Tool] = {}
    for full, entry in whole.entries.items():
        given = new.get(full, entry.operation_name)
        name = _full_tool_name(entry.namespace, given)
        if name in entries:
            raise NameCollision(name, [_route(entries[name]), _route(entry)])
        entries[name] = replace(entry, operation_name=given)
        if name == full and full in whole.built:
            built[name] = whole.built[full]
        elif _is_ready_made(whole, entry) or _has_handler(whole, full):
            built[name] = replace(whole.built[full], name=name, operation_name=given)
    return replace(whole, entries=_sort_entries(entries), built=built)


def drop_namespaces(whole: Catalog) -> Catalog:
    """
    The same tools under their names without namespace, for who has its own name for all of them.

    Raises:
        NameCollision: Two tools would have one name.
    """
    entries: dict[str, CatalogEntry] = {}
    for entry in whole.entries.values():
        if (name := entry.operation_name) in entries:
            raise NameCollision(name, [_route(entries[name]), _route(entry)])
        entries[name] = entry
    built = {
        each.operation_name: replace(whole.built[full], name=each.operation_name)
        for full, each in whole.entries.items()
        if full in whole.built
    }
    return replace(whole, entries=entries, built=built)


def limit_tools(whole: Catalog, count: int, *, first: Iterable[str] = ()) -> Catalog:
    """
    At most `count` tools: those of `first`, then one of each API in turn, as documents have them.

    A problem of each API that loses some says which: nothing is left out unseen, and what a tool is
    called decides nothing.

    Raises:
        UnknownTool: There is none of a name of `first`.
    """
    order = [*(_resolve_full_name(whole, text) for text in first), *_interleave_names(whole)]
    chosen = frozenset(list(dict.fromkeys(order))[: max(count, 0)])
    less = filter_catalog(whole, lambda name, _: name in chosen)
    if len(less) == len(whole):
        return whole
    problems = dict(whole.problems_by_namespace)
    lost: list[Problem] = []
    for namespace in whole.apis:
        gone = [
            name
            for name, each in whole.entries.items()
            if each.namespace == namespace and name not in chosen
        ]
        if gone:
            lost.append(_omission_problem(gone, count))
            problems[namespace] = (*problems.get(namespace, ()), lost[-1])
    return replace(
        less, name_problems=(*whole.name_problems, *lost), problems_by_namespace=problems
    )


def add_tools(whole: Catalog, *tools: Tool) -> Catalog:
    """
    A catalog that holds ready-made tools too, whatever they were made from.

    Each says by its `operation` what it takes, as the tools of documents do. Their namespaces are
    their own: one that a document has is not shared.

    Raises:
        NameCollision: The namespace is one of a document, or two tools have one name.
    """
    apis, namespaces = dict(whole.apis), dict(whole.namespaces)
    entries, built, schemas = dict(whole.entries), dict(whole.built), dict(whole.schemas)
    for tool in tools:
        _reserve_namespace(apis, namespaces, tool)
        name = _full_tool_name(tool.namespace, tool.operation_name)
        if name in entries:
            raise NameCollision(name, (_route(entries[name]), tool.source))
        entries[name] = CatalogEntry(tool.operation, tool.namespace, tool.operation_name)
        built[name] = tool
    for name in apis.keys() - schemas.keys():
        schemas[name] = build_schemas(apis[name], whole.options)
    return replace(
        whole,
        apis=apis,
        namespaces=namespaces,
        entries=_sort_entries(entries),
        schemas=schemas,
        built=built,
    )


def _reserve_namespace(apis: dict[str, API], namespaces: dict[str, Namespace], tool: Tool) -> None:
    """Make room for a tool in its namespace."""
    there = apis.get(tool.namespace)
    if there is None:
        apis[tool.namespace] = _api_from_tool(tool)
        namespaces[tool.namespace] = Namespace(tool.namespace, READY_MADE_REASON)
    elif namespaces[tool.namespace].reason != READY_MADE_REASON or there.document != tool.document:
        raise NameCollision(tool.namespace, (there.source, tool.source))


def _api_from_tool(tool: Tool) -> API:
    return API(
        title=tool.namespace,
        version="",
        description="",
        specification="3.1",
        source=tool.source,
        sha256="",
        alias=tool.namespace,
        servers=tool.servers,
        operations=(),
        extensions={},
        document=tool.document,
        security_schemes=tool.security_schemes,
    )


def _matches_globs(name: str, entry: CatalogEntry, globs: Iterable[str]) -> bool:
    return any(fnmatchcase(name, glob) or fnmatchcase(entry.operation_name, glob) for glob in globs)


def _resolve_full_name(whole: Catalog, name: str) -> str:
    if name in whole.entries:
        return name
    found = [full for full, each in whole.entries.items() if each.operation_name == name]
    if len(found) != 1:
        raise UnknownTool(name, found or whole.names)
    return found[0]


def _full_tool_name(namespace: str, name: str) -> ToolName:
    # Looked at before it is cut: a name that a developer chose is never changed.
    return ToolName(f"{namespace}{NAMESPACE_SEPARATOR}{name}")


def _is_ready_made(whole: Catalog, entry: CatalogEntry) -> bool:
    return whole.namespaces[entry.namespace].reason == READY_MADE_REASON


def _has_handler(whole: Catalog, full: str) -> bool:
    """Whether a tool is carried out here, which its document does not say."""
    return full in whole.built and whole.built[full].handler is not None


def _route(entry: CatalogEntry) -> str:
    return f"{entry.operation.method.upper()} {entry.operation.path}"


def _sort_entries(entries: Mapping[str, CatalogEntry]) -> dict[str, CatalogEntry]:
    def place(name: str) -> tuple[str, str]:
        return entries[name].namespace, entries[name].operation_name

    return {name: entries[name] for name in sorted(entries, key=place)}


def _interleave_names(whole: Catalog) -> list[str]:
    """Names in the order of the documents, one of each API in turn."""
    by_place = {
        (each.namespace, each.operation.pointer): name for name, each in whole.entries.items()
    }
    columns: list[list[str]] = []
    for namespace, api in sorted(whole.apis.items()):
        places = [(namespace, operation.pointer) for operation in api.operations]
        own = [by_place.pop(place) for place in places if place in by_place]
        columns.append(own + [name for (of, _), name in by_place.items() if of == namespace])
    return [name for row in zip_longest(*columns) for name in row if name is not None]


def _omission_problem(names: list[str], count: int) -> Problem:
    more = f" and {len(names) - _MAX_NAMED:,} more" if len(names) > _MAX_NAMED else ""
    what = f"a limit of {count:,} tools leaves out {len(names):,}: {', '.join(names[:_MAX_NAMED])}"
    return Problem("", f"{what}{more}", action="not offered")
