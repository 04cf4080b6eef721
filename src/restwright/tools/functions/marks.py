"""What whoever writes a function says of it as a tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from restwright.jsontypes import JsonObject

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])
_MARK = "__restwright_tool__"


class Injected:
    """
    Marks a parameter that the program fills in: `Annotated[T, Injected]`.

    No model sees it, and an argument of its name is refused. See `inject` of `functions()`.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionMark:
    """
    What `@tool` says of a function.

    Args:
        reads: Whether calling it changes nothing.
        name: As a model knows it; the function's own where empty.
        parameters: JSON Schema of its arguments, an object, in the place of the one of its
            signature; None for that.
    """

    reads: bool = False
    name: str = ""
    parameters: JsonObject | None = None


@overload
def tool(function: FunctionT) -> FunctionT: ...
@overload
def tool(
    *, reads: bool = False, name: str = "", parameters: JsonObject | None = None
) -> Callable[[FunctionT], FunctionT]: ...
def tool(
    function: Callable[..., Any] | None = None,
    *,
    reads: bool = False,
    name: str = "",
    parameters: JsonObject | None = None,
) -> Any:
    """
    Say of a function or method what its signature does not: `@tool(reads=True)`.

    It stays what it is, and is called as before. Without a mark it writes.

    Args:
        reads: Whether calling it changes nothing, so that nobody is asked before; whatever its
            name says.
        name: As a model knows it; the function's own where empty.
        parameters: JSON Schema of its arguments, in the place of the one of its signature, for
            what types cannot say.
    """

    def mark(marked: FunctionT) -> FunctionT:
        own = FunctionMark(reads=reads, name=name, parameters=parameters)
        setattr(marked, _MARK, own)
        return marked

    return mark if function is None else mark(function)


def find_mark(function: object) -> FunctionMark:
    """What was said of a function; that it writes, where nothing was."""
    return getattr(function, _MARK, None) or FunctionMark()
