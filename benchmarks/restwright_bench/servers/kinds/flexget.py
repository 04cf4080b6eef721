"""FlexGet, from PyPI: lists of films and of what waits for approval, series; Swagger 2.0."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from functools import partial

from restwright.jsontypes import JsonObject
from restwright_bench.servers.client import Client
from restwright_bench.servers.registries import install_from_pypi
from restwright_bench.servers.server import Launch, Place, Server, State, Thing, document_at

PACKAGES = ("FlexGet==3.22.8",)
_KEY = "of-this-run-alone"
_ROOT = "/api"
# It makes this table itself where it is not, with a token that nobody knows.
_USERS = """\
CREATE TABLE users (
    id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(50) UNIQUE, token VARCHAR, password VARCHAR
)"""
_ALL = 1000


def _launch(place: Place) -> Launch:
    with closing(sqlite3.connect(place.run / "db-config.sqlite")) as connection, connection:
        connection.execute(_USERS)
        connection.execute("INSERT INTO users VALUES (1, 'flexget', ?, '')", (_KEY,))
    configuration = place.run / "config.yml"
    settings = {
        "web_server": {"bind": "127.0.0.1", "port": place.port, "web_ui": False},
        "schedules": False,
        "tasks": {},
    }
    configuration.write_text(json.dumps(settings), encoding="utf-8")
    flexget = place.installed / "bin/flexget"
    return Launch(command=(str(flexget), "-c", str(configuration), "daemon", "start"))


def _fill(client: Client, things: JsonObject) -> None:
    for name, movies in things["movies"].items():
        at = f"{_ROOT}/movie_list/{_new_list(client, 'movie_list', name)}/movies/"
        for title, year in movies:
            client.send("POST", at, {"movie_name": title, "movie_year": year})
    for name, entries in things["waiting"].items():
        at = f"{_ROOT}/pending_list/{_new_list(client, 'pending_list', name)}/entries/"
        for title, is_approved in entries:
            url = f"http://films.example/{title.replace(' ', '-').lower()}"
            entry = {"title": title, "original_url": url}
            made = client.send("POST", at, entry)
            if is_approved:
                client.send("PUT", f"{at}{made['id']}/", {"operation": "approve"})
    for name, begin in things["series"]:
        client.send("POST", f"{_ROOT}/series/", {"name": name, "begin_episode": begin})


def _new_list(client: Client, kind: str, name: str) -> int:
    return client.send("POST", f"{_ROOT}/{kind}/", {"name": name})["id"]


def _read(client: Client) -> State:
    movie_lists, movies = _lists(client, "movie_list", "movies")
    pending_lists, waiting = _lists(client, "pending_list", "entries")
    entry_lists, entries = _lists(client, "entry_list", "entries")
    series = client.get(f"{_ROOT}/series/", in_config="all", per_page=_ALL)
    variables = client.get(f"{_ROOT}/variables/")
    return {
        "movie_lists": movie_lists,
        "movies": movies,
        "pending_lists": pending_lists,
        "waiting": waiting,
        "entry_lists": entry_lists,
        "entries": entries,
        "series": {str(show["id"]): _show(show) for show in series},
        "variables": {name: {"value": value} for name, value in variables.items()},
        "tasks": {task["name"]: task for task in client.get(f"{_ROOT}/tasks/")},
    }


def _lists(client: Client, kind: str, inside: str) -> tuple[dict[str, Thing], dict[str, Thing]]:
    lists, things = dict[str, Thing](), dict[str, Thing]()
    for each in client.get(f"{_ROOT}/{kind}/"):
        name, at = each["name"], f"{_ROOT}/{kind}/{each['id']}/{inside}/"
        lists[str(each["id"])] = {"name": name}
        for thing in client.get(at, per_page=_ALL):
            things[f"{each['id']}/{thing['id']}"] = {"list": name} | _plain(thing)
    return lists, things


def _plain(thing: JsonObject) -> JsonObject:
    left_out = ("id", "list_id", "added_on", "movies_list_ids")
    kept = {name: value for name, value in thing.items() if name not in left_out}
    identifiers = thing.get("movies_list_ids", ())
    return kept | {each["id_name"]: each["id_value"] for each in identifiers}


def _show(show: JsonObject) -> Thing:
    begin = show["begin_episode"]
    return {
        "name": show["name"],
        "alternate_names": sorted(show["alternate_names"]),
        "begin": begin["identifier"] if begin else None,
    }


SERVER = Server(
    name="flexget",
    split="dev",
    registry="PyPI",
    packages=PACKAGES,
    install=partial(install_from_pypi, packages=PACKAGES),
    launch=_launch,
    ready="/api/server/pid/",
    document=document_at("/api/swagger.json"),
    prefix=_ROOT,
    fill=_fill,
    read=_read,
    headers={"Authorization": f"Token {_KEY}"},
)
