"""How a collection is listed: filters, search, order and pages, by the operation's parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from restwright.jsontypes import Json, JsonObject, is_array
from restwright.tools.text.words import split_words
from restwright.tools.tool import Tool
from restwright_bench.any.resources import Resource
from restwright_bench.any.schemas import flatten

_SEARCH = frozenset(("q", "query", "search", "keyword", "term", "text"))
_SORT = frozenset(("sort", "sortby", "orderby", "order", "ordering"))
_DIRECTION = frozenset(
    ("order", "direction", "sortorder", "sortdirection", "dir", "orderdirection")
)
SIZES = (
    *("limit", "perpage", "pagesize", "maxresults", "top", "take", "count", "size"),
    *("pagelimit", "maxitems", "first", "resultsperpage"),
)
OFFSETS = ("offset", "skip", "startindex", "startat", "pageoffset")
STARTS = ("from", "start")
"""Offsets beside the size of a page, and where they are numbers; else they may be days."""
NUMBERS = ("page", "pagenumber", "pageno", "pagenum", "pageindex")
AFTER_IDS = ("startingafter", "afterid", "startafter")
CURSORS = (
    *("cursor", "pagetoken", "nexttoken", "nextcursor", "startcursor", "after", "marker"),
    *("continuationtoken", "nextpagetoken", "token", "continue"),
)
_LEAST = frozenset(("min", "minimum", "from", "gte", "gt", "after", "since", "least"))
_MOST = frozenset(("max", "maximum", "to", "lte", "lt", "before", "until", "most"))
_PAGE = 10


def simplify(name: str) -> str:
    """A name without case and separators: `starting_after` -> `startingafter`."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPlan:
    """
    What the parameters of a list mean.

    Args:
        filters: `{parameter: property}` that must be equal; `least` and `most` for ranges.
        size: The parameters of paging, empty where there are none.
        page_size: Things of a page where nobody asks for another number; 0 for all.
    """

    filters: Mapping[str, str] = field(default_factory=dict[str, str])
    least: Mapping[str, str] = field(default_factory=dict[str, str])
    most: Mapping[str, str] = field(default_factory=dict[str, str])
    search: str = ""
    sort: str = ""
    direction: str = ""
    size: str = ""
    offset: str = ""
    number: str = ""
    cursor: str = ""
    after_id: str = ""
    page_size: int = 0
    first_number: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """
    One page of a list.

    Args:
        start: The position of its first thing among the `total` that fit.
        following: Query parameters that the next page is asked for with; empty for the last.
    """

    records: tuple[JsonObject, ...]
    start: int
    size: int
    total: int
    following: Mapping[str, Json] = field(default_factory=dict[str, Json])


def plan_list(tool: Tool, resource: Resource, *, can_tell_cursor: bool) -> ListPlan:
    """
    Read what the query parameters of an operation mean from their names and schemas.

    Args:
        can_tell_cursor: Whether its response has a place for where the next page begins.
    """
    names = {simplify(each.target): each.target for each in tool.inputs if each.location == "query"}
    plain = {split_words(name): name for name in _plain(resource)}
    least, most = _ranges(names.values(), plain)
    number = _first(names, NUMBERS)
    after_id = _first(names, AFTER_IDS) if resource.id_name else ""
    cursor = _first(names, CURSORS) if can_tell_cursor else ""
    size = _first(names, SIZES)
    schemas = {
        each.target: flatten(tool.properties.get(each.name, {}), tool.checks.get("$defs", {}))
        for each in tool.inputs
    }
    start = _first(names, STARTS) if size else ""
    is_number = bool(start) and schemas[start].node.get("type") in ("integer", "number")
    offset = _first(names, OFFSETS) or (start if is_number else "")
    default = schemas[size].node.get("default") if size else None
    first = schemas[number].node.get("default", 1) if number else 1
    can_go_on = bool(offset or number or cursor or after_id)
    return ListPlan(
        filters={
            each: plain[split_words(each)] for each in names.values() if split_words(each) in plain
        },
        least=least,
        most=most,
        search=_first(names, _SEARCH),
        sort=_first(names, _SORT),
        direction=_first(names, _DIRECTION),
        size=size,
        offset=offset,
        number=number,
        cursor=cursor,
        after_id=after_id,
        page_size=(default if isinstance(default, int) and default > 0 else _PAGE)
        if can_go_on
        else 0,
        first_number=first if first in (0, 1) else 1,
    )


def _plain(resource: Resource) -> Iterable[str]:
    shown = resource.record.properties
    return (name for name in shown if resource.record.member(name).is_scalar)


