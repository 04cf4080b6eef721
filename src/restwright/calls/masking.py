"""Secrets taken out of what comes back, in every form that a server is known to repeat them in."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from urllib.parse import quote, quote_plus

from restwright.calls.security import MASK
from restwright.typing import Json, is_array, is_object

_LEAST = 6  # a shorter piece would be found in what is no secret


@lru_cache(maxsize=64)
def forms_of(secret: str) -> tuple[str, ...]:
    """
    Return the ways in which `secret` may be written, the longest first.

    As it is, escaped for a URL or for JSON, and in base64, alone or inside of a longer text.
    """
    found = {
        secret,
        quote(secret, safe=""),
        quote(secret),
        quote_plus(secret),
        json.dumps(secret)[1:-1],
        json.dumps(secret)[1:-1].replace("/", "\\/"),
        *_in_base64(secret.encode()),
    }
    return tuple(sorted((each for each in found if len(each) >= _LEAST), key=len, reverse=True))


def masker(secrets: Iterable[str]) -> Callable[[str], str]:
    """Return a function that writes `***` for every form of every secret in a text."""
    forms = _forms(secrets)

    def masked(text: str) -> str:
        for form in forms:
            text = text.replace(form, MASK)
        return text

    return masked


def masked_bytes(body: bytes, secrets: Iterable[str]) -> bytes:
    """Return `body` with `***` for every form of every secret."""
    for form in _forms(secrets):
        body = body.replace(form.encode(), MASK.encode())
    return body


def masked_value(value: Json, secrets: Iterable[str]) -> Json:
    """Return a JSON value without the secrets in its texts and names."""
    mask = masker(secrets)

    def walked(part: Json) -> Json:
        if isinstance(part, str):
            return mask(part)
        if is_object(part):
            return {mask(name): walked(each) for name, each in part.items()}
        return [walked(each) for each in part] if is_array(part) else part

    return walked(value)


def _forms(secrets: Iterable[str]) -> list[str]:
    found = {form for secret in secrets for form in forms_of(secret)}
    return sorted(found, key=len, reverse=True)


def _in_base64(secret: bytes) -> Iterator[str]:
    """The characters that only `secret` decides, at each of the three places it can start at."""
    for alphabet in (b"+/", b"-_"):
        yield b64encode(secret, alphabet).decode()
        yield b64encode(secret, alphabet).decode().rstrip("=")
        for before in range(3):
            text = b64encode(b"\0" * before + secret, alphabet).decode()
            first = (before * 8 + 5) // 6
            yield text[first : (before + len(secret)) * 8 // 6]
