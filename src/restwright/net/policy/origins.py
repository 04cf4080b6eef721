"""
Where a request may go. An origin is what credentials are bound to, and what a user names.

Which addresses an origin may have is in `addresses`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import SplitResult, urlsplit

from restwright.errors import RefusedRequest

DEFAULT_PORTS = {"http": 80, "https": 443}
LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
"""What this machine calls itself, brackets left out."""
# A URL that is sent is ASCII without these; parsers disagree about all of them.
_UNSAFE = re.compile(r"[^\x21-\x7e]|[\\\"<>^`{|}]")
_PLAIN_AUTHORITY = re.compile(r"(?:\[[^\]]*\]|[^:]*)(?::\d*)?")
_HOST = re.compile(r"[a-z0-9._-]+|\[[0-9a-f:.]+\]")


@dataclass(frozen=True, slots=True)
class Origin:
    """
    Scheme, host and port of a URL (RFC 6454). Equal origins share credentials.

    Args:
        scheme: `http` or `https`.
        host: Lower case; an IPv6 address without its brackets.
        port: The default one filled in.
    """

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}"

    @property
    def authority(self) -> str:
        """The value of a `Host` header: the default port is left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginRules:
    """
    What the user, not a document, decided about where requests may go.

    Args:
        named: Origins that the user named: they may be this machine or in a private network. A
            request that is not for one of them goes to public addresses only. `Request.is_named`
            says the same of one request.
    """

    named: frozenset[Origin] = frozenset()

    @classmethod
    def from_urls(cls, *urls: str) -> OriginRules:
        """
        Make the rules of a user who named these URLs.

        Raises:
            RefusedRequest: One is no URL that may be asked.
        """
        return cls(named=frozenset(map(parse_origin, urls)))


# Every stage of a call asks this of the same URL.
@lru_cache(maxsize=64)
def parse_origin(url: str) -> Origin:
    """
    Return the origin of an absolute URL.

    Args:
        url: Percent-encoded; a host outside ASCII must be in its `xn--` form.

    Raises:
        RefusedRequest: Not http or https, user information in it, no host or a malformed one, or
            characters that parsers of URLs read differently.
    """
    if _UNSAFE.search(url):
        raise RefusedRequest(redact_url(url), "the URL has characters that must be percent-encoded")
    parts, port = _split_url(url)
    scheme, authority = parts.scheme, parts.netloc
    if scheme not in DEFAULT_PORTS:
        raise RefusedRequest(redact_url(url), "only http and https are spoken")
    if "@" in authority:
        raise RefusedRequest(redact_url(url), "the URL has a user name or password in it")
    name = re.sub(r":\d*$", "", authority).lower()
    if not _HOST.fullmatch(name):
        raise RefusedRequest(redact_url(url), "the URL names no host")
    return Origin(scheme, name.strip("[]"), DEFAULT_PORTS[scheme] if port is None else port)


def _split_url(url: str) -> tuple[SplitResult, int | None]:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        # What Python says repeats a part, which may be of a password.
        raise RefusedRequest(redact_url(url), "the URL is malformed") from None
    return parts, port


def redact_url(url: str) -> str:
    """`url` for people, without what may be secret: user information, query and fragment."""
    scheme, slashes, rest = url.partition("//")
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    host = authority.rpartition("@")[2]
    if host != authority or not _PLAIN_AUTHORITY.fullmatch(host):
        # A password that holds one of `/?#` ends the authority too early.
        host = f"***@{host}" if _PLAIN_AUTHORITY.fullmatch(host) else "***"
    path = re.split(r"[?#]", rest[len(authority) :], maxsplit=1)[0]
    if host == "***":
        path = ""
    plain = f"{scheme}{slashes}{host}{path}" if slashes else url.partition("?")[0]
    return re.sub(r"[^\x20-\x7e]", "?", plain)[:2_000]