def _first(names: Mapping[str, str], wanted: Iterable[str]) -> str:
    return next((names[each] for each in wanted if each in names), "")


def _ranges(
    names: Iterable[str], plain: Mapping[tuple[str, ...], str]
) -> tuple[dict[str, str], dict[str, str]]:
    found: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for name in names:
        words = split_words(name)
        for ends, kept in ((_LEAST, found[0]), (_MOST, found[1])):
            rest = tuple(each for each in words if each not in ends)
            if len(rest) == len(words) - 1 and rest in plain:
                kept[name] = plain[rest]
    return found


def read_page(
    plan: ListPlan, records: Sequence[JsonObject], asked: Mapping[str, Json], resource: Resource
) -> Page:
    """The things that fit what is asked, in order, and the page of them."""
    fitting = _ordered(plan, [each for each in records if fits(plan, each, asked, resource)], asked)
    size = _size(plan, asked, len(fitting))
    start = _start(plan, asked, fitting, size, resource)
    page = tuple(fitting[start : start + size])
    more = start + size < len(fitting)
    following = _following(plan, start + size, size, page, resource) if more else {}
    return Page(records=page, start=start, size=size, total=len(fitting), following=following)


def fits(plan: ListPlan, record: JsonObject, asked: Mapping[str, Json], resource: Resource) -> bool:
    """Whether a thing passes every filter."""
    ways: tuple[tuple[Mapping[str, str], Callable[[Json, Json], bool]], ...] = (
        (plan.filters, _is_equal),
        (plan.least, lambda value, given: value >= given),
        (plan.most, lambda value, given: value <= given),
    )
    for names, passes in ways:
        for name, field_name in names.items():
            if name in asked and not _passes(passes, record.get(field_name), asked[name]):
                return False
    wanted = asked.get(plan.search) if plan.search else None
    text = str(record.get(resource.name_of, "")).casefold()
    return wanted is None or str(wanted).casefold() in text


def _passes(passes: Callable[[Json, Json], bool], value: Json, given: Json) -> bool:
    try:
        return value is not None and passes(value, given)
    except TypeError:
        return False


def _is_equal(value: Json, given: Json) -> bool:
    if is_array(given):
        return any(_is_equal(value, each) for each in given)
    return value == given or str(value).casefold() == str(given).casefold()


def _ordered(
    plan: ListPlan, records: list[JsonObject], asked: Mapping[str, Json]
) -> list[JsonObject]:
    wanted = asked.get(plan.sort) if plan.sort else None
    if not isinstance(wanted, str) or not records:
        return records
    name = re.split(r"[:\s,]", wanted.lstrip("+-"))[0]
    column = next((each for each in records[0] if split_words(each) == split_words(name)), None)
    if column is None:
        return records
    turned = str(asked.get(plan.direction, "")) if plan.direction != plan.sort else ""
    is_down = wanted.startswith("-") or "desc" in f"{wanted} {turned}".lower()
    return sorted(records, key=lambda each: _sortable(each.get(column)), reverse=is_down)


def _sortable(value: Json) -> tuple[str, Json]:
    is_number = isinstance(value, int | float)
    return ("number", value) if is_number else ("text", str(value))


def _size(plan: ListPlan, asked: Mapping[str, Json], total: int) -> int:
    given = asked.get(plan.size) if plan.size else None
    if isinstance(given, int) and not isinstance(given, bool) and given > 0:
        return given
    return plan.page_size or max(total, 1)


def _start(
    plan: ListPlan,
    asked: Mapping[str, Json],
    records: Sequence[JsonObject],
    size: int,
    resource: Resource,
) -> int:
    if plan.offset and isinstance(asked.get(plan.offset), int):
        return max(asked[plan.offset], 0)
    if plan.number and isinstance(asked.get(plan.number), int):
        return max(asked[plan.number] - plan.first_number, 0) * size
    if plan.after_id and plan.after_id in asked:
        ids = [str(each.get(resource.id_name)) for each in records]
        after = str(asked[plan.after_id])
        return ids.index(after) + 1 if after in ids else len(ids)
    token = str(asked.get(plan.cursor, "")) if plan.cursor else ""
    return int(token[1:]) if re.fullmatch(r"c\d+", token) else 0


def _following(
    plan: ListPlan, start: int, size: int, page: Sequence[JsonObject], resource: Resource
) -> dict[str, Json]:
    if plan.cursor:
        return {plan.cursor: f"c{start}"}
    if plan.offset:
        return {plan.offset: start}
    if plan.number:
        return {plan.number: start // size + plan.first_number}
    return {plan.after_id: page[-1][resource.id_name]} if plan.after_id and page else {}
