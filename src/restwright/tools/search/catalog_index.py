"""The index of a catalog: of operations under the hash of their document, whatever their names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from restwright.openapi.model import API
from restwright.tools.search.bm25 import Hit, SearchIndex
from restwright.tools.search.fields import Described, Describer
from restwright.tools.search.index_store import Describe, in_memory, index_of
from restwright.tools.search.languages import language_named, language_of
from restwright.tools.search.query import terms_of
from restwright.tools.search.weights import WEIGHTS, Weights

if TYPE_CHECKING:
    from restwright.tools.catalog.catalog import Catalog, Entry

_RECENT = 4
_LANGUAGE = "x-language"


@dataclass(frozen=True, slots=True)
class Searchable:
    """
    A catalog and its index.

    Args:
        index: Of operations by `key_of()`.
        hashes: `{namespace: hash of its document}`.
        names: Which tools those are in the catalog.
        again: Makes the index in memory.
    """

    index: SearchIndex
    hashes: Mapping[str, str]
    names: Names = field(repr=False)
    again: Callable[[], SearchIndex] = field(repr=False)

    def search(
        self, query: str, k: int, namespaces: Collection[str] | None = None
    ) -> tuple[Hit, ...]:
        """The `k` best tools for a text, by their full names."""
        return self.search_terms(terms_of(query), k, namespaces)

    def search_terms(
        self,
        terms: Sequence[tuple[str, float]],
        k: int,
        namespaces: Collection[str] | None = None,
        *,
        weights: Weights = WEIGHTS,
    ) -> tuple[Hit, ...]:
        """As `search()`, for texts with a weight each."""
        within = (
            None
            if namespaces is None
            else [self.hashes[name] for name in namespaces if name in self.hashes]
        )
        hits = self._asked(terms, k, within, weights)
        return tuple(self._named(hits, namespaces))[:k]

    def _asked(
        self,
        terms: Sequence[tuple[str, float]],
        k: int,
        within: Collection[str] | None,
        weights: Weights,
    ) -> tuple[Hit, ...]:
        try:
            return self.index.search_terms(terms, k, within, among=self.names, weights=weights)
        # The extension raises `PanicException`, which is no Exception, for a file it cannot read.
        except BaseException as error:
            if not isinstance(error, ValueError) and type(error).__name__ != "PanicException":
                raise
        # Files were damaged after they had been checked: from now on without them.
        forget()
        object.__setattr__(self, "index", self.again())
        return self.index.search_terms(terms, k, within, among=self.names, weights=weights)

    def _named(self, hits: Iterable[Hit], namespaces: Collection[str] | None) -> Iterator[Hit]:
        for hit in hits:
            for name, namespace in self.names[hit.name]:
                if namespaces is None or namespace in namespaces:
                    yield replace(hit, name=name, namespace=namespace)


class Names:
    """`{key: ((full name, namespace), ...)}` of a catalog, made API by API when asked for."""

    def __init__(self, catalog: Catalog) -> None:
        self._entries: defaultdict[str, list[tuple[str, Entry]]] = defaultdict(list)
        hashes = {name: api.sha256 for name, api in catalog.apis.items()}
        for name, entry in catalog.entries.items():
            self._entries[hashes[entry.namespace]].append((name, entry))
        self._made: dict[str, dict[str, list[tuple[str, str]]]] = {}

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key in self._of_document(key)

    def __getitem__(self, key: str) -> Sequence[tuple[str, str]]:
        return self._of_document(key)[key]

    def _of_document(self, key: str) -> Mapping[str, Sequence[tuple[str, str]]]:
        sha256 = key.partition("#")[0]
        if sha256 not in self._made:
            made: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
            for name, entry in self._entries.get(sha256, ()):
                made[key_of(sha256, entry.operation.pointer)].append((name, entry.namespace))
            self._made[sha256] = dict(made)
        return self._made[sha256]


def key_of(sha256: str, pointer: str) -> str:
    """What an operation is called in an index."""
    # A path may hold what is no Unicode.
    written = pointer if pointer.isascii() else pointer.encode(errors="backslashreplace").decode()
    return f"{sha256}#{written}"


_recent: list[tuple[Mapping[str, Entry], Searchable]] = []
_indexes: list[tuple[frozenset[str], SearchIndex]] = []


def searchable(catalog: Catalog) -> Searchable:
    """The index of a catalog, made on first use; that of the last few is kept in memory."""
    for entries, kept in _recent:
        if entries is catalog.entries:
            return kept
    hashes = {name: api.sha256 for name, api in catalog.apis.items()}
    parts = {api.sha256: partial(described, api) for api in catalog.apis.values()}
    again = partial(in_memory, parts)
    made = Searchable(_index_of_documents(parts), hashes, Names(catalog), again)
    _recent.append((catalog.entries, made))
    del _recent[:-_RECENT]
    return made


def _index_of_documents(parts: Mapping[str, Describe]) -> SearchIndex:
    """The index of documents: parts of a catalog share that of the whole."""
    hashes = frozenset(parts)
    for known, index in _indexes:
        if known == hashes:
            return index
    index = index_of(parts)
    _indexes.append((hashes, index))
    del _indexes[:-_RECENT]
    return index


def forget() -> None:
    """Let go of the indexes that are in memory."""
    _recent.clear()
    _indexes.clear()


def described(api: API) -> Iterator[Described]:
    """All operations of an API, one after the other."""
    describe = Describer(api.document, title=api.title, language=_language_of(api))
    for operation in api.operations:
        yield describe(
            operation,
            name=key_of(api.sha256, operation.pointer),
            namespace=api.sha256,
            operation_name="",
        )


def _language_of(api: API) -> str:
    """As the document says (`x-language`), else as it reads."""
    said = api.extensions.get(_LANGUAGE)
    named = language_named(said) if isinstance(said, str) else None
    return named or language_of(_texts(api))


def _texts(api: API) -> Iterator[str]:
    yield api.description
    for operation in api.operations:
        yield operation.summary
    for operation in api.operations:
        yield operation.description
