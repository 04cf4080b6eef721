"""
Overlays are applied to a document: each action to what the one before it left.

An action that cannot be applied changes nothing, the others are applied all the same, and a
`Problem` says so. Nothing is changed in place: YAML aliases make one value stand at several places.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.document import Document
from restwright.openapi.effects import CLASS_FLAGS, UserText
from restwright.openapi.load.json_path import JSONPathQueries, PathTokens, UnusableQuery
from restwright.openapi.load.overlay import Overlay, OverlayAction
from restwright.openapi.model import Problem, Severity
from restwright.openapi.references import join_pointer
from restwright.openapi.syntax.decode import LazyValue, ParsedFile
from restwright.openapi.syntax.limits import MAX_DEPTH, MAX_NODES, is_deeper

MAX_PLACES = 200_000
"""That one action may change."""

# What `load()` calls a document that came from no place.
_NAMELESS = frozenset({"bytes", "object", "-"})
_NOT_APPLIED = "the action is not applied"
# From the root to what stands in an operation: `paths`, a path, `additionalOperations`, a method.
_LEVELS = 5
_KEPT: tuple[Severity, str] = ("information", "kept as it is")


class _InapplicableAction(Exception):
    """An action that cannot be applied; the text says why."""


def apply_overlays(
    content: JsonObject, overlays: Sequence[Overlay], *, source: str
) -> tuple[JsonObject, tuple[Problem, ...]]:
    """
    Apply `overlays` to a document, in their order.

    Args:
        content: It stays as it is.
        source: Of the document, to tell whether an overlay was written for it.

    Returns:
        The document as changed, and what is doubtful, at `OVERLAY#/actions/3`.
    """
    problems: list[Problem] = []
    added = 0
    for overlay in overlays:
        problems.extend(_check_extends(overlay, source))
        queries = JSONPathQueries()
        for action in overlay.actions:
            work = _ActionRun(content, queries, added)
            content, found = work.apply(action)
            added = work.added
            at = f"{overlay.source}#{action.pointer}"
            problems.extend(Problem(at, *item) for item in found)
    return content, tuple(problems)


def document_with_overlays(document: Document, overlays: Sequence[Overlay]) -> Document:
    """The document with `overlays` applied, when its content is first asked for."""

    def digest() -> str:
        parts = [document.sha256, *(overlay.sha256 for overlay in overlays)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    work = LazyValue(lambda: apply_overlays(document.content, overlays, source=document.source))
    parsed = LazyValue(lambda: ParsedFile(value=work()[0], problems=document.parsed().problems))
    return Document(
        source=document.source,
        digest=LazyValue(digest),
        parsed=parsed,
        doubts=LazyValue(lambda: work()[1]),
    )


def _check_extends(overlay: Overlay, source: str) -> Iterator[Problem]:
    """Say where an overlay names another document than the one it is applied to."""
    if not overlay.extends or source in _NAMELESS or _is_meant_for(overlay, source):
        return
    what = f"it was written for {overlay.extends[:200]!r}"
    yield Problem(f"{overlay.source}#/extends", what, "information", f"applied to {source}")


def _is_meant_for(overlay: Overlay, source: str) -> bool:
    extends = overlay.extends
    is_url = bool(urlsplit(overlay.source).scheme in {"http", "https"})
    folder = posixpath.dirname(overlay.source.replace("\\", "/"))
    resolved = urljoin(overlay.source, extends) if is_url else posixpath.join(folder, extends)
    own = source.replace("\\", "/")
    if own in {extends, resolved} or is_url:
        return own in {extends, resolved}
    # One may be named from here and the other from the root.
    return posixpath.abspath(own) == posixpath.abspath(resolved)


_Doubts = list[tuple[str, Severity, str]]


@dataclass(slots=True)
class _ActionRun:
    """
    One action under way.

    Args:
        root: The document; a container is copied before it is changed for the first time.
        owned: The copies, by their `id`, kept so that no other value gets that.
    """

    root: JsonObject
    queries: JSONPathQueries
    added: int
    owned: dict[int, Json] = field(default_factory=dict[int, Json])
    doubts: _Doubts = field(default_factory=list[tuple[str, Severity, str]])

    def apply(self, action: OverlayAction) -> tuple[JsonObject, _Doubts]:
        before, added = self.root, self.added
        try:
            self._apply_action(action)
        except (_InapplicableAction, UnusableQuery) as error:
            self.added = added
            return before, [(str(error), "error", _NOT_APPLIED)]
        return self.root, self.doubts

    def _apply_action(self, action: OverlayAction) -> None:
        places = self.queries.find(action.target, self.root)
        if action.kind == "nothing":
            self.doubts.append((action.why, "warning", _NOT_APPLIED))
            return
        if not places:
            what = f"the target {action.target[:200]} finds nothing"
            self.doubts.append((what, "warning", "nothing is changed"))
            return
        if len(places) > MAX_PLACES:
            raise _InapplicableAction(f"the target finds more than {MAX_PLACES:,} places")
        if action.kind == "remove":
            self._remove(places)
            return
        value = (
            self._copy_source(action.value)
            if action.kind == "copy"
            else _mark_user_text(action.value)
        )
        self._check_same_kind(places)
        self._count(value, len(places))
        for place in places:
            if is_deeper(value, MAX_DEPTH - len(place)):
                raise _InapplicableAction(f"the document would nest deeper than {MAX_DEPTH} levels")
            is_class = action.kind == "update" and place[-1:] and place[-1] in CLASS_FLAGS
            own = _user_text(value) if is_class else value
            self._put(place, self._update(self._at(place), own, place))

    def _copy_source(self, query: str) -> Json:
        found = self.queries.find(query, self.root)
        if len(found) != 1:
            raise _InapplicableAction(
                f"`copy` must find one value, and {query[:200]} finds {len(found):,}"
            )
        return self._at(found[0])

    def _check_same_kind(self, places: Sequence[PathTokens]) -> None:
        kinds = {_kind_name(self._at(place)) for place in places}
        if len(kinds) > 1:
            raise _InapplicableAction(
                f"the target finds {' and '.join(sorted(kinds))}, which must be of a kind"
            )

    def _count(self, value: Json, times: int) -> None:
        # An action that goes too far is not to be counted to its end, nor are those after it.
        self.added += times * _count_nodes(value, (MAX_NODES - self.added) // times)
        if self.added > MAX_NODES:
            raise _InapplicableAction(f"the overlays add more than {MAX_NODES:,} values")

    def _update(self, target: Json, value: Json, place: PathTokens) -> Json:
        if is_array(target):
            self.queries.count_visits(len(target))
            return [*target, *(value if is_array(value) else [value])]
        return self._merge(target, value, place)

    def _merge(self, target: Json, value: Json, place: PathTokens) -> Json:
        if is_object(target) and is_object(value):
            self.queries.count_visits(len(target))
            merged = dict(target)
            for key, each in value.items():
                is_new = key not in target
                merged[key] = each if is_new else self._merge(target[key], each, (*place, key))
            return merged
        if is_array(target) and is_array(value):
            return self._update(target, value, place)
        if _kind_name(target) == _kind_name(value):
            return value
        where = join_pointer(*place) or "the document"
        if value is None:
            # `components:` without a value, as authors leave it for later.
            self.doubts.append((f"nothing is there to be merged with {where}", *_KEPT))
            return target
        ours, theirs = _describe_value(target), _describe_value(value)
        raise _InapplicableAction(f"{where} is {ours}, with which {theirs} cannot be merged")

    def _remove(self, places: Sequence[PathTokens]) -> None:
        if () in places:
            raise _InapplicableAction("the whole document cannot be removed")
        # What lies deeper goes first, and of a list its end, so that the other places stay right.
        for *above, last in sorted(places, key=_removal_order):
            holder = self._own_container(above)
            del holder[last]

    def _at(self, place: Iterable[str | int]) -> Json:
        node: Json = self.root
        for token in place:
            node = node[token]
        return node

    def _put(self, place: PathTokens, value: Json) -> None:
        if not place:
            self.root = value
            return
        *above, last = place
        self._own_container(above)[last] = value

    def _own_container(self, place: Iterable[str | int]) -> Json:
        """The container at `place`, which nothing outside of this action holds."""
        self.root = node = self._own(self.root)
        for token in place:
            inner = self._own(node[token])
            node[token] = inner
            node = inner
        return node

    def _own(self, node: Json) -> Json:
        if id(node) in self.owned:
            return node
        self.queries.count_visits(len(node))
        copied: Json = dict(node) if is_object(node) else list(node)
        self.owned[id(copied)] = copied
        return copied


def _mark_user_text(value: Json, levels: int = _LEVELS) -> Json:
    """`value` with the classes of operations in it marked as those of the user."""
    if not is_object(value) or not levels:
        return value
    return {
        key: _user_text(each) if key in CLASS_FLAGS else _mark_user_text(each, levels - 1)
        for key, each in value.items()
    }


def _user_text(value: Json) -> Json:
    return UserText(value) if isinstance(value, str) else value


def _removal_order(place: PathTokens) -> tuple[int, int]:
    last = place[-1]
    return -len(place), -last if isinstance(last, int) else 0


def _kind_name(value: Json) -> str:
    if is_object(value):
        return "objects"
    return "lists" if is_array(value) else "single values"


def _describe_value(value: Json) -> str:
    return {"objects": "an object", "lists": "a list"}.get(_kind_name(value), "a single value")


def _count_nodes(value: Json, limit: int) -> int:
    """The nodes of a value; counted no further than `limit`."""
    waiting, count = [value], 0
    while waiting and count <= limit:
        node = waiting.pop()
        count += 1
        if is_object(node):
            waiting.extend(node.values())
        elif is_array(node):
            waiting.extend(node)
    return count
