"""A request as a curl command for a POSIX shell, without its secrets."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

from restwright.calls.auth.connection import MASK, Connection, mask_request
from restwright.net.messages import Request
from restwright.net.secret import mask_secrets

_MAX_TEXT_CHARS = 100_000  # of one argument: systems take 128 KiB
_MAX_OCTETS = 4_000
# What a terminal acts on or does not show, and a copy of what it shows would lose.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\U000e0000-\U000e007f]"
)
# What may stand before a token in a header that is a secret.
_SCHEME = re.compile(r"(?:[A-Za-z-]{1,20} )?")
_PRINTF_SAFE = frozenset(range(0x20, 0x7F)) - {ord("%"), ord("\\")}
_METHOD_OPTIONS = {"GET": "", "HEAD": " --head"}


def curl_from_request(request: Request, *, variables: Mapping[str, str] | None = None) -> str:
    """
    Return a request as a curl command.

    Bytes that a shell cannot hold are written by `printf`; a body that is too long for that is
    read from `body.bin`, as a comment says.

    Args:
        variables: `{name of an environment variable: its value}`; a credential that is such a value
            becomes `"$NAME"`. Every other secret is `***`.
    """
    known = {value: name for name, value in (variables or {}).items() if value}
    before, data = _body_options(request)
    method = _METHOD_OPTIONS.get(request.method, f" -X {shlex.quote(request.method)}")
    if request.method == "GET" and data:
        method = " -X GET"
    glob = " --globoff" if re.search(r"[\[\]{}]", request.url) else ""
    lines = [
        f"curl{method}{glob} {_quote_url(request, known)}",
        *_header_options(request, known),
        *data,
    ]
    return before + " \\\n  ".join(lines)


def list_variable_names(connection: Connection) -> Iterator[str]:
    """The names of the environment variables that a connection refers to."""
    auth = connection.auth
    for item in auth.values() if isinstance(auth, Mapping) else [auth]:
        if isinstance(item, str) and item.startswith("env:"):
            yield item.removeprefix("env:")


def _header_options(request: Request, known: Mapping[str, str]) -> Iterator[str]:
    shown = mask_request(request)["headers"]
    for name, value in request.headers:
        text = shown[name]
        if not text:
            yield f"-H {shlex.quote(f'{name};')}"  # with a colon curl would leave it out
        elif found := _match_variable(value, known):
            scheme, variable = found
            yield f'-H {shlex.quote(f"{name}: {scheme}")}"${variable}"'
        else:
            yield f"-H {shlex.quote(f'{name}: {text}')}"


def _match_variable(value: str, known: Mapping[str, str]) -> tuple[str, str] | None:
    """`(what stands before it, the variable)` where a value ends with that of a variable."""
    for secret, variable in known.items():
        scheme = value.removesuffix(secret)
        if scheme != value and _SCHEME.fullmatch(scheme):
            return scheme, variable
    return None


def _quote_url(request: Request, known: Mapping[str, str]) -> str:
    """The URL; a value of its query that is a variable's stands for that."""
    shown: str = mask_request(request)["url"]
    whole, raw = shown.split("&"), request.url.split("&")
    is_known = any(pair.rpartition("=")[2] in known for pair in raw)
    if not is_known or len(whole) != len(raw):
        return shlex.quote(shown)
    return "'&'".join(_quote_pair(*pair, known) for pair in zip(whole, raw, strict=True))


def _quote_pair(shown: str, raw: str, known: Mapping[str, str]) -> str:
    head, _, value = raw.rpartition("=")
    if head and value in known and shown.endswith(MASK):
        return f'{shlex.quote(shown.removesuffix(MASK))}"${known[value]}"'
    return shlex.quote(shown)


def _body_options(request: Request) -> tuple[str, list[str]]:
    """`(what stands before curl, its options)` for the body; nothing for none."""
    if not request.body:
        return "", []
    text = _printable_body(request)
    if text is not None:
        return "", [f"--data-raw {shlex.quote(text)}"]
    if len(request.body) <= _MAX_OCTETS and not request.secrets:
        return f"printf {shlex.quote(_octal_escapes(request.body))} | ", ["--data-binary @-"]
    note = f"# body.bin has the {len(request.body):,} bytes of the body\n"
    return note, ["--data-binary @body.bin"]


def _printable_body(request: Request) -> str | None:
    """The body without secrets; None where it is no text, or too much for an argument."""
    try:
        text = mask_secrets(request.body.decode(), request.secrets)
    except UnicodeDecodeError:
        return None
    if len(request.body) > _MAX_TEXT_CHARS or _UNPRINTABLE.search(text):
        return None
    return text


def _octal_escapes(body: bytes) -> str:
    r"""The format of a `printf` that writes these bytes; always three digits, as `\0` takes any."""
    written = "".join(
        chr(statement) if statement in _PRINTF_SAFE else f"\\{statement:03o}" for statement in body
    )
    # What begins with `-` would be read as an option.
    return written.replace("-", "\\055", 1) if written.startswith("-") else written
