"""The catalog: what there is, where its names came from, and what is doubtful in it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from restwright.web.rendering import render_page
from restwright.web.site import site_of


def show_index(request: Request) -> Response:
    """The whole catalog."""
    return render_page(request, "index.html", names=site_of(request).catalog.names)


ROUTES = (Route("/", show_index),)
