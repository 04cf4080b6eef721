"""From documents and manifests to what a server offers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from restwright.calls.approval.policy import Policy
from restwright.calls.auth.connection import Connection
from restwright.errors import RestwrightError, UsageError
from restwright.jsontypes import is_object
from restwright.mcp.sources.function_sources import load_functions
from restwright.mcp.sources.served import SampleQuestion, ServedAgent, ServedTools, UserConnections
from restwright.tools.catalog.catalog import Catalog, combine_catalogs
from restwright.tools.catalog.filters import drop_namespaces, filter_catalog
from restwright.tools.options import DEFAULT_TOOL_OPTIONS
from restwright.workspace.connections import (
    check_choices,
    group_sources,
    list_connection_names,
)
from restwright.workspace.documents import load_catalog, split_alias
from restwright.workspace.settings import CatalogSettings

if TYPE_CHECKING:
    from restwright.manifests.functions.code_calls import RunCode
    from restwright.manifests.own.builder import AgentBlueprint
    from restwright.manifests.own.manifest import Manifest

Connect = Callable[[Sequence[str]], Mapping[str, Connection]]
"""Makes one connection for each namespace, as the user says how APIs are reached."""
ValueT = TypeVar("ValueT")
_MAX_MANIFEST_BYTES = 1_000_000
_DOCUMENT_KEYS = frozenset({"openapi", "swagger", "swaggerVersion"})
_MANIFEST_KEYS = frozenset({"apis", "mcp", "functions"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSettings:
    """
    What is served, as the user says it.

    Args:
        keep: What is left of a catalog.
        connect: How the APIs of documents are reached.
        documents: `[ALIAS=]DOC` each.
        manifests: Paths.
        functions: `FILE.py:OBJECT` each, which are run in this process.
        catalog: How tools are made of documents.
        policy: What may be called of them; it holds for manifests where these say nothing else.
        allow_folder: Whose files manifests may name too.
        allow_commands: Whether a manifest's references may be `cmd:COMMAND`.
        run: Runs the Python of manifests; None where that is off.
        drop_namespaces: Whether names have no namespace.
    """

    keep: Callable[[Catalog], Catalog] = field(repr=False)
    connect: Connect = field(repr=False)
    documents: Sequence[str] = ()
    manifests: Sequence[Path] = ()
    functions: Sequence[str] = ()
    catalog: CatalogSettings = field(default_factory=CatalogSettings)
    policy: Policy = field(default_factory=Policy)
    allow_folder: Path | None = None
    allow_commands: bool = False
    run: RunCode | None = field(default=None, repr=False)
    drop_namespaces: bool = False

    @property
    def has_documents(self) -> bool:
        """Whether there is anything but manifests."""
        return bool(self.documents or self.catalog.documents.mcp)

    @property
    def is_read_only(self) -> bool:
        """Whether nothing that changes something may be called."""
        return self.policy.default == "read-only"


def split_sources(sources: Sequence[str]) -> tuple[list[str], list[Path]]:
    """Tell documents from manifests, which are files without the keys of a document."""
    manifests = [text for text in sources if _is_manifest(text)]
    return [text for text in sources if text not in manifests], [*map(Path, manifests)]


def _is_manifest(text: str) -> bool:
    alias, source = split_alias(text)
    path = Path(source)
    if alias is not None or source == "-" or "://" in source:
        return False
    try:
        if not path.is_file() or path.stat().st_size > _MAX_MANIFEST_BYTES:
            return False
        content = path.read_bytes()
    except OSError:
        return False
    from restwright.openapi.syntax.decode import parse_bytes

    try:
        value = parse_bytes(content, source=source).value
    except RestwrightError:
        return False
    if not is_object(value) or _DOCUMENT_KEYS & value.keys():
        return False
    return not _MANIFEST_KEYS.isdisjoint(value)


def load_served(settings: SourceSettings, warn: Callable[[str], None]) -> ServedTools:
    """
    Read documents and manifests, and make what is offered of them.

    Args:
        warn: Told of what was passed over.

    Raises:
        RestwrightError: One of them cannot be used, or nothing is left to be called.
    """
    parts = [_load_documents(settings, warn)] if settings.has_documents else []
    parts += [_load_manifest(path, settings, warn) for path in settings.manifests]
    parts += [_load_functions(text, settings) for text in settings.functions]
    served = parts[0] if len(parts) == 1 else _combine(parts)
    if not served.catalog.entries:
        why = "nothing is left to be called"
        raise UsageError(why, next_move="look at --only, --tag, --method and --read-only")
    return _drop_namespaces(served) if settings.drop_namespaces else served


def _drop_namespaces(served: ServedTools) -> ServedTools:
    bare = {name: entry.operation_name for name, entry in served.catalog.entries.items()}
    return replace(
        served,
        catalog=drop_namespaces(served.catalog),
        offered=drop_namespaces(served.offered),
        fixed={bare.get(name, name): given for name, given in served.fixed.items()},
        picks={bare.get(name, name): picked for name, picked in served.picks.items()},
    )


def _load_documents(settings: SourceSettings, warn: Callable[[str], None]) -> ServedTools:
    catalog = settings.keep(load_catalog(settings.documents, settings.catalog, warn))
    names = list_connection_names(catalog)
    made = settings.connect([name for several in names.values() for name in several])
    connections = group_sources(names, made)
    check_choices(catalog, connections)
    return ServedTools(
        catalog=catalog,
        offered=catalog,
        connections=UserConnections(connections),
        policies=dict.fromkeys(catalog.apis, settings.policy),
        is_read_only=settings.is_read_only,
    )


def _load_functions(text: str, settings: SourceSettings) -> ServedTools:
    options = settings.catalog.tools or DEFAULT_TOOL_OPTIONS
    loaded = load_functions(text, options)
    catalog = settings.keep(loaded.catalog)
    return ServedTools(
        catalog=catalog,
        offered=catalog,
        connections=UserConnections({}),
        policies=dict.fromkeys(catalog.apis, settings.policy),
        prompts=loaded.prompts,
        resources=loaded.resources,
        is_read_only=settings.is_read_only,
    )


def _load_manifest(
    path: Path, settings: SourceSettings, warn: Callable[[str], None]
) -> ServedTools:
    from restwright.manifests.own.loader import load_manifest

    manifest = load_manifest(path, allow=settings.allow_folder)
    made = _build_blueprint(settings, manifest)
    for problem in made.problems:
        warn(f"{problem.severity}: {path}: {problem}")
    agent = ServedAgent(manifest, partial(_build_blueprint, settings))
    return ServedTools(
        catalog=_without_handoffs(made, made.catalog),
        offered=_without_handoffs(made, made.offered),
        connections=UserConnections(made.connections),
        policies=dict.fromkeys(made.catalog.apis, made.policy),
        fixed=made.middleware.fixed,
        picks=made.middleware.picks,
        samples=tuple(
            SampleQuestion(name=sample.name, text=sample.text, title=agent.title)
            for sample in manifest.samples
        ),
        agents=(agent,),
        is_read_only=settings.is_read_only,
    )


def _build_blueprint(settings: SourceSettings, manifest: Manifest) -> AgentBlueprint:
    """An agent that has no other tools than those that are served of its manifest."""
    from restwright.manifests.own.builder import build_blueprint

    made = build_blueprint(
        manifest,
        yes=settings.policy.default == "allow",
        read_only=settings.is_read_only,
        allow_commands=settings.allow_commands,
        run=settings.run,
    )
    names = {*settings.keep(made.catalog).names} | {*made.middleware.handoffs}
    return replace(
        made,
        catalog=_keep_names(made.catalog, names),
        offered=_keep_names(made.offered, names),
    )


def _without_handoffs(made: AgentBlueprint, catalog: Catalog) -> Catalog:
    return _keep_names(catalog, {*catalog.names} - {*made.middleware.handoffs})


def _keep_names(catalog: Catalog, names: set[str]) -> Catalog:
    return filter_catalog(catalog, lambda name, _: name in names)


def _combine(parts: Sequence[ServedTools]) -> ServedTools:
    return ServedTools(
        catalog=combine_catalogs(part.catalog for part in parts),
        offered=combine_catalogs(part.offered for part in parts),
        connections=UserConnections(_merge(part.connections.shared for part in parts)),
        policies=_merge(part.policies for part in parts),
        fixed=_merge(part.fixed for part in parts),
        picks=_merge(part.picks for part in parts),
        samples=tuple(sample for part in parts for sample in part.samples),
        agents=tuple(agent for part in parts for agent in part.agents),
        prompts=tuple(prompt for part in parts for prompt in part.prompts),
        resources=tuple(resource for part in parts for resource in part.resources),
        is_read_only=all(part.is_read_only for part in parts),
    )


def _merge(mappings: Iterable[Mapping[str, ValueT]]) -> dict[str, ValueT]:
    return {name: value for mapping in mappings for name, value in mapping.items()}


def list_files(settings: SourceSettings) -> tuple[Path, ...]:
    """The files that a server is made of, whose changes it takes in."""
    documents = [split_alias(text)[1] for text in settings.documents]
    overlays = [split_alias(text)[1] for text in settings.catalog.documents.overlay]
    locks = [settings.catalog.lock or Path("restwright.lock")]
    named = [text for text in (*documents, *overlays) if text != "-" and "://" not in text]
    return (*map(Path, named), *settings.manifests, *locks)


def has_urls(settings: SourceSettings, served: ServedTools) -> bool:
    """Whether a server is made of what may change without a change of a file."""
    named = [*settings.documents, *settings.catalog.documents.overlay]
    named += [str(api.document) for agent in served.agents for api in agent.manifest.apis]
    return any("://" in text for text in named)
