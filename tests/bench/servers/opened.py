"""The small library as one of the servers."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from tests.bench.servers.library import FILE, TASKS

from restwright.jsontypes import JsonObject
from restwright_bench.servers.client import Client
from restwright_bench.servers.server import Launch, Place, Server, State
from restwright_bench.servers.tasks import Exam, exam_from


def launch(place: Place) -> Launch:
    return Launch(command=(sys.executable, str(FILE), str(place.port)))


def fails_to_start(place: Place) -> Launch:
    return Launch(command=(sys.executable, str(FILE), str(place.port), "fail"))


def install(folder: Path) -> None:
    (folder / "program").write_text("library", encoding="utf-8")


def document(client: Client, place: Place) -> str:
    del place
    return client.text("GET", "/openapi.json")


def fill(client: Client, things: JsonObject) -> None:
    for book in things["books"]:
        client.send("POST", "/books", book)


def read(client: Client) -> State:
    return {"books": {book["id"]: book for book in client.get("/books")}}


def empty(client: Client) -> None:
    for book in client.get("/books"):
        client.send("DELETE", f"/books/{book['id']}")


LIBRARY = Server(
    name="library",
    split="dev",
    registry="PyPI",
    packages=("library==1",),
    install=install,
    launch=launch,
    ready="/books",
    document=document,
    fill=fill,
    read=read,
)
EMPTIED = replace(LIBRARY, empty=empty)
BROKEN = replace(LIBRARY, launch=fails_to_start)


def exam(seed: int = 0) -> Exam:
    return exam_from(TASKS, LIBRARY, seed)
