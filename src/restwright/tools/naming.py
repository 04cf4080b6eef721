"""Operations get names that every provider accepts, and that stay when others are added."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from restwright.openapi.model import Method, Operation
from restwright.tools.words import folded

MAX_LENGTH = 64
SEPARATOR = "__"

_LEGAL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_ILLEGAL = re.compile(r"[^A-Za-z0-9_-]+")
_UNDERSCORES = re.compile(r"_{2,}")
_PLACEHOLDER = re.compile(r"\{([^{}/]*)\}")
_HASH_LENGTH = 8
_LAST_LEVEL = 2


class ToolName(str):
    """
    A name that every provider accepts: `^[A-Za-z_][A-Za-z0-9_-]{0,63}$`.

    Raises:
        ValueError: `name` is none.
    """

    __slots__ = ()

    def __new__(cls, name: str) -> ToolName:
        """Refuse an illegal `name`."""
        if not _LEGAL.fullmatch(name):
            raise ValueError(f"{name!r} is no legal tool name")
        return super().__new__(cls, name)


def tool_name(namespace: str, operation_name: str) -> ToolName:
    """`namespace__operation_name`; an operation name of `operation_names()` fits as it is."""
    return ToolName(shortened(f"{namespace}{SEPARATOR}{operation_name}", MAX_LENGTH))


def operation_names(
    operations: Sequence[Operation], *, max_length: int = MAX_LENGTH
) -> Mapping[str, ToolName]:
    """
    Name every operation: its `operationId` where that can be used, else the words of its path.

    Where two would be equal, all of them get their method and path added, so that which one comes
    first decides nothing.

    Args:
        max_length: Longer names keep their beginning and get 8 digits of their SHA-256.

    Returns:
        `{pointer of the operation: name}`, in the order of `operations`; the names are unique.
    """
    levels = {operation.pointer: 0 for operation in operations}
    while True:
        names = {each.pointer: _name(each, levels[each.pointer], max_length) for each in operations}
        colliding = [
            pointer
            for pointers in _groups(names).values()
            if len(pointers) > 1
            for pointer in pointers
            if levels[pointer] < _LAST_LEVEL
        ]
        if not colliding:
            return {pointer: ToolName(name) for pointer, name in names.items()}
        for pointer in colliding:
            levels[pointer] += 1


def path_name(method: Method, path: str) -> str:
    """`GET /products/{id}` -> `products_by_id`; other methods lead: `post_products`."""
    words = [] if method is Method.GET else [str(method)]
    after_placeholder = False
    for segment in path.split("/"):
        names = _PLACEHOLDER.findall(segment)
        words.extend(part for part in [cleaned(_PLACEHOLDER.sub("_", segment))] if part)
        if names:
            words.append("and" if after_placeholder else "by")
            words.append("_and_".join(cleaned(name) for name in names))
        after_placeholder = bool(names)
    if not path.strip("/"):
        words.append("root")
    return cleaned("_".join(words)) or str(method)


def cleaned(name: str) -> str:
    """`name` with what is not legal replaced by one underscore; may be empty."""
    replaced = _ILLEGAL.sub("_", folded(name))
    return _UNDERSCORES.sub("_", replaced).strip("_-")


def shortened(name: str, max_length: int) -> str:
    """`name`, or its beginning and 8 hexadecimal digits of the SHA-256 of the whole."""
    if len(name) <= max_length:
        return name
    kept = name[: max_length - _HASH_LENGTH - 1].rstrip("_-")
    return f"{kept}_{digits(name)}"


def _name(operation: Operation, level: int, max_length: int) -> str:
    name = cleaned(operation.operation_id or "") if _is_usable(operation.operation_id) else ""
    of_path = path_name(operation.method, operation.path)
    if not name:
        name = of_path
    elif level > 0:
        led = operation.method is not Method.GET
        name = f"{name}_{of_path if led else f'get_{of_path}'}"
    if level == _LAST_LEVEL:
        name = f"{name}_{digits(f'{operation.method} {operation.pointer}')}"
    if name[0].isdecimal():
        name = f"_{name}"
    return shortened(name, max_length)


def _is_usable(operation_id: str | None) -> bool:
    """Whether enough of it is left in ASCII to say what it names."""
    if not operation_id:
        return False
    letters = [each for each in operation_id if each.isalnum()]
    kept = [each for each in folded(operation_id) if each.isalnum()]
    return len(kept) * 2 > len(letters)


def _groups(names: Mapping[str, str]) -> Mapping[str, list[str]]:
    groups: dict[str, list[str]] = defaultdict(list[str])
    for pointer, name in names.items():
        groups[name].append(pointer)
    return groups


def digits(text: str) -> str:
    """8 hexadecimal digits of the SHA-256 of `text`."""
    # A lone surrogate in a document must not stop the hash.
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:_HASH_LENGTH]
