"""A cursor over a document: descends, follows references, and says where something is doubtful."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from urllib.parse import unquote

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import LEFT_AS_IT_IS, Problem, Severity
from restwright.openapi.references import (
    dereference_node,
    find_ref,
    join_pointer,
    lookup_reference,
    split_pointer,
)
from restwright.openapi.versions.swagger_parameters import SharedParameters

T = TypeVar("T")

MAX_WHAT = 300
"""Characters of what a problem says; names of a document can be of any length."""

_BOOLEANS: Mapping[str, bool] = {"true": True, "false": False}
_READS_FILES = "; `--allow-refs DIR` reads files"
# What a Reference Object may say instead of its target (OAS 3.1, "Reference Object").
_OVERRIDES = ("summary", "description")


@dataclass(slots=True, kw_only=True)
class ReadContext:
    """
    One reading of a document.

    Args:
        document: As written; references point into it.
        problems: Gets what is doubtful; None where nobody asks.
        converted: What was made of parameters that operations share; None where all that is read
            is taken from the document.
    """

    document: JsonObject = field(repr=False)
    problems: list[Problem] | None = None
    converted: SharedParameters | None = None
    _memo: dict[tuple[object, int], tuple[Json, Any]] = field(
        default_factory=dict[tuple[object, int], tuple[Json, Any]], repr=False
    )
    _targets: dict[str, tuple[Json, str | None]] = field(
        default_factory=dict[str, tuple[Json, str | None]], repr=False
    )

    def memoize(self, place: Cursor, read: Callable[[Cursor], T]) -> T:
        """What `read` makes of a place: read once where many operations refer to its node."""
        if self.problems is not None or self._is_passing(place.node):
            return read(place)
        key = (read, id(place.node))
        if key not in self._memo:
            # With the node, so that no other one can get its number.
            self._memo[key] = (place.node, read(place))
        return self._memo[key][1]

    def _is_passing(self, node: Json) -> bool:
        """Whether `node` was made for one operation."""
        return self.converted is not None and not self.converted.contains(node)

    def resolve_target(self, node: JsonObject) -> tuple[Json, str | None]:
        """
        The end of a chain of references and, where problems are asked for, its pointer.

        Raises:
            UnresolvedReference: There is none.
        """
        ref = node["$ref"]
        if ref not in self._targets:
            self._targets[ref] = (
                dereference_node(self.document, node),
                _target_pointer(self, node),
            )
        return self._targets[ref]

    def add_problem(self, pointer: str, what: str, severity: Severity, action: str) -> None:
        """Keep one problem."""
        if self.problems is not None:
            where = self.nearest_pointer(pointer) if self.converted is not None else pointer
            self.problems.append(Problem(where, what[:MAX_WHAT], severity, action))

    def nearest_pointer(self, pointer: str) -> str:
        """The longest beginning of `pointer` that leads somewhere in the document as written."""
        node: Json = self.document
        found: list[str] = []
        for token in split_pointer(pointer):
            if is_object(node) and token in node:
                node = node[token]
            elif is_array(node) and token.isdecimal() and int(token) < len(node):
                node = node[int(token)]
            else:
                break
            found.append(token)
        return join_pointer(*found)


class Cursor:
    """
    One node, with what is needed to descend, to follow and to complain.

    Made by the thousand: its pointer is put together only when somebody asks for it.
    """

    __slots__ = ("context", "node", "parent", "token")

    def __init__(
        self, node: Json, reading: ReadContext, token: str | int = "", parent: Cursor | None = None
    ) -> None:
        self.node = node
        self.context = reading
        # The whole pointer where there is nothing above.
        self.token = token
        self.parent = parent

    @property
    def pointer(self) -> str:
        """JSON Pointer of the node; below the target where a reference was followed."""
        tokens: list[str | int] = []
        place = self
        while place.parent is not None:
            tokens.append(place.token)
            place = place.parent
        return f"{place.token}{join_pointer(*reversed(tokens))}"

    def add_problem(self, what: str, severity: Severity = "warning", *, action: str) -> None:
        """Say what is doubtful here."""
        if self.context.problems is not None:
            self.context.add_problem(self.pointer, what, severity, action)

    def add_problem_at(
        self, key: str | int, what: str, severity: Severity = "warning", *, action: str
    ) -> None:
        """Say what is doubtful about the member `key`."""
        if self.context.problems is not None:
            self.context.add_problem(self.pointer + join_pointer(key), what, severity, action)

    def at(self, key: str | int) -> Cursor:
        """The member under `key`, its references followed; None as node where it is missing."""
        node = self.node
        if is_object(node):
            found = node.get(str(key))
        else:
            found = node[int(key)] if is_array(node) else None
        return dereference_cursor(Cursor(found, self.context, key, self))

    def object_at(self, key: str | int) -> Cursor:
        """As `at()`; where something else than an object stands, an empty one and a problem."""
        place = self.at(key)
        if is_object(place.node):
            return place
        if place.node is not None:
            place.add_problem("is no object", action="ignored")
        return Cursor({}, self.context, key, self)

    def members(self, key: str) -> Iterator[tuple[str, Cursor]]:
        """`(name, place)` of the objects in the object at `key`, extensions left out."""
        if key not in self.node:
            return
        parent = self.object_at(key)
        for name in parent.node:
            if not name.startswith("x-"):
                place = parent.at(name)
                if is_object(place.node):
                    yield name, place
                elif place.node is not None or parent.node[name] is None:
                    place.add_problem("is no object", action="left out")

    def elements(self, key: str) -> Iterator[Cursor]:
        """The objects in the list at `key`."""
        if key not in self.node:
            return
        parent = self.at(key)
        if is_array(parent.node):
            for index in range(len(parent.node)):
                place = parent.at(index)
                if is_object(place.node):
                    yield place
                elif place.node is not None or parent.node[index] is None:
                    place.add_problem("is no object", action="ignored")
        elif parent.node is not None:
            parent.add_problem("is no list", action="ignored")

    def text(self, key: str) -> str:
        """The text under `key`; numbers (`version: 1.0`) as they would be written."""
        return text_from_scalar(self.node.get(key))

    def texts(self, key: str) -> tuple[str, ...]:
        """The texts in the list under `key`."""
        found = self.node.get(key)
        return tuple(filter(None, map(text_from_scalar, found))) if is_array(found) else ()

    def flag(self, key: str) -> bool | None:
        """The boolean under `key`, also where it is written as text; None without one."""
        return boolean_from_scalar(self.node.get(key))

    def is_true(self, key: str) -> bool:
        """Whether `true` stands under `key`, as a boolean or as text."""
        node = self.node
        return key in node and boolean_from_scalar(node[key]) is True


def text_from_scalar(value: Json) -> str:
    """Text as it is, a number as it would be written, and nothing for the rest."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return ""


