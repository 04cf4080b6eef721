"""Functions, or the methods of one object, as a catalog of tools."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from restwright.errors import MissingExtra, UsageError, require_type
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.function_tools import FunctionTool, build_function_catalog
from restwright.tools.options import DEFAULT_TOOL_OPTIONS, ToolOptions
from restwright.tools.tool import Handler

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
    return _build(functions, namespace, "", inject or {}, options)


def controller(
    owner: object,
    *,
    namespace: str = "",
    inject: Mapping[str, object] | None = None,
    options: ToolOptions = DEFAULT_TOOL_OPTIONS,
) -> Catalog:
    """
    Make tools of the public methods of an object, in the order in which its class has them.

    Those of base classes come first. What begins with an underscore, and properties, are no tools.

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
    methods = [getattr(owner, name) for name in _list_methods(kind)]
    if not methods:
        raise UsageError("it has no public method", kind.__name__, "`functions(f, g)` takes those")
    own = namespace or _HUMP.sub("_", kind.__name__)
    return _build(methods, own, inspect.getdoc(kind) or "", inject or {}, options)


def _list_methods(kind: type) -> Iterator[str]:
    """The names of public methods, those of base classes first, each class's in its own order."""
    own = [name for base in reversed(kind.__mro__[:-1]) for name in vars(base)]
    for name in dict.fromkeys(own):
        if not name.startswith("_") and inspect.isroutine(inspect.getattr_static(kind, name)):
            yield name


def _build(
    given: Sequence[Callable[..., Any]],
    namespace: str,
    description: str,
    inject: Mapping[str, object],
    options: ToolOptions,
) -> Catalog:
    require_type(options, ToolOptions, what="`options`", wanted="`ToolOptions`")
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
    return build_function_catalog(
        namespace,
        tools,
        description=description,
        components=made.components,
        options=options,
    )


def _check_injected(injected: Sequence[Mapping[str, Any]], inject: Mapping[str, object]) -> None:
    """Find out now what would be missing in a call."""
    known = {name: parameter for each in injected for name, parameter in each.items()}
    for name, parameter in known.items():
        if parameter.is_required and name not in inject:
            move = f"give inject={{{name!r}: ...}}, or the parameter a default"
            raise UsageError("nobody fills it in, and no model may", name, move)
    for name in inject.keys() - known.keys():
        move = "annotate the parameter: `Annotated[T, Injected]`"
        raise UsageError("no function has such an injected parameter", f"inject[{name!r}]", move)
