"""A request as a Python program of the standard library, without its secrets."""

from __future__ import annotations

from collections.abc import Mapping

from restwright.calls.auth.connection import MASK, mask_header
from restwright.net.messages import Request
from restwright.net.secret import mask_secrets, mask_url

_MAX_BODY_BYTES = 100_000


def python_from_request(request: Request, *, variables: Mapping[str, str] | None = None) -> str:
    """
    Return a request as Python.

    Args:
        variables: `{name of an environment variable: its value}`; a credential in a header that is
            such a value is read from there. Every other secret is `***`.
    """
    known = {value: name for name, value in (variables or {}).items() if value}
    headers = [_header_line(request, name, value, known) for name, value in request.headers]
    uses_environment = any("os.environ" in line for line in headers)
    return "\n".join(
        [
            *(["import os"] if uses_environment else []),
            "import urllib.request",
            "",
            "request = urllib.request.Request(",
            f"    {mask_url(request.url, request.secrets)!r},",
            *_body_lines(request),
            f"    method={request.method!r},",
            "    headers={",
            *headers,
            "    },",
            ")",
            "with urllib.request.urlopen(request) as response:",
            "    print(response.status, response.read().decode())",
        ]
    )


def _header_line(request: Request, name: str, value: str, known: Mapping[str, str]) -> str:
    shown = mask_header(request, name, value)
    for secret, variable in known.items():
        head = value.removesuffix(secret)
        if MASK in shown and head != value:
            begin = f"{head!r} + " if head else ""
            return f"        {name!r}: {begin}os.environ[{variable!r}],"
    return f"        {name!r}: {shown!r},"


def _body_lines(request: Request) -> list[str]:
    if not request.body:
        return []
    if len(request.body) > _MAX_BODY_BYTES:
        return [f"    data=open('body.bin', 'rb').read(),  # {len(request.body):,} bytes"]
    try:
        return [f"    data={mask_secrets(request.body.decode(), request.secrets)!r}.encode(),"]
    except UnicodeDecodeError:
        is_secret = bool(request.secrets)
        return [f"    data={b'***' if is_secret else request.body!r},"]
