"""What a function takes and gives, by its signature and annotations."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, NotRequired, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError
from typing_extensions import TypedDict

from restwright.errors import UsageError
from restwright.net.secret import Secret
from restwright.tools.functions.context import CallContext
from restwright.tools.functions.docstring import FunctionDocs, parse_docstring
from restwright.tools.functions.marks import FunctionMark, Injected, find_mark

_UNNAMED = {
    inspect.Parameter.VAR_POSITIONAL: "takes any number of arguments",
    inspect.Parameter.VAR_KEYWORD: "takes arguments of any name",
    inspect.Parameter.POSITIONAL_ONLY: "cannot be given by its name",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedParameter:
    """
    A parameter that the program fills in.

    Args:
        is_required: Whether it has no default.
        takes_secret: Whether it is annotated as a `Secret`; else it is given the text of one.
        is_context: Whether it is annotated as a `CallContext`, which every call has.
    """

    is_required: bool
    takes_secret: bool
    is_context: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionSignature:
    """
    A function that is to be a tool.

    Args:
        parameters: The names of what a model gives.
        arguments: Reads the JSON of what a model gives, as `{name: value}`.
        output: Writes the JSON of what it returns.
        defaults: `{name: default}` of what need not be given.
        injected: `{name: what the program fills in}`.
    """

    name: str
    function: Callable[..., Any] = field(repr=False)
    mark: FunctionMark
    docs: FunctionDocs
    parameters: tuple[str, ...]
    arguments: TypeAdapter[dict[str, Any]] = field(repr=False)
    output: TypeAdapter[Any] = field(repr=False)
    defaults: Mapping[str, Any]
    injected: Mapping[str, InjectedParameter]


def read_signature(function: Callable[..., Any]) -> FunctionSignature:
    """
    Read what a function takes and gives.

    Raises:
        UsageError: It cannot be a tool; the error names it, the parameter and what to write.
    """
    mark = find_mark(function)
    name = mark.name or _find_name(function)
    inner = _find_annotated(function)
    if inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner):
        raise UsageError("a generator cannot be a tool", name, "return a list")
    hints = _resolve_hints(inner, name)
    fields: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    injected: dict[str, InjectedParameter] = {}
    for parameter in _list_parameters(function, name):
        hint = hints.get(parameter.name)
        is_required = parameter.default is inspect.Parameter.empty
        if _is_injected(hint):
            secret = Secret in (get_args(hint)[0], *get_args(get_args(hint)[0]))
            injected[parameter.name] = InjectedParameter(
                is_required=is_required,
                takes_secret=secret,
                is_context=get_args(hint)[0] is CallContext,
            )
            continue
        if hint is None:
            raise UsageError(
                "it has no annotation", f"{name}({parameter.name})", "write its type: `name: str`"
            )
        _make_adapter(hint, f"{name}({parameter.name})")
        fields[parameter.name] = hint if is_required else NotRequired[hint]
        if not is_required:
            defaults[parameter.name] = parameter.default
    return FunctionSignature(
        name=name,
        function=function,
        mark=mark,
        docs=parse_docstring(inner),
        parameters=tuple(fields),
        arguments=_make_adapter(_make_record(name, fields), name),
        output=_make_adapter(_unwrap_awaitable(hints.get("return", Any)), f"{name}(...) -> "),
        defaults=defaults,
        injected=injected,
    )


def _find_name(function: Callable[..., Any]) -> str:
    while isinstance(function, partial):
        function = function.func
    return getattr(function, "__name__", "") or type(function).__name__


def _find_annotated(function: Callable[..., Any]) -> Callable[..., Any]:
    """Where annotations and docstring of something callable stand."""
    while isinstance(function, partial):
        function = function.func
    return function if inspect.isroutine(function) else type(function).__call__


def _resolve_hints(function: Callable[..., Any], name: str) -> dict[str, Any]:
    """The annotations; those that are texts are looked up now, and not in the first call."""
    try:
        return get_type_hints(function, include_extras=True)
    except NameError as error:
        why = f"an annotation names {error.name}, which is not there"
        raise UsageError(why, name, "define it where the module does, not in a function") from None
    except TypeError as error:
        raise UsageError(f"its annotations cannot be read: {error}", name) from None


def _list_parameters(function: Callable[..., Any], name: str) -> Iterator[inspect.Parameter]:
    """The parameters that can be filled in; what a `partial` gives by its name is filled in."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        why = "it has no signature that could be read"
        raise UsageError(why, name, "write a function around it") from None
    given = function.keywords if isinstance(function, partial) else {}
    for parameter in parameters:
        if why := _UNNAMED.get(parameter.kind):
            raise UsageError(why, f"{name}({parameter.name})", "name each argument of the function")
        if parameter.name not in given:
            yield parameter


def _is_injected(hint: Any) -> bool:
    return get_origin(hint) is Annotated and any(
        extra is Injected or isinstance(extra, Injected) for extra in hint.__metadata__
    )


def _make_record(name: str, fields: Mapping[str, Any]) -> Any:
    # Of a model, `schema`, `copy` and `_x` could not be fields; of a function they can be
    # parameters.
    record: Any = TypedDict(f"{name}_arguments", dict(fields))  # type: ignore[misc]
    record.__pydantic_config__ = ConfigDict(extra="forbid")
    return record


def _make_adapter(kind: Any, where: str) -> TypeAdapter[Any]:
    try:
        return TypeAdapter(kind)
    except (PydanticSchemaGenerationError, PydanticUserError) as error:
        why = str(error).partition("\n")[0]
        move = "use a type that stands for JSON: a dataclass, TypedDict, model, or one of Python's"
        raise UsageError(f"its type stands for no JSON: {why}", where.strip(), move) from None


def _unwrap_awaitable(hint: Any) -> Any:
    """What is given in the end, of something that is annotated as what gives it."""
    if get_origin(hint) in {Awaitable, Coroutine}:
        return get_args(hint)[-1]
    return hint
