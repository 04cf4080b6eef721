"""Parts of a value, by a JMESPath expression that can do no more than take long."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from restwright.errors import UnusableExpression
from restwright.jsontypes import Json, is_array, is_object

if TYPE_CHECKING:
    from jmespath.visitor import TreeInterpreter

T = TypeVar("T")

MAX_CHARS = 2000
"""Of an expression."""
MAX_GROWTH = 10_000_000
"""Characters, a value counted as eight, by which what comes of a step may exceed the value."""
MAX_SECONDS = 5.0
_VALUE_CHARS = 8


def pick_value(value: Json, expression: str, *, max_seconds: float = MAX_SECONDS) -> Json:
    """
    Return what `expression` picks out of `value`; None where it finds nothing, and at the latest
    when `max_seconds` are over.

    Raises:
        UnusableExpression: It is not JMESPath, does not fit the value, or is over a limit.

    Source: https://jmespath.org/specification.html
    """
    parsed = _parse_expression(expression)
    return _translate_errors(
        expression, lambda: _make_interpreter(expression, value, max_seconds).visit(parsed, value)
    )


def check_expression(expression: str) -> None:
    """
    Say what is wrong with an expression, before there is a value.

    Raises:
        UnusableExpression: It is not JMESPath, or is over a limit.
    """
    _parse_expression(expression)


def _parse_expression(expression: str) -> Any:
    import jmespath

    if len(expression) > MAX_CHARS:
        raise UnusableExpression(expression, f"it is longer than {MAX_CHARS:,} characters")
    compiled = _translate_errors(expression, lambda: jmespath.compile(expression))
    parsed: Any = compiled.parsed
    unknown = _translate_errors(
        expression, lambda: sorted(set(_function_names(parsed)) - _known_functions())
    )
    if unknown:
        raise UnusableExpression(expression, f"there is no function {unknown[0][:40]}()")
    return parsed


def _function_names(node: Any) -> Iterator[str]:
    if node["type"] == "function_expression":
        yield node["value"]
    for child in node["children"]:
        if is_object(child):
            yield from _function_names(child)


def _known_functions() -> set[str]:
    from jmespath.functions import Functions

    return set(Functions.FUNCTION_TABLE)


def _translate_errors(expression: str, step: Callable[[], T]) -> T:
    """Do one step; what an expression can be wrong in becomes one error."""
    from jmespath.exceptions import JMESPathError

    try:
        return step()
    except (JMESPathError, ValueError, TypeError, ArithmeticError, Warning) as error:
        # Texts in backticks are an old spelling; it is an error where warnings are.
        raise UnusableExpression(expression, _error_reason(error)) from error
    except RecursionError as error:
        raise UnusableExpression(expression, "it nests too deep") from error


@dataclass(slots=True)
class _SizeMeter:
    """
    The sizes of values when they are written out; what stands in one twice counts twice.

    Each list and object is looked at once, and kept, so that none other gets its identity.
    """

    memo: dict[int, tuple[int, Json]] = field(default_factory=dict[int, tuple[int, Json]])

    def measure(self, value: Json) -> int:
        if isinstance(value, str):
            return len(value) + _VALUE_CHARS
        if not (is_object(value) or is_array(value)):
            return _VALUE_CHARS
        if id(value) not in self.memo:
            inner = value.values() if is_object(value) else value
            names = sum(map(len, value)) if is_object(value) else 0
            size = _VALUE_CHARS + names + sum(map(self.measure, inner))
            self.memo[id(value)] = (size, value)
        return self.memo[id(value)][0]


def estimate_longest_text(arguments: Sequence[Json]) -> int:
    """
    The longest text that a function can make by repeating one of its arguments.

    A text is put between the elements of an array (`join`), or as often as a number says; so a
    function that is not known yet is bounded too.
    """
    texts = [len(argument) for argument in arguments if isinstance(argument, str)]
    numbers = [int(argument) for argument in arguments if isinstance(argument, int)]
    counts = [len(argument) for argument in arguments if is_array(argument)]
    return max(texts, default=0) * max([*counts, *numbers], default=0)


def _make_interpreter(expression: str, value: Json, max_seconds: float) -> TreeInterpreter:
    from jmespath.functions import Functions
    from jmespath.visitor import Options, TreeInterpreter

    sizes = _SizeMeter()
    limit = sizes.measure(value) + MAX_GROWTH
    deadline = time.monotonic() + max_seconds

    def check(size: int) -> None:
        if size > limit:
            raise UnusableExpression(expression, "it repeats parts of the value too often")
        if time.monotonic() > deadline:
            raise UnusableExpression(expression, f"it takes longer than {max_seconds:g} s")

    class BoundedFunctions(Functions):
        """Looks at the arguments: what a function makes of them is there at once."""

        def call_function(self, function_name: str, resolved_args: Iterable[Any]) -> Json:
            arguments = [*resolved_args]
            check(estimate_longest_text(arguments))
            return super().call_function(function_name, arguments)

    class Bounded(TreeInterpreter):
        """Looks at the clock and at the size of all that a step gives."""

        def visit(self, node: Any, *args: Any, **kwargs: Any) -> Json:
            found = super().visit(node, *args, **kwargs)
            check(sizes.measure(found))
            return found

    return Bounded(Options(custom_functions=BoundedFunctions()))


def _error_reason(error: Exception) -> str:
    """The first line; the ones below it repeat the expression with a mark."""
    line = str(error).strip().partition("\n")[0]
    # What a grammar calls its words helps nobody; where it stopped does.
    where = re.search(r'Parse error at (column \d+), token ("[^"]*")', line)
    return f"{where[1]} has {where[2]}" if where else line[:200] or type(error).__name__
