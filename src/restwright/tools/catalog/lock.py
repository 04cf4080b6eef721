"""
What the tools of some APIs were called, and what they were: `restwright.lock`.

Names come from there, so that they stay whatever the documents say later; what is no longer what it
was is a `Drift`. Reads and writes no file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote, unquote

from restwright.openapi.model import API, Operation
from restwright.tools.catalog.catalog import Catalog, CatalogEntry, catalog
from restwright.tools.catalog.fingerprint import Fingerprint, Fingerprints
from restwright.tools.naming.stable_names import PinnedNames, api_identity, normalize_source
from restwright.tools.options import DEFAULT_TOOL_OPTIONS, ToolOptions

if TYPE_CHECKING:
    from restwright.jsontypes import JsonObject

LOCK_FILE_NAME = "restwright.lock"

DriftKind = Literal["changed", "new", "gone", "unlocked"]

_PLACEHOLDER = re.compile(r"\{[^{}/]*\}")
# No identity holds this.
_ABSENT = "\0"
_SAFE_CHARACTERS = "/~[]{}():,;@$!*'+=&?#|^<>"


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedOperation:
    """What one operation was called, without namespace, and what it was."""

    name: str
    hash: str
    parts: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedAPI:
    """
    What one API was.

    Args:
        alias: Empty where the user gave none.
        source: Where its document came from.
        sha256: Of the document.
        operations: `{method and path: what it was}`.
    """

    namespace: str
    alias: str = ""
    source: str = ""
    sha256: str = ""
    operations: Mapping[str, LockedOperation] = field(default_factory=dict[str, LockedOperation])


@dataclass(frozen=True, slots=True)
class Lock:
    """What the APIs of a catalog were, by namespace."""

    apis: Mapping[str, LockedAPI] = field(default_factory=dict[str, LockedAPI])


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """
    One way in which an API is no longer as it was locked.

    Args:
        kind: `unlocked` is a whole API that the lock does not know.
        name: Of the tool; of the namespace for `unlocked`.
        operation: Method and path; empty for `unlocked`.
        changed: Where: `/description`, `/path`, `/query/limit`, `/body`, `/body/name`.
        added: Inputs that were not there.
        removed: Inputs that are no longer there.
    """

    kind: DriftKind
    name: str
    operation: str = ""
    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}: {self._describe()}"

    def _describe(self) -> str:
        if self.kind != "changed":
            return _DRIFT_WORDS[self.kind].format(operation=self.operation)
        sorts = (("changed", self.changed), ("added", self.added), ("removed", self.removed))
        return ", ".join(f"{', '.join(several)} {sort}" for sort, several in sorts if several)

    def to_json(self) -> JsonObject:
        """As JSON."""
        return {
            "kind": self.kind,
            "name": self.name,
            "operation": self.operation,
            "changed": list(self.changed),
            "added": list(self.added),
            "removed": list(self.removed),
        }


_DRIFT_WORDS: Mapping[DriftKind, str] = {
    "new": "is new ({operation})",
    "gone": "is gone ({operation})",
    "unlocked": "the API is not in the lock",
}


def lock_key(operation: Operation) -> str:
    """What a locked operation is found by: `get /pets/{id}`."""
    text = f"{operation.method} {operation.path}"
    return text.encode("utf-8", "backslashreplace").decode()


def catalog_from_lock(
    lock: Lock, *apis: API, options: ToolOptions = DEFAULT_TOOL_OPTIONS
) -> Catalog:
    """
    The tools of `apis`, named as they were locked; what is new gets names beside those.

    Raises:
        NameCollision: Two of them have the same alias.
    """
    return catalog(*apis, options=options, fixed=pins_from_lock(lock, apis))


def pins_from_lock(lock: Lock, apis: Sequence[API]) -> dict[str, PinnedNames]:
    """`fixed` of `catalog()`; the namespaces of locked APIs that are not here stay theirs."""
    fixed: dict[str, PinnedNames] = {}
    found = match_locked_apis(lock, apis)
    for api in apis:
        if (locked := found.get(api_identity(api))) is None:
            continue
        keys = _match_operations(api, locked)
        names = {pointer: locked.operations[key].name for pointer, key in keys.items()}
        taken = frozenset(operation.name for operation in locked.operations.values())
        fixed[api_identity(api)] = PinnedNames(namespace=locked.namespace, names=names, taken=taken)
    here = {pinned_names.namespace for pinned_names in fixed.values()}
    for namespace in lock.apis.keys() - here:
        fixed[f"{_ABSENT}{namespace}"] = PinnedNames(namespace=namespace)
    return fixed


def match_locked_apis(lock: Lock, apis: Iterable[API]) -> dict[str, LockedAPI]:
    """
    `{identity: what it was}` of the APIs that the lock knows.

    An alias is found as alias or namespace. Without one, the same place counts, then the same
    bytes: so a file may move, or change, and keep its names. Where files have changed places, their
    bytes decide.
    """
    found: dict[str, LockedAPI] = {}
    left = dict(lock.apis)
    here = list(apis)
    places = {normalize_source(locked_api.source) for locked_api in lock.apis.values()}
    for of_api, of_locked in _IDENTITY_KEYS:
        by_key = {of_locked(each): name for name, each in reversed(left.items())}
        for api in here:
            key = of_api(api, places)
            if key and key in by_key and api_identity(api) not in found:
                found[api_identity(api)] = left.pop(by_key.pop(key))
    return found


def prune_lock(lock: Lock, apis: Sequence[API]) -> Lock:
    """`lock` without the operations that `apis` no longer have, so that their names are free."""
    found = match_locked_apis(lock, apis)
    pruned = dict(lock.apis)
    for api in apis:
        if (each := found.get(api_identity(api))) is not None:
            keys = set(_match_operations(api, each).values())
            kept = {key: value for key, value in each.operations.items() if key in keys}
            pruned[each.namespace] = replace(each, operations=kept)
    return Lock(pruned)


def _place_key(api: API, _: Container[str] = ()) -> str:
    return "" if api.alias else normalize_source(api.source)


def _format_bytes_key(place: str, sha256: str) -> str:
    return f"{place} {sha256}" if place else ""


def _place_and_bytes_key(api: API, _: Container[str]) -> str:
    return _format_bytes_key(_place_key(api), api.sha256)


def _moved_bytes_key(api: API, places: Container[str]) -> str:
    place = _place_key(api)
    return api.sha256 if place and place in places else ""


# What must be equal for an API to be the locked one; the first that is decides.
_IDENTITY_KEYS: tuple[
    tuple[Callable[[API, Container[str]], str], Callable[[LockedAPI], str]], ...
] = (
    (lambda api, _: api.alias or "", lambda locked: locked.alias or locked.namespace),
    (
        _place_and_bytes_key,
        lambda locked: _format_bytes_key(normalize_source(locked.source), locked.sha256),
    ),
    (_moved_bytes_key, lambda locked: "" if locked.alias else locked.sha256),
    (_place_key, lambda locked: "" if locked.alias else normalize_source(locked.source)),
    (_place_key, lambda locked: normalize_source(locked.source)),
    (lambda api, _: "" if api.alias else api.sha256, lambda locked: locked.sha256),
)


def _match_operations(api: API, locked: LockedAPI) -> dict[str, str]:
    """`{pointer: key in the lock}`; a path whose parameters were renamed is still the same."""
    here = {lock_key(operation): operation.pointer for operation in api.operations}
    found = {pointer: key for key, pointer in here.items() if key in locked.operations}
    new = _group_by_shape(key for key in here if key not in locked.operations)
    gone = _group_by_shape(key for key in locked.operations if key not in here)
    for shape, keys in new.items():
        if len(keys) == len(gone.get(shape, ())) == 1:
            found[here[keys[0]]] = gone[shape][0]
    return found


def _group_by_shape(keys: Iterable[str]) -> dict[str, list[str]]:
    shapes: dict[str, list[str]] = {}
    for key in keys:
        shapes.setdefault(_PLACEHOLDER.sub("{}", key), []).append(key)
    return shapes


def detect_drift(lock: Lock, whole: Catalog) -> tuple[Drift, ...]:
    """
    How the APIs of a catalog differ from what was locked, in the order of their names.

    The catalog is a whole one, made by `under(lock, ...)`. A document whose hash is the same
    is not looked into. Where only what no model reads has changed, nothing has drifted.
    """
    found = match_locked_apis(lock, whole.apis.values())
    own = _group_by_namespace(whole)
    drifted: list[Drift] = []
    for namespace, api in whole.apis.items():
        if (locked := found.get(api_identity(api))) is None:
            drifted.append(Drift(kind="unlocked", name=namespace))
        else:
            drifted += _detect_api_drift(own[namespace], namespace, api, locked)
    return tuple(sorted(drifted, key=lambda each: (each.name, each.operation)))


def _group_by_namespace(whole: Catalog) -> dict[str, dict[str, CatalogEntry]]:
    own: dict[str, dict[str, CatalogEntry]] = {api: {} for api in whole.apis}
    for name, entry in whole.entries.items():
        own[entry.namespace][name] = entry
    return own


def _detect_api_drift(
    own: Mapping[str, CatalogEntry], namespace: str, api: API, locked: LockedAPI
) -> Iterator[Drift]:
    keys = _match_operations(api, locked)
    for key in locked.operations.keys() - set(keys.values()):
        name = f"{namespace}__{locked.operations[key].name}"
        yield Drift(kind="gone", name=name, operation=key)
    is_same = api.sha256 == locked.sha256
    known = None if is_same else Fingerprints(api.document)
    for name, entry in own.items():
        key = keys.get(entry.operation.pointer)
        if key is None:
            yield Drift(kind="new", name=name, operation=lock_key(entry.operation))
        elif known and (
            found := _detect_change(name, entry.operation, locked.operations[key], known)
        ):
            yield found


def _detect_change(
    name: str, operation: Operation, locked: LockedOperation, known: Fingerprints
) -> Drift | None:
    now = known.compute(operation)
    if now.hash == locked.hash:
        return None
    parts = _quote_parts(now)
    here, before = parts.keys(), locked.parts.keys()
    changed = [unquote(part) for part in parts if locked.parts.get(part, "") != parts[part]]
    added = [unquote(part) for part in parts if part not in before]
    removed = [unquote(part) for part in locked.parts if part not in here]
    return Drift(
        kind="changed",
        name=name,
        operation=lock_key(operation),
        changed=tuple(text for text in changed if text not in added)
        or _fallback_change(added, removed),
        added=tuple(added),
        removed=tuple(removed),
    )


def _fallback_change(added: Sequence[str], removed: Sequence[str]) -> tuple[str, ...]:
    # The digits of parts are few: that they are equal proves nothing, the whole hash does.
    return () if added or removed else ("/",)


def lock_catalog(whole: Catalog, before: Lock | None = None) -> Lock:
    """
    The lock of a whole catalog as it is now.

    Args:
        before: The lock whose names it was made with; APIs that are not in the catalog stay.
    """
    before = before or Lock()
    found = match_locked_apis(before, whole.apis.values())
    replaced = {locked_api.namespace for locked_api in found.values()}
    apis = {name: each for name, each in before.apis.items() if name not in replaced}
    own = _group_by_namespace(whole)
    for namespace, api in whole.apis.items():
        entries = own[namespace].values()
        apis[namespace] = _lock_api(entries, namespace, api, found.get(api_identity(api)))
    return Lock({name: apis[name] for name in sorted(apis)})


def _lock_api(
    entries: Iterable[CatalogEntry], namespace: str, api: API, before: LockedAPI | None
) -> LockedAPI:
    # Opened without its alias this time, it keeps that.
    alias = api.alias or (before.alias if before else "")
    known = Fingerprints(api.document)
    operations = {
        lock_key(entry.operation): _lock_operation(
            entry.operation_name, known.compute(entry.operation)
        )
        for entry in entries
    }
    return LockedAPI(
        namespace=namespace,
        alias=alias,
        source=normalize_source(api.source).encode("utf-8", "backslashreplace").decode(),
        sha256=api.sha256,
        operations={key: operations[key] for key in sorted(operations, key=_path_order)},
    )


def _path_order(key: str) -> tuple[str, str]:
    method, _, path = key.partition(" ")
    return path, method


def _lock_operation(name: str, now: Fingerprint) -> LockedOperation:
    return LockedOperation(name=name, hash=now.hash, parts=_quote_parts(now))


def _quote_parts(now: Fingerprint) -> dict[str, str]:
    # Parts stand between spaces in the file.
    return {
        quote(pointer.encode("utf-8", "backslashreplace"), safe=_SAFE_CHARACTERS): part
        for pointer, part in now.parts.items()
    }
