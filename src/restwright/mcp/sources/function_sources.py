"""Functions of a Python file that the user names, loaded into this process to be served."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from restwright.errors import UsageError
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.functions.controller import (
    functions,
    list_functions,
    list_marked,
    make_function_runner,
    name_namespace,
)
from restwright.tools.functions.marks import find_mark
from restwright.tools.options import ToolOptions

if TYPE_CHECKING:
    from restwright.tools.functions.calls import FunctionRunner

_SOURCE = re.compile(r"(?P<path>.+\.py):(?P<name>[A-Za-z]\w*)")


def is_function_source(text: str) -> bool:
    """Whether a source is `FILE.py:OBJECT`."""
    return _SOURCE.fullmatch(text) is not None


class LoadedFunctions(NamedTuple):
    """What a Python file has for clients."""

    catalog: Catalog
    prompts: tuple[FunctionRunner, ...] = ()
    resources: tuple[FunctionRunner, ...] = ()


def load_functions(text: str, options: ToolOptions) -> LoadedFunctions:
    """
    Run a Python file, and make tools, prompts and resources of an object of it.

    Args:
        text: `FILE.py:OBJECT`, as the user typed it.
        options: How tools are presented, unless the object is a catalog already.

    Raises:
        UsageError: The file cannot be run, or has nothing there that could be tools.
    """
    from restwright.manifests.code.worker import load_module

    found = _SOURCE.fullmatch(text)
    assert found is not None  # noqa: S101  (`is_function_source` has looked)
    module, error = load_module(found["path"])
    if module is None:
        raise UsageError(f"it cannot be loaded: {error}", text)
    named = getattr(module, found["name"], None)
    if named is None:
        raise UsageError(f"the file has no {found['name']}", text, "FILE.py:OBJECT")
    if isinstance(named, Catalog):
        return LoadedFunctions(named)
    marked = list_marked(named)
    tools = functions(
        *list_functions(marked), namespace=name_namespace(found["name"]), options=options
    )
    return LoadedFunctions(
        tools, _make_runners(marked, "prompt"), _make_runners(marked, "resource")
    )


def _make_runners(
    marked: Sequence[Callable[..., Any]], kind: Literal["prompt", "resource"]
) -> tuple[FunctionRunner, ...]:
    return tuple(make_function_runner(each) for each in marked if find_mark(each).kind == kind)
