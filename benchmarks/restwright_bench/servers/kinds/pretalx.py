"""pretalx, from PyPI: talks, speakers, rooms, tracks and tags of conferences; OpenAPI 3.0."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from restwright.jsontypes import JsonObject
from restwright_bench.servers.client import Client
from restwright_bench.servers.registries import install_from_pypi, run_installed
from restwright_bench.servers.server import Launch, Place, Server, State, Thing

# It is a web application alone: one package writes its document, the other serves it.
PACKAGES = ("pretalx==2025.2.2", "drf-spectacular==0.28.0", "waitress==3.0.2")
_KEY = "of-this-run-alone"
_ROOT = "/api/events"
_TEAMS = "/api/organisers/office/teams/"
_DATABASE, _DOCUMENT, _STATIC = "db.sqlite3", "openapi.yaml", "static"
_EVENTS = {"lantern27": "Lantern Days", "bf-talks": "Book Fair Talks"}
# Conferences and who may do everything are made in its own pages, by no call of its API.
_CONFERENCES = """\
import datetime, json, sys
import django
django.setup()
from django_scopes import scopes_disabled
from pretalx.event.models import Event
from pretalx.event.utils import create_organiser_with_team
from pretalx.person.models import User
from pretalx.person.models.auth_token import ENDPOINTS, WRITE_PERMISSIONS, UserApiToken
key, events = sys.argv[1], json.loads(sys.argv[2])
with scopes_disabled():
    user = User.objects.create_superuser(key, name="Office", email="office@conference.example")
    organiser, team = create_organiser_with_team(name="Office", slug="office", users=[user])
    team.all_events = team.can_change_event_settings = team.can_change_submissions = True
    team.save()
    token = UserApiToken.objects.create(
        name="office", token=key, user=user, endpoints=dict.fromkeys(ENDPOINTS, WRITE_PERMISSIONS)
    )
    for slug, name in events.items():
        event = Event.objects.create(
            organiser=organiser, slug=slug, name=name, email="office@conference.example",
            date_from=datetime.date(2027, 5, 7), date_to=datetime.date(2027, 5, 9),
            timezone="UTC", locale="en", locale_array="en", content_locale_array="en",
        )
        event.build_initial_data()
        token.events.add(event)
