"""
Indexes on disk, under the hashes of their documents, mapped into memory when they are opened.

Each document has an index of its own, with one segment. The index of several documents is a folder
of links to their segments and a list of them: nothing is read or indexed again when an API is added
or removed, and as BM25 counts over all segments of an index, operations rank as if all had been
indexed together (indexes searched one by one would each have statistics of their own). Whatever is
missing, damaged or of another version is made again; what cannot be written is made in memory.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from restwright.jsontypes import JsonObject, is_object
from restwright.net.storage import (
    create_state_folder,
    find_state_folder,
    is_cache_on,
    prune_state_folders,
)
from restwright.tools.search.bm25 import SearchIndex, build_index, open_index
from restwright.tools.search.fields import IndexedFields

INDEX_FORMAT = 3
"""To be raised when the same operation is indexed differently than before."""
MAX_SEGMENTS = 12
"""Of the index of several documents; more are merged, as each is looked into for every word."""

_SIGNATURE = "made.json"
_META = "meta.json"
_CHECKED_BYTES = 8 * 1024 * 1024
FieldsSource = Callable[[], Iterable[IndexedFields]]


def load_index(documents: Mapping[str, FieldsSource]) -> SearchIndex:
    """
    The index of documents, opened or made.

    Args:
        documents: `{hash: what gives its operations}`; only asked where there is no index of it.
    """
    if not is_cache_on() or not documents:
        return build_in_memory_index(documents)
    try:
        return _load_stored_index(documents) or build_in_memory_index(documents)
    # A folder that cannot be written, or that another process removes at this moment.
    except (OSError, ValueError, KeyError, TypeError):
        return build_in_memory_index(documents)


def build_in_memory_index(documents: Mapping[str, FieldsSource]) -> SearchIndex:
    """The index of documents, of which nothing is kept."""
    return build_index(fields for describe in documents.values() for fields in describe())


def _load_stored_index(documents: Mapping[str, FieldsSource]) -> SearchIndex | None:
    name = _folder_name(documents)
    found = _open_stored_index(name)
    if found is not None:
        return found
    parts = [_store_document(sha256, describe) for sha256, describe in documents.items()]
    if len(parts) > 1:
        _assemble_index(name, parts)
    made = _open_stored_index(name)
    prune_state_folders("search")
    return made


def _folder_name(hashes: Iterable[str]) -> str:
    """The name of a folder: it says which documents, and by what it was made."""
    hashed = hashlib.sha256("\n".join((_index_version(), *sorted(hashes))).encode())
    return hashed.hexdigest()[:40]


def _index_version() -> str:
    import tantivy

    from restwright import __version__

    return f"restwright {__version__} {INDEX_FORMAT} {getattr(tantivy, '__version__', '')}"


def _store_document(sha256: str, describe: FieldsSource) -> Path:
    """The folder of one document, made where it is missing."""
    name = _folder_name([sha256])
    folder = find_state_folder("search", name)
    if folder is None or _read_signature(folder) is None:
        with create_state_folder("search", name) as made:
            index = build_index(describe(), folder=str(made))
            _merge_segments(index, segments=1)
            _write_signature(made, index.languages)
        folder = find_state_folder("search", name)
    if folder is None:
        raise OSError(name)
    return folder


def _merge_segments(index: SearchIndex, *, segments: int) -> None:
    """Wait until the writer has merged what it may; a segment more or less does no harm."""
    if index.index.searcher().num_segments > segments:
        with suppress(ValueError):
            writer = index.index.writer(num_threads=1)
            writer.commit()
            writer.wait_merging_threads()


def _assemble_index(name: str, parts: Iterable[Path]) -> None:
    """Make the index of several documents out of the segments of each."""
    with create_state_folder("search", name) as made:
        whole: JsonObject = {}
        languages: set[str] = set()
        for part in parts:
            known = _read_signature(part)
            if known is None:
                raise OSError(part)
            languages.update(known["languages"])
            meta = json.loads((part / _META).read_bytes())
            segments = [*whole.get("segments", ()), *meta["segments"]]
            whole = {**meta, "segments": segments, "opstamp": 0}
            for file in known["files"]:
                if file != _META:
                    _link_or_copy(part / file, made / file)
        (made / _META).write_text(json.dumps(whole))
        managed = [path.name for path in made.iterdir()]
        (made / ".managed.json").write_text(json.dumps(managed))
        index = open_index(str(made), frozenset(languages))
        if len(whole["segments"]) > MAX_SEGMENTS:
            _merge_segments(index, segments=MAX_SEGMENTS)
        _write_signature(made, languages)


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _write_signature(folder: Path, languages: Iterable[str]) -> None:
    """Say by what an index was made and what belongs to it."""
    files = sorted(
        path.name for path in folder.iterdir() if not path.name.startswith(".") and path.is_file()
    )
    made: JsonObject = {
        "made_by": _index_version(),
        "languages": sorted(languages),
        "files": {name: (folder / name).stat().st_size for name in files},
        "check": _hash_files(folder, files),
    }
    (folder / _SIGNATURE).write_text(json.dumps(made))


def _read_signature(folder: Path) -> JsonObject | None:
    """What `_write_signature()` wrote, where it is true."""
    try:
        made: Any = json.loads((folder / _SIGNATURE).read_bytes())
        whole = is_object(made) and made["made_by"] == _index_version()
        if not whole or any(
            (folder / name).stat().st_size != size for name, size in made["files"].items()
        ):
            return None
        if made["check"] != _hash_files(folder, list(made["files"])):
            return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return made


def _hash_files(folder: Path, files: Iterable[str]) -> str:
    """A hash of what is small enough to be read whole each time, one by one."""
    hashed = hashlib.blake2b(digest_size=16)
    left = _CHECKED_BYTES
    for name in sorted(files):
        path = folder / name
        left -= path.stat().st_size
        if left >= 0:
            hashed.update(path.read_bytes())
    return hashed.hexdigest()


def _open_stored_index(name: str) -> SearchIndex | None:
    folder = find_state_folder("search", name)
    made = None if folder is None else _read_signature(folder)
    if folder is None or made is None:
        return None
    try:
        return open_index(str(folder), frozenset(made["languages"]))
    except (ValueError, OSError):
        return None
