"""
From an Arazzo document to a catalog, in which each of its workflows is a tool.

A document says where its sources lie, and no more than that: a file is read in its own folder, or
in one that the user names, and a URL is fetched from where the document itself came from. What lies
elsewhere has to be named by the user.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from restwright.errors import DocumentUnavailable, NotOpenAPI
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.net.documents import Retrieve, make_retriever
from restwright.net.policy.origins import parse_origin
from restwright.openapi.api import load
from restwright.openapi.load.loader import load_document
from restwright.openapi.load.source import DocumentSource, is_url_source
from restwright.openapi.model import API, Problem
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.function_tools import FunctionTool, build_function_catalog
from restwright.tools.options import DEFAULT_TOOL_OPTIONS, ToolOptions
from restwright.tools.safety import CLASS_RANK, OperationClass, classify_operation
from restwright.tools.tool import Handler, Tool
from restwright.workflows.inputs import rename_references
from restwright.workflows.model import Workflow, WorkflowDocument
from restwright.workflows.read import check_version, read_workflows, references_of
from restwright.workflows.run import run_workflow

MAX_DOCUMENTS = 20
"""Arazzo documents that one may be made of."""
_METHODS: Mapping[OperationClass, str] = {"read": "get", "write": "post", "destructive": "delete"}
_MAX_NAMESPACE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSettings:
    """
    Where the sources of a document are.

    Args:
        sources: `{name of a source: its document}`, in the place of what the document says.
        folder: Where files may lie, beside the document's own folder.
        retrieve: Fetches URLs; by default over our own transport.
    """

    sources: Mapping[str, str | Path] = field(default_factory=dict[str, "str | Path"])
    folder: Path | None = None
    retrieve: Retrieve | None = None


_HERE = SourceSettings()


def is_workflow_content(content: JsonObject) -> bool:
    """Whether the content of a document is Arazzo's."""
    return "arazzo" in content


def load_workflows(
    source: DocumentSource,
    *,
    alias: str | None = None,
    sources: Mapping[str, str | Path] | None = None,
    allow_refs: str | Path | None = None,
    retrieve: Retrieve | None = None,
    options: ToolOptions | None = None,
) -> Catalog:
    """
    Open an Arazzo document: each of its workflows becomes a tool that `call()` carries out.

    A tool's parameters are the inputs of its workflow, and its value is the outputs. What cannot be
    run is among the problems of the catalog.

    Args:
        source: A path, an http(s) URL, `-` for standard input, the bytes, or a parsed object.
        alias: Namespace of the tools; made of the document's title where None.
        sources: `{name of a source: its document}`, in the place of where the document says that
            it lies. Needed for what is neither in the document's folder nor of its origin.
        allow_refs: A folder more, in which source documents may lie.
        retrieve: Fetches URLs; by default over our own transport.
        options: How the tools of the sources are presented, whose names policies go by.

    Raises:
        DocumentUnavailable: The document or a source cannot be read, or may not be without the
            user's word.
        UnreadableDocument: One of them is neither JSON nor YAML, or over a limit.
        NotOpenAPI: The document is none of Arazzo 1.0 or 1.1, or a source none of OpenAPI.
    """
    settings = SourceSettings(
        sources=sources or {},
        folder=None if allow_refs is None else Path(allow_refs),
        retrieve=retrieve,
    )
    written = load_document(source, retrieve=retrieve or make_retriever())
    return catalog_from_content(
        written.content, written.source, alias=alias, settings=settings, options=options
    )