def boolean_from_scalar(value: Json) -> bool | None:
    """A boolean, also where it is written as text; None for the rest."""
    if isinstance(value, str):
        return _BOOLEANS.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def add_refs_hint(action: str, error: UnresolvedReference) -> str:
    """`action`, with how to read other files where the reference may lead to one."""
    return action if error.ref.startswith("#") else f"{action}{_READS_FILES}"


def merge_reference_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """
    `problems` without a second one about one reference: who met it first says why it leads nowhere,
    who wanted its target what comes of that.
    """
    found: dict[object, Problem] = {}
    for problem in problems:
        is_lost = problem.severity == "error" and problem.pointer.endswith("/$ref")
        first = found.setdefault(problem.pointer if is_lost else problem, problem)
        if is_lost and first.action == LEFT_AS_IT_IS:
            found[problem.pointer] = replace(
                first, action=problem.action.removesuffix(_READS_FILES)
            )
    return tuple(found.values())


def dereference_cursor(place: Cursor) -> Cursor:
    """The end of the chain where `place` is a Reference Object; None as node where it has none."""
    node = place.node
    if not is_object(node) or "$ref" not in node or find_ref(node) is None:
        return place
    try:
        target, pointer = place.context.resolve_target(node)
    except UnresolvedReference as error:
        action = add_refs_hint("left out", error)
        place.add_problem_at("$ref", error.message, "error", action=action)
        return Cursor(None, place.context, place.token, place.parent)
    overrides = {key: node[key] for key in _OVERRIDES if isinstance(node.get(key), str)}
    if overrides and is_object(target):
        target = {**target, **overrides}
    if pointer is None:
        return Cursor(target, place.context, place.token, place.parent)
    return Cursor(target, place.context, pointer)


def merge_path_item(node: JsonObject, target: Cursor) -> Cursor:
    """What a path item refers to, with what stands beside the reference."""
    if target.node is node or len(node) == 1 or not is_object(target.node):
        return target
    beside = {key: value for key, value in node.items() if key != "$ref"}
    return Cursor({**target.node, **beside}, target.context, target.token, target.parent)


def _target_pointer(reading: ReadContext, node: JsonObject) -> str | None:
    """Where a chain of references ends; None where nobody asks, or where it is no JSON Pointer."""
    if reading.problems is None:
        return None
    last = ""
    following = find_ref(node)
    while following is not None:
        last, following = following, find_ref(lookup_reference(reading.document, following))
    _, _, fragment = last.partition("#")
    pointer = unquote(fragment)
    return pointer if pointer.startswith("/") else None
