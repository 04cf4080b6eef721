"""From documents and credentials to a toolbox."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from restwright.agents.runtime.human_input import Human, no_human
from restwright.calls.approval.approval import Approve
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.calls.auth.connection import Connection
from restwright.calls.auth.credentials import Auth
from restwright.calls.auth.oauth.driver import AsyncSend
from restwright.errors import NotOpenAPI, UsageError
from restwright.jsontypes import JsonObject
from restwright.net.documents import make_retriever
from restwright.net.messages import Send
from restwright.openapi.api import load
from restwright.openapi.load.loader import load_document
from restwright.openapi.model import API
from restwright.toolboxes.toolbox import MAX_CHARS, Toolbox
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.options import DEFAULT_TOOL_OPTIONS, ToolOptions
from restwright.tools.toolset import OfferLimits
from restwright.workflows.load import catalog_from_content, is_workflow_content


def toolbox(
    *apis: Catalog | API | str | Path | bytes | JsonObject,
    server: str | None = None,
    auth: Auth | Mapping[str, Auth] | None = None,
    headers: Mapping[str, str] | None = None,
    connections: Mapping[str, Connection] | None = None,
    policy: Policy = CONFIRM,
    approve: Approve | None = None,
    human: Human = no_human,
    send: Send | AsyncSend | None = None,
    files: Path | None = None,
    options: ToolOptions = DEFAULT_TOOL_OPTIONS,
    limits: OfferLimits | None = None,
    max_chars: int = MAX_CHARS,
) -> Toolbox:
    """
    The tools of some APIs, for a loop of one's own.

    Args:
        apis: Documents of OpenAPI and of Arazzo as `load()` takes them, what it returns, and
            catalogs, such as of functions.
        server: Of the one API, as `Connection.server`.
        auth: Of the one API, as `Connection.auth`: a reference such as `env:SHOP_TOKEN`.
        headers: Of the one API, sent with every request.
        connections: `{namespace: Connection}`, in the place of these where there are several APIs.
        policy: What may be called at once, what is asked about, and what is refused.
        approve: Asked about each write; where None, a write waits in `Toolbox.pending`.
        human: Fills in what tools leave to a human.
        send: Carries requests; a `Transport` of its own where None.
        files: Folder for responses that are no text; None to store nothing.
        options: How the tools of documents are presented.
        limits: Of what is offered at once.
        max_chars: Characters of one response that a model reads.

    Raises:
        DocumentError: A document cannot be read.
        UsageError: There is no API, or a credential might be one for several.
        NoSuchPart: A connection is for no API that is there.
    """
    whole = _open_catalog(apis, options)
    if server is not None or auth is not None or headers:
        if len(whole.apis) != 1 or connections:
            what = "server, auth and headers are for one API"
            why = f"{what}, and there are {len(whole.apis)}" if not connections else what
            namespaces = ", ".join(whole.apis)
            move = f"give connections={{namespace: Connection(...)}} for {namespaces}"
            raise UsageError(why, "toolbox", move)
        (namespace,) = whole.apis
        connections = {namespace: Connection(server, headers or {}, auth)}
    return Toolbox(
        whole,
        connections=connections,
        policy=policy,
        approve=approve,
        human=human,
        send=send,
        files=files,
        limits=limits,
        max_chars=max_chars,
    )


def _open_catalog(
    apis: tuple[Catalog | API | str | Path | bytes | JsonObject, ...], options: ToolOptions
) -> Catalog:
    if len(apis) == 1 and isinstance(apis[0], Catalog):
        return apis[0]
    if not apis:
        raise UsageError("no API is given", "toolbox", "give a document, an API or a catalog")
    opened = [
        item if isinstance(item, API | Catalog) else _open_document(item, options) for item in apis
    ]
    return catalog(*opened, options=options)


def _open_document(source: str | Path | bytes | JsonObject, options: ToolOptions) -> API | Catalog:
    """A document of OpenAPI, or the workflows of one of Arazzo."""
    try:
        return load(source)
    except NotOpenAPI:
        # Standard input is read already, and cannot be read a second time.
        if source == "-":
            raise
        document = load_document(source, retrieve=make_retriever())
        if not is_workflow_content(document.content):
            raise
    return catalog_from_content(document.content, document.source, options=options)
