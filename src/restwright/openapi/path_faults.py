"""
What is wrong about a path that a document writes: servers would not agree what it leads to.

A value of a path is encoded once, so that this is about what stands around the values.

Source: RFC 3986, "Remove Dot Segments".
"""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import normalize
from urllib.parse import unquote_to_bytes

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
# Stands for a value; no text of a document is taken for it, since it is a character of its own.
_VALUE = "\ue000"
_CONTROL = re.compile("[\x00-\x1f\x7f]")
_TWICE = re.compile(r"%25(?:25)*[0-9A-Fa-f]{2}")
_SEPARATORS = re.compile(r"[/\\]")
_ROUNDS = 4


@lru_cache(maxsize=4096)
def find_path_fault(path: str) -> str:
    """
    Return why a path is not sent; empty where it may be.

    Args:
        path: Of an operation or a server, without query and fragment, its names in braces.
    """
    text = _PLACEHOLDER.sub(_VALUE, path)
    is_twice = _TWICE.search(text) is not None
    for _ in range(_ROUNDS):
        if why := _find_fault(text):
            return why
        try:
            decoded = unquote_to_bytes(text).decode()
        except UnicodeDecodeError:
            return "it encodes what is no UTF-8"
        if decoded == text:
            break
        text = decoded
    return "it is percent-encoded twice" if is_twice else ""


def _find_fault(text: str) -> str:
    if any(map(_is_dot_segment, _SEPARATORS.split(normalize("NFKC", text)))):
        return "a segment of its path is `.` or `..`"
    if "\\" in text:
        return "it holds a backslash"
    return "it holds a control character" if _CONTROL.search(text) else ""


def _is_dot_segment(segment: str) -> bool:
    # Some servers take off what stands behind a semicolon before they look at dots.
    return segment.partition(";")[0] in {".", ".."} or segment.startswith(f"..{_VALUE}")
