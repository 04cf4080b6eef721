"""The servers, by name; those for development first."""

from __future__ import annotations

from collections.abc import Mapping

from restwright_bench.servers.kinds import (
    alertmanager,
    chroma,
    etherpad,
    flexget,
    jupyter,
    kinto,
    pdns,
    pretalx,
)
from restwright_bench.servers.server import Server

SERVERS: Mapping[str, Server] = {
    each.SERVER.name: each.SERVER
    for each in (alertmanager, kinto, pdns, etherpad, flexget, chroma, jupyter, pretalx)
}
