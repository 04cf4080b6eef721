"""Alertmanager of Prometheus, from Debian: alerts and silences; Swagger 2.0."""

from __future__ import annotations

import json
from pathlib import Path

from restwright.jsontypes import JsonObject
from restwright_bench.servers.client import Client
from restwright_bench.servers.registries import install_from_debian
from restwright_bench.servers.server import Launch, Place, Server, State

PACKAGES = ("prometheus-alertmanager",)
_PROGRAM = "usr/bin/prometheus-alertmanager"
_TEMPLATES = b"/usr/share/prometheus/alertmanager"
_BESIDE = b"./" * 11 + b"alertmanager"
"""The same folder, in as many bytes, as seen from the one that it stands in."""
_CONFIGURATION = {
    "route": {"receiver": "night-shift"},
    "receivers": [{"name": "night-shift"}, {"name": "harbour-office"}, {"name": "workshop"}],
}


def _install(folder: Path) -> None:
    install_from_debian(folder, PACKAGES)
    program = folder / _PROGRAM
    # Debian's program reads its templates from a path that only an installation as root fills.
    program.write_bytes(program.read_bytes().replace(_TEMPLATES, _BESIDE))


def _launch(place: Place) -> Launch:
    configuration = place.run / "alertmanager.yml"
    configuration.write_text(json.dumps(_CONFIGURATION), encoding="utf-8")
    return Launch(
        command=(
            str(place.installed / _PROGRAM),
            f"--config.file={configuration}",
            f"--storage.path={place.run}",
            f"--web.listen-address=127.0.0.1:{place.port}",
            "--cluster.listen-address=",
        ),
        folder=place.installed / "usr/share/prometheus",
    )


def _document(client: Client, place: Place) -> str:
    """The document that the program holds; it serves it nowhere."""
    del client
    held = (place.installed / _PROGRAM).read_bytes()
    start = held.rindex(b'{\n  "consumes"', 0, held.index(b'"swagger": "2.0"'))
    document, _ = json.JSONDecoder().raw_decode(held[start : start + 200_000].decode("latin-1"))
    return json.dumps(document)


def _fill(client: Client, things: JsonObject) -> None:
    client.send("POST", "/api/v2/alerts", things["alerts"])
    for silence in things["silences"]:
        client.send("POST", "/api/v2/silences", silence)


def _read(client: Client) -> State:
    alerts = {
        alert["fingerprint"]: {
            **alert["labels"],
            **alert["annotations"],
            "startsAt": alert["startsAt"],
            "endsAt": alert["endsAt"],
        }
        for alert in client.get("/api/v2/alerts")
    }
    silences = {
        silence["id"]: {
            "comment": silence["comment"],
            "createdBy": silence["createdBy"],
            "endsAt": silence["endsAt"],
            "matchers": sorted(map(_matcher, silence["matchers"])),
        }
        for silence in client.get("/api/v2/silences")
        if silence["status"]["state"] != "expired"
    }
    receivers = {each["name"]: {"name": each["name"]} for each in client.get("/api/v2/receivers")}
    return {"alerts": alerts, "silences": silences, "receivers": receivers}


def _matcher(matcher: JsonObject) -> str:
    signs = {(True, False): "=", (False, False): "!=", (True, True): "=~", (False, True): "!~"}
    sign = signs[matcher.get("isEqual", True), matcher["isRegex"]]
    return f"{matcher['name']}{sign}{matcher['value']}"


SERVER = Server(
    name="alertmanager",
    split="dev",
    registry="Debian",
    packages=PACKAGES,
    install=_install,
    launch=_launch,
    ready="/api/v2/status",
    document=_document,
    prefix="/api/v2",
    fill=_fill,
    read=_read,
)