def catalog_from_content(
    content: JsonObject,
    source: str,
    *,
    alias: str | None = None,
    settings: SourceSettings = _HERE,
    options: ToolOptions | None = None,
) -> Catalog:
    """The same, of a document that was read already from `source`."""
    opening = _Opening(settings, options or DEFAULT_TOOL_OPTIONS)
    document = opening.open_content(content, source)
    workflows = [*document.workflows.values()]
    components = _object(_object(content.get("components")).get("inputs"))
    whole = build_function_catalog(
        alias or _namespace_of(document.title),
        [_function_of(document, workflow) for workflow in workflows],
        title=document.title,
        source=source,
        components=rename_references(components),
    )
    problems = tuple(dict.fromkeys(opening.problems))
    [namespace] = whole.apis
    named = whole.problems_by_namespace.get(namespace, ())
    # What is doubtful in the document that the tools are made of is no word of the user's.
    digest = hashlib.sha256("".join((_digest(content), *opening.digests)).encode()).hexdigest()
    apis = {namespace: replace(whole.apis[namespace], problems=(), sha256=digest)}
    return replace(
        whole,
        apis=apis,
        name_problems=(*whole.name_problems, *problems),
        problems_by_namespace={namespace: (*named, *problems)},
    )


@dataclass(slots=True)
class _Opening:
    """Opens the documents that one is made of, each once."""

    settings: SourceSettings
    options: ToolOptions
    problems: list[Problem] = field(default_factory=list[Problem])
    opened: dict[str, WorkflowDocument] = field(default_factory=dict[str, WorkflowDocument])
    under_way: set[str] = field(default_factory=set[str])
    digests: list[str] = field(default_factory=list[str])

    def open_content(self, content: JsonObject, source: str) -> WorkflowDocument:
        """Read a document and all of its sources."""
        check_version(content, source)
        info = _object(content.get("info"))
        self.under_way.add(source)
        document = WorkflowDocument(
            source=source,
            title=str(info.get("title") or "workflows"),
            version=str(info.get("version") or ""),
            description=str(info.get("description") or ""),
            self_uri=str(content.get("$self") or ""),
            catalogs={},
            documents={},
            sources=self._source_descriptions(content, source),
            workflows={},
        )
        catalogs: dict[str, Catalog] = {}
        documents: dict[str, WorkflowDocument] = {}
        for name, written in document.sources.items():
            kind = str(written.get("type") or "")
            if kind == "asyncapi":
                what = f"source {name!r} describes messages, which are not sent"
                self.problems.append(Problem("/sourceDescriptions", what, "warning", "left out"))
                continue
            found = self._open_source(name, str(written.get("url") or ""), kind, source)
            if isinstance(found, WorkflowDocument):
                documents[name] = found
            else:
                self.digests.append(found.sha256)
                catalogs[name] = catalog(replace_alias(found, name), options=self.options)
        document = replace(document, catalogs=catalogs, documents=documents)
        workflows, problems = read_workflows(document, content)
        self.problems.extend(problems)
        self.under_way.discard(source)
        return replace(document, workflows=workflows)

    def _source_descriptions(self, content: JsonObject, source: str) -> Mapping[str, JsonObject]:
        written = content.get("sourceDescriptions")
        found = {
            str(one["name"]): one
            for one in (written if is_array(written) else ())
            if is_object(one) and one.get("name")
        }
        if not found:
            raise NotOpenAPI(source, "it is an Arazzo document without `sourceDescriptions`")
        return found

    def _open_source(self, name: str, url: str, kind: str, base: str) -> API | WorkflowDocument:
        place = self._place(name, url, base)
        retrieve = self.settings.retrieve or make_retriever()
        if kind != "arazzo":
            try:
                return load(place, alias=_namespace_of(name), retrieve=retrieve)
            except NotOpenAPI:
                # `type` may be left out.
                if kind == "openapi":
                    raise
        if place in self.under_way:
            raise DocumentUnavailable(place, "it is a source of itself")
        if place not in self.opened:
            if len(self.opened) >= MAX_DOCUMENTS:
                raise DocumentUnavailable(place, f"it is one of more than {MAX_DOCUMENTS}")
            written = load_document(place, retrieve=retrieve)
            self.digests.append(written.sha256)
            self.opened[place] = self.open_content(written.content, place)
        return self.opened[place]

    def _place(self, name: str, url: str, base: str) -> str:
        """
        Where a source is read from.

        Raises:
            DocumentUnavailable: Only the user can say so.
        """
        if name in self.settings.sources:
            return str(self.settings.sources[name])
        if is_url_source(base):
            place = urljoin(base, url)
            if parse_origin(place) == parse_origin(base):
                return place
            raise _refuse_source(name, place, "another host than that of the Arazzo document")
        if is_url_source(url) or urlsplit(url).scheme not in {"", "file"}:
            raise _refuse_source(name, url, "a host that only the Arazzo document names")
        if base in {"-", "bytes", "object"} and self.settings.folder is None:
            raise _refuse_source(name, url, "a file, and the Arazzo document is in no folder")
        return self._file(name, Path(unquote(urlsplit(url).path)), base)

    def _file(self, name: str, path: Path, base: str) -> str:
        own = Path() if base in {"-", "bytes", "object"} else Path(base).parent
        folders = [own, *([self.settings.folder] if self.settings.folder else [])]
        for folder in folders:
            place = folder / path
            inside = any(place.resolve().is_relative_to(each.resolve()) for each in folders)
            if inside and place.exists():
                return str(place)
        if not any((own / path).resolve().is_relative_to(each.resolve()) for each in folders):
            raise _refuse_source(name, str(path), "outside of the Arazzo document's folder")
        return str(own / path)


