"""Operations get names that every provider accepts, and that stay when others are added."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from restwright.openapi.model import Method, Operation, Problem
from restwright.tools.text.words import fold_to_ascii

MAX_NAME_LENGTH = 64
NAMESPACE_SEPARATOR = "__"

_PLACEHOLDER = re.compile(r"\{([^{}/]*)\}")
_HASH_LENGTH = 8
# After which a name says its own: `shop_list`, `shopList`, `SHOPList`; not `shopping`.
_END_OF_WORD = r"(?:(?=[_-])|(?-i:(?=[A-Z][a-z])))"
_MEANS_NOTHING = re.compile(r"(?:by|and)(?:[_-]|\Z)")
_LEGAL_MARKS = "_-"
_REPLACED = {
    code: "_"
    for code in range(128)
    if not (chr(code).isalnum() or chr(code) in _LEGAL_MARKS)
}  # fmt: skip


class ToolName(str):
    """
    A name that every provider accepts: `^[A-Za-z_][A-Za-z0-9_-]{0,63}$`.

    Raises:
        ValueError: `name` is none.
    """

    __slots__ = ()

    def __new__(cls, name: str) -> ToolName:
        """Refuse an illegal `name`."""
        if not _is_legal(name):
            raise ValueError(f"{name!r} is no legal tool name")
        return super().__new__(cls, name)


@dataclass(frozen=True, slots=True)
class OperationNames:
    """
    The names of the operations of one document, and what had to be done for them.

    Args:
        names: `{pointer of the operation: name}`, in the order of the operations; all different.
        problems: Names that were wanted twice, and identifiers that say nothing.
    """

    names: Mapping[str, ToolName]
    problems: tuple[Problem, ...] = ()


def tool_name(namespace: str, operation_name: str) -> ToolName:
    """
    `namespace__operation_name`. Cuts nothing: `name_operations()` leaves room for the namespace.

    Raises:
        ValueError: That is no legal name, or too long.
    """
    return ToolName(f"{namespace}{NAMESPACE_SEPARATOR}{operation_name}")


def room_for_name(namespace: str, *, name_length: int = MAX_NAME_LENGTH) -> int:
    """How long an operation's name may be where the whole may have `name_length` characters."""
    return name_length - len(namespace) - len(NAMESPACE_SEPARATOR)


def name_operations(
    operations: Iterable[Operation], *, max_length: int = MAX_NAME_LENGTH, namespace: str = ""
) -> OperationNames:
    """
    Name every operation: its `operationId` where that can be used, else the words of its path.

    A name depends on its operation alone, so that it stays when others are added. Where two would
    be equal, all of them get their method and path added, and a problem says so: which one comes
    first decides nothing. Reads no more of an operation than is there when it is listed.

    Args:
        max_length: Longer names keep their beginning and get 8 digits of their SHA-256.
        namespace: A name that begins with its words loses them, where nobody has the rest.
    """
    by_pointer = {operation.pointer: operation for operation in operations}
    wanted = {pointer: _choose_legal_name(each) for pointer, each in by_pointer.items()}
    kept: list[Problem] = []
    if namespace:
        kept = _strip_namespace(wanted, namespace)
    plain = {pointer: _fit_name(name, max_length) for pointer, name in wanted.items()}
    problems = kept + [
        _unreadable_id_problem(each, plain[pointer])
        for pointer, each in by_pointer.items()
        if each.operation_id
        and not each.operation_id.isascii()
        and not _usable_identifier(each.operation_id)
    ]
    names = plain if len(set(plain.values())) == len(plain) else dict(plain)
    if names is not plain:
        changed = _qualify_names(names, by_pointer, max_length)
        problems += _shared_name_problems(plain, names, changed, by_pointer)
    return OperationNames(
        {pointer: ToolName(name) for pointer, name in names.items()}, tuple(problems)
    )


def name_from_path(method: Method, path: str) -> str:
    """`GET /products/{id}` -> `products_by_id`; other methods lead: `post_products`."""
    words = _path_words(path)
    return words if method == "get" and words else _method_and_path_words(method, path)


def clean_name(name: str) -> str:
    """`name` with what is not legal replaced by one underscore; may be empty."""
    text = fold_to_ascii(name)
    if not text.isidentifier():
        text = text.translate(_REPLACED)
    while "__" in text:
        text = text.replace("__", "_")
    return text.strip(_LEGAL_MARKS)


def shorten_name(name: str, max_length: int) -> str:
    """`name`, or its beginning and 8 hexadecimal digits of the SHA-256 of the whole."""
    return name if len(name) <= max_length else append_mark(name, hash_digits(name), max_length)


def append_mark(name: str, mark: str, max_length: int) -> str:
    """`name_mark`, of which only the name is cut."""
    kept = name[: max(0, max_length - len(mark) - 1)].rstrip(_LEGAL_MARKS)
    return f"{kept}_{mark}"


def hash_digits(text: str, count: int = _HASH_LENGTH) -> str:
    """The first `count` hexadecimal digits of the SHA-256 of `text`."""
    # A lone surrogate in a document must not stop the hash.
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:count]


def _is_legal(name: str) -> bool:
    # An ASCII identifier of Python is a name without `-`.
    return (
        len(name) <= MAX_NAME_LENGTH
        and name.isascii()
        and name.replace("-", "_").isidentifier()
        and name[0] != "-"
    )


def _choose_legal_name(operation: Operation) -> str:
    return _usable_identifier(operation.operation_id) or name_from_path(
        operation.method, operation.path
    )


