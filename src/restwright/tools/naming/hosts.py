"""What the host of a server says about whose API it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal
from urllib.parse import urljoin, urlsplit

HostKind = Literal["named", "shared", "vague", "local", "invalid"]

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_BARE_HOST = re.compile(r"([^\s/?#@:.{}\\]+(?:\.[^\s/?#@:.{}\\]+)+)\.?(?::[0-9]+)?(?:[/?#]|\Z)")
# IDNA (RFC 3490, "Requirements"): these are dots too.
_DOTS = str.maketrans(dict.fromkeys("\u3002\uff0e\uff61", "."))
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
_FORBIDDEN = re.compile(r"[\s%<>^|]")
# A variable without a value may stand further left.
_NO_HOST = re.compile(r"[\s%<>^|]|[{}][^.]*\Z")
_MAX_PARTS = 4
_BYTE = 256

# Names that no public registry gives out (RFC 6761, RFC 6762, RFC 8375 and what is customary).
_LOCAL = frozenset(
    (
        *("localhost", "local", "localdomain", "internal", "intranet", "private", "lan", "home"),
        *("corp", "test", "example", "invalid", "home.arpa"),
    )
)
# Labels that say what a host is for, not whose it is.
_GENERIC = frozenset(
    (
        *("api", "apis", "www", "www2", "web", "rest", "graphql", "gateway", "gw", "service"),
        *("services", "server", "backend", "public", "edge", "global", "host", "endpoint"),
        *("dev", "stage", "staging", "prod", "production", "sandbox", "beta", "test", "demo"),
        *("eu", "us", "uk", "ap", "asia", "emea", "apac", "na", "sa"),
    )
)
_VERSION = re.compile(r"v[0-9]+([._-][0-9]+)*")
_PATH_VERSION = re.compile(r"v?[0-9][0-9._-]*(?:alpha|beta)?[0-9]*|latest|current|stable")
_REGION = re.compile(r"(?:us|eu|ap|sa|ca|me|af|cn|il)-[a-z]+-?[0-9]+")
# First labels of suffixes that say only what kind of owner a domain has, as in `co.uk`.
_REGISTRIES = frozenset(("ac", "co", "com", "edu", "gob", "ltd", "ne", "net", "or", "org", "plc"))
# What machines make up: hexadecimal digits with a number, numbers, letters and numbers mixed.
_OPAQUE = re.compile(
    r"(?=[a-f]*[0-9])[0-9a-f]{6,}|[0-9]{4,}|(?=(?:[a-z]*[0-9]+[a-z]+){2})[0-9a-z]{8,}"
)


@dataclass(frozen=True, slots=True)
class Host:
    """
    What a host says.

    Args:
        name: As written in the URL, in lower case.
        kind: `named` where `label` names an API; `shared` where it is a public suffix, under which
            there are many; `vague` where a title would do better; `local` and `invalid` where only
            a title can.
        label: May have any letters; several labels are joined by `.`.
        subdomains: The labels to the left of it, from left to right.
    """

    name: str
    kind: HostKind
    label: str = ""
    subdomains: tuple[str, ...] = ()


def host_from_urls(server_url: str, document_url: str) -> str | None:
    """
    The host that calls go to, in lower case; empty where the URL is none, None where it has none.

    Source: OAS 3.2, "Relative References in API Descriptions".
    """
    text = server_url.strip()
    if text.startswith("//"):
        text = f"https:{text}"
    if not _SCHEME.match(text):
        if found := _BARE_HOST.match(text):
            bare = found[1].lower()
            # By the letter a path, which nobody means whose first word is a registered domain.
            if public_suffix(bare) or _is_address(bare):
                return bare
        if not _SCHEME.match(document_url):
            return None
        text = _join_url(document_url, text)
    return _hostname_from_url(text)


def base_path_from_urls(server_url: str, document_url: str) -> str:
    """The path of the URL that calls go to."""
    try:
        return urlsplit(_join_url(document_url, server_url)).path
    except ValueError:
        return ""


def telling_segment(server_url: str) -> str:
    """The first part of the path of a server that is no word for any API; empty for none."""
    text = server_url.strip()
    try:
        path = urlsplit(text if _SCHEME.match(text) or text.startswith("//") else f"//{text}").path
    except ValueError:
        return ""
    segments = (segment.lower() for segment in path.split("/"))
    return next((part for part in segments if part and _is_telling(part)), "")


@lru_cache(maxsize=1024)
def parse_host(host: str) -> Host:
    """Read a host as `host_from_urls()` gives it."""
    name = _decode_host(host)
    labels = name.split(".")
    if ":" in name or (_NUMBER.fullmatch(labels[-1]) and _is_address(name)):
        return Host(host, "local")
    if not all(labels) or _NUMBER.fullmatch(labels[-1]) or _NO_HOST.search(name):
        return Host(host, "invalid")
    if labels[2:3] == ["svc"]:
        # The names of services inside Kubernetes: `service.namespace.svc.cluster.local`.
        return Host(host, "named", labels[0])
    if labels[-1] in _LOCAL or ".".join(labels[-2:]) in _LOCAL:
        return Host(host, "local")
    if len(labels) == 1:
        return Host(host, "vague" if _is_generic(name) or _is_opaque(name) else "named", name)
    return _parse_domain(host, labels)


@lru_cache(maxsize=1024)
def public_suffix(host: str) -> str | None:
    """
    The public suffix of a host, private rules included (`herokuapp.com`); None for an unknown one.

    Only the rules that may match are handed to the library: to read all takes 0.1 seconds.
    """
    from publicsuffixlist import PSLFILE, PublicSuffixList

    labels = host.split(".")
    ends = [".".join(labels[start:]) for start in range(len(labels))]
    rules = [*ends, *(f"*.{end}" for end in ends), *(f"!{end}" for end in ends)]
    text = Path(PSLFILE).read_text("utf-8")
    matching = [rule for rule in rules if f"\n{rule}\n" in text]
    return PublicSuffixList(matching, accept_unknown=False).publicsuffix(host)


def reference_label(server_url: str) -> str:
    """
    The namespace that document 004 describes: of the label before the last.

    Source: "Architecture Namespace pour Tools OpenAPI", `extractNamespaceFromUrl`.
    """
    host = _whatwg_host(server_url)
    if host is None:
        return "unknown"
    if host == "localhost" or re.fullmatch(r"[0-9]+(\.[0-9]+){3}", host):
        return "local"
    parts = host.split(".")
    label = _label_at(parts, -2) or parts[0]
    if label in {"api", "www"}:
        label = _label_at(parts, -3) or _label_at(parts, -2) or parts[0]
    return re.sub(r"[^a-z0-9]", "", label) or "unknown"


def _parse_domain(host: str, labels: Sequence[str]) -> Host:
    """What a host of several labels says: the label that somebody registered, where it tells."""
    suffix = public_suffix(".".join(labels)) or labels[-1]
    endings = suffix.split(".")
    left = labels[: len(labels) - len(endings)]
    # `www.gov.uk`: what is left of a suffix that is an owner itself tells nothing.
    if len(endings) > 1 and endings[0] not in _REGISTRIES:
        while left and _is_generic(left[-1]):
            left = left[:-1]
    if not left:
        return Host(host, "shared", suffix)
    label = left[-1]
    if "{" in label or "}" in label:
        return Host(host, "invalid")
    return Host(host, "vague" if _is_opaque(label) else "named", label, tuple(left[:-1]))


def _is_generic(label: str) -> bool:
    return label in _GENERIC or bool(_VERSION.fullmatch(label) or _REGION.fullmatch(label))


def _is_telling(segment: str) -> bool:
    is_known = _is_generic(segment) or _is_opaque(segment) or _PATH_VERSION.fullmatch(segment)
    return not is_known and "{" not in segment


def _is_opaque(label: str) -> bool:
    return bool(_OPAQUE.fullmatch(label))


def _hostname_from_url(url: str) -> str:
    try:
        name = (urlsplit(url).hostname or "").translate(_DOTS)
    except ValueError:
        return ""
    return name.removesuffix(".")


def _join_url(document_url: str, url: str) -> str:
    try:
        return urljoin(document_url, url)
    except ValueError:
        return ""


def _decode_host(host: str) -> str:
    """`xn--mnchen-3ya.de` -> `münchen.de`."""
    if "xn--" not in host:
        return host
    return ".".join(map(_decode_label, host.split(".")))


def _decode_label(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except (UnicodeError, ValueError):
        return label


def _is_address(host: str) -> bool:
    """Whether it is an IPv4 address as browsers read it: up to four numbers, also octal and hex."""
    parts = host.split(".")
    if len(parts) > _MAX_PARTS or not all(map(_NUMBER.fullmatch, parts)):
        return False
    *first, last = map(_parse_number, parts)
    return all(number < _BYTE for number in first) and last < _BYTE ** (_MAX_PARTS + 1 - len(parts))


def _parse_number(text: str) -> int:
    if text.startswith("0x"):
        return int(text[2:] or "0", 16)
    if text.startswith("0") and set(text) <= set("01234567"):
        return int(text, 8)
    # So large that it is no part of an address.
    return int(text) if len(text) <= 10 and not text.startswith("0") else _BYTE**5


def _whatwg_host(url: str) -> str | None:
    """
    The host name as the URL class of JavaScript gives it; None where that refuses the URL.

    Source: WHATWG URL, "Host parsing".
    """
    text = url.strip()
    if not _SCHEME.match(text):
        return None
    try:
        host = (urlsplit(text).hostname or "").translate(_DOTS)
    except ValueError:
        return None
    if not host or _FORBIDDEN.search(host):
        return None
    last = host.removesuffix(".").split(".")[-1]
    if ":" not in host and _NUMBER.fullmatch(last):
        return "0.0.0.0" if _is_address(host.removesuffix(".")) else None  # noqa: S104
    return ".".join(map(_encode_label, host.split(".")))


def _encode_label(label: str) -> str:
    return label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii")


def _label_at(parts: Sequence[str], index: int) -> str:
    return parts[index] if len(parts) >= -index else ""
