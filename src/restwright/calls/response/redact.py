"""Secrets taken out of what comes back; `secrets_of()` has every text that gives one away."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from restwright.jsontypes import Json, is_array, is_object
from restwright.net.secret import MASK


def make_masker(secrets: Iterable[str]) -> Callable[[str], str]:
    """Return a function that writes `***` for every secret in a text."""
    ordered = sorted(secrets, key=len, reverse=True)

    def masked(text: str) -> str:
        for secret in ordered:
            text = text.replace(secret, MASK)
        return text

    return masked


def mask_bytes(body: bytes, secrets: Iterable[str]) -> bytes:
    """Return `body` with `***` for every secret."""
    for secret in sorted(secrets, key=len, reverse=True):
        body = body.replace(secret.encode("utf-8", "surrogatepass"), MASK.encode())
    return body


def mask_value(value: Json, secrets: Iterable[str]) -> Json:
    """Return a JSON value without the secrets in its texts and names."""
    mask = make_masker(secrets)

    def walked(part: Json) -> Json:
        if isinstance(part, str):
            return mask(part)
        if is_object(part):
            return {mask(name): walked(each) for name, each in part.items()}
        return [walked(item) for item in part] if is_array(part) else part

    return walked(value)