"""
_COLOUR = "#2a6f4e"
_ALL = 250
_TABLES = {
    "rooms": "rooms",
    "kinds": "submission-types",
    "tracks": "tracks",
    "tags": "tags",
    "talks": "submissions",
    "speakers": "speakers",
    "reviews": "reviews",
    "questions": "questions",
    "options": "question-options",
    "answers": "answers",
    "codes": "access-codes",
    "information": "speaker-information",
    "templates": "mail-templates",
    "schedules": "schedules",
}
# Drawn by itself, or told of another table.
_LEFT_OUT = ("id", "uuid", "guid", "submission", "submission_type", "submissions", "avatar_url")


def _install(folder: Path) -> None:
    install_from_pypi(folder, PACKAGES)
    data = folder / "data"
    environment = _settings(folder, data)
    for arguments in (
        ("-m", "pretalx", "migrate"),
        # Without these files it fails at every page, even at the one that says 404.
        ("-m", "pretalx", "collectstatic", "--noinput"),
        ("-m", "pretalx", "spectacular", "--file", str(folder / _DOCUMENT)),
        ("-c", _CONFERENCES, _KEY, json.dumps(_EVENTS)),
    ):
        run_installed(folder, arguments, environment)


def _settings(installed: Path, data: Path) -> dict[str, str]:
    return {
        "HOME": str(data),
        "DJANGO_SETTINGS_MODULE": "pretalx.settings",
        "PRETALX_DATA_DIR": str(data),
        "PRETALX_FILESYSTEM_STATIC": str(installed / _STATIC),
        # A port that nothing listens to: nobody is written to.
        "PRETALX_MAIL_HOST": "127.0.0.1",
        "PRETALX_MAIL_PORT": "9",
    }


def _launch(place: Place) -> Launch:
    shutil.copy(place.installed / "data" / _DATABASE, place.run)
    origin = f"127.0.0.1:{place.port}"
    return Launch(
        command=(
            str(place.installed / "bin/waitress-serve"),
            f"--listen={origin}",
            "pretalx.wsgi:application",
        ),
        environment=_settings(place.installed, place.run)
        | {"PRETALX_SITE_URL": f"http://{origin}"},
    )


def _document(_client: Client, place: Place) -> str:
    return (place.installed / _DOCUMENT).read_text(encoding="utf-8")


def _fill(client: Client, things: JsonObject) -> None:
    for slug, conference in things.items():
        _fill_conference(client, f"{_ROOT}/{slug}", conference)


def _fill_conference(client: Client, at: str, told: JsonObject) -> None:
    ids = {
        "room": {
            name: _new(client, f"{at}/rooms/", name=name, capacity=capacity)
            for name, capacity in told["rooms"]
        },
        "kind": {
            name: _new(client, f"{at}/submission-types/", name=name, default_duration=minutes)
            for name, minutes in told["kinds"]
        },
        "track": {
            name: _new(client, f"{at}/tracks/", name=name, color=_COLOUR) for name in told["tracks"]
        },
    }
    for tag in told["tags"]:
        _new(client, f"{at}/tags/", tag=tag, color=_COLOUR)
    for code, uses in told["codes"]:
        _new(client, f"{at}/access-codes/", code=code, maximum_uses=uses)
    for talk in told["talks"]:
        _fill_talk(client, at, talk, ids)


def _fill_talk(client: Client, at: str, talk: JsonObject, ids: Mapping[str, JsonObject]) -> None:
    submission = {
        "title": talk["title"],
        "submission_type": ids["kind"][talk["kind"]],
        "track": ids["track"][talk["track"]],
        "abstract": talk["abstract"],
        "content_locale": "en",
    }
    code = client.send("POST", f"{at}/submissions/", submission)["code"]
    name, email = talk["speaker"]
    own = f"{at}/submissions/{code}"
    client.send("POST", f"{own}/add-speaker/", {"name": name, "email": email})
    for step in talk["steps"]:
        client.send("POST", f"{own}/{step}/")
    if "room" in talk:
        slots = client.get(f"{at}/schedules/wip/", expand="slots")["slots"]
        slot = next(slot["id"] for slot in slots if slot["submission"] == code)
        where = {"room": ids["room"][talk["room"]], "start": talk["start"]}
        client.send("PATCH", f"{at}/slots/{slot}/", where)


def _new(client: Client, at: str, **members: Any) -> int:
    return client.send("POST", at, members)["id"]


def _read(client: Client) -> State:
    state = dict[str, dict[str, Thing]]()
    for slug in _EVENTS:
        for table, things in _conference(client, f"{_ROOT}/{slug}").items():
            for thing in things:
                key = f"{slug}/{thing.get('code', thing.get('id'))}"
                state.setdefault(table, {})[key] = {"event": slug} | _plain(thing)
    teams = client.get(_TEAMS)["results"]
    return {**state, "teams": {str(team["id"]): team for team in teams}}


def _conference(client: Client, at: str) -> dict[str, list[JsonObject]]:
    tables = {name: _all(client, f"{at}/{path}/") for name, path in _TABLES.items()}
    speakers, rooms = _names(tables["speakers"], "code"), _names(tables["rooms"])
    kinds, tracks = _names(tables["kinds"]), _names(tables["tracks"])
    talks = [
        talk
        | {
            "kind": kinds.get(talk["submission_type"]),
            "track": tracks.get(talk["track"]),
            "speakers": sorted(speakers.get(code, code) for code in talk["speakers"]),
        }
        for talk in tables["talks"]
    ]
    titles = {talk["code"]: talk["title"] for talk in talks}
    slots = client.get(f"{at}/schedules/wip/", expand="slots")["slots"]
    # One without a room and a time only says that a talk has still to be given them.
    given = [
        slot | {"talk": titles.get(slot["submission"]), "room": rooms.get(slot["room"])}
        for slot in slots
        if slot["room"] or slot["start"]
    ]
    return tables | {"talks": talks, "slots": given}


def _all(client: Client, at: str) -> list[JsonObject]:
    return client.get(at, limit=_ALL)["results"]


def _names(things: list[JsonObject], key: str = "id") -> dict[Any, Any]:
    return {thing[key]: _said(thing["name"]) for thing in things}


def _plain(thing: JsonObject) -> Thing:
    return {name: _said(value) for name, value in thing.items() if name not in _LEFT_OUT}


def _said(value: Any) -> Any:
    """A text that may be there in several languages, in the one of the conference."""
    if isinstance(value, dict):
        return value.get("en") or next(iter(value.values()), "")  # type: ignore[unknown]
    return value


SERVER = Server(
    name="pretalx",
    split="dev",
    registry="PyPI",
    packages=PACKAGES,
    install=_install,
    launch=_launch,
    ready=f"{_ROOT}/",
    document=_document,
    fill=_fill,
    read=_read,
    headers={"Authorization": f"Token {_KEY}"},
)
