"""Parts of a value, by a JMESPath expression that can do no more than take long."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from restwright.errors import UnusableExpression
from restwright.typing import Json, is_object

if TYPE_CHECKING:
    from jmespath.visitor import TreeInterpreter

T = TypeVar("T")

MAX_CHARS = 2000
"""Of an expression."""
MAX_GROWTH = 1000
"""How often an expression may repeat a part of the value, at most."""
MAX_SECONDS = 5.0
_LOOK_AT_THE_CLOCK = 256  # steps


def pick(value: Json, expression: str) -> Json:
    """
    Return what `expression` picks out of `value`; None where it finds nothing.

    Raises:
        UnusableExpression: It is not JMESPath, does not fit the value, or is over a limit.

    Source: https://jmespath.org/specification.html
    """
    parsed = _parsed(expression)
    return _guarded(expression, lambda: _interpreter(expression).visit(parsed, value))


def check_expression(expression: str) -> None:
    """
    Say what is wrong with an expression, before there is a value.

    Raises:
        UnusableExpression: It is not JMESPath, or is over a limit.
    """
    _parsed(expression)


def _parsed(expression: str) -> Any:
    import jmespath

    if len(expression) > MAX_CHARS:
        raise UnusableExpression(expression, f"it is longer than {MAX_CHARS:,} characters")
    compiled = _guarded(expression, lambda: jmespath.compile(expression))
    parsed: Any = compiled.parsed
    if _guarded(expression, lambda: _growth(parsed)) > MAX_GROWTH:
        raise UnusableExpression(expression, "it repeats parts of the value too often")
    unknown = _guarded(expression, lambda: sorted(set(_functions(parsed)) - _known_functions()))
    if unknown:
        raise UnusableExpression(expression, f"there is no function {unknown[0][:40]}()")
    return parsed


def _functions(node: Any) -> Iterator[str]:
    if node["type"] == "function_expression":
        yield node["value"]
    for each in node["children"]:
        if is_object(each):
            yield from _functions(each)


def _known_functions() -> set[str]:
    from jmespath.functions import Functions

    return set(Functions.FUNCTION_TABLE)


def _guarded(expression: str, step: Callable[[], T]) -> T:
    """Do one step; what an expression can be wrong in becomes one error."""
    from jmespath.exceptions import JMESPathError

    try:
        return step()
    except (JMESPathError, ValueError, TypeError, ArithmeticError, Warning) as error:
        # Texts in backticks are an old spelling; it is an error where warnings are.
        raise UnusableExpression(expression, _why(error)) from error
    except RecursionError as error:
        raise UnusableExpression(expression, "it nests too deep") from error


def _interpreter(expression: str) -> TreeInterpreter:
    from jmespath.visitor import TreeInterpreter

    class Bounded(TreeInterpreter):
        """Looks at the clock now and then."""

        def __init__(self) -> None:
            super().__init__()
            self.steps, self.deadline = 0, time.monotonic() + MAX_SECONDS

        def visit(self, node: Any, *args: Any, **kwargs: Any) -> Json:
            self.steps += 1
            if self.steps % _LOOK_AT_THE_CLOCK == 0 and time.monotonic() > self.deadline:
                raise UnusableExpression(expression, f"it takes longer than {MAX_SECONDS:g} s")
            return super().visit(node, *args, **kwargs)

    return Bounded()


def _growth(node: Any) -> int:
    """
    How many times a part of the value can stand in the result, at most.

    What stands side by side adds up, what is applied to the other multiplies: a chain of twenty
    `[@, @]` makes a million of one value, and `to_string` doubles the escapes of what it quotes.
    """
    children = [_growth(each) for each in node["children"] if is_object(each)]
    if node["type"] in _SIDE_BY_SIDE:
        return sum(children) or 1
    product = 2 if node.get("value") == "to_string" else 1
    for each in children:
        product *= each
    return product


_SIDE_BY_SIDE = frozenset({"multi_select_list", "multi_select_dict", "or_expression"})


def _why(error: Exception) -> str:
    """The first line; the ones below it repeat the expression with a mark."""
    line = str(error).strip().partition("\n")[0]
    # What a grammar calls its words helps nobody; where it stopped does.
    where = re.search(r'Parse error at (column \d+), token ("[^"]*")', line)
    return f"{where[1]} has {where[2]}" if where else line[:200] or type(error).__name__