def _refuse_source(name: str, place: str, where: str) -> DocumentUnavailable:
    say = f"say where it is with --source {name}=FILE-or-URL"
    return DocumentUnavailable(place, f"source {name!r} is {where}; {say}")


def replace_alias(api: API, name: str) -> API:
    """An API under the name that its source has in the document."""
    return api if api.alias else replace(api, alias=_namespace_of(name))


def _function_of(document: WorkflowDocument, workflow: Workflow) -> FunctionTool:
    parts = tuple(_parts_of(document, workflow))
    classes: list[OperationClass] = ["read", *(classify_operation(one.operation) for one in parts)]
    worst = max(classes, key=CLASS_RANK.__getitem__)
    called = ", ".join(f"{part.method} {part.path}" for part in parts)
    said = [workflow.summary, workflow.description, f"It calls {called}." if called else ""]
    return FunctionTool(
        name=workflow.workflow_id,
        description="\n\n".join(dict.fromkeys(text.strip() for text in said if text.strip())),
        parameters=workflow.inputs,
        method=_METHODS[worst],
        handler=Handler(
            make_steps=partial(run_workflow, document, workflow),
            parts=parts,
            is_read_only=worst == "read",
        ),
    )


def _parts_of(document: WorkflowDocument, workflow: Workflow) -> Iterable[Tool]:
    """The tools that a workflow may call, those of other workflows included, each once."""
    found: dict[tuple[str, str], Tool] = {}
    waiting, seen = [(document, workflow)], set[tuple[str, str]]()
    while waiting:
        owner, current = waiting.pop(0)
        if (owner.source, current.workflow_id) in seen:
            continue
        seen.add((owner.source, current.workflow_id))
        for step in current.steps:
            if step.tool is not None:
                found.setdefault((step.tool.source, step.tool.name), step.tool)
        others = (owner.find(reference) for reference in references_of(current))
        waiting.extend(other for other in others if other is not None)
    return found.values()


def _namespace_of(name: str) -> str:
    """A namespace: lower case letters, digits and single underscores, 20 at most, whole words."""
    words = [word for word in re.split(r"[^a-z0-9]+", name.lower()) if word]
    made = ""
    for word in words:
        longer = f"{made}_{word}" if made else word[:_MAX_NAMESPACE]
        if len(longer) > _MAX_NAMESPACE:
            break
        made = longer
    return made if made[:1].isalpha() else f"w_{made}"[:_MAX_NAMESPACE].rstrip("_")


def _digest(content: JsonObject) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _object(value: Json) -> JsonObject:
    return value if is_object(value) else {}
