"""What there is to read beside tools: what an API is about, each tool, and long responses."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

import mcp_types as types

from restwright.calls.truncate import compact_json
from restwright.jsontypes import JsonObject
from restwright.mcp.calling.kept_results import PREFIX, KeptResults
from restwright.mcp.protocol.exchange import Exchange
from restwright.mcp.protocol.unicode_text import to_unicode_text
from restwright.mcp.sources.served import ServedTools
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.toolset import show_tool

API_URI = "restwright://apis/{api}"
TOOL_URI = "restwright://tools/{tool}"
_API = re.compile(r"restwright://apis/([^/?#]+)")
_TOOL = re.compile(r"restwright://tools/([^/?#]+)")
_JSON = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogResources:
    """
    A `ResourceProvider` and a `Completer` over what is served.

    Args:
        served: Right now.
        kept: Responses that were too long.
    """

    served: Callable[[], ServedTools]
    kept: KeptResults

    def resources(self) -> Sequence[types.Resource]:
        """One for each API."""
        catalog = self.served().offered
        return [
            types.Resource(
                uri=API_URI.format(api=quote(name, safe="")),
                name=name,
                title=to_unicode_text(api.title or name),
                description="What the API is about, where it is served, and its tools by tag.",
                mime_type=_JSON,
            )
            for name, api in sorted(catalog.apis.items())
        ]

    def uris(self) -> Sequence[str]:
        """Of all resources that are listed."""
        return [str(resource.uri) for resource in self.resources()]

    def templates(self) -> Sequence[types.ResourceTemplate]:
        """Tools, by their names."""
        return [
            types.ResourceTemplate(
                uri_template=TOOL_URI,
                name="tool",
                title="A tool",
                description="What a tool does and takes, and what it answers.",
                mime_type=_JSON,
            )
        ]

    async def read(self, exchange: Exchange, uri: str) -> types.ReadResourceResult | None:
        """What a resource holds; None where there is none, or it is another user's."""
        if uri.startswith(PREFIX):
            return self._read_kept(uri, exchange.user)
        catalog = self.served().offered
        if (found := _API.fullmatch(uri)) and (name := unquote(found[1])) in catalog.apis:
            return _json_contents(uri, _describe_api(catalog, name))
        if (found := _TOOL.fullmatch(uri)) and (name := unquote(found[1])) in catalog:
            return _json_contents(uri, _describe_tool(catalog, name))
        return None

    def complete(self, reference: str, argument: str, typed: str) -> Sequence[str] | None:
        """The names of tools that begin with, or else have in them, what was typed."""
        if reference != TOOL_URI or argument != "tool":
            return None
        names = self.served().offered.names
        lower = typed.lower()
        begin = [name for name in names if name.lower().startswith(lower)]
        begun = {*begin}
        return [*begin, *(name for name in names if name not in begun and lower in name.lower())]

    def _read_kept(self, uri: str, user: str) -> types.ReadResourceResult | None:
        found = self.kept.find(uri, user)
        if found is None:
            return None
        if found.media_type in {_JSON, "text/plain"}:
            text = found.body.decode("utf-8", "replace")
            contents = types.TextResourceContents(uri=uri, mime_type=found.media_type, text=text)
            return types.ReadResourceResult(contents=[contents])
        blob = base64.b64encode(found.body).decode()
        contents = types.BlobResourceContents(uri=uri, mime_type=found.media_type, blob=blob)
        return types.ReadResourceResult(contents=[contents])


def _json_contents(uri: str, value: JsonObject) -> types.ReadResourceResult:
    text = to_unicode_text(compact_json(value))
    contents = types.TextResourceContents(uri=uri, mime_type=_JSON, text=text)
    return types.ReadResourceResult(contents=[contents])


def _describe_api(catalog: Catalog, namespace: str) -> JsonObject:
    api = catalog.apis[namespace]
    by_tag: dict[str, list[str]] = {}
    for name, entry in catalog.entries.items():
        if entry.namespace == namespace:
            tag = entry.operation.tags[0] if entry.operation.tags else ""
            by_tag.setdefault(tag, []).append(name)
    return {
        "name": namespace,
        "title": api.title,
        "version": api.version,
        "description": api.description,
        "servers": [server.url for server in api.servers],
        "tools": by_tag,
    }


def _describe_tool(catalog: Catalog, name: str) -> JsonObject:
    tool = catalog[name]
    return {
        **show_tool(catalog, name),
        "method": tool.operation.method.upper(),
        "path": tool.operation.path,
        "response": tool.output,
    }