def _strip_namespace(names: dict[str, str], namespace: str) -> list[Problem]:
    """
    Take a leading copy of the namespace from `names`; say where that had to stay.

    It stays on a name whose rest another operation is called, and on one that such a name is the
    rest of, and so on.
    """
    leading = re.compile(
        "[_-]?".join(map(re.escape, namespace.split("_"))) + _END_OF_WORD, re.IGNORECASE
    )
    # Most names begin otherwise, which their first letter tells.
    first = {namespace[0], namespace[0].upper()}
    rests = {
        pointer: rest
        for pointer, name in names.items()
        if name[0] in first and (rest := _rest_after(leading, name))
    }
    problems: list[Problem] = []
    while rests:
        uses = Counter(rests.get(pointer, name) for pointer, name in names.items())
        shared = [pointer for pointer, rest in rests.items() if uses[rest] > 1]
        if not shared:
            break
        problems += [
            _repeated_namespace_problem(pointer, names[pointer], rests.pop(pointer))
            for pointer in shared
        ]
    names.update(rests)
    return problems


def _rest_after(leading: re.Pattern[str], name: str) -> str:
    """What follows the copy of the namespace; empty where that is no name by itself."""
    found = leading.match(name)
    rest = name[found.end() :].lstrip(_LEGAL_MARKS) if found else ""
    if not rest[:1].isalpha() or _MEANS_NOTHING.match(rest):
        return ""
    # `shopListOrders` -> `listOrders`, but `SHOP_List` -> `List`.
    return rest[0].lower() + rest[1:] if name[0].islower() else rest


def _repeated_namespace_problem(pointer: str, name: str, rest: str) -> Problem:
    return Problem(
        pointer,
        f"its name {name!r} repeats the namespace, and {rest!r} is also that of another operation",
        severity="information",
        action=f"named {name!r}",
    )


def _usable_identifier(operation_id: str | None) -> str:
    """The cleaned identifier; empty unless most of its letters can be said in ASCII."""
    if not operation_id:
        return ""
    name = clean_name(operation_id)
    if operation_id.isascii():
        return name
    kept = sum(map(str.isalnum, fold_to_ascii(operation_id)))
    return name if kept * 2 > sum(map(str.isalnum, operation_id)) else ""


def _fit_name(name: str, max_length: int) -> str:
    if name[0].isdecimal():
        name = f"_{name}"
    return name if len(name) <= max_length else shorten_name(name, max_length)


def _path_words(path: str) -> str:
    if path in {"", "/"}:
        return "root"
    words: list[str] = []
    after_placeholder = False
    for segment in path.split("/"):
        word, parameters = _segment_words(segment)
        if word:
            words.append(word)
        if parameters is not None:
            words += ("and" if after_placeholder else "by", parameters)
        after_placeholder = parameters is not None
    return clean_name("_".join(words))


@lru_cache(maxsize=4096)
def _segment_words(segment: str) -> tuple[str, str | None]:
    """What is written in a segment, and the parameters in it; None where it has none."""
    if "{" not in segment or not (names := _PLACEHOLDER.findall(segment)):
        return clean_name(segment), None
    return clean_name(_PLACEHOLDER.sub("_", segment)), "_and_".join(map(clean_name, names))


def _method_and_path_words(method: Method, path: str) -> str:
    """The words of a path behind those of its method, whichever that is."""
    return f"{clean_name(method.lower()) or 'call'}_{_path_words(path) or hash_digits(path)}"


def _qualify_names(
    names: dict[str, str], operations: Mapping[str, Operation], max_length: int
) -> set[str]:
    """Make `names` different, all members of a collision in the same way; the pointers of those."""
    holders: dict[str, list[str]] = {}
    for pointer, name in names.items():
        holders.setdefault(name, []).append(pointer)
    levels = dict.fromkeys(names, 0)
    crowded = {name for name, pointers in holders.items() if len(pointers) > 1}
    # Only names that were just given can collide anew, so that long chains cost no more.
    while crowded:
        given: set[str] = set()
        for pointer in [text for name in crowded for text in holders.pop(name)]:
            levels[pointer] += 1
            name = _qualified_name(operations[pointer], levels[pointer], max_length)
            names[pointer] = name
            holders.setdefault(name, []).append(pointer)
            given.add(name)
        crowded = {name for name in given if len(holders[name]) > 1}
    return {pointer for pointer, level in levels.items() if level}


def _qualified_name(operation: Operation, level: int, max_length: int) -> str:
    """The name with method and path; from the second level on also with more and more digits."""
    of_route = _method_and_path_words(operation.method, operation.path)
    name = _usable_identifier(operation.operation_id)
    whole = _fit_name(f"{name}_{of_route}" if name else of_route, max_length)
    if level == 1:
        return whole
    count = min(_HASH_LENGTH * (level - 1), max_length - 2)
    return append_mark(
        whole, hash_digits(f"{operation.method} {operation.pointer}", count), max_length
    )


def _shared_name_problems(
    plain: Mapping[str, str],
    names: Mapping[str, str],
    changed: Collection[str],
    operations: Mapping[str, Operation],
) -> Iterator[Problem]:
    """Say of each changed name which other operation has it; of many, the first or the second."""
    holders: dict[str, list[str]] = {}
    for pointer, name in plain.items():
        holders.setdefault(name, []).append(pointer)
    for pointer in (text for text in plain if text in changed):
        first, *more = holders[plain[pointer]]
        others = more[:1] if first == pointer else [first]
        whose = [f"{operations[other].method.upper()} {operations[other].path}" for other in others]
        what = f"its name {plain[pointer]!r} is also that of {(*whose, 'another operation')[0]}"
        yield Problem(pointer, what, action=f"named {names[pointer]!r}")


def _unreadable_id_problem(operation: Operation, name: str) -> Problem:
    return Problem(
        f"{operation.pointer}/operationId",
        "says too little in ASCII letters",
        severity="information",
        action=f"named {name!r} after its path",
    )
