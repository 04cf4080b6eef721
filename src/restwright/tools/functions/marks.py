"""What whoever writes a function says of it as a tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, overload

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])
_MARK = "__restwright_tool__"


class Injected:
    """
    Marks a parameter that the program fills in: `Annotated[T, Injected]`.

    No model sees it, and an argument of its name is refused. See `inject` of `functions()`; a
    `CallContext` is filled in by itself.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionMark:
    """
    What `@tool` says of a function.

    Args:
        reads: Whether calling it changes nothing.
        name: As a model knows it; the function's own where empty.
        kind: What it is for clients of the Model Context Protocol.
        uri: Of a resource, with `{parameter}` where the function has one.
        media_type: Of a resource.
    """

    reads: bool = False
    name: str = ""
    kind: Literal["tool", "prompt", "resource"] = "tool"
    uri: str = ""
    media_type: str = ""


@overload
def tool(function: FunctionT) -> FunctionT: ...
@overload
def tool(*, reads: bool = False, name: str = "") -> Callable[[FunctionT], FunctionT]: ...
def tool(
    function: Callable[..., Any] | None = None,
    *,
    reads: bool = False,
    name: str = "",
) -> Any:
    """
    Say of a function or method what its signature does not: `@tool(reads=True)`.

    It stays what it is, and is called as before. Without a mark it writes.

    Args:
        reads: Whether calling it changes nothing, so that nobody is asked before; whatever its
            name says.
        name: As a model knows it; the function's own where empty.
    """

    def mark(marked: FunctionT) -> FunctionT:
        setattr(marked, _MARK, FunctionMark(reads=reads, name=name))
        return marked

    return mark if function is None else mark(function)


def prompt(function: FunctionT) -> FunctionT:
    """
    Say of a function that it is a prompt, which clients of `mcp serve` propose to their users.

    It returns what the user is to say: a text, `Media`, an `EmbeddedResource`, or a list of these.
    Its parameters are texts. It is no tool.
    """
    setattr(function, _MARK, FunctionMark(reads=True, kind="prompt"))
    return function


def resource(uri: str, media_type: str = "text/plain") -> Callable[[FunctionT], FunctionT]:
    """
    Say of a function that it is a resource, which clients of `mcp serve` can read.

    It returns a text, `Media`, or data, which becomes JSON. It is no tool.

    Args:
        uri: `notes://all`, or with parameters of the function, which are texts: `notes://{day}`.
    """

    def mark(marked: FunctionT) -> FunctionT:
        own = FunctionMark(reads=True, kind="resource", uri=uri, media_type=media_type)
        setattr(marked, _MARK, own)
        return marked

    return mark


def find_mark(function: object) -> FunctionMark:
    """What was said of a function; that it writes, where nothing was."""
    return getattr(function, _MARK, None) or FunctionMark()
