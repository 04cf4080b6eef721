"""
Media types that a document allows, written as a list: `image/png, image/*`.

Source: OAS 3.2, "Encoding Object", `contentType`; RFC 9110, "Accept".
"""

from __future__ import annotations

import re
from collections.abc import Callable

from restwright.calls.request.encode import Unwritable
from restwright.calls.request.files import OCTETS
from restwright.jsontypes import Json, is_array, is_object
from restwright.tools.text.media_types import is_json

_LEGAL = re.compile(r"[\x20-\x7e]{1,200}")
_STRUCTURED = ("/xml", "+xml", "/x-www-form-urlencoded")


def essence(name: str) -> str:
    """A media type without its parameters, in lower case."""
    return name.partition(";")[0].strip().lower()


def matches(name: str, media_range: str) -> bool:
    """Whether a media type is one of a range such as `image/*`."""
    wanted = essence(media_range)
    if wanted.endswith("/*"):
        return wanted == "*/*" or name.lower().startswith(wanted[:-1])
    return name.lower() == wanted


def best_for(value: Json, allowed: str) -> str:
    """
    Return the media type that a value is written in: the first that can, without a wildcard.

    Args:
        allowed: As the document writes it; not empty.

    Raises:
        Unwritable: None of them can stand in a header.
    """
    exact = [each for each in _named(allowed) if "*" not in each]
    fits: Callable[[str], bool] = _is_structured if is_object(value) or is_array(value) else _is_any
    return next(filter(fits, exact), None) or (exact or [_in_range(value, allowed)])[0]


def of_file(own: str, allowed: str) -> str:
    """Return the file's own media type where the document allows it, else the document's."""
    names = [each.strip() for each in allowed.split(",") if each.strip()]
    if own and (not names or any(matches(own, each) for each in names)):
        return own
    exact = [each for each in names if "*" not in each and _LEGAL.fullmatch(each)]
    return exact[0] if exact else OCTETS if names else own or OCTETS


def _named(allowed: str) -> list[str]:
    names = [each.strip() for each in allowed.split(",")]
    legal = [each for each in names if _LEGAL.fullmatch(each)]
    if not legal:
        raise Unwritable("a media type that can stand in a header, which the document does not say")
    return legal


def _in_range(value: Json, allowed: str) -> str:
    """What a value is where only ranges are allowed; the range where it is none of them."""
    plain = "application/json" if is_object(value) or is_array(value) else "text/plain"
    return plain if any(matches(plain, each) for each in _named(allowed)) else OCTETS


def _is_structured(name: str) -> bool:
    known = essence(name)
    return is_json(name) or known.endswith(_STRUCTURED) or known.startswith("multipart/")


def _is_any(_: str) -> bool:
    return True
