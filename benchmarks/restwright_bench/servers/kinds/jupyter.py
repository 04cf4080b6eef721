"""Jupyter Server, from PyPI: files, notebooks, folders, checkpoints; Swagger 2.0."""

from __future__ import annotations

from functools import partial
from urllib.parse import quote

from restwright.jsontypes import JsonObject
from restwright_bench.servers.client import Client
from restwright_bench.servers.registries import install_from_pypi
from restwright_bench.servers.server import Launch, Place, Server, State, Thing, document_at

PACKAGES = ("jupyter-server==2.21.1",)
_KEY = "of-this-run-alone"
_ROOT = "/api/contents"


def _launch(place: Place) -> Launch:
    home = place.run / "home"
    home.mkdir()
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": place.port,
        "ServerApp.port_retries": 0,
        "ServerApp.root_dir": home,
        "ServerApp.open_browser": False,
        # In a container all there is may be root.
        "ServerApp.allow_root": True,
        "IdentityProvider.token": _KEY,
    }
    return Launch(
        command=(
            str(place.installed / "bin/jupyter-server"),
            *(f"--{name}={value}" for name, value in options.items()),
        ),
        environment={
            "JUPYTER_CONFIG_DIR": str(place.run / "settings"),
            "JUPYTER_DATA_DIR": str(place.run / "data"),
            "JUPYTER_RUNTIME_DIR": str(place.run / "runtime"),
        },
    )


def _fill(client: Client, things: JsonObject) -> None:
    for folder, files in things.items():
        client.send("PUT", f"{_ROOT}/{folder}", {"type": "directory"})
        for name, text in files.items():
            at = f"{_ROOT}/{quote(f'{folder}/{name}')}"
            client.send("PUT", at, _notebook(text) if name.endswith(".ipynb") else _file(text))


def _file(text: str) -> JsonObject:
    return {"type": "file", "format": "text", "content": text}


def _notebook(text: str) -> JsonObject:
    cell = {"cell_type": "markdown", "id": "first", "metadata": {}, "source": text}
    content = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return {"type": "notebook", "format": "json", "content": content}


def _read(client: Client) -> State:
    things = dict[str, Thing]()
    _look_into("", client, things)
    return {
        "things": things,
        "sessions": _by("id", client.get("/api/sessions"), ("path", "name")),
        "kernels": _by("id", client.get("/api/kernels"), ("name",)),
        "terminals": _by("name", client.get("/api/terminals"), ("name",)),
    }


def _look_into(folder: str, client: Client, things: dict[str, Thing]) -> None:
    for told in client.get(f"{_ROOT}/{quote(folder)}")["content"]:
        path = told["path"]
        things[path] = {
            "path": path,
            "folder": folder,
            "name": told["name"],
            # People leave out what the name ends with.
            "title": told["name"].partition(".")[0],
            "type": told["type"],
            "size": told["size"],
            "text": _text(path, client) if told["type"] != "directory" else None,
        }
        if told["type"] == "directory":
            _look_into(path, client, things)


def _text(path: str, client: Client) -> str:
    shown = client.get(f"{_ROOT}/{quote(path)}", type="file")
    # Some editors, and some people, end a text with a line break.
    return str(shown["content"]).rstrip("\n")


def _by(key: str, things: list[JsonObject], kept: tuple[str, ...]) -> dict[str, Thing]:
    return {thing[key]: {name: thing[name] for name in kept} for thing in things}


SERVER = Server(
    name="jupyter",
    split="dev",
    registry="PyPI",
    packages=PACKAGES,
    install=partial(install_from_pypi, packages=PACKAGES),
    launch=_launch,
    ready="/api/status",
    document=document_at("/api/spec.yaml"),
    fill=_fill,
    read=_read,
    headers={"Authorization": f"token {_KEY}"},
)
