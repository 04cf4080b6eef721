"""The authoritative server of PowerDNS, from Debian: zones, records, keys; Swagger 2.0."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import partial

from restwright.jsontypes import JsonObject
from restwright_bench.servers.client import Client
from restwright_bench.servers.process import free_port
from restwright_bench.servers.registries import install_from_debian
from restwright_bench.servers.server import Launch, Place, Server, State, Thing, document_at

PACKAGES = ("pdns-server", "pdns-backend-sqlite3")
_KEY = "of-this-run-alone"
_ROOT = "/api/v1/servers/localhost"
_SCHEMA = "usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql"


def _launch(place: Place) -> Launch:
    database = place.run / "pdns.sqlite3"
    with closing(sqlite3.connect(database)) as connection:
        schema = (place.installed / _SCHEMA).read_text(encoding="utf-8")
        connection.executescript(schema)
    libraries = next(place.installed.glob("usr/lib/*/pdns"))
    options = {
        "module-dir": libraries,
        "launch": "gsqlite3",
        "gsqlite3-database": database,
        "gsqlite3-dnssec": "yes",
        "config-dir": place.run,
        "socket-dir": place.run,
        "local-address": "127.0.0.1",
        "local-port": free_port(),
        "api": "yes",
        "api-key": _KEY,
        "webserver": "yes",
        "webserver-address": "127.0.0.1",
        "webserver-port": place.port,
        "webserver-allow-from": "127.0.0.1",
        "security-poll-suffix": "",
        # Else a zone that was made a moment ago may not be there yet.
        "zone-cache-refresh-interval": 0,
        "query-cache-ttl": 0,
        "negquery-cache-ttl": 0,
        "cache-ttl": 0,
        "daemon": "no",
        "guardian": "no",
    }
    return Launch(
        command=(
            str(place.installed / "usr/sbin/pdns_server"),
            "--no-config",
            *(f"--{name}={value}" for name, value in options.items()),
        ),
        environment={"LD_LIBRARY_PATH": str(libraries.parent)},
    )


def _fill(client: Client, things: JsonObject) -> None:
    for zone in things["zones"]:
        rrsets = [_rrset(zone["name"], *record) for record in zone["records"]]
        plain = {name: value for name, value in zone.items() if name != "records"}
        client.send("POST", f"{_ROOT}/zones", plain | {"rrsets": rrsets})
    for key in things["keys"]:
        client.send("POST", f"{_ROOT}/tsigkeys", key)
    for primary in things["autoprimaries"]:
        client.send("POST", f"{_ROOT}/autoprimaries", primary)


def _rrset(zone: str, name: str, kind: str, ttl: int, content: str) -> JsonObject:
    records = [{"content": content, "disabled": False}]
    return {"name": f"{name}.{zone}", "type": kind, "ttl": ttl, "records": records}


def _read(client: Client) -> State:
    # Names are as people say them: without the dot at their end.
    zones, records, metadata = dict[str, Thing](), dict[str, Thing](), dict[str, Thing]()
    for told in client.get(f"{_ROOT}/zones"):
        at = f"{_ROOT}/zones/{told['id']}"
        zone = client.get(at)
        kept = ("name", "kind", "account", "masters", "dnssec", "catalog")
        sets = [each for each in zone["rrsets"] if each["type"] != "SOA"]
        own = _said(zone["name"])
        zones[own] = {name: zone[name] for name in kept} | {"name": own}
        for each in sets:
            records[f"{each['name']} {each['type']}"] = {
                "zone": own,
                "name": _said(each["name"]),
                "type": each["type"],
                "ttl": each["ttl"],
                "contents": sorted(_said(record["content"]) for record in each["records"]),
                "disabled": any(record["disabled"] for record in each["records"]),
            }
        for each in client.get(f"{at}/metadata"):
            if each["kind"] != "SOA-EDIT-API":
                key = f"{own} {each['kind']}"
                metadata[key] = {"zone": own, "values": sorted(each["metadata"])}
    return {
        "zones": zones,
        "records": records,
        "metadata": metadata,
        "keys": _by("id", client.get(f"{_ROOT}/tsigkeys"), ("name", "algorithm")),
        "autoprimaries": _by(
            "ip", client.get(f"{_ROOT}/autoprimaries"), ("ip", "nameserver", "account")
        ),
    }


def _said(name: str) -> str:
    return name.removesuffix(".")


def _by(key: str, things: list[JsonObject], kept: tuple[str, ...]) -> dict[str, Thing]:
    return {thing[key]: {name: thing[name] for name in kept} for thing in things}


SERVER = Server(
    name="pdns",
    split="dev",
    registry="Debian",
    packages=PACKAGES,
    install=partial(install_from_debian, packages=PACKAGES),
    launch=_launch,
    ready="/api/v1/servers",
    document=document_at("/api/docs"),
    prefix="/api/v1",
    fill=_fill,
    read=_read,
    headers={"X-API-Key": _KEY},
)
