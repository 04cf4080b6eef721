"""What a response says about the page after it: links, tokens, counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeGuard

from restwright.calls.response.result import Result
from restwright.jsontypes import Json, JsonObject, is_array, is_object

_MAX_DEPTH = 3
_MAX_NAMES = 1000
_LINK = re.compile(r'<([^<>]{0,8000})>((?:\s*;\s*[\w*-]{1,40}\s*=\s*(?:"[^"]{0,500}"|[^";,\s]*))*)')
_REL = re.compile(r";\s*rel\s*=\s*(?:\"([^\"]*)\"|([^\s;,\"]+))", re.IGNORECASE)

# Names without case, underscores and the like.
_LINK_NAMES = (
    *("next", "nextlink", "odatanextlink", "nexturl", "nextpageurl", "nextpageuri", "nexthref"),
    *("nextpage", "nextpagelink", "nextpath", "links/next", "links/next/href", "next/href"),
    "next/url",
)
_TOKEN_NAMES = (
    *("nextcursor", "nextpagetoken", "nexttoken", "nextpagecursor", "nextmarker", "endcursor"),
    *("continuationtoken", "nextcontinuationtoken", "nextkey", "nextpagekey", "nextoffset"),
    *("cursors/after", "next/after", "pagination/after", "paging/after", "meta/after"),
)
_MORE_NAMES = frozenset({"hasmore", "hasnext", "hasnextpage", "moreavailable", "istruncated"})
_LAST_NAMES = frozenset({"last", "islast", "islastpage", "lastpagereached"})
_TOTAL_NAMES = ("total", "totalcount", "totalresults", "totalitems", "totalelements", "totalhits")
_PAGE_COUNT_NAMES = ("totalpages", "pagecount", "numpages", "totalpagecount", "pages", "lastpage")
_SIZE_NAMES = ("limit", "perpage", "pagesize", "size", "itemsperpage", "maxresults")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSignals:
    """
    What one page says.

    Args:
        link: Where the next page is: an URL, perhaps relative.
        token: What the next page is asked for with, and the name it has in the response.
        has_more: What the page says outright; None where it says nothing.
        total: Of all items; `pages` of all pages, `size` of a page.
        cursor: A position that is said without saying that there is more.
        last_id: The id of the last item.
    """

    link: str = ""
    token: tuple[str, Json] | None = None
    has_more: bool | None = None
    total: int | None = None
    pages: int | None = None
    size: int | None = None
    cursor: Json = None
    last_id: Json = None


@dataclass(slots=True)
class _NamedValues:
    """Names of a response with their values, outermost first; `parent/name` where it has one."""

    values: dict[str, Json] = field(default_factory=dict[str, Json])

    def find_number(self, names: tuple[str, ...]) -> int | None:
        numbers = (self.values.get(name) for name in names)
        return next((count for count in numbers if _is_count(count)), None)


def extract_page_signals(result: Result, items: list[Json]) -> PageSignals:
    """Read what a page says about the next one."""
    header = result.response.header("link") if result.response else ""
    links = dict(link_relations(header))
    found = _NamedValues(dict(_collect_names(result.value)))
    link, token, is_end = _find_next(found)
    link = links.get("next", link)
    has_more = _has_more(found)
    if (is_end or (links and "next" not in links)) and not (link or token):
        has_more = False
    total = found.find_number(_TOTAL_NAMES)
    if total is None:
        # It counts the items of the page as often as all of them.
        count = found.find_number(("count",))
        total = count if count is not None and count > len(items) else None
    last = items[-1] if items else None
    return PageSignals(
        link=link,
        token=token,
        has_more=has_more,
        total=total,
        pages=found.find_number(_PAGE_COUNT_NAMES),
        size=found.find_number(_SIZE_NAMES),
        cursor=found.values.get("cursor"),
        last_id=found.values.get("lastid") or (last.get("id") if is_object(last) else None),
    )


def link_relations(header: str) -> Iterator[tuple[str, str]]:
    """
    Yield `(relation, URL)` of a Link header.

    Source: RFC 8288, "The Link Header Field".
    """
    for found in _LINK.finditer(header[:50_000]):
        relation = _REL.search(found[2])
        for name in (relation[1] or relation[2] or "").lower().split() if relation else ():
            yield name, found[1].strip()


def simplify_name(name: str) -> str:
    """Return a name without what only spelling decides: `next_page-Token` is `nextpagetoken`."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _is_count(value: Json) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _collect_names(value: Json) -> Iterator[tuple[str, Json]]:
    """Names of the outer objects and their values; the outermost of a name comes last, and wins."""
    found: list[tuple[str, Json]] = []
    level: list[tuple[str, Json]] = [("", value)]
    for _ in range(_MAX_DEPTH):
        inner: list[tuple[str, Json]] = []
        for parent, each in level:
            if is_object(each):
                inner.extend(islice(_walk_members(each, parent), _MAX_NAMES))
        found.extend(inner[:_MAX_NAMES])
        level = inner[:_MAX_NAMES]
    for path, each in reversed(found):
        yield path.rpartition("/")[2], each
    for path, each in reversed(found):
        if "/" in path:
            yield path, each
            yield "/".join(path.split("/")[-2:]), each


def _walk_members(value: JsonObject, parent: str) -> Iterator[tuple[str, Json]]:
    for name, each in value.items():
        path = f"{parent}/{simplify_name(name)}" if parent else simplify_name(name)
        if is_array(each) and simplify_name(name) in {"links", "link"}:
            # `[{"rel": "next", "href": "..."}]`
            for link in each[:50]:
                if is_object(link) and "next" in (link.get("rel"), link.get("relation")):
                    yield f"{path}/next", link.get("href") or link.get("url")
        else:
            yield path, each


def _find_next(values: _NamedValues) -> tuple[str, tuple[str, Json] | None, bool]:
    """A link, a token, and whether it is said that there is neither."""
    is_end = False
    for name in (*_LINK_NAMES, *_TOKEN_NAMES):
        if name not in values.values:
            continue
        value = values.values[name]
        if value in (None, "", False):
            is_end = True
        elif isinstance(value, str) and re.match(r"https?://|/|\?", value) and name in _LINK_NAMES:
            return value, None, False
        elif isinstance(value, (str, int)) and value is not True:
            return "", (name, value), False
    return "", None, is_end


def _has_more(values: _NamedValues) -> bool | None:
    for name, value in values.values.items():
        if isinstance(value, bool) and name in _MORE_NAMES:
            return value
        if isinstance(value, bool) and name in _LAST_NAMES:
            return not value
    return None
