"""Functions, or the methods of one object, as a catalog of tools."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from restwright.errors import MissingExtra, UsageError, require_type
from restwright.jsontypes import JsonObject
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.function_tools import FunctionTool, build_function_catalog
from restwright.tools.functions.marks import find_mark
from restwright.tools.options import DEFAULT_TOOL_OPTIONS, ToolOptions
from restwright.tools.tool import Handler

if TYPE_CHECKING:
    from restwright.tools.functions.calls import FunctionRunner

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def functions(
    *functions: Callable[..., Any],
    namespace: str = "functions",
    inject: Mapping[str, object] | None = None,
    options: ToolOptions = DEFAULT_TOOL_OPTIONS,
) -> Catalog:
    """
    Make tools of Python functions, asynchronous ones among them.

    Names, types, defaults and docstrings say what a model reads and what arguments are checked
    against. A call writes, and is asked about, unless the function is marked `@tool(reads=True)`.

    Args:
        namespace: Of all of them.
        inject: `{parameter: value}` for parameters that are `Annotated[T, Injected]`. A
            `ContextVar` is looked up where a call is made; the text of a `Secret` is masked in
            results.
        options: How the tools are presented.

    Raises:
        UsageError: One of them cannot be a tool; the error says why.
        NameCollision: Two of them have one name.
        MissingExtra: pydantic or griffelib is not installed.
    """
    if not functions:
        raise UsageError("no function is given", "functions", "give some: `functions(f, g)`")
    for function in functions:
        if not callable(function) or inspect.isclass(function):
            move = "give functions and methods; `controller(object)` takes the methods of an object"
            raise UsageError("this is no function", repr(function)[:80], move)
        if (kind := find_mark(function).kind) != "tool":
            raise UsageError(f"this is a {kind}, and no tool", repr(function)[:80])
    about = _About(namespace=namespace, title="Functions")
    return _build(functions, about, inject or {}, options)


def controller(
    owner: object,
    *,
    namespace: str = "",
    inject: Mapping[str, object] | None = None,
    options: ToolOptions = DEFAULT_TOOL_OPTIONS,
) -> Catalog:
    """
    Make tools of the public methods of an object, in the order in which its class has them.

    Those of base classes come first. What begins with an underscore, properties, prompts and
    resources are no tools.

    Args:
        namespace: Of all of them; the name of the class where empty, as `price_list` of
            `PriceList`.
        inject: As `functions()` takes it.
        options: How the tools are presented.

    Raises:
        UsageError: It is a class, has no public method, or has one that cannot be a tool.
        MissingExtra: pydantic or griffelib is not installed.
    """
    kind = type(owner)
    if inspect.isclass(owner):
        why, move = "it is a class, and not one of its objects", f"`controller({owner.__name__}())`"
        raise UsageError(why, owner.__name__, move)
    methods = list_methods(owner)
    about = _About(
        namespace=namespace or name_namespace(kind.__name__),
        title=kind.__name__,
        description=inspect.getdoc(kind) or "",
    )
    return _build(methods, about, inject or {}, options)


def list_methods(owner: object) -> Sequence[Callable[..., Any]]:
    """
    The methods of an object that are tools.

    Raises:
        UsageError: There is none.
    """
    methods = _keep_tools(_list_public_methods(owner))
    if not methods:
        why, move = "it has no public method", "`functions(f, g)` takes those"
        raise UsageError(why, type(owner).__name__, move)
    return methods


def list_functions(named: object) -> Sequence[Callable[..., Any]]:
    """
    The functions that are tools, of what a name of a module stands for.

    That is a function, a list of them, an object, or a class that is made without arguments.

    Raises:
        UsageError: There is none.
    """
    found = list_marked(named)
    if tools := _keep_tools(found):
        return tools
    raise UsageError("it has no public method", type(named).__name__, "`functions(f, g)`")


def list_marked(named: object) -> Sequence[Callable[..., Any]]:
    """Do the same as `list_functions()`, with prompts and resources, and without an error."""
    if isinstance(named, list | tuple):
        return cast("Sequence[Callable[..., Any]]", named)
    if inspect.isroutine(named):
        return [named]
    return _list_public_methods(named() if inspect.isclass(named) else named)


def name_namespace(name: str) -> str:
    """The namespace of something that is named as classes are: `price_list` of `PriceList`."""
    return _HUMP.sub("_", name)


def _list_public_methods(owner: object) -> Sequence[Callable[..., Any]]:
    return [getattr(owner, name) for name in _list_names(type(owner))]


def _keep_tools(found: Sequence[Callable[..., Any]]) -> Sequence[Callable[..., Any]]:
    return [function for function in found if find_mark(function).kind == "tool"]


def _list_names(kind: type) -> Iterator[str]:
    """The names of public methods, those of base classes first, each class's in its own order."""
    own = [name for base in reversed(kind.__mro__[:-1]) for name in vars(base)]
    for name in dict.fromkeys(own):
        if not name.startswith("_") and inspect.isroutine(inspect.getattr_static(kind, name)):
            yield name


