"""Functions of a Python file that the user names, loaded into this process to be served."""

from __future__ import annotations

import re

from restwright.errors import UsageError
from restwright.manifests.code.worker import load_module
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.functions.controller import functions, list_functions, name_namespace
from restwright.tools.options import ToolOptions

_SOURCE = re.compile(r"(?P<path>.+\.py):(?P<name>[A-Za-z]\w*)")


def is_function_source(text: str) -> bool:
    """Whether a source is `FILE.py:OBJECT`."""
    return _SOURCE.fullmatch(text) is not None


def load_functions(text: str, options: ToolOptions) -> Catalog:
    """
    Run a Python file, and make tools of an object of it.

    Args:
        text: `FILE.py:OBJECT`, as the user typed it.

    Raises:
        UsageError: The file cannot be run, or has nothing there that could be tools.
    """
    found = _SOURCE.fullmatch(text)
    assert found is not None  # noqa: S101  (`is_function_source` has looked)
    module, error = load_module(found["path"])
    if module is None:
        raise UsageError(f"it cannot be loaded: {error}", text)
    named = getattr(module, found["name"], None)
    if named is None:
        raise UsageError(f"the file has no {found['name']}", text, "FILE.py:OBJECT")
    return functions(
        *list_functions(named), namespace=name_namespace(found["name"]), options=options
    )
