"""A secret, and texts without it."""

from __future__ import annotations

import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator
from functools import lru_cache
from hmac import compare_digest
from html import escape
from typing import NoReturn, Self
from urllib.parse import quote, quote_plus, unquote_plus

MASK = "***"
MIN_MASKED_LENGTH = 6
"""Letters of the shortest secret that is masked wherever it appears; a shorter one would tear words
apart, and is masked only where it stands as a whole value of a header, a query or a cookie."""

_PERCENT = re.compile(r"(%(?:25)*)([0-9A-Fa-f]{2})")
_UNICODE = re.compile(r"(\\u)([0-9A-Fa-f]{4})")


class Secret:
    """
    A text that shows itself to nobody: `repr()`, `str()` and formatting give `***`.

    Args:
        text: What `reveal()` gives back.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The secret itself; for the place where it is sent, and for nothing else."""
        return self._text

    def __repr__(self) -> str:
        return MASK

    def __format__(self, _: str) -> str:
        return MASK

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return compare_digest(self._text.encode(), other._text.encode())

    def __hash__(self) -> int:
        return hash(self._text)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        # A text is not copied either.
        return self

    def __reduce__(self) -> NoReturn:
        # Pickles end in files and logs.
        raise TypeError("a secret is not written anywhere")


def mask_secrets(text: str, secrets: Iterable[Secret]) -> str:
    """`text` with the forms of every secret masked that `secret_forms()` lists."""
    found = {form for secret in secrets for form in secret_forms(secret)}
    for form in sorted(found, key=len, reverse=True):
        text = text.replace(form, MASK)
    return text


def mask_url(url: str, secrets: Iterable[Secret]) -> str:
    """`url` without secrets; a value of the query that is one goes however short it is."""
    secrets = tuple(secrets)
    whole = {secret.reveal() for secret in secrets}
    head, mark, query = url.partition("?")
    pairs = [_mask_pair(part, whole, decode=True) for part in query.split("&")]
    return mask_secrets(f"{head}{mark}{'&'.join(pairs)}", secrets)


def mask_cookie(value: str, secrets: Iterable[Secret]) -> str:
    """The value of a `Cookie` header without secrets."""
    secrets = tuple(secrets)
    whole = {secret.reveal() for secret in secrets}
    pairs = [_mask_pair(part, whole, decode=False) for part in value.split("; ")]
    return mask_secrets("; ".join(pairs), secrets)


def _mask_pair(pair: str, secrets: set[str], *, decode: bool) -> str:
    name, equals, value = pair.partition("=")
    plain = unquote_plus(value) if decode else value
    is_secret = value in secrets or plain in secrets
    return f"{name}{equals}{MASK}" if value and is_secret else pair


@lru_cache(maxsize=256)
def secret_forms(secret: Secret) -> frozenset[str]:
    """
    Return the texts that give `secret` away; none for one that is too short to look for.

    As it is; percent-encoded, in part, as a whole or twice; escaped in JSON and in HTML; in
    hexadecimal; in base64 and base64url, also inside of what is encoded together. Escapes and
    hexadecimal are in upper case or in lower case throughout.
    """
    text = secret.reveal()
    if len(text) < MIN_MASKED_LENGTH:
        return frozenset()
    octets = text.encode()
    quoted = {quote(text, safe=safe) for safe in ("", "/", "!'()*~")} | {quote_plus(text)}
    whole = "".join(f"%{octet:02X}" for octet in octets)
    escaped = {json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
    return frozenset(
        {
            text,
            escape(text),
            escape(text, quote=False),
            *_in_both_cases(_PERCENT, {*quoted, *map(quote, quoted), whole}),
            *_in_both_cases(_UNICODE, escaped | {text.replace("/", "\\/") for text in escaped}),
            *(octets.hex(), octets.hex().upper()),
            *(_base64_fragment(octets, shift) for shift in range(3)),
            *(_base64_fragment(octets, shift, urlsafe=True) for shift in range(3)),
        }
    )


def _in_both_cases(escape: re.Pattern[str], texts: Iterable[str]) -> Iterator[str]:
    """Every text with the hexadecimal digits of its escapes in upper case and in lower case."""
    for text in texts:
        yield escape.sub(lambda found: found[1] + found[2].upper(), text)
        yield escape.sub(lambda found: found[1] + found[2].lower(), text)


def _base64_fragment(octets: bytes, shift: int, *, urlsafe: bool = False) -> str:
    """
    What base64 makes of `octets` where `shift` other ones stand before them in a group of three.

    Only the letters that they alone decide, so that it is found inside of a longer text.
    """
    encode = urlsafe_b64encode if urlsafe else b64encode
    encoded = encode(b"\0" * shift + octets).decode().rstrip("=")
    start = (0, 2, 3)[shift]
    whole = (shift + len(octets)) * 8 // 6
    return encoded[start:whole]
