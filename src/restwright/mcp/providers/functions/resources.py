"""Functions that are resources."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import unquote

import mcp_types as types

from restwright.calls.truncate import compact_json
from restwright.jsontypes import Json
from restwright.mcp.protocol.client_runs import ClientRun, ClientRuns
from restwright.mcp.protocol.exchange import Exchange
from restwright.mcp.protocol.results import read_media
from restwright.mcp.protocol.unicode_text import to_unicode_text
from restwright.mcp.providers.functions.runs import call_function, describe
from restwright.mcp.providers.providers import ResourceOutcome
from restwright.mcp.sources.served import ServedTools
from restwright.tools.functions.calls import FunctionRunner

_PARAMETER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionResources:
    """A `ResourceProvider` over the functions that are served right now."""

    served: Callable[[], ServedTools]
    runs: ClientRuns

    def resources(self) -> Sequence[types.Resource]:
        """One for each function whose URI has no parameter."""
        return [
            types.Resource(
                uri=runner.signature.mark.uri,
                mime_type=runner.signature.mark.media_type,
                **describe(runner),
            )
            for runner in self.served().resources
            if not _PARAMETER.search(runner.signature.mark.uri)
        ]

    def templates(self) -> Sequence[types.ResourceTemplate]:
        """One for each of the others."""
        return [
            types.ResourceTemplate(
                uri_template=runner.signature.mark.uri,
                mime_type=runner.signature.mark.media_type,
                **describe(runner),
            )
            for runner in self.served().resources
            if _PARAMETER.search(runner.signature.mark.uri)
        ]

    async def read(self, exchange: Exchange, uri: str) -> ResourceOutcome | None:
        """What a function returns; None where none has this URI."""
        for runner in self.served().resources:
            given = _match(runner.signature.mark.uri, uri)
            if given is not None:
                act = partial(_read, runner, given, uri)
                return await self.runs.carry_out(exchange, act, f"{uri[:200]} goes on")
        return None


def _match(template: str, uri: str) -> dict[str, str] | None:
    """What the parameters of a template are in a URI; None where it is no such one."""
    parts = _PARAMETER.split(template)
    names, between = parts[1::2], [re.escape(text) for text in parts[::2]]
    found = re.fullmatch("([^/?#]+)".join(between), uri)
    return None if found is None else dict(zip(names, map(unquote, found.groups()), strict=True))


async def _read(
    runner: FunctionRunner, given: Mapping[str, str], uri: str, run: ClientRun
) -> types.ReadResourceResult:
    value = await call_function(runner, given, run)
    return types.ReadResourceResult(contents=[_contents(value, uri, runner)])


def _contents(
    value: Json, uri: str, runner: FunctionRunner
) -> types.TextResourceContents | types.BlobResourceContents:
    if (media := read_media(value)) is not None:
        return types.BlobResourceContents(uri=uri, mime_type=media.media_type, blob=media.base64)
    text = to_unicode_text(value if isinstance(value, str) else compact_json(value))
    media_type = runner.signature.mark.media_type
    return types.TextResourceContents(uri=uri, mime_type=media_type, text=text)
