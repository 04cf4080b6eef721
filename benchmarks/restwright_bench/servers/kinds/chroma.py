"""Chroma, from PyPI: tenants, databases, collections of documents; OpenAPI 3.1."""

from __future__ import annotations

from functools import partial

from restwright.jsontypes import JsonObject
from restwright_bench.servers.client import Client
from restwright_bench.servers.registries import install_from_pypi
from restwright_bench.servers.server import Launch, Place, Server, State, Thing, document_at

PACKAGES = ("chromadb==1.5.9",)
_ROOT = "/api/v2/tenants"
_TENANT = "default_tenant"


def _launch(place: Place) -> Launch:
    address = ("--host", "127.0.0.1", "--port", str(place.port))
    chroma = place.installed / "bin/chroma"
    return Launch(
        command=(str(chroma), "run", "--path", str(place.run / "store"), *address),
        environment={"ANONYMIZED_TELEMETRY": "False"},
    )


def _fill(client: Client, things: JsonObject) -> None:
    for database, collections in things.items():
        client.send("POST", f"{_ROOT}/{_TENANT}/databases", {"name": database})
        inside = f"{_ROOT}/{_TENANT}/databases/{database}/collections"
        for collection in collections:
            made = client.send("POST", inside, _without(collection, "documents"))
            if documents := collection["documents"]:
                client.send("POST", f"{inside}/{made['id']}/add", _added(documents))


def _without(thing: JsonObject, left_out: str) -> JsonObject:
    return {name: value for name, value in thing.items() if name != left_out}


def _added(documents: list[JsonObject]) -> JsonObject:
    return {
        "ids": [document["id"] for document in documents],
        "documents": [document["text"] for document in documents],
        "metadatas": [document["metadata"] for document in documents],
        "embeddings": [[float(index), 1.0] for index, _ in enumerate(documents)],
    }


def _read(client: Client) -> State:
    databases, collections = dict[str, Thing](), dict[str, Thing]()
    documents = dict[str, Thing]()
    for database in client.get(f"{_ROOT}/{_TENANT}/databases"):
        name = database["name"]
        databases[name] = {"name": name}
        inside = f"{_ROOT}/{_TENANT}/databases/{name}/collections"
        for collection in client.get(inside):
            found = client.send("POST", f"{inside}/{collection['id']}/get", {})
            collections[collection["id"]] = {
                "database": name,
                "name": collection["name"],
                "metadata": collection["metadata"],
                "documents": len(found["ids"]),
            }
            documents |= _documents(collection["id"], found)
    return {"databases": databases, "collections": collections, "documents": documents}


def _documents(collection: str, found: JsonObject) -> dict[str, Thing]:
    rows = zip(found["ids"], found["documents"], found["metadatas"], strict=True)
    return {
        f"{collection}/{key}": {"collection": collection, "id": key, "text": text, **(more or {})}
        for key, text, more in rows
    }


SERVER = Server(
    name="chroma",
    split="never-read",
    registry="PyPI",
    packages=PACKAGES,
    install=partial(install_from_pypi, packages=PACKAGES),
    launch=_launch,
    ready="/api/v2/heartbeat",
    document=document_at("/openapi.json"),
    fill=_fill,
    read=_read,
)
