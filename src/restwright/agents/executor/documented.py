"""
The errors that a document promises for an operation, told to the caller once a call has failed.

Most documents write there what the status says anyway; only what says more is told, of errors that
other arguments may mend.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from http import HTTPStatus

from restwright.agents.spotlighting import mark_data
from restwright.calls.response.http_errors import repairable_by
from restwright.net.messages import Response
from restwright.openapi.model import DocumentedResponse
from restwright.tools.text.prose import shorten_text, to_one_line
from restwright.tools.tool import Tool

MOST = 5
"""As many errors are told."""

LINE = 120
"""Characters of each."""

_RANGE = re.compile(r"4XX", re.IGNORECASE)
# Words that stand for "something was wrong" in a description, and say nothing about what.
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        "a an and or the client error errors response default request requested resource was is"
        " invalid input bad wrong unexpected failed failure occurred http status code 4xx"
        " validation unprocessable",
    )
)
_PHRASES = {
    each.value: frozenset(re.findall(r"[a-z]+", each.phrase.lower())) for each in HTTPStatus
}


def documented_errors(tool: Tool, *, said: Collection[str] = ()) -> tuple[str, ...]:
    """
    What the document says about errors of `tool`, as one text; none where it says nothing more.

    Args:
        said: What was told before; it is not told twice.
    """
    lines = [line for each in tool.operation.responses if (line := _line(each))]
    text = f"The document of the API says: {mark_data('; '.join(lines[:MOST]))}"
    return (text,) if lines and text not in said else ()


def _line(response: DocumentedResponse) -> str:
    """The status and its description; empty where that says nothing, or cannot be mended."""
    status = response.status.strip()
    if not (_RANGE.fullmatch(status) or _is_mendable(status)):
        return ""
    first = response.description.strip().partition("\n")[0]
    words = shorten_text(to_one_line(first), LINE).rstrip(" .;")
    said = set(re.findall(r"[^\W\d_]+", words.lower())) - _EMPTY
    known = _PHRASES.get(int(status), frozenset()) if status.isdecimal() else frozenset[str]()
    return f"{status} {words}" if said - known else ""


def _is_mendable(status: str) -> bool:
    is_error = bool(re.fullmatch(r"4\d\d", status))
    return is_error and repairable_by(Response(status=int(status))) == "model"
