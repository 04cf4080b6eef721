"""The index of a catalog: of operations under the hash of their document, whatever their names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from restwright.openapi.model import API
from restwright.tools.search.bm25 import Hit, SearchIndex
from restwright.tools.search.fields import FieldsReader, IndexedFields
from restwright.tools.search.index_store import FieldsSource, build_in_memory_index, load_index
from restwright.tools.search.languages import detect_language, language_named
from restwright.tools.search.query import parse_query
from restwright.tools.search.weights import DEFAULT_WEIGHTS, SearchWeights

if TYPE_CHECKING:
    from restwright.tools.catalog.catalog import Catalog, CatalogEntry

_RECENT = 4
_LANGUAGE = "x-language"


@dataclass(frozen=True, slots=True)
class CatalogIndex:
    """
    A catalog and its index.

    Args:
        index: Of operations by `index_key()`.
        hashes: `{namespace: hash of its document}`.
        names: Which tools those are in the catalog.
        rebuild: Makes the index in memory.
    """

    index: SearchIndex
    hashes: Mapping[str, str]
    names: CatalogNames = field(repr=False)
    rebuild: Callable[[], SearchIndex] = field(repr=False)

    def search(
        self, query: str, k: int, namespaces: Collection[str] | None = None
    ) -> tuple[Hit, ...]:
        """The `k` best tools for a text, by their full names."""
        return self.search_terms(parse_query(query), k, namespaces)

    def search_terms(
        self,
        terms: Sequence[tuple[str, float]],
        k: int,
        namespaces: Collection[str] | None = None,
        *,
        weights: SearchWeights = DEFAULT_WEIGHTS,
    ) -> tuple[Hit, ...]:
        """As `search()`, for texts with a weight each."""
        within = (
            None
            if namespaces is None
            else [self.hashes[name] for name in namespaces if name in self.hashes]
        )
        hits = self._search(terms, k, within, weights)
        return tuple(self._with_full_names(hits, namespaces))[:k]

    def _search(
        self,
        terms: Sequence[tuple[str, float]],
        k: int,
        within: Collection[str] | None,
        weights: SearchWeights,
    ) -> tuple[Hit, ...]:
        try:
            return self.index.search_terms(terms, k, within, among=self.names, weights=weights)
        # The extension raises `PanicException`, which is no Exception, for a file it cannot read.
        except BaseException as error:
            if not isinstance(error, ValueError) and type(error).__name__ != "PanicException":
                raise
        # Files were damaged after they had been checked: from now on without them.
        forget_indexes()
        object.__setattr__(self, "index", self.rebuild())
        return self.index.search_terms(terms, k, within, among=self.names, weights=weights)

    def _with_full_names(
        self, hits: Iterable[Hit], namespaces: Collection[str] | None
    ) -> Iterator[Hit]:
        for hit in hits:
            for name, namespace in self.names[hit.name]:
                if namespaces is None or namespace in namespaces:
                    yield replace(hit, name=name, namespace=namespace)


class CatalogNames:
    """`{key: ((full name, namespace), ...)}` of a catalog, made API by API when asked for."""

    def __init__(self, catalog: Catalog) -> None:
        self._entries: defaultdict[str, list[tuple[str, CatalogEntry]]] = defaultdict(list)
        hashes = {name: api.sha256 for name, api in catalog.apis.items()}
        for name, entry in catalog.entries.items():
            self._entries[hashes[entry.namespace]].append((name, entry))
        self._memo: dict[str, dict[str, list[tuple[str, str]]]] = {}

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key in self._of_document(key)

    def __getitem__(self, key: str) -> Sequence[tuple[str, str]]:
        return self._of_document(key)[key]

    def _of_document(self, key: str) -> Mapping[str, Sequence[tuple[str, str]]]:
        sha256 = key.partition("#")[0]
        if sha256 not in self._memo:
            made: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
            for name, entry in self._entries.get(sha256, ()):
                made[index_key(sha256, entry.operation.pointer)].append((name, entry.namespace))
            self._memo[sha256] = dict(made)
        return self._memo[sha256]


def index_key(sha256: str, pointer: str) -> str:
    """What an operation is called in an index."""
    # A path may hold what is no Unicode.
    written = pointer if pointer.isascii() else pointer.encode(errors="backslashreplace").decode()
    return f"{sha256}#{written}"


_recent_indexes: list[tuple[Mapping[str, CatalogEntry], CatalogIndex]] = []
_document_indexes: list[tuple[frozenset[str], SearchIndex]] = []


def open_catalog_index(catalog: Catalog) -> CatalogIndex:
    """The index of a catalog, made on first use; that of the last few is kept in memory."""
    for entries, kept in _recent_indexes:
        if entries is catalog.entries:
            return kept
    hashes = {name: api.sha256 for name, api in catalog.apis.items()}
    parts = {api.sha256: partial(read_indexed_fields, api) for api in catalog.apis.values()}
    again = partial(build_in_memory_index, parts)
    made = CatalogIndex(_shared_index(parts), hashes, CatalogNames(catalog), again)
    _recent_indexes.append((catalog.entries, made))
    del _recent_indexes[:-_RECENT]
    return made


def _shared_index(parts: Mapping[str, FieldsSource]) -> SearchIndex:
    """The index of documents: parts of a catalog share that of the whole."""
    hashes = frozenset(parts)
    for known, index in _document_indexes:
        if known == hashes:
            return index
    index = load_index(parts)
    _document_indexes.append((hashes, index))
    del _document_indexes[:-_RECENT]
    return index


def forget_indexes() -> None:
    """Let go of the indexes that are in memory."""
    _recent_indexes.clear()
    _document_indexes.clear()


def read_indexed_fields(api: API) -> Iterator[IndexedFields]:
    """All operations of an API, one after the other."""
    describe = FieldsReader(api.document, title=api.title, language=_document_language(api))
    for operation in api.operations:
        yield describe(
            operation,
            name=index_key(api.sha256, operation.pointer),
            namespace=api.sha256,
            operation_name="",
        )


def _document_language(api: API) -> str:
    """As the document says (`x-language`), else as it reads."""
    said = api.extensions.get(_LANGUAGE)
    named = language_named(said) if isinstance(said, str) else None
    return named or detect_language(_language_samples(api))


def _language_samples(api: API) -> Iterator[str]:
    yield api.description
    for operation in api.operations:
        yield operation.summary
    for operation in api.operations:
        yield operation.description
