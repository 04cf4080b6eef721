"""
The pages of a list, one after the other: links, cursors, offsets and page numbers.

How a list goes on is found in the operation's parameters and in the response, in this order: a
`next` link in the Link header or the body, a token, the id of the last item where there is more, an
offset, the number of a page. Of a link only its query is used, and only what the operation declares
of it: a server cannot send a client elsewhere, and every page is a call that is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from urllib.parse import parse_qsl, urljoin, urlsplit

from restwright.calls.json_lists import find_list_path, items_at, replace_items
from restwright.calls.response.page_inputs import (
    CURSOR_NAMES,
    LIMIT_NAMES,
    NUMBER_NAMES,
    OFFSET_NAMES,
)
from restwright.calls.response.page_links import PageSignals, extract_page_signals, simplify_name
from restwright.calls.response.result import PageProgress, PagingStop, Result
from restwright.calls.truncate import compact_json
from restwright.errors import RestwrightError
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.references import find_ref
from restwright.stepping import drive
from restwright.tools.tool import Input, Tool

_AFTER_ID_NAMES = ("startingafter", "afterid", "after", "sinceid", "lastid", "startafter")
_MAX_FIELDS = 200  # of the query of a link


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLimits:
    """How much is read at most; the page that reaches a bound is the last one."""

    pages: int = 100
    items: int = 10_000
    bytes: int = 50_000_000


class UnreachablePage(Exception):
    """There is a next page, but no argument of the operation leads to it."""


def next_page_arguments(
    tool: Tool, arguments: JsonObject, result: Result, *, size: int | None = None
) -> JsonObject | None:
    """
    Return the arguments of the page after `result`; None where it is the last one.

    Args:
        arguments: Of the call that gave `result`.
        size: Items of a full page, where an earlier page told.

    Raises:
        Unreachable: The response names a next page that the operation cannot be asked for.
    """
    path = find_list_path(result.value)
    if not result.ok or not tool.is_read or path is None:
        return None
    page = _Page(tool, arguments, result, items_at(result.value, path), size)
    return next((found for way in _STRATEGIES for found in way(page)), None)


def iterate_pages(
    tool: Tool, arguments: JsonObject, limits: PageLimits | None = None
) -> Generator[JsonObject, Result, Result]:
    """
    Yield the arguments of each page, take its result, and return all of them as one.

    The items of all pages stand in the last page's value; `pages` says how far it went. A
    page that fails makes the whole a failure that keeps the items of the pages before it.
    """
    limits = limits or PageLimits()
    first = yield arguments
    path = find_list_path(first.value) if first.ok and tool.is_read else None
    if path is None:
        return first
    read = _PageCollector(path)
    read.add(first, arguments)
    stopped = read.reached_limit(limits)
    while not stopped:
        try:
            following = next_page_arguments(tool, read.arguments, read.last, size=read.page_size)
        except UnreachablePage as error:
            return read.combined_result(stopped="unreachable", why=str(error))
        except Exception as error:  # noqa: BLE001 - a server's signs may be anything
            why = f"the next page cannot be made out ({type(error).__name__})"
            return read.combined_result(stopped="unreachable", why=why)
        if following is None:
            return read.combined_result(stopped="end")
        result = yield following
        if not result.ok:
            return read.failed_result(result)
        stopped = read.add(result, following) or read.reached_limit(limits)
    return read.combined_result(stopped=stopped, why=_STOP_WARNINGS[stopped])


def fetch_all_pages(
    tool: Tool,
    arguments: JsonObject,
    call: Callable[[JsonObject], Result],
    limits: PageLimits | None = None,
) -> Result:
    """
    Call once a page and return the whole list.

    Args:
        call: Makes one call with the arguments that it is given. What it raises for the first page
            goes on; after that it is in the result, beside the pages that were read.
    """

    def perform(page: JsonObject) -> Result:
        return call(page) if page is arguments else _call_page(call, page)

    return drive(iterate_pages(tool, arguments, limits), perform)


def _call_page(call: Callable[[JsonObject], Result], arguments: JsonObject) -> Result:
    try:
        return call(arguments)
    except Exception as error:  # noqa: BLE001 - the pages before this one are worth more
        text = error.message if isinstance(error, RestwrightError) else type(error).__name__
        return Result(kind="refused", text=text, error=error)


_STOP_WARNINGS: dict[PagingStop, str] = {
    "pages": "more pages follow: the bound on pages is reached",
    "items": "more pages follow: the bound on items is reached",
    "bytes": "more pages follow: the bound on bytes is reached",
    "repeated": "the server gave the same page twice; it is left out and nothing more is read",
}


@dataclass(slots=True)
class _PageCollector:
    """The pages that were read so far."""

    path: tuple[str, ...]
    results: list[Result] = field(default_factory=list[Result])
    items: list[Json] = field(default_factory=list[Json])
    arguments: JsonObject = field(default_factory=dict[str, Json])
    seen_hashes: set[bytes] = field(default_factory=set[bytes])
    size: int = 0
    page_size: int = 0
    last: Result = field(default_factory=lambda: Result(kind="ok"))

    def add(self, result: Result, arguments: JsonObject) -> PagingStop | None:
        """Take a page in; says `repeated` where it was there before."""
        items = items_at(result.value, self.path)
        keys = {_hash_value(item) for item in (arguments, items) if item or item is arguments}
        if keys & self.seen_hashes:
            return "repeated"
        self.seen_hashes |= keys
        self.items += items
        self.page_size = max(self.page_size, len(items))
        self.size += len(result.response.body) if result.response else 0
        self.arguments, self.last = arguments, result
        self.results.append(result)
        return None

    def reached_limit(self, limits: PageLimits) -> PagingStop | None:
        """Which bound is reached; None for none."""
        reached: dict[PagingStop, bool] = {
            "pages": len(self.results) >= limits.pages,
            "items": len(self.items) >= limits.items,
            "bytes": self.size >= limits.bytes,
        }
        return next((name for name, is_reached in reached.items() if is_reached), None)

    def combined_result(self, *, stopped: PagingStop, why: str = "") -> Result:
        notes = dict.fromkeys(note for result in self.results for note in result.warnings)
        repairs = dict.fromkeys(repair for result in self.results for repair in result.repairs)
        return replace(
            self.last,
            value=self.value,
            warnings=(*list(notes)[:10], *([why] if why else [])),
            repairs=tuple(repairs),
            pages=self.page_progress(stopped),
        )

    def failed_result(self, result: Result) -> Result:
        """The failure of a page, with what the pages before it gave."""
        text = f"page {len(self.results) + 1}: {result.text}"
        return replace(result, text=text, value=self.value, pages=self.page_progress("failed"))

    @property
    def value(self) -> Json:
        return replace_items(self.last.value, self.path, self.items)

    def page_progress(self, stopped: PagingStop) -> PageProgress:
        return PageProgress(read=len(self.results), items=len(self.items), stopped=stopped)


def _hash_value(value: Json) -> bytes:
    return sha256(compact_json(value).encode("utf-8", "surrogatepass")).digest()


class _Page:
    """One page, and the inputs that another one can be asked for with."""

    def __init__(
        self,
        tool: Tool,
        arguments: JsonObject,
        result: Result,
        items: list[Json],
        size: int | None,
    ) -> None:
        self.arguments, self.result, self.items, self._size = arguments, result, items, size
        self.signals: PageSignals = extract_page_signals(result, items)
        self._checks = tool.checks
        self._inputs = {
            simplify_name(tool_input.target): tool_input
            for tool_input in tool.inputs
            if tool_input.location in {"query", "body_property"}
        }
        self._targets = {
            tool_input.target: tool_input
            for tool_input in tool.inputs
            if tool_input.location == "query"
        }

    def find_input(self, names: tuple[str, ...], *, is_number: bool = False) -> Input | None:
        """The input that is given, else the first there is, of these simple names."""
        found = [self._inputs[name] for name in names if name in self._inputs]
        if is_number:
            found = [
                item
                for item in found
                if _schema_types(self.input_schema(item)) & {"integer", "number"}
            ]
        return next(
            (item for item in found if self.argument_of(item) is not None), (*found, None)[0]
        )

    def query_input(self, target: str) -> Input | None:
        """The query parameter of exactly this name."""
        return self._targets.get(target)

    def input_schema(self, target: Input) -> JsonObject:
        """The schema of an input, its reference followed."""
        properties = self._checks.get("properties", {})
        if target.group:
            properties = self._resolve(properties.get(target.group)).get("properties", {})
        return self._resolve(properties.get(target.name))

    def argument_of(self, target: Input) -> Json:
        """The argument of an input; None where there is none."""
        inside = self.arguments.get(target.group) if target.group else self.arguments
        return inside.get(target.name) if is_object(inside) else None

    def number_of(self, target: Input | None) -> int | None:
        """What an input is given, or is by default, as a number."""
        if target is None:
            return None
        value = self.argument_of(target)
        value = self.input_schema(target).get("default") if value is None else value
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    @property
    def size(self) -> int:
        """Items of a full page: as asked for, as said, or as seen."""
        asked = self.number_of(self.find_input(LIMIT_NAMES, is_number=True)) or self.signals.size
        return asked or self._size or len(self.items)

    def with_values(self, values: list[tuple[Input, Json]]) -> JsonObject:
        """The arguments with other values, written as the schema wants them."""
        changed = dict(self.arguments)
        for target, value in values:
            typed = _convert_to_type(self.input_schema(target), value)
            if target.group:
                changed[target.group] = {**(changed.get(target.group) or {}), target.name: typed}
            else:
                changed[target.name] = typed
        return changed

    def _resolve(self, schema: Json) -> JsonObject:
        for _ in range(20):
            ref = find_ref(schema) if is_object(schema) else None
            if ref is None:
                break
            schema = self._checks.get("$defs", {}).get(ref.rpartition("/")[2])
        return schema if is_object(schema) else {}


_Strategy = Callable[[_Page], Iterator["JsonObject | None"]]


def _follow_link(page: _Page) -> Iterator[JsonObject | None]:
    if not page.signals.link:
        return
    request, response = page.result.request, page.result.response
    here = request.url if request else response.url if response else ""
    try:
        target = urljoin(here, page.signals.link)
        query = urlsplit(target).query
    except ValueError:
        raise UnreachablePage("what leads to the next page is no URL") from None
    if _page_address(target) != _page_address(here):
        raise UnreachablePage("the next page is at another address, which is not followed")
    if query.count("&") >= _MAX_FIELDS:
        raise UnreachablePage(f"the next page needs more than {_MAX_FIELDS} fields of a query")
    pairs = parse_qsl(query, keep_blank_values=True)
    known = [(page.query_input(name), value) for name, value in pairs]
    found = page.with_values([(name, value) for name, value in known if name is not None])
    if found == page.arguments:
        names = ", ".join(
            sorted({name[:40] for name, _ in pairs if not page.query_input(name)})[:5]
        )
        why = f"the next page needs {names or 'something'}, which the document does not declare"
        raise UnreachablePage(why)
    yield found


def _follow_token(page: _Page) -> Iterator[JsonObject | None]:
    if page.signals.token is None:
        return
    name, value = page.signals.token
    own = name.rpartition("/")[2]
    target = page.find_input((own.removeprefix("next"), own, *CURSOR_NAMES))
    if target is None:
        raise UnreachablePage(f"no parameter of the document takes the {own} of the response")
    yield page.with_values([(target, value)])


def _detect_end(page: _Page) -> Iterator[JsonObject | None]:
    if page.signals.has_more is False:
        yield None


def _advance_cursor(page: _Page) -> Iterator[JsonObject | None]:
    """A position that the response names; the id of the last item where there is more."""
    target = page.find_input(("cursor",))
    cursor = page.signals.cursor
    if target and isinstance(cursor, (str, int)) and cursor not in ("", page.argument_of(target)):
        yield page.with_values([(target, cursor)])
    after = page.find_input(_AFTER_ID_NAMES)
    if after and page.signals.has_more and page.signals.last_id is not None:
        yield page.with_values([(after, page.signals.last_id)])


def _advance_offset(page: _Page) -> Iterator[JsonObject | None]:
    target = page.find_input(OFFSET_NAMES, is_number=True)
    number = page.find_input(NUMBER_NAMES, is_number=True)
    if target is None or (number and page.argument_of(number) is not None):
        return
    schema = page.input_schema(target)
    first = 1 if schema.get("minimum") == 1 or simplify_name(target.target) == "startindex" else 0
    here = page.number_of(target)
    here = first if here is None else here
    if _is_last(page, read=here - first + len(page.items)):
        yield None
    yield page.with_values([(target, here + len(page.items))])


def _advance_number(page: _Page) -> Iterator[JsonObject | None]:
    target = page.find_input(NUMBER_NAMES, is_number=True)
    if target is None:
        return
    schema = page.input_schema(target)
    first = next((schema[key] for key in ("default", "minimum") if schema.get(key) in (0, 1)), 1)
    here = page.number_of(target)
    here = first if here is None else here
    place = here - first
    if page.signals.pages is not None and place + 1 >= page.signals.pages:
        yield None
    if _is_last(page, read=place * page.size + len(page.items)):
        yield None
    yield page.with_values([(target, here + 1)])


def _is_last(page: _Page, *, read: int) -> bool:
    """Whether nothing is left after `read` items, as far as the page tells."""
    if not page.items:
        return True
    if page.signals.total is not None:
        return read >= page.signals.total
    if page.signals.has_more or page.signals.pages is not None:
        return False
    limit = page.number_of(page.find_input(LIMIT_NAMES, is_number=True)) or page.signals.size
    return limit is not None and len(page.items) < limit


_STRATEGIES: tuple[_Strategy, ...] = (
    _follow_link,
    _follow_token,
    _detect_end,
    _advance_cursor,
    _advance_offset,
    _advance_number,
)


def _page_address(url: str) -> tuple[str, int | None, str]:
    """Host, port and path; servers behind a proxy write `http` for `https`."""
    try:
        parts = urlsplit(url)
        port = None if parts.port in (80, 443) else parts.port
    except ValueError:
        return "", None, url
    return parts.hostname or "", port, parts.path.rstrip("/")


def _schema_types(schema: JsonObject) -> set[str]:
    kind = schema.get("type")
    found: set[str] = {kind} if isinstance(kind, str) else set(kind or ())
    for keyword in ("anyOf", "oneOf", "allOf"):
        for branch in schema.get(keyword, ()):
            if is_object(branch):
                found |= _schema_types(branch)
    return found


def _convert_to_type(schema: JsonObject, value: Json) -> Json:
    """A text of a URL, or a token, as the schema's type."""
    types = _schema_types(schema)
    text = value if isinstance(value, str) else str(value)
    if types & {"integer", "number"} and text.removeprefix("-").isdecimal() and len(text) < 16:
        return int(text)
    if "boolean" in types and text in {"true", "false"}:
        return text == "true"
    if "array" in types and "string" not in types and not is_array(value):
        return text.split(",")
    return text if "string" in types else value
