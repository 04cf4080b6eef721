"""
JSONPath queries over a document: where they lead, within a number of looked-at values.

Source: RFC 9535. `python-jsonpath` in its strict mode passes the whole compliance suite of the RFC
and evaluates no code; patterns are left to an engine that cannot be made to hang.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from restwright.jsontypes import Json
from restwright.openapi.syntax.limits import MAX_DEPTH

if TYPE_CHECKING:
    from jsonpath import JSONPath, JSONPathEnvironment, JSONPathMatch

MAX_VISITED = 20_000_000
"""Values that all queries of one overlay may look at."""
MAX_LENGTH = 2_000
"""Characters of one query."""

# A dot, or what a dot may stand in without being one.
_DOT = re.compile(r"\\.|\[(?:\\.|[^\]\\])*+(?:\]|\\?\Z)|\.", re.DOTALL)

PathTokens = tuple[str | int, ...]


class UnusableQuery(Exception):
    """A query that is none, or that looks at too much; the text says why."""


class JSONPathQueries:
    """Finds places by queries; all of them together look at no more than a number of values."""

    def __init__(self, *, max_visited: int = MAX_VISITED) -> None:
        self._remaining = max_visited

    def find(self, query: str, document: Json) -> list[PathTokens]:
        """
        Where `query` leads in `document`, in its order, each place once.

        Raises:
            UnusableQuery: It is no query of RFC 9535, or looks at too much.
        """
        from jsonpath.exceptions import JSONPathError

        if len(query) > MAX_LENGTH:
            raise UnusableQuery(f"it is longer than the limit of {MAX_LENGTH:,} characters")
        try:
            found = self._evaluate(query, document)
            return list(dict.fromkeys(found))
        except (JSONPathError, RecursionError) as error:
            raise UnusableQuery(" ".join(str(error).partition("\n")[0].split())) from None

    def _evaluate(self, query: str, document: Json) -> Iterator[PathTokens]:
        compiled = _make_environment().compile(query)
        if not hasattr(compiled, "segments"):
            raise UnusableQuery("it is no single query")
        for match in _count_visits(compiled, self).finditer(document):
            yield match.parts

    def count_visits(self, count: int) -> None:
        """
        Count values that are looked at.

        Raises:
            UnusableQuery: They are more than may be.
        """
        self._remaining -= count
        if self._remaining < 0:
            raise UnusableQuery(f"the overlay looks at more than {MAX_VISITED:,} values")


@cache
def _make_environment() -> JSONPathEnvironment:
    from jsonpath import JSONPathEnvironment

    made = JSONPathEnvironment(strict=True)
    made.max_recursion_depth = MAX_DEPTH + 1
    made.function_extensions["match"] = _make_pattern_function(r"^(?:{})$")
    made.function_extensions["search"] = _make_pattern_function("{}")
    return made


def _count_visits(path: Any, queries: JSONPathQueries) -> JSONPath:
    """`path`, with those in its filters, such that each value that they look at is counted."""
    from jsonpath import JSONPath, JSONPathMatch

    class Match(JSONPathMatch):
        # As in the library but for the count, and without the path as text, which nobody reads.
        def new_child(self, obj: object, key: int | str) -> JSONPathMatch:
            queries.count_visits(1)
            return _make_child(self, obj, key)

    class Counted(JSONPath):
        def finditer(self, data: Any, *, filter_context: Any = None) -> Iterable[JSONPathMatch]:
            queries.count_visits(1)
            matches: Iterable[JSONPathMatch] = [
                Match(filter_context=filter_context or {}, obj=data, parent=None, path="",
                      parts=(), root=data)
            ]  # fmt: skip
            for segment in self.segments:
                matches = segment.resolve(matches)
            return matches

    def counted(path: Any) -> JSONPath:
        for query in _inner_queries(path):
            query.path = counted(query.path)
        return Counted(env=path.env, segments=path.segments)

    return counted(path)


def _inner_queries(path: Any) -> Iterator[Any]:
    """The expressions in the filters of `path` that are queries themselves."""
    selectors = (selector for segment in path.segments for selector in segment.selectors)
    waiting = [selector.expression for selector in selectors if hasattr(selector, "expression")]
    while waiting:
        node = waiting.pop()
        if hasattr(node, "path"):
            yield node
        else:
            waiting.extend(_child_expressions(node))


def _make_child(match: JSONPathMatch, obj: object, key: int | str) -> JSONPathMatch:
    return match.__class__(
        filter_context=match.filter_context(),
        obj=obj,
        parent=match,
        parts=(*match.parts, key),
        path="",
        root=match.root,
    )


def _child_expressions(expression: Any) -> list[Any]:
    """The expressions that one is made of; the library wraps those whose value it keeps."""
    wrapped = getattr(expression, "_expr", None)
    return [wrapped] if wrapped is not None else expression.children()


def _make_pattern_function(form: str) -> Any:
    from jsonpath.function_extensions import ExpressionType, FilterFunction

    class Fits(FilterFunction):
        @property
        def arg_types(self) -> list[ExpressionType]:
            return [ExpressionType.VALUE, ExpressionType.VALUE]

        @property
        def return_type(self) -> ExpressionType:
            return ExpressionType.LOGICAL

        def __call__(self, value: object, pattern: object) -> bool:
            if not isinstance(value, str) or not isinstance(pattern, str):
                return False
            test = compile_pattern(form.replace("{}", _DOT.sub(_translate_dot, pattern)))
            return test is not None and test.is_valid(value)

    return Fits()


def _translate_dot(match: re.Match[str]) -> str:
    # RFC 9485, "I-Regexp": a dot stands for all but the ends of lines.
    return r"[^\n\r]" if match[0] == "." else match[0]


@cache
def compile_pattern(pattern: str) -> Any:
    """What tells by `is_valid` whether a text fits `pattern`; None where it is no pattern."""
    import jsonschema_rs

    if len(pattern) > MAX_LENGTH:
        return None  # It may come from the document, and is compiled character by character.
    # The engine without lookaround and references backwards, which I-Regexp has not either: the
    # other one may take long for each of very many values.
    try:
        return jsonschema_rs.validator_for(
            {"type": "string", "pattern": pattern},
            pattern_options=jsonschema_rs.RegexOptions(),
        )
    except ValueError:
        return None
