"""The API of the music service: its document, handlers, credentials and failures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from restwright.jsontypes import Json, JsonObject
from restwright_bench.spotify import (
    handlers_catalogue,
    handlers_library,
    handlers_player,
    handlers_playlists,
)
from restwright_bench.spotify.pages import PREFIX
from restwright_bench.spotify.state import SpotifyState
from restwright_bench.world.api import Api
from restwright_bench.world.checking import Fault
from restwright_bench.world.document import Route, read_document
from restwright_bench.world.exchange import Handlers, Received, Refused

TOKEN = "spotify-token-with-all-scopes"
NO_SCOPES = "spotify-token-without-scopes"
BEARER = "bearer "
HANDLERS: Handlers = {
    **handlers_catalogue.HANDLERS,
    **handlers_library.HANDLERS,
    **handlers_player.HANDLERS,
    **handlers_playlists.HANDLERS,
}
_PLAYER_REASONS = {sentence: reason for reason, sentence in handlers_player.REASONS.items()}


def spotify_api(folder: Path) -> Api:
    """
    The API.

    Args:
        folder: With `specs/` as RestBench has it.
    """
    path = folder / "specs" / "spotify_oas.json"
    return Api(
        name="spotify",
        prefix=PREFIX,
        document=read_document(path),
        written=json.loads(path.read_text(encoding="utf-8")),
        handlers=HANDLERS,
        make=SpotifyState,
        guard=guard,
        failure=failure,
    )


def let_in(received: Received) -> Received:
    """The request with the token that has all scopes, unless it has credentials of its own."""
    if "authorization" in received.headers:
        return received
    return replace(received, headers={**received.headers, "authorization": f"Bearer {TOKEN}"})


def guard(received: Received, route: Route) -> Refused | None:
    """401 without a token that is known, 403 where its scopes are not those of the operation."""
    given = received.headers.get("authorization", "")
    if not given:
        return Refused(401, "No token provided")
    token = given[len(BEARER) :].strip() if given.lower().startswith(BEARER) else ""
    if token == TOKEN:
        return None
    if token != NO_SCOPES:
        return Refused(401, "Invalid access token")
    wanted = _scopes_of(route.operation)
    if wanted:
        return Refused(403, f"Insufficient client scope: needs {' '.join(wanted)}")
    return None


def failure(status: int, reason: str, faults: tuple[Fault, ...]) -> Json:
    """The error object; `errors` tells what does not fit, `reason` why a player refuses."""
    error: JsonObject = {"status": status, "message": reason}
    if faults:
        error["errors"] = [dict(each) for each in faults]
    if reason in _PLAYER_REASONS:
        error["reason"] = _PLAYER_REASONS[reason]
    return {"error": error}


def _scopes_of(operation: JsonObject) -> list[str]:
    """The scopes of the first way in; the document never gives two."""
    ways: list[Mapping[str, list[str]]] = operation.get("security", [])
    return [scope for scopes in ways[:1] for each in scopes.values() for scope in each]
