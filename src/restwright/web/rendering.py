"""
Templates become pages.

Everything that a document or an API says goes through a template that escapes it; nothing of it is
marked as safe. What is asked for with the header `HX-Request` is a part of a page.
"""

from __future__ import annotations

import json
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse

from restwright import __version__
from restwright.jsontypes import Json

HERE = Path(__file__).parent
NAVIGATION = (("/", "Catalog"), ("/chat", "Chat"), ("/sessions", "Sessions"))
"""Address and word of each page that one can go to from everywhere."""


@cache
def load_environment() -> Environment:
    """The templates; a value that is missing is an error."""
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    names: dict[str, Any] = {"version": __version__, "navigation": NAVIGATION}
    formats: dict[str, Any] = {
        "number": format_number,
        "plural": format_count,
        "pretty": format_json,
        "moment": format_moment,
    }
    environment.globals.update(names)
    environment.filters.update(formats)
    return environment


def render_page(
    request: Request, template: str, *, status: int = 200, **values: Any
) -> HTMLResponse:
    """A page, or the part of one that `template` is."""
    return HTMLResponse(render_text(template, path=request.url.path, **values), status)


def render_text(template: str, **values: Any) -> str:
    """What a template becomes, such as the data of one message of a stream."""
    return load_environment().get_template(template).render(**values)


def render_json(value: Json, *, status: int = 200) -> JSONResponse:
    """JSON for programs."""
    return JSONResponse(value, status)


def is_part(request: Request) -> bool:
    """Whether a part of a page is asked for, by a script of the page itself."""
    return request.headers.get("hx-request") == "true"


def format_number(value: float) -> str:
    """A number with commas between thousands."""
    return f"{value:,}"


def format_count(count: int, noun: str, plural: str = "") -> str:
    """`1 tool`, `1,200 tools`."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def format_json(value: Json) -> str:
    """A text as it is, anything else as JSON over several lines."""
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def format_moment(seconds: float) -> str:
    """Seconds since the epoch, in the time zone of this machine."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")
