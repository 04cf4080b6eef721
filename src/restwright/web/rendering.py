"""
Templates become pages.

Everything that a document or an API says goes through a template that escapes it; nothing of it is
marked as safe. What is asked for with the header `HX-Request` is a part of a page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse

from restwright import __version__
from restwright.doors.access import find_user_name
from restwright.jsontypes import Json
from restwright.net.secret_names import is_hidden_input_name

# What reorders text or is not seen: a request that is asked about must not read as another one.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\U000e0000-\U000e007f]"
)
_MAX_JSON = 400_000
HERE = Path(__file__).parent
NAVIGATION = (
    ("/", "Catalog"),
    ("/chat", "Chat"),
    ("/sessions", "Sessions"),
    ("/questions", "Questions"),
)
"""Address and word of each page that one can go to from everywhere."""


@cache
def load_environment() -> Environment:
    """The templates; a value that is missing is an error."""
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    names: dict[str, Any] = {"version": __version__, "navigation": NAVIGATION}
    formats: dict[str, Any] = {
        "number": format_number,
        "plural": format_count,
        "pretty": format_json,
        "readable": format_value,
        "moment": format_moment,
        "visible": show_invisible,
        "is_secret": is_hidden_input_name,
    }
    environment.globals.update(names)
    environment.filters.update(formats)
    return environment


def render_page(
    request: Request, template: str, values: Mapping[str, Any] | None = None, **more: Any
) -> HTMLResponse:
    """A page, or the part of one that `template` is."""
    user_name = find_user_name(request)
    own = {"path": request.url.path, "user_name": user_name, "is_shared": bool(user_name)}
    return HTMLResponse(render_text(template, **{**own, **(values or {}), **more}))


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
    """A value as indented JSON; of a long one the beginning."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    more = len(text) - _MAX_JSON
    return f"{text[:_MAX_JSON]}\n… {more:,} more characters" if more > 0 else text


def format_value(value: Json) -> str:
    """A text as it is, anything else as JSON over several lines."""
    return value if isinstance(value, str) else format_json(value)


def format_moment(seconds: float) -> str:
    """Seconds since the epoch, in the time zone of this machine."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")


def show_invisible(text: str) -> str:
    """A text with what reorders it or is not seen written as escapes."""
    return _INVISIBLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
