"""One tool: what a model reads and what is checked, and a form to call it."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from restwright.web.rendering import render_page
from restwright.web.site import site_of


def show_tool(request: Request) -> Response:
    """One tool."""
    found = site_of(request).catalog.find(request.path_params["name"])
    if found is None:
        raise HTTPException(404, "there is no tool of that name")
    return render_page(request, "tool.html", tool=found)


ROUTES = (Route("/tools/{name}", show_tool),)
