"""Who may change something: reads are free, a write is approved once for one exact request."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Iterator
from hashlib import sha256
from typing import TypeAlias
from urllib.parse import unquote_plus

from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.calls.auth.connection import mask_header, mask_request
from restwright.calls.request.media_ranges import media_type_essence
from restwright.calls.truncate import shorten_json, shorten_line
from restwright.errors import RefusedRequest
from restwright.jsontypes import Json, is_array, is_object
from restwright.net.messages import Request, is_function_request
from restwright.net.secret import MASK, mask_secrets, mask_url
from restwright.net.secret_names import is_secret_name
from restwright.tools.tool import Tool

Approve: TypeAlias = Callable[[Tool, Request], bool | Awaitable[bool]]
"""
Asked before a write; show it `format_approval_question()`, or `security.masked(request)`.

Only the value `True` is a yes. One that is asynchronous is for the asynchronous entries.
"""

APPROVAL_LIFETIME_S = 600.0
"""Seconds from asking until an approval is worth nothing."""
MAX_SHOWN_BODY_CHARS = 2000
"""Characters of a body in JSON that are shown as they are; in a longer one values are shortened."""
_MAX_LINE_CHARS = (
    200  # characters of a line of a text, of the value of a header, and of the URL at the end
)
_MAX_LINES, _MIN_LINES = 40, 6  # of a text, and of each of its parts
_MAX_ITEMS = 20  # of an array whose items are shortened one by one
_CONSTANT_HEADERS = frozenset({"accept", "content-type"})
_MASKED_BY_NAME = "masked by its name"
_MASKED_FOR_USER = "a secret of yours"


def approve_all(tool: Tool, request: Request) -> bool:
    """Approve every write."""
    del tool, request
    return True


def refuse_all(tool: Tool, request: Request) -> bool:
    """Refuse every write."""
    del tool, request
    return False


def is_write(tool: Tool) -> bool:
    """Whether calling the tool may change something."""
    return CONFIRM.consent_class_of(tool) != "read"


def format_approval_question(tool: Tool, request: Request, *, policy: Policy = CONFIRM) -> str:
    """
    Ask whether a request may be sent: the tool, the method, the URL, the headers and cookies that
    arguments became, and the body, without secrets; at last the method and the URL once more.
    Of what is masked it says how long it is, and why.

    Of a function it shows the URL `function:NAME`, and the arguments as the body.

    A request that destroys something says so. Of a long body the values are shortened, and not its
    names; of a long list the first items are shown. Then come the notes of the request, and the
    changes that it is one of. Each line of a body that is no JSON has a mark
    before it, so that none passes for a line of the question.
    """
    shown = mask_request(request)
    method, url = shown["method"], shown["url"]
    is_loss = policy.class_of(tool) == "destructive"
    send, method = ("run", "") if is_function_request(request) else ("send", f"{method} ")
    head = f"{'DESTRUCTIVE: ' if is_loss else ''}{tool.name} would {send}\n  {method}{url}\n"
    headers = "".join(f"  {name}: {value}\n" for name, value in _visible_headers(request))
    where, loss = shorten_line(url, _MAX_LINE_CHARS), " (DESTRUCTIVE)" if is_loss else ""
    last = f"{send.title()} {method}{where}{loss}?"
    body = _format_body(_mask_passwords(shown["body"]), request)
    return f"{head}{headers}{body}{_format_masked_lengths(request)}{_format_notes(request)}{last}"


def _format_notes(request: Request) -> str:
    """What the loop says of a request, and the list of those that it is one of."""
    notes = "".join(f"  note: {_truncate_line(note)}\n" for note in request.notes)
    lines = "".join(f"    {_truncate_line(line)}\n" for line in request.batch)
    return notes + (f"  one of {len(request.batch)} changes:\n{lines}" if lines else "")


def _visible_headers(request: Request) -> Iterator[tuple[str, str]]:
    """Those that are not the same for every call of the operation."""
    for name, value in request.headers:
        if name.lower() not in _CONSTANT_HEADERS:
            yield name, _format_header(name, value, mask_header(request, name, value))


def _format_header(name: str, value: str, shown: str) -> str:
    if shown == MASK and value != MASK:
        return _describe_mask(value, _MASKED_FOR_USER)
    if name.lower() == "cookie":
        text = "; ".join(map(_format_cookie, shown.split("; ")))
    else:
        text = (
            _describe_mask(value, _MASKED_BY_NAME)
            if is_secret_name(name)
            else _truncate_line(shown)
        )
    hidden = _count_characters(_masked_length(value, shown))
    return f"{text} ({MASK}: {hidden}, {_MASKED_FOR_USER})" if shown != value else text


def _format_cookie(pair: str) -> str:
    name, equals, value = pair.partition("=")
    is_password = value != MASK and is_secret_name(name)
    return f"{name}{equals}{_describe_mask(value, _MASKED_BY_NAME)}" if is_password else pair


def _describe_mask(value: str, why: str) -> str:
    return f"{MASK} ({_count_characters(len(value))}, {why})"


def _count_characters(count: int) -> str:
    return f"{count:,} character{'s' * (count != 1)}"


def _format_masked_lengths(request: Request) -> str:
    """Say how much of the URL and the body is masked."""
    body = request.body.decode("utf-8", "replace") if request.secrets else ""
    places = (
        ("URL", request.url, mask_url(request.url, request.secrets)),
        ("body", body, mask_secrets(body, request.secrets)),
    )
    return "".join(
        f"  {MASK} in the {place}: {_count_characters(_masked_length(text, shown))},"
        f" {_MASKED_FOR_USER}\n"
        for place, text, shown in places
        if shown != text
    )


def _masked_length(text: str, shown: str) -> int:
    masks = shown.count(MASK) - text.count(MASK)
    return len(text) - len(shown) + masks * len(MASK)


def _truncate_line(text: str) -> str:
    more = len(text) - _MAX_LINE_CHARS
    return text if more <= 0 else f"{text[:_MAX_LINE_CHARS]}... ({more:,} more characters)"


def _mask_passwords(value: Json) -> Json:
    """What is sent as a password is not for the eyes of who looks over a shoulder."""
    if is_array(value):
        return [_mask_passwords(item) for item in value]
    if not is_object(value):
        return value
    return {name: _mask_member(name, each) for name, each in value.items()}


def _mask_member(name: str, value: Json) -> Json:
    is_password = isinstance(value, str) and value != MASK and is_secret_name(name)
    return _describe_mask(value, _MASKED_BY_NAME) if is_password else _mask_passwords(value)


def _format_body(body: Json, request: Request) -> str:
    if body is None:
        return ""
    if isinstance(body, str):
        pieces = [_wrap_lines(line) for line in _split_form(body, request.header("content-type"))]
        most = max(_MIN_LINES, _MAX_LINES // len(pieces))
        whole, shown = (
            _quote_lines(pieces),
            _quote_lines([_limit_lines(piece, most) for piece in pieces]),
        )
    else:
        whole = shown = _format_json(body)
        if len(whole) > MAX_SHOWN_BODY_CHARS:
            shown = _format_json(_shorten_values(body, MAX_SHOWN_BODY_CHARS // _count_values(body)))
    left_out = f"  Not all of the body is shown: it has {len(request.body):,} bytes.\n"
    return f"{shown}{left_out if shown != whole else ''}"


def _format_json(body: Json) -> str:
    return f"{json.dumps(body, indent=2, ensure_ascii=False)}\n"


def _shorten_values(value: Json, room: int) -> Json:
    """`value` with all names of its objects, and each value in about `room` characters."""
    if is_object(value):
        return {name: _shorten_values(each, room) for name, each in value.items()}
    if is_array(value) and len(value) <= _MAX_ITEMS:
        return [_shorten_values(item, room) for item in value]
    return json.loads(shorten_json(value, room))


def _count_values(value: Json) -> int:
    """How many values are shortened on their own; one at least."""
    if is_object(value):
        return sum(map(_count_values, value.values())) or 1
    is_short = is_array(value) and len(value) <= _MAX_ITEMS
    return (sum(map(_count_values, value)) or 1) if is_short else 1


def _split_form(text: str, media_type: str) -> list[str]:
    """The parts of a form, each on its own, so that none hides the others; else all of `text`."""
    if media_type_essence(media_type) == "application/x-www-form-urlencoded":
        return [_mask_pair(part) for part in text.split("&")]
    boundary = media_type.partition("boundary=")[2]
    parts = text.split(f"--{boundary}")[1:-1] if boundary else []
    return [part.strip("\r\n") for part in parts] or [text]


def _mask_pair(pair: str) -> str:
    name, equals, value = pair.partition("=")
    is_password = value != MASK and is_secret_name(unquote_plus(name))
    return (
        f"{name}{equals}{_describe_mask(unquote_plus(value), _MASKED_BY_NAME)}"
        if is_password
        else pair
    )


def _wrap_lines(text: str) -> list[str]:
    return [
        line[start : start + _MAX_LINE_CHARS]
        for line in text.splitlines()
        for start in range(0, max(len(line), 1), _MAX_LINE_CHARS)
    ]


def _limit_lines(lines: list[str], limit: int) -> list[str]:
    """The first and the last lines, where there are more than `limit`."""
    if len(lines) <= limit:
        return lines
    last = limit // 4
    more = f"... ({len(lines) - limit:,} more lines)"
    return [*lines[: limit - last], more, *lines[len(lines) - last :]]


def _quote_lines(pieces: list[list[str]]) -> str:
    return "".join(f"  | {line}\n" for piece in pieces for line in piece)


def escape_unprintable(text: str) -> str:
    """Text whose control, direction and invisible characters are escapes, but for line ends."""
    return "".join(
        character
        if character == "\n" or character.isprintable()
        else character.encode("unicode_escape").decode()
        for character in text
    )


def hash_request(request: Request) -> str:
    """Return the SHA-256 of what is sent, secrets left out, in hexadecimal."""
    headers = [
        (name, mask_header(request, name, value))
        for name, value in request.headers
        if name.lower() not in request.secret_headers or name.lower() == "cookie"
    ]
    names = sorted(request.secret_headers)
    url = mask_url(request.url, request.secrets)
    head = json.dumps([request.method, url, headers, names]).encode()
    body = request.body
    if request.secrets:
        body = mask_secrets(body.decode("utf-8", "surrogateescape"), request.secrets).encode(
            "utf-8", "surrogateescape"
        )
    return sha256(head + b"\0" + body).hexdigest()


class Approval:
    """
    Allows one request, once, and not for long.

    Args:
        now: Seconds, monotonic.
    """

    def __init__(self, request: Request, *, now: Callable[[], float] = time.monotonic) -> None:
        # A request cannot be altered, so its hash is made only where another one is to be sent.
        self._request: Request | None = request
        self._now, self._until = now, now() + APPROVAL_LIFETIME_S

    def spend(self, request: Request) -> None:
        """
        Use the approval up.

        Raises:
            RefusedRequest: It was given for another request, is too old, or is used up.
        """
        given, self._request = self._request, None
        where = request.url.partition("?")[0]
        if given is None or (given is not request and hash_request(given) != hash_request(request)):
            raise RefusedRequest(where, "it is not the request that was approved")
        if self._now() > self._until:
            raise RefusedRequest(where, "the approval is too old")
