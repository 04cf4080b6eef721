"""
Three tools about tools: `search_tools`, `show_tool` and `call_tool`.

A model that is not offered all tools finds and calls the others through them. Their handlers do no
I/O: a call of `call_tool` comes back as a value, to be checked and made as any other.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import islice
from typing import Protocol

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.catalog.resolve import DispatchResult
from restwright.tools.dialects import Dialect, rewrite_schema, to_provider_tool
from restwright.tools.schema_part import suggest_pointers
from restwright.tools.text.prose import shorten_text, to_one_line

PAGE_SIZE = 10
"""Tools on one page of `search_tools`."""

_LINE = 120
_LISTED = 600
_NOTHING_FOUND = (
    "No tool does {query!r}. Say what a tool does, not what to find with it. There are these:"
)
_CLOSE = 3


@dataclass(frozen=True, slots=True)
class ToolMatch:
    """The name of a tool that a search found; `why` says what matched."""

    name: str
    why: str = ""


class ToolSearch(Protocol):
    """Finds tools of a catalog by what they do."""

    def __call__(
        self, query: str, catalog: Catalog, k: int, *, namespaces: Collection[str] | None = None
    ) -> Sequence[ToolMatch]:
        """Return the `k` best, best first; only of these namespaces where any are given."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MetaTool:
    """A tool about tools; `schema` is of its arguments."""

    name: str
    description: str
    schema: JsonObject = field(repr=False)

    def shape(self, dialect: Dialect) -> JsonObject:
        """The tool as a provider takes it."""
        schema = rewrite_schema(self.schema, dialect)
        return to_provider_tool(
            dialect, name=self.name, description=self.description, schema=schema, method="get"
        )


@dataclass(frozen=True, slots=True)
class ToolCall:
    """
    What a model asked `call_tool` for; the arguments are as it wrote them.

    Args:
        id: By which an answer names it; empty where nothing does.
    """

    tool: str
    arguments: Json = field(default=None, repr=False)
    id: str = ""


def match_tools(
    query: str,
    catalog: Catalog,
    k: int,
    *,
    namespaces: Collection[str] | None = None,
    phrases: Sequence[str] = (),
) -> tuple[ToolMatch, ...]:
    """
    The `k` best tools by the words of the query; a `ToolSearch`.

    Unless namespaces are given, what supplies the values that a found one needs is among them.

    Args:
        phrases: What else to search for, such as a model words it; counts less.
    """
    if namespaces is None:
        from restwright.tools.search import search

        found = search(query, catalog, k=k, expand=lambda _: phrases)
        return tuple(ToolMatch(search_result.name, search_result.why) for search_result in found)
    from restwright.tools.search.catalog_index import open_catalog_index

    hits = open_catalog_index(catalog).search(query, k, namespaces)
    return tuple(ToolMatch(hit.name, hit.why) for hit in hits)


def build_meta_tools(catalog: Catalog) -> tuple[MetaTool, ...]:
    """The three, told of the APIs of a catalog."""
    return (
        MetaTool(
            name="search_tools",
            description=f"Find tools by what they do; it finds no data. {_list_apis(catalog)}",
            schema=_object_schema(
                query=_string_schema(
                    "What a tool does: a verb and a kind of thing; empty to list them."
                ),
                namespace=_string_schema("Only of this API."),
                page={"type": "integer", "minimum": 1},
            ),
        ),
        MetaTool(
            name="show_tool",
            description="Show what a tool does and takes, or a part of that.",
            schema=_object_schema(
                "name",
                name=_string_schema("As search_tools gives it."),
                pointer=_string_schema("JSON Pointer to a part that is left out."),
            ),
        ),
        MetaTool(
            name="call_tool",
            description="Call a tool that is not listed itself.",
            schema=_object_schema(
                "name",
                "arguments",
                name=_string_schema("As search_tools gives it."),
                arguments={"type": "object", "description": "What the tool takes."},
            ),
        ),
    )


def handle_meta_call(
    catalog: Catalog, name: str, arguments: Json, *, search: ToolSearch = match_tools
) -> JsonObject | ToolCall:
    """
    What a call of a meta-tool comes to: a result for the model, or the call that it asks for.

    A wrong argument is answered as well as it can be; an unknown tool by the nearest names.
    """
    given = arguments if is_object(arguments) else {}
    if name == "search_tools":
        query, namespace, page = given.get("query"), given.get("namespace"), given.get("page")
        return search_tools(
            catalog,
            _as_text(query),
            namespace=_as_text(namespace),
            page=_as_page_number(page),
            search=search,
        )
    tool, pointer = _as_text(given.get("name")), _as_text(given.get("pointer"))
    if name == "show_tool":
        return show_tool(catalog, tool, pointer)
    if name == "call_tool":
        return call_tool(catalog, tool, given.get("arguments"))
    return _unknown_tool_error(catalog.dispatch(name))


