"""A call that could not be made, as a part of a page."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from restwright.errors import RestwrightError
from restwright.web.rendering import render_page
from restwright.web.site import site_of


def render_refusal(request: Request, error: RestwrightError) -> Response:
    """What went wrong, and what the reader can do about it."""
    hint = site_of(request).find_remedy(error)
    return render_page(request, "tool/refused.html", message=error.message, hint=hint)
