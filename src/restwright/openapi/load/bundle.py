"""
A document that is spread over files becomes one: each file is put in under a key of the root, and
the references between files become references within the document.

Files are read in one folder only, which the user named. Whatever else a reference says (another
folder, an absolute path, a URL) stays as it is, is never read, and is reported.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote, unquote

from restwright.errors import (
    DocumentError,
    DocumentUnavailable,
    UnreadableDocument,
    UnresolvedReference,
)
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.document import Document
from restwright.openapi.load.hoist import FILES_KEY
from restwright.openapi.load.source import is_url_source
from restwright.openapi.model import LEFT_AS_IT_IS, Problem
from restwright.openapi.references import find_ref, join_pointer, lookup_reference
from restwright.openapi.syntax.decode import LazyValue, ParsedFile, parse_bytes
from restwright.openapi.syntax.limits import MAX_BYTES, MAX_FILES, MAX_TOTAL_BYTES

OPTION = "--allow-refs DIR"

_FILE_NAME = re.compile(r"\.(?:json|ya?ml)$")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
# What a URI fragment may hold beside letters and digits (RFC 3986, "Fragment").
_SAFE = "/~!$&'()*+,;=:@-._?"
# Keywords whose values are data, where `$ref` is no reference.
_DATA = frozenset({"example", "default", "enum", "const", "value", "dataValue"})
# Keys whose members are named freely, so that a name is never taken for a keyword.
_NAMED = frozenset(
    {
        "properties", "patternProperties", "dependentSchemas", "$defs", "definitions", "schemas",
        "responses", "parameters", "examples", "requestBodies", "headers", "securitySchemes",
        "securityDefinitions", "links", "callbacks", "pathItems", "mediaTypes", "paths", "webhooks",
        "content", "encoding", "additionalOperations",
    }
)  # fmt: skip


# Beside the maps of names: where no reference may stand, and where people put one all the same.
_WHOLE = frozenset({"/info/$ref", "/components/$ref"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """
    A document with its other files put in.

    Args:
        content: The root, with a key for the other files where there are any.
        sha256: Of all files; the one of the root where no reference leads out of it.
        problems: References that were left as they are, with the reason, and what the parser met.
    """

    content: JsonObject
    sha256: str
    problems: LazyValue[tuple[Problem, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    """One file; `name` is its path in the folder, empty for the root."""

    path: Path
    name: str
    prefix: str
    parsed: ParsedFile
    sha256: str


@dataclass(frozen=True, slots=True)
class _ReferenceSite:
    """Where a reference stands: `holder[key]`, at `pointer` of its file; `is_map`: among names."""

    holder: JsonObject
    key: str
    pointer: str
    is_map: bool = False


def bundle_document(
    document: Document,
    *,
    folder: Path,
    max_files: int = MAX_FILES,
    max_total_bytes: int = MAX_TOTAL_BYTES,
) -> Bundle:
    """
    Put the files in `folder` that `document` refers to, and those that they refer to, into one.

    Args:
        document: From a path, its references are relative to it; from a URL, no file is read.
        folder: Nothing outside of it is read, links resolved.
        max_files: That may be referred to.
        max_total_bytes: Of all of them.

    Raises:
        DocumentUnavailable: `folder` is none.
        UnreadableDocument: The document cannot be read; too many files, or too many bytes of them.
        NotOpenAPI: As `Document.content`.
    """
    if not folder.is_dir():
        raise DocumentUnavailable(str(folder), "it is no folder whose files could be read")
    content = document.content
    work = _Bundler(
        document,
        folder.resolve(),
        key=_free_key(content),
        max_files=max_files,
        max_total_bytes=max_total_bytes,
    )
    work.read_all()
    if work.files:
        content[work.key] = {file.name: file.parsed.value for file in work.files.values()}
        _inline_root_references(content, work.whole, prefix="#" + join_pointer(work.key) + "/")
    return Bundle(content=content, sha256=work.sha256(), problems=LazyValue(work.all_problems))


class _Bundler:
    """The state of one pass over all files of a document."""

    def __init__(
        self, document: Document, folder: Path, *, key: str, max_files: int, max_total_bytes: int
    ) -> None:
        self.source, self.folder, self.key = document.source, folder, key
        self.max_files, self.max_total_bytes = max_files, max_total_bytes
        self.reads_files = not is_url_source(document.source)
        self.root = _File(
            path=_root_path(document.source, folder),
            name="",
            prefix="#",
            parsed=document.parsed(),
            sha256=document.sha256,
        )
        self.files: dict[Path, _File] = {}
        self.refused: dict[Path, str] = {}
        self.problems: list[Problem] = []
        self.whole: list[_ReferenceSite] = []
        self.total_bytes = 0

    def read_all(self) -> None:
        self._rewrite(self.root)
        done = 0
        while done < len(self.files):
            for file in list(self.files.values())[done:]:
                self._rewrite(file)
                done += 1

    def sha256(self) -> str:
        """Of everything that was read; places outside of the folder do not count."""
        if not self.files and not self.problems:
            return self.root.sha256
        lines = [f"{file.sha256} {file.name}" for file in (self.root, *self.files.values())]
        lines += [f"{problem.pointer} {problem.what}" for problem in self.problems]
        return hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()

    def all_problems(self) -> tuple[Problem, ...]:
        met = [
            replace(problem, pointer=unquote(file.prefix[1:]) + problem.pointer)
            for file in (self.root, *self.files.values())
            for problem in file.parsed.problems()
        ]
        return (*met, *self.problems)

    def _rewrite(self, file: _File) -> None:
        content = file.parsed.value
        if file.name and is_object(content) and isinstance(content.get("$id"), str):
            # Its place is the file's now; kept, it would be the base of the new references.
            del content["$id"]
        for spot in _walk_references(content):
            ref = spot.holder[spot.key]
            spot.holder[spot.key] = self._rewrite_ref(ref, file, spot)
            if file is self.root and (spot.is_map or spot.pointer in _WHOLE):
                self.whole.append(spot)

    def _rewrite_ref(self, ref: str, file: _File, spot: _ReferenceSite) -> str:
        path, _, fragment = ref.partition("#")
        is_pointer = not fragment or fragment.startswith("/")
        if not path:
            return self._resolve_fragment(fragment, file, spot) if is_pointer else ref
        target = self._resolve_file(path, file)
        if isinstance(target, _File) and is_pointer:
            # What the root lacks now may still be put in place.
            if target is not self.root and (
                missing := _explain_missing(target.parsed.value, fragment)
            ):
                self._add_problem(
                    spot, file, f"the reference {ref[:200]!r} leads nowhere: {missing}"
                )
            return target.prefix + fragment
        why = target if isinstance(target, str) else "anchors of other files are not read"
        self._add_problem(spot, file, f"the reference {ref[:200]!r} is not followed: {why}")
        return ref

    def _add_problem(self, spot: _ReferenceSite, file: _File, what: str) -> None:
        """Say why a reference leads nowhere, in the words of its own file."""
        pointer = unquote(file.prefix[1:]) + spot.pointer
        self.problems.append(Problem(pointer, what, "error", LEFT_AS_IT_IS))

    def _resolve_fragment(self, fragment: str, file: _File, spot: _ReferenceSite) -> str:
        """A reference to a part of its own file, or of the first where it is written as a part."""
        missing = _explain_missing(file.parsed.value, fragment)
        if missing and file is not self.root and _explain_missing(self.root.parsed.value, fragment):
            self._add_problem(
                spot, file, f"the reference '#{fragment[:200]}' leads nowhere: {missing}"
            )
            return file.prefix + fragment
        if not missing or file is self.root:
            return file.prefix + fragment
        pointer = unquote(file.prefix[1:]) + spot.pointer
        what = f"the reference '#{fragment[:200]}' leads nowhere in its own file"
        self.problems.append(Problem(pointer, what, action="looked up in the first file"))
        return "#" + fragment

    def _resolve_file(self, path: str, base: _File) -> _File | str:
        """The file behind the path of a reference, or why it is not read."""
        path = unquote(path)
        if _SCHEME.match(path) or path.startswith("/") or "\\" in path or "\0" in path:
            return f"only relative paths are, in the folder of {OPTION}"
        if not self.reads_files:
            return "a document from a URL reads no file"
        try:
            found = (base.path.parent / path).resolve()
        except (OSError, RuntimeError):
            return "its path cannot be resolved"
        if found == self.root.path:
            return self.root
        if not found.is_relative_to(self.folder):
            return f"it leads out of the folder of {OPTION}"
        if found not in self.files and found not in self.refused:
            self._read(found)
        return self.files.get(found) or self.refused[found]

    def _read(self, path: Path) -> None:
        if len(self.files) + len(self.refused) >= self.max_files:
            why = f"it refers to more files than the limit of {self.max_files:,}"
            raise UnreadableDocument(self.source, why, is_over_limit=True)
        name = path.relative_to(self.folder).as_posix()
        try:
            content = _read_regular_file(path)
            parsed = parse_bytes(content, source=name)
        except OSError as error:
            self.refused[path] = error.strerror or "it cannot be read"
            return
        except DocumentError as error:
            self.refused[path] = getattr(error, "why", "") or str(error)
            return
        self.total_bytes += len(content)
        if self.total_bytes > self.max_total_bytes:
            most = f"{self.max_total_bytes:,} bytes together"
            why = f"its files are larger than the limit of {most}"
            raise UnreadableDocument(self.source, why, is_over_limit=True)
        self.files[path] = _File(
            path=path,
            name=name,
            prefix="#" + quote(join_pointer(self.key, name), safe=_SAFE),
            parsed=parsed,
            sha256=hashlib.sha256(content).hexdigest(),
        )


def _explain_missing(content: Json, fragment: str) -> str:
    """Why nothing is at a fragment; empty where something is."""
    try:
        lookup_reference(content, "#" + fragment)
    except UnresolvedReference as error:
        return error.why
    return ""


def _free_key(content: JsonObject) -> str:
    key = FILES_KEY
    while key in content:
        key += "-"
    return key


def _root_path(source: str, folder: Path) -> Path:
    """What is not read from a file is taken to lie in the folder."""
    is_file = source not in {"-", "bytes", "object"} and not is_url_source(source)
    return Path(source).resolve() if is_file else folder / source.replace("/", "_")


def _read_regular_file(path: Path) -> bytes:
    # A pipe would block, and a device never end; looked at again once it is open.
    if path.exists() and not path.is_file():
        raise OSError(0, "it is no file")
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(path, flags | getattr(os, "O_BINARY", 0)), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(0, "it is no file")
        return file.read(MAX_BYTES + 1)


def _walk_references(content: Json) -> Iterator[_ReferenceSite]:
    """Every string that may be a reference; objects that YAML aliases share are met once."""
    met: set[int] = set()
    waiting: list[tuple[Json, str, bool]] = [(content, "", False)]
    while waiting:
        node, pointer, is_named = waiting.pop()
        if id(node) in met:
            continue
        met.add(id(node))
        if is_object(node):
            if not is_named and pointer and _is_resource(node):
                continue
            yield from _references_in_node(node, pointer, is_named=is_named)
        waiting.extend(_child_nodes(node, pointer, is_named=is_named))


def _references_in_node(
    node: JsonObject, pointer: str, *, is_named: bool
) -> Iterator[_ReferenceSite]:
    keys = ("$ref",) if is_named else ("$ref", "$dynamicRef", "operationRef")
    for key in keys:
        if isinstance(node.get(key), str):
            yield _ReferenceSite(node, key, pointer + join_pointer(key), is_named)
    mapping = node.get("mapping") if not is_named else None
    if is_object(mapping) and "propertyName" in node:
        for name, value in mapping.items():
            # Source: OAS 3.1, "Discriminator Object": a value may be a name too.
            if isinstance(value, str) and ("#" in value or _FILE_NAME.search(value)):
                yield _ReferenceSite(mapping, name, pointer + join_pointer("mapping", name))


def _is_resource(node: JsonObject) -> bool:
    """Whether references below `node` are relative to its own `$id`, which no file stands for."""
    identifier = node.get("$id")
    return isinstance(identifier, str) and not identifier.startswith("#")


def _child_nodes(node: Json, pointer: str, *, is_named: bool) -> Iterator[tuple[Json, str, bool]]:
    if is_object(node):
        for key, value in node.items():
            is_data = not is_named and (key in _DATA or key.startswith("x-"))
            is_data = is_data or (key == "examples" and is_array(value))
            if (is_object(value) or is_array(value)) and not is_data:
                yield value, pointer + join_pointer(key), not is_named and key in _NAMED
    elif is_array(node):
        for index, value in enumerate(node):
            if is_object(value) or is_array(value):
                yield value, pointer + join_pointer(index), False


def _inline_root_references(content: JsonObject, spots: list[_ReferenceSite], prefix: str) -> None:
    """
    Replace references where the specification has none (`paths: {$ref: paths.yaml}`) by the target.

    Only those of the root are, and only by parts of other files: nothing can come to hold itself.
    """
    for spot in spots:
        ref = spot.holder.get("$ref")
        if not isinstance(ref, str) or not ref.startswith(prefix):
            continue
        try:
            target = lookup_reference(content, ref)
        except UnresolvedReference:
            continue
        if is_object(target) and find_ref(target) is None:
            del spot.holder["$ref"]
            for key, value in target.items():
                spot.holder.setdefault(key, value)
