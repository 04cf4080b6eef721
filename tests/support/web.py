"""Sites to look at, and a browser that was let in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

import restwright as rw
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.calls.auth.connection import Connection
from restwright.doors.browsers import BrowserAccess
from restwright.jsontypes import JsonObject
from restwright.mcp.served import ServedTools, UserConnections
from restwright.net.messages import Request, Response, Send
from restwright.testing import document
from restwright.tools.catalog.catalog import Catalog
from restwright.web.app import create_app, guard_app
from restwright.web.site import Site

PORT = 8123
DEMO = Path(rw.__file__).parent / "demo" / "openapi.json"


def _send_nothing(request: Request) -> Response:
    raise AssertionError(f"{request.method} {request.url} was sent")


def make_site(
    catalog: Catalog,
    *,
    send: Send = _send_nothing,
    policy: Policy = CONFIRM,
    connection: Connection | None = None,
    **more: Any,
) -> Site:
    """A site over a catalog, each of whose APIs is reached in the same way."""
    shared = dict.fromkeys(catalog.apis, connection or Connection(server="https://api.test"))
    served = ServedTools(
        catalog=catalog,
        offered=catalog,
        connections=UserConnections(shared),
        policies=dict.fromkeys(catalog.apis, policy),
    )
    return Site(served=served, send=send, **more)


def open_pages(site: Site) -> TestClient:
    """A browser that came by the printed address, before the pages of a site."""
    browsers = BrowserAccess(cookie="restwright-test")
    app = guard_app(create_app(site), PORT, browsers)
    own = f"http://127.0.0.1:{PORT}"
    client = TestClient(app, base_url=own, headers={"origin": own})
    assert client.get("/", params={"token": browsers.token}).status_code == 200
    return client


def load_shop() -> Catalog:
    """The tools of the bundled shop."""
    return rw.catalog(rw.load(DEMO, alias="shop"))


def catalog_of(paths: JsonObject, **more: Any) -> Catalog:
    """The tools of a small document, under the namespace `api`."""
    return rw.catalog(rw.load(document(paths, **more), alias="api"))
