"""
Names for those who come from `@samchon/openapi`: static path words, then method and parameters.

Source: `IHttpLlmFunction.name` and `IHttpMigrateRoute.accessor` of `@samchon/openapi`; what that
rule leaves open is decided in `docs/naming.md`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import count

from restwright.jsontypes import Json, is_array
from restwright.openapi.model import Method, Operation, Problem
from restwright.tools.naming.names import (
    MAX_NAME_LENGTH,
    OperationNames,
    ToolName,
    append_mark,
    hash_digits,
)
from restwright.tools.text.words import fold_to_ascii

OVERRIDE_KEY = "x-samchon-accessor"

Accessor = tuple[str, ...]

_PLACEHOLDER = re.compile(r"\{([^{}/]*)\}")
_VERBS = {"delete": "erase"}
_MAX_UNDERSCORES = 3
# Words that the rule never uses as a namespace.
_RESERVED = frozenset(
    (
        *("break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete"),
        *("do", "else", "enum", "export", "extends", "false", "finally", "for", "function", "if"),
        *("import", "in", "instanceof", "module", "new", "null", "package", "private"),
        *("protected", "public", "return", "super", "switch", "this", "throw", "true", "try"),
        *("typeof", "var", "void", "while", "with"),
    )
)
_UNDERSCORED = frozenset("_.-$%")
_REPLACED = {
    code: "_" if chr(code) in _UNDERSCORED else " "
    for code in range(128)
    if not chr(code).isalnum()
}


def name_by_accessor(
    operations: Iterable[Operation], *, max_length: int = MAX_NAME_LENGTH, namespace: str = ""
) -> OperationNames:
    """
    Name every operation by its accessor, joined by underscores.

    An accessor that another one begins with, or whose name another one has, gets underscores
    before its last part; of those that share a name, the one with the first pointer keeps it.

    Args:
        max_length: Longer names lose their first parts and get 8 digits of their SHA-256.
        namespace: Repeated where an accessor repeats it, since it is the path that is said.
    """
    del namespace
    by_pointer = {operation.pointer: operation for operation in operations}
    overrides, problems = _read_overrides(by_pointer)
    accessors = {
        pointer: overrides.get(pointer) or accessor_from_path(each.method, each.path)
        for pointer, each in by_pointer.items()
    }
    wanted = {pointer: _join_parts(each, max_length) for pointer, each in accessors.items()}
    ordered = sorted(set(accessors.values()))
    keepers = _choose_keepers(wanted, accessors, ordered, first=overrides)
    names = {wanted[pointer]: pointer for pointer in keepers}
    for pointer in sorted(wanted.keys() - keepers):
        free = _find_free_name(
            pointer, accessors[pointer], ordered, taken=names, max_length=max_length
        )
        names[free] = pointer
    found = {pointer: name for name, pointer in names.items()}
    problems += [
        _name_problem(name, wanted[name], found[name]) for name in wanted if name not in keepers
    ]
    return OperationNames(
        {pointer: ToolName(found[pointer]) for pointer in wanted}, tuple(problems)
    )


def accessor_from_path(method: Method, path: str) -> Accessor:
    """`GET /sales/{saleId}/reviews/{id}` -> `("sales", "reviews", "getBySaleIdAndId")`."""
    words: list[str] = []
    parameters: list[str] = []
    for segment in path.split("/"):
        word, names = _split_segment(segment)
        if word:
            words.append(word)
        parameters += names
    verb = _VERBS.get(method.lower()) or _to_camel_case(method.lower())
    by = f"By{'And'.join(map(_capitalize_words, parameters))}" if parameters else ""
    return (*words, f"{verb}{by}")


@lru_cache(maxsize=4096)
def _split_segment(segment: str) -> tuple[str, tuple[str, ...]]:
    """The namespace in a segment, empty for none, and its parameters (`{id}` or `:id`)."""
    if segment.startswith(":") and segment[1:].strip():
        return "", (segment[1:],)
    if "{" not in segment or not (names := _PLACEHOLDER.findall(segment)):
        return _to_identifier(segment), ()
    rest = _PLACEHOLDER.sub(" ", segment)
    return (_to_identifier(rest) if any(map(str.isalnum, rest)) else ""), tuple(names)


def _to_identifier(text: str) -> str:
    """A part of an accessor: an identifier that is no reserved word; empty for blanks."""
    word = "_".join(fold_to_ascii(text).translate(_REPLACED).split())
    if not word and text.strip():
        word = hash_digits(text)
    return f"_{word}" if word in _RESERVED or word[:1].isdecimal() else word


def _capitalize_words(name: str) -> str:
    words = re.findall(r"[A-Za-z0-9]+", fold_to_ascii(name))
    return "".join(word[0].upper() + word[1:] for word in words) or hash_digits(name)


def _to_camel_case(method: str) -> str:
    """`m-search` -> `mSearch`; any method becomes an identifier."""
    name = _capitalize_words(method) if fold_to_ascii(method).strip() else "call"
    name = name[0].lower() + name[1:]
    return f"_{name}" if name[0].isdecimal() else name


def _join_parts(parts: Accessor, max_length: int) -> str:
    """The name of an accessor: too long, it keeps its last parts, which tell more."""
    name = "_".join(parts)
    if len(name) <= max_length:
        return name
    mark = hash_digits(name)
    room = max_length - len(mark) - 1
    start = len(name) - len(parts[-1])
    for part in reversed(parts[:-1]):
        if len(name) - start + len(part) + 1 > room:
            break
        start -= len(part) + 1
    return append_mark(name[start:], mark, max_length)


def _choose_keepers(
    wanted: Mapping[str, str],
    accessors: Mapping[str, Accessor],
    ordered: Sequence[Accessor],
    *,
    first: Iterable[str],
) -> set[str]:
    """The pointers that get the names that they want: one for each name, those of `first` first."""
    preferred = set(first)
    keepers: dict[str, str] = {}
    for pointer in sorted(wanted, key=lambda each: (each not in preferred, each)):
        if pointer in preferred or not _begins_another(accessors[pointer], ordered):
            keepers.setdefault(wanted[pointer], pointer)
    return set(keepers.values())


def _find_free_name(
    pointer: str,
    parts: Accessor,
    ordered: Sequence[Accessor],
    *,
    taken: Mapping[str, str],
    max_length: int,
) -> str:
    """The first name with underscores, or else with digits, that nobody has."""
    *namespaces, last = parts
    for underscores in range(1, _MAX_UNDERSCORES + 1):
        tried = (*namespaces, "_" * underscores + last)
        name = _join_parts(tried, max_length)
        if name not in taken and not _begins_another(tried, ordered):
            return name
    whole = _join_parts(parts, max_length)
    lengths = (min(number, max_length - 2) for number in count(8, 8))
    tries = (append_mark(whole, hash_digits(pointer, length), max_length) for length in lengths)
    return next(name for name in tries if name not in taken)


def _begins_another(parts: Accessor, ordered: Sequence[Accessor]) -> bool:
    """Whether it is a namespace in the accessors, which are sorted: what follows begins with it."""
    place = bisect_left(ordered, parts)
    place += place < len(ordered) and ordered[place] == parts
    return place < len(ordered) and ordered[place][: len(parts)] == parts


def _read_overrides(
    operations: Mapping[str, Operation],
) -> tuple[dict[str, Accessor], list[Problem]]:
    """The accessors that the document gives itself, and why some are not used."""
    found: dict[str, Accessor] = {}
    problems: list[Problem] = []
    for pointer, each in operations.items():
        if (value := each.extensions.get(OVERRIDE_KEY)) is None:
            continue
        if words := _parse_override(value):
            found[pointer] = words
        else:
            problems.append(_ignored_override_problem(pointer, "is no list of words"))
    uses = Counter(found.values())
    problems += [
        _ignored_override_problem(pointer, "is also that of another operation")
        for pointer, words in found.items()
        if uses[words] > 1
    ]
    return {pointer: words for pointer, words in found.items() if uses[words] == 1}, problems


def _parse_override(value: Json) -> Accessor:
    if not is_array(value):
        return ()
    words = [_to_identifier(item) for item in value if isinstance(item, str)]
    return tuple(words) if len(words) == len(value) and all(words) else ()


def _ignored_override_problem(pointer: str, what: str) -> Problem:
    return Problem(f"{pointer}/{OVERRIDE_KEY}", what, action="named after its path")


def _name_problem(pointer: str, wanted: str, name: str) -> Problem:
    return Problem(
        pointer,
        f"its name {wanted!r} is also that of another operation or namespace",
        severity="information",
        action=f"named {name!r}",
    )
