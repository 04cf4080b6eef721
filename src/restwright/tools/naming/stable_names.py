"""Names that were given before stay; what is new gets names beside them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from restwright.openapi.model import API, Operation, Problem
from restwright.tools.naming.names import (
    OperationNames,
    ToolName,
    append_mark,
    hash_digits,
    shorten_name,
)

# What `load()` calls a document that came from no place.
_PLACELESS = frozenset({"", "-", "object", "bytes"})
_USER_INFORMATION = re.compile(r"(:/{1,2})[^\s/]*@")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedNames:
    """
    What one API was called when it was locked.

    Args:
        namespace: As it was then.
        names: `{pointer of the operation: name}`, without namespace, of those that are still there.
        taken: Names without namespace that nothing new may get.
    """

    namespace: str
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    taken: frozenset[str] = frozenset()


def api_identity(api: API) -> str:
    """What an API is known by from one run to the next: its alias, else its source, else hash."""
    if api.alias:
        return f"{api.alias}="
    return normalize_source(api.source) or api.sha256


def normalize_source(source: str) -> str:
    """
    A source written one way: `./shop.yaml` is `shop.yaml`; empty where it names no place.

    A password in a URL is left out: it goes into a file that others read.
    """
    if source in _PLACELESS:
        return ""
    if _SCHEME.match(source):
        return _USER_INFORMATION.sub(r"\1", source)
    return posixpath.normpath(source.replace("\\", "/"))


def name_with_pins(
    named: Callable[..., OperationNames],
    operations: Sequence[Operation],
    pinned: PinnedNames | None,
    *,
    max_length: int,
) -> OperationNames:
    """
    The names of operations, of which some are pinned.

    Args:
        named: Names all of them as if nothing were pinned.
        max_length: Of a name without namespace.
    """
    natural = named(operations, max_length=max_length)
    if pinned is None:
        return natural
    names: dict[str, ToolName] = {}
    problems = [problem for problem in natural.problems if problem.pointer not in pinned.names]
    used = {*pinned.taken, *pinned.names.values()}
    for operation in operations:
        if (name := pinned.names.get(operation.pointer)) is not None:
            names[operation.pointer] = ToolName(shorten_name(name, max_length))
            continue
        wanted = natural.names[operation.pointer]
        names[operation.pointer] = given = _find_unused_name(wanted, operation, used, max_length)
        used.add(given)
        if given != wanted:
            problems.append(_taken_problem(operation, wanted, given))
    return OperationNames(names, tuple(problems))


def _find_unused_name(
    wanted: str, operation: Operation, used: set[str], max_length: int
) -> ToolName:
    """`wanted`, or that with more and more digits of what the operation is."""
    name, count = wanted, 4
    while name in used:
        name = append_mark(
            wanted, hash_digits(f"{operation.method} {operation.path}", count), max_length
        )
        count += 4
    return ToolName(name)


def _taken_problem(operation: Operation, wanted: str, given: str) -> Problem:
    what = f"its name {wanted!r} is locked for another operation"
    return Problem(operation.pointer, what, action=f"named {given!r}")
