"""Etherpad, from npm: pads, groups, authors, chats; OpenAPI 3.0."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from restwright.jsontypes import JsonObject
from restwright_bench.servers.client import Client, RefusedByServer
from restwright_bench.servers.registries import install_from_npm
from restwright_bench.servers.server import Launch, Place, Server, State, Thing, document_at

PACKAGES = ("ep_etherpad-lite@1.8.14",)
_KEY = "of-this-run-alone"
_ROOT = "/api/1.2.15"
_SETTINGS = {
    "ip": "127.0.0.1",
    "dbType": "dirty",
    "loglevel": "ERROR",
    "defaultPadText": "",
    "disableIPlogging": True,
    "suppressErrorsInPadText": True,
}


def _install(folder: Path) -> None:
    install_from_npm(folder, PACKAGES)
    # It looks for its files above a folder of the name `src`.
    package = folder / "node_modules/ep_etherpad-lite"
    package.rename(folder / "src")
    package.symlink_to("../src")


def _launch(place: Place) -> Launch:
    settings = _SETTINGS | {
        "port": place.port,
        "dbSettings": {"filename": str(place.run / "pads.db")},
    }
    files = {
        "settings": json.dumps(settings),
        "apikey": _KEY,
        "sessionkey": _KEY,
    }
    for name, content in files.items():
        (place.run / name).write_text(content, encoding="utf-8")
    # Of credentials there is none; it would look for them in the folder of its program.
    names = (*files, "credentials")
    options = [part for name in names for part in (f"--{name}", str(place.run / name))]
    return Launch(
        command=("node", str(place.installed / "src/node/server.js"), *options),
        environment={"NODE_ENV": "production", "NO_UPDATE_NOTIFIER": "1"},
    )


def _ask(client: Client, function: str, **arguments: str | int) -> Any:
    told = client.get(f"{_ROOT}/{function}", apikey=_KEY, **arguments)
    if told["code"]:
        raise RefusedByServer(f"{function}: {told['message']}")
    return told["data"]


def _fill(client: Client, things: JsonObject) -> None:
    authors = {
        name: _ask(client, "createAuthor", name=name)["authorID"] for name in things["authors"]
    }
    for pad in things["pads"]:
        _ask(client, "createPad", padID=pad["name"], text=pad["text"])
        for index, (author, text) in enumerate(pad["chat"]):
            said = {"text": text, "authorID": authors[author], "time": 1_700_000_000 + index}
            _ask(client, "appendChatMessage", padID=pad["name"], **said)
    for group in things["groups"]:
        made = _ask(client, "createGroup")["groupID"]
        for pad in group["pads"]:
            _ask(client, "createGroupPad", groupID=made, padName=pad["name"], text=pad["text"])
            if pad["is_public"]:
                pad_id = f"{made}${pad['name']}"
                _ask(client, "setPublicStatus", padID=pad_id, publicStatus="true")


def _empty(client: Client) -> None:
    for group in _ask(client, "listAllGroups")["groupIDs"]:
        _ask(client, "deleteGroup", groupID=group)
    for pad in _ask(client, "listAllPads")["padIDs"]:
        _ask(client, "deletePad", padID=pad)


def _read(client: Client) -> State:
    pads = {name: _pad(client, name) for name in _ask(client, "listAllPads")["padIDs"]}
    groups: dict[str, Thing] = {}
    for group in _ask(client, "listAllGroups")["groupIDs"]:
        sessions = _ask(client, "listSessionsOfGroup", groupID=group)
        groups[group] = {"sessions": len(sessions or ())}
    return {"pads": pads, "groups": groups}


def _pad(client: Client, name: str) -> Thing:
    group, _, short = name.rpartition("$")
    # It refuses to show a chat in which nothing was said.
    has_chat = _ask(client, "getChatHead", padID=name)["chatHead"] >= 0
    chat: list[JsonObject] = (
        _ask(client, "getChatHistory", padID=name)["messages"] if has_chat else []
    )
    is_public = bool(group) and _ask(client, "getPublicStatus", padID=name)["publicStatus"]
    return {
        "name": short,
        "group": group,
        "text": _ask(client, "getText", padID=name)["text"],
        "chat": [message["text"] for message in chat],
        "is_public": is_public,
        "saved": _ask(client, "getSavedRevisionsCount", padID=name)["savedRevisions"],
    }


SERVER = Server(
    name="etherpad",
    split="dev",
    registry="npm",
    packages=PACKAGES,
    install=_install,
    launch=_launch,
    ready="/api/openapi.json",
    document=document_at("/api/openapi.json"),
    prefix=_ROOT,
    fill=_fill,
    read=_read,
    empty=_empty,
    key=_KEY,
)