@dataclass(frozen=True, slots=True, kw_only=True)
class _About:
    """What functions have in common."""

    namespace: str
    title: str
    description: str = ""


def _build(
    given: Sequence[Callable[..., Any]],
    about: _About,
    inject: Mapping[str, object],
    options: ToolOptions,
) -> Catalog:
    require_type(options, ToolOptions, what="`options`", wanted="`ToolOptions`")
    made = make_function_tools(given, inject)
    return build_function_catalog(
        about.namespace,
        made.tools,
        title=about.title,
        description=about.description,
        components=made.components,
        options=options,
    )


class FunctionTools(NamedTuple):
    """Functions as tools, and `{name: schema}` of what their schemas refer to."""

    tools: Sequence[FunctionTool]
    components: Mapping[str, JsonObject]


def make_function_tools(
    given: Sequence[Callable[..., Any]], inject: Mapping[str, object]
) -> FunctionTools:
    """
    Make tools of functions, without a namespace yet.

    Raises:
        UsageError: One of them cannot be a tool.
        MissingExtra: pydantic or griffelib is not installed.
    """
    try:
        from restwright.tools.functions.calls import FunctionRunner, make_background_loop
        from restwright.tools.functions.schemas import build_function_schemas
        from restwright.tools.functions.signature import read_signature
    except ModuleNotFoundError as error:
        raise MissingExtra("functions", "functions as tools") from error

    signatures = [read_signature(function) for function in given]
    _check_injected([signature.injected for signature in signatures], inject)
    made, loop = build_function_schemas(signatures), make_background_loop()
    tools: list[FunctionTool] = []
    for signature, schemas in zip(signatures, made.functions, strict=True):
        run = FunctionRunner(signature=signature, inject=inject, loop=loop)
        tools.append(
            FunctionTool(
                name=signature.name,
                handler=Handler(run_locally=run, list_secrets=run.list_secrets),
                description=signature.docs.text,
                parameters=schemas.parameters,
                output=schemas.output,
                returns=signature.docs.returns,
                method="get" if signature.mark.reads else "post",
                declared_class="read" if signature.mark.reads else None,
            )
        )
    return FunctionTools(tools, made.components)


def make_function_runner(function: Callable[..., Any]) -> FunctionRunner:
    """
    What calls a function that is no tool, and into which nothing is injected but its context.

    Raises:
        UsageError: It cannot be called so.
        MissingExtra: pydantic or griffelib is not installed.
    """
    try:
        from restwright.tools.functions.calls import FunctionRunner, make_background_loop
        from restwright.tools.functions.signature import read_signature
    except ModuleNotFoundError as error:
        raise MissingExtra("functions", "functions as prompts") from error

    signature = read_signature(function)
    _check_injected([signature.injected], {})
    return FunctionRunner(signature=signature, inject={}, loop=make_background_loop())


def _check_injected(injected: Sequence[Mapping[str, Any]], inject: Mapping[str, object]) -> None:
    """Find out now what would be missing in a call."""
    known = {name: parameter for each in injected for name, parameter in each.items()}
    for name, parameter in known.items():
        if parameter.is_required and not parameter.is_context and name not in inject:
            move = f"give inject={{{name!r}: ...}}, or the parameter a default"
            raise UsageError("nobody fills it in, and no model may", name, move)
    for name in inject.keys() - known.keys():
        move = "annotate the parameter: `Annotated[T, Injected]`"
        raise UsageError("no function has such an injected parameter", f"inject[{name!r}]", move)
