"""
Values of the command line that need no conversion.

Typer converts each value, also that of an option that is not given, by an adapter of pydantic; to
import that takes as long as the rest of a command like `tools`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

_NOT_PLAIN = object()


def keep_plain_values(parameters: list[Any]) -> list[Any]:
    """Have typer's `parameters` ask for an adapter only where a value has to be converted."""
    for parameter in parameters:
        if "get_runtime_param" not in vars(parameter):
            parameter.get_runtime_param = partial(_Conversion, parameter.get_runtime_param)
    return parameters


class _Conversion:
    """Takes plain values as they are, and has typer convert the others."""

    def __init__(self, find_typers: Callable[[], Any]) -> None:
        self._find_typers = find_typers

    def coerce(self, value: Any, *, param: Any, ctx: Any) -> Any:
        plain = _plain_value(value, param)
        if plain is not _NOT_PLAIN:
            return plain
        return self._find_typers().coerce(value, param=param, ctx=ctx)


def _plain_value(value: Any, parameter: Any) -> Any:
    """What typer makes of a plain value."""
    if value is None:
        return () if parameter.multiple or parameter.nargs == -1 else None
    kind, wanted = parameter.type_descriptor.annotation, parameter.type_descriptor.parameter_info
    if wanted.parser is not None:
        return _NOT_PLAIN
    if kind == list[str] and type(value) in {list, tuple} and {*map(type, value)} <= {str}:
        return [*value]
    if kind is Path and type(value) is str and _is_plain_path(value, wanted):
        return Path(value)
    is_default = type(value) is kind and value == parameter.default
    is_choice = get_origin(kind) is Literal and value in get_args(kind)
    return value if is_default or is_choice or type(value) is kind is str else _NOT_PLAIN


def _is_plain_path(path: str, wanted: Any) -> bool:
    """Whether nothing is asked of a path, but that what is there may be read."""
    asked = (wanted.exists, wanted.writable, wanted.resolve_path, wanted.path_type is not None)
    if any(asked) or not (wanted.file_okay and wanted.dir_okay and wanted.readable):
        return False
    try:
        Path(path).stat()
    except OSError:
        return True
    except ValueError:
        return False
    return os.access(path, os.R_OK)
