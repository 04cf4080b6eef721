"""Kinto, from PyPI: buckets, collections in them, records in those; Swagger 2.0."""

from __future__ import annotations

from functools import partial

from restwright.jsontypes import JsonObject
from restwright_bench.servers.client import Client
from restwright_bench.servers.registries import install_from_pypi
from restwright_bench.servers.server import Launch, Place, Server, State, Thing, document_at

PACKAGES = ("kinto==26.5.0",)
_CONFIGURATION = """\
[app:main]
use = egg:kinto
kinto.storage_backend = kinto.core.storage.memory
kinto.permission_backend = kinto.core.permission.memory
kinto.cache_backend = kinto.core.cache.memory
kinto.bucket_create_principals = system.Everyone
kinto.bucket_read_principals = system.Everyone
kinto.bucket_write_principals = system.Everyone
multiauth.policies = basicauth
kinto.userid_hmac_secret = of-this-run-alone
[server:main]
use = egg:waitress
host = 127.0.0.1
port = {port}
"""
_ROOT = "/v1/buckets"


def _launch(place: Place) -> Launch:
    configuration = place.run / "kinto.ini"
    configuration.write_text(_CONFIGURATION.format(port=place.port), encoding="utf-8")
    pserve = place.installed / "bin/pserve"
    return Launch(command=(str(pserve), str(configuration)))


def _fill(client: Client, things: JsonObject) -> None:
    for bucket, collections in things.items():
        client.send("PUT", f"{_ROOT}/{bucket}", {"data": {}})
        for name, records in collections.items():
            inside = f"{_ROOT}/{bucket}/collections/{name}"
            client.send("PUT", inside, {"data": {}})
            for record in records:
                client.send("POST", f"{inside}/records", {"data": record})


def _read(client: Client) -> State:
    buckets, collections = dict[str, Thing](), dict[str, Thing]()
    groups, records = dict[str, Thing](), dict[str, Thing]()
    for bucket in client.get(_ROOT)["data"]:
        at = f"{_ROOT}/{bucket['id']}"
        buckets[bucket["id"]] = _plain(bucket)
        for group in client.get(f"{at}/groups")["data"]:
            groups[f"{bucket['id']}/{group['id']}"] = _plain(group)
        for collection in client.get(f"{at}/collections")["data"]:
            place = {"bucket": bucket["id"], "collection": collection["id"]}
            key = "/".join(place.values())
            collections[key] = _plain(collection)
            for record in client.get(f"{at}/collections/{collection['id']}/records")["data"]:
                records[f"{key}/{record['id']}"] = place | _plain(record)
    return {"buckets": buckets, "collections": collections, "groups": groups, "records": records}


def _plain(thing: JsonObject) -> JsonObject:
    return {name: value for name, value in thing.items() if name != "last_modified"}


SERVER = Server(
    name="kinto",
    split="dev",
    registry="PyPI",
    packages=PACKAGES,
    install=partial(install_from_pypi, packages=PACKAGES),
    launch=_launch,
    ready="/v1/__heartbeat__",
    document=document_at("/v1/__api__"),
    prefix="/v1",
    fill=_fill,
    read=_read,
    headers={"Authorization": "Basic b2ZmaWNlOm9mZmljZQ=="},
)