def search_tools(
    catalog: Catalog,
    query: str = "",
    *,
    namespace: str = "",
    page: int = 1,
    search: ToolSearch = match_tools,
) -> JsonObject:
    """
    One page of the tools that a query finds, of an API's tools, or of the APIs.

    Every tool of the catalog is on one of the pages of its API. A query that finds nothing, such as
    one for data, is told so, and is answered as an empty one.

    Returns:
        `{"tools": [{"name", "does", "needs", "optional", "why"}...], "next_page"}`, or `{"apis":
        [...], "next_page"}`; `next_page` only where there is one. `needs` and `optional` name the
        arguments. `note` says that nothing was found.
    """
    if namespace and namespace not in catalog.apis:
        close = get_close_matches(namespace, [*catalog.apis], n=_CLOSE, cutoff=0.4)
        return {"error": f"no API is named {namespace!r}", "close": close}
    skipped, wanted = (page - 1) * PAGE_SIZE, page * PAGE_SIZE + 1
    if query.strip():
        only = (namespace,) if namespace else None
        if found := _find_matches(catalog, query, wanted, search, only):
            return _build_page(
                "tools",
                [_describe_match(catalog, tool_match) for tool_match in found[skipped:]],
                page,
            )
        listed = search_tools(catalog, namespace=namespace, page=page)
        return {
            "note": _NOTHING_FOUND.format(query=shorten_text(to_one_line(query), _LINE)),
            **listed,
        }
    if namespace:
        own = (name for name, each in catalog.entries.items() if each.namespace == namespace)
        names = islice(own, skipped, wanted)
        return _build_page(
            "tools", [_describe_match(catalog, ToolMatch(name)) for name in names], page
        )
    apis = islice(sorted(catalog.apis), skipped, wanted)
    return _build_page(
        "apis", [{"name": api, "title": _api_title(catalog, api)} for api in apis], page
    )


def show_tool(catalog: Catalog, name: str, pointer: str = "") -> JsonObject:
    """
    What a model reads of a tool, or of the part of its schema at a JSON Pointer.

    Returns:
        `{"name", "description", "parameters"}`, `{"name", "pointer", "schema"}` or an `error` with
        what is `close`.
    """
    asked = catalog.dispatch(name)
    tool = asked.tool
    if tool is None:
        return _unknown_tool_error(asked)
    if not pointer:
        return {"name": tool.name, "description": tool.description, "parameters": tool.shows}
    try:
        part = catalog.part(tool.name, pointer)
    except UnresolvedReference as error:
        return {"error": error.message, "close": [*suggest_pointers(tool, pointer)]}
    return {"name": tool.name, "pointer": pointer, "schema": part.schema}


def call_tool(catalog: Catalog, name: str, arguments: Json) -> JsonObject | ToolCall:
    """The call that a model asks for; an `error` with what is `close` where there is none."""
    asked = catalog.dispatch(name)
    return (
        _unknown_tool_error(asked) if asked.tool is None else ToolCall(asked.tool.name, arguments)
    )


def _find_matches(
    catalog: Catalog, query: str, k: int, search: ToolSearch, namespaces: Collection[str] | None
) -> list[ToolMatch]:
    """What is named exactly, then what matches."""
    name = query.strip()
    named = [ToolMatch(name, "its name")] if name in catalog else []
    found = search(query, catalog, k, namespaces=namespaces)
    return [*named, *(tool_match for tool_match in found if tool_match.name != name)][:k]


def _build_page(key: str, items: list[JsonObject], page: int) -> JsonObject:
    """`items` has one more than fits where there is a next page."""
    return {key: items[:PAGE_SIZE]} | ({"next_page": page + 1} if len(items) > PAGE_SIZE else {})


def _describe_match(catalog: Catalog, match: ToolMatch) -> JsonObject:
    operation = catalog.entries[match.name].operation
    does = operation.headline or f"{operation.method.upper()} {operation.path}"
    said = {"does": does, **_argument_names(catalog, match.name), "why": match.why}
    told = {key: shorten_text(to_one_line(text), _LINE) for key, text in said.items() if text}
    return {"name": match.name, **told}


def _argument_names(catalog: Catalog, name: str) -> dict[str, str]:
    """
    The names of a tool's arguments.

    Without marks such as a `?`, which small models take for a part of a name.
    """
    shows = catalog[name].shows
    needed = shows.get("required", ())
    others = [property_ for property_ in shows.get("properties", {}) if property_ not in needed]
    return {"needs": ", ".join(needed), "optional": ", ".join(others)}


def _unknown_tool_error(dispatched: DispatchResult) -> JsonObject:
    return {"error": dispatched.text, "close": [*dispatched.close]}


def _api_title(catalog: Catalog, namespace: str) -> str:
    return shorten_text(to_one_line(catalog.apis[namespace].title), _LINE)


def _list_apis(catalog: Catalog) -> str:
    """The APIs by name where they fit, never a part of them."""
    listed = "; ".join(f"{name}: {_api_title(catalog, name)}" for name in sorted(catalog.apis))
    if len(listed) <= _LISTED:
        return f"APIs: {listed}."
    return f"There are {len(catalog.apis):,} APIs; an empty query lists them."


def _object_schema(*required: str, **properties: JsonObject) -> JsonObject:
    schema: JsonObject = {"type": "object", "properties": properties}
    return (
        schema | ({"required": [*required]} if required else {}) | {"additionalProperties": False}
    )


def _string_schema(description: str) -> JsonObject:
    return {"type": "string", "description": description}


def _as_text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _as_page_number(value: Json) -> int:
    return value if isinstance(value, int) and value > 0 else 1
