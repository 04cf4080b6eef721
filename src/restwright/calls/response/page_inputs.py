"""The inputs of an operation that only say which part of a list is given, and how much of it."""

from __future__ import annotations

from collections.abc import Iterator

from restwright.calls.response.page_links import simplify_name
from restwright.jsontypes import JsonObject, is_array, is_object
from restwright.tools.tool import Input, Tool

CURSOR_NAMES = (
    *("cursor", "pagetoken", "nexttoken", "nextcursor", "pagecursor", "startcursor", "after"),
    *("startingafter", "marker", "continuationtoken", "nextpagetoken", "token", "nextpage"),
    *("page", "pageafter", "pagenumber", "offset", "startkey", "start"),
)
"""Inputs that a token is given to, the surest first; after the token's own name."""
OFFSET_NAMES = ("offset", "skip", "startindex", "startat", "start", "from", "pageoffset")
NUMBER_NAMES = ("page", "pagenumber", "pageno", "pagenum", "pageindex", "currentpage", "p")
LIMIT_NAMES = (
    *("limit", "perpage", "pagesize", "maxresults", "top", "take", "count", "size", "rows"),
    *("pagelimit", "maxitems", "first", "resultsperpage"),
)
_ALL = "all"
_PAGE = 100
"""As many items are asked for where a number has to be said."""
# Of the names above, those that mean nothing but a token.
_PLAIN_CURSORS = frozenset(CURSOR_NAMES) - {"after", "page", "pagenumber", "offset", "start"}


def find_page_inputs(tool: Tool) -> frozenset[str]:
    """
    Return the names of the query inputs by which a list is paged.

    A number under one of the usual names pages; a text only where its name says a token.
    """
    return frozenset(given.name for given in _iterate_page_inputs(tool))


def fill_largest_page(tool: Tool) -> JsonObject:
    """Return the arguments that ask for as many items at once as the document allows."""
    largest: JsonObject = {}
    for given in _iterate_page_inputs(tool):
        most = _schema(tool, given).get("maximum")
        is_limit = simplify_name(given.target) in LIMIT_NAMES
        if is_limit and isinstance(most, int) and not isinstance(most, bool):
            largest[given.name] = most
    return largest


def fill_all_choices(tool: Tool) -> JsonObject:
    """
    Return the arguments that ask for all things of a list that leaves some out by default.

    Such a list has an input whose default is one of several choices, and `all` is another:
    `state` of what is `open`, unless `closed` or `all` is asked for.
    """
    wide: JsonObject = {}
    for given in tool.inputs:
        schema = _schema(tool, given)
        is_open = schema.get("default") not in (None, _ALL) and given.location == "query"
        if is_open and _ALL in schema.get("enum", ()):
            wide[given.name] = _ALL
    return wide


def find_page_size(tool: Tool, name: str) -> int | None:
    """
    Return a number for an input that has to say how many items are given; None for any other.

    A search may need `max`, which elsewhere bounds what is looked for.
    """
    given = next((one for one in tool.inputs if one.name == name), None)
    if given is None or given.location != "query":
        return None
    schema = _schema(tool, given)
    is_size = simplify_name(given.target) in {*LIMIT_NAMES, "max"}
    if not is_size or schema.get("type") != "integer":
        return None
    most = schema.get("maximum", _PAGE)
    return min(most, _PAGE) if isinstance(most, int) else _PAGE


def _iterate_page_inputs(tool: Tool) -> Iterator[Input]:
    numbered = {*OFFSET_NAMES, *NUMBER_NAMES, *LIMIT_NAMES}
    for given in tool.inputs:
        if given.location != "query" or given.group:
            continue
        name, kind = simplify_name(given.target), _schema(tool, given).get("type")
        types = set(kind) if is_array(kind) else {kind}
        if (types & {"integer", "number"} and name in numbered) or name in _PLAIN_CURSORS:
            yield given


def _schema(tool: Tool, given: Input) -> JsonObject:
    schema = tool.properties.get(given.name)
    return schema if is_object(schema) else {}
