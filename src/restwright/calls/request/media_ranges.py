"""
Media types that a document allows, written as a list: `image/png, image/*`.

Source: OAS 3.2, "Encoding Object", `contentType`; RFC 9110, "Accept".
"""

from __future__ import annotations

import re
from collections.abc import Callable

from restwright.calls.request.encode import Unwritable
from restwright.calls.request.files import OCTET_STREAM
from restwright.jsontypes import Json, is_array, is_object
from restwright.tools.text.media_types import can_be_json

_LEGAL = re.compile(r"[\x20-\x7e]{1,200}")
_STRUCTURED = ("/xml", "+xml", "/x-www-form-urlencoded")


def media_type_essence(name: str) -> str:
    """A media type without its parameters, in lower case."""
    return name.partition(";")[0].strip().lower()


def matches_media_range(name: str, media_range: str) -> bool:
    """Whether a media type is one of a range such as `image/*`."""
    wanted = media_type_essence(media_range)
    if wanted.endswith("/*"):
        return wanted == "*/*" or name.lower().startswith(wanted[:-1])
    return name.lower() == wanted


def choose_content_type(value: Json, allowed: str) -> str:
    """
    Return the media type that a value is written in: the first that can, without a wildcard.

    Args:
        allowed: As the document writes it; not empty.

    Raises:
        Unwritable: None of them can stand in a header.
    """
    exact = [legal_name for legal_name in _legal_names(allowed) if "*" not in legal_name]
    fits: Callable[[str], bool] = _is_structured if is_object(value) or is_array(value) else _is_any
    return next(filter(fits, exact), None) or (exact or [_choose_in_range(value, allowed)])[0]


def choose_file_type(own: str, allowed: str) -> str:
    """Return the file's own media type where the document allows it, else the document's."""
    names = [part.strip() for part in allowed.split(",") if part.strip()]
    if own and (not names or any(matches_media_range(own, name) for name in names)):
        return own
    exact = [name for name in names if "*" not in name and _LEGAL.fullmatch(name)]
    return exact[0] if exact else OCTET_STREAM if names else own or OCTET_STREAM


def _legal_names(allowed: str) -> list[str]:
    names = [part.strip() for part in allowed.split(",")]
    legal = [name for name in names if _LEGAL.fullmatch(name)]
    if not legal:
        raise Unwritable("a media type that can stand in a header, which the document does not say")
    return legal


def _choose_in_range(value: Json, allowed: str) -> str:
    """What a value is where only ranges are allowed; the range where it is none of them."""
    plain = "application/json" if is_object(value) or is_array(value) else "text/plain"
    return (
        plain
        if any(matches_media_range(plain, legal_name) for legal_name in _legal_names(allowed))
        else OCTET_STREAM
    )


def _is_structured(name: str) -> bool:
    known = media_type_essence(name)
    return can_be_json(name) or known.endswith(_STRUCTURED) or known.startswith("multipart/")


def _is_any(_: str) -> bool:
    return True
