"""From the result of a call to what a client takes: text, images, sound, links, structure."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields

import mcp_types as types

from restwright.calls.response.decode import response_essence
from restwright.calls.response.result import Result, status_line
from restwright.calls.truncate import compact_json, shorten_json
from restwright.jsontypes import Json, is_array, is_object
from restwright.mcp.protocol.output_schemas import OutputSchema
from restwright.mcp.protocol.unicode_text import to_unicode_json, to_unicode_text
from restwright.tools.functions.contents import EmbeddedResource, Media

MAX_CHARS = 80_000
"""Of a text in a result, about 20,000 tokens; a longer one is shortened, and linked to."""
MAX_MEDIA_BYTES = 1_000_000
"""Of an image or a sound in a result; a longer one is linked to."""
_MAX_ERROR_CHARS = 4_000
_IMAGES = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}
_SOUNDS = {
    "audio/mpeg": (b"ID3", b"\xff"),
    "audio/wav": (b"RIFF",),
    "audio/x-wav": (b"RIFF",),
    "audio/ogg": (b"OggS",),
    "audio/flac": (b"fLaC",),
}
_OCTETS = "application/octet-stream"
_MEDIA = {each.name for each in fields(Media)}
_EMBEDDED = {each.name for each in fields(EmbeddedResource)}

KeepBody = Callable[[str, bytes], str]
"""Keeps a body of a media type for its reader; returns its URI, empty where it cannot be kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultOptions:
    """
    How results are told.

    Args:
        schema: What the tool has promised; None for nothing.
        keep: Keeps what is too long.
        max_chars: Of a text.
    """

    keep: KeepBody = field(repr=False)
    schema: OutputSchema | None = None
    max_chars: int = MAX_CHARS


def error_result(text: str, *more: types.ContentBlock) -> types.CallToolResult:
    """A failure that a model reads and can act on."""
    return types.CallToolResult(content=[text_block(text), *more], is_error=True)


def text_block(text: str) -> types.TextContent:
    """A text as content."""
    return types.TextContent(type="text", text=to_unicode_text(text))


def make_call_result(result: Result, options: ResultOptions) -> types.CallToolResult:
    """
    Tell the result of a call.

    What the server of the API has sent is all there, or linked to: nothing is lost because it is
    not as the document says.
    """
    notes = [text_block(f"Note: {note}") for note in _list_notes(result)]
    if not result.ok:
        return error_result(_explain_failure(result), *_error_details(result), *notes)
    content = [*_make_content(result, options), *notes]
    if options.schema is None:
        return types.CallToolResult(content=content)
    structured = options.schema.structure(to_unicode_json(result.value))
    if options.schema.fits(structured):
        return types.CallToolResult(content=content, structured_content=structured)
    done = "; it took effect, so do not repeat it" if result.effect == "done" else ""
    why = text_block(f"The response came, but is not as the document says{done}. It is this:")
    return types.CallToolResult(content=[why, *content], is_error=True)


def _list_notes(result: Result) -> Iterator[str]:
    for repair in result.repairs:
        yield f"an argument was repaired: {repair}"
    yield from result.warnings
    if result.pages is not None and result.pages.read > 1:
        yield f"{result.pages.read:,} pages, {result.pages.items:,} items"


def _explain_failure(result: Result) -> str:
    if result.kind == "mismatch" or result.repairable_by == "model":
        return result.text
    if result.repairable_by == "waiting":
        after = "later" if result.retry_after_s is None else f"after {result.retry_after_s:,.0f} s"
        return f"{result.text} Try again {after}."
    if result.repairable_by == "user":
        return f"{result.text} Other arguments will not help: only the user can mend this."
    return result.text


def _error_details(result: Result) -> Iterator[types.ContentBlock]:
    """The body of a failure as data, where it says more than its sentences."""
    if (is_object(result.value) or is_array(result.value)) and not _is_binary(result):
        yield text_block(shorten_json(result.value, _MAX_ERROR_CHARS))


def _make_content(result: Result, options: ResultOptions) -> Iterator[types.ContentBlock]:
    if result.value is None:
        status = f"{status_line(result.status)}, " if result.status is not None else ""
        yield text_block(f"{status}without a body")
    elif _is_binary(result):
        assert result.response is not None  # noqa: S101  (`_is_binary` has looked)
        media_type = response_essence(result.response) or _OCTETS
        yield from _media_content(result.response.body, media_type, options)
    elif result.response is None and _has_contents(result.value):
        yield from _own_contents(result.value, options)
    else:
        yield from _text_content(result.value, options)


def make_contents(value: Json) -> list[types.ContentBlock]:
    """What a function returns as contents, of which nothing is kept apart."""
    options = ResultOptions(keep=lambda _, __: "", max_chars=MAX_CHARS)
    return [*(_own_contents if _has_contents(value) else _text_content)(value, options)]


def _has_contents(value: Json) -> bool:
    """Whether a function has returned `Media` or an `EmbeddedResource`, or some in a list."""
    parts = value if is_array(value) else [value]
    return any(read_media(part) is not None or _read_embedded(part) is not None for part in parts)


def _own_contents(value: Json, options: ResultOptions) -> Iterator[types.ContentBlock]:
    for part in value if is_array(value) else [value]:
        if (media := read_media(part)) is not None:
            yield from _media_content(b64decode(media.base64), media.media_type, options)
        elif (embedded := _read_embedded(part)) is not None:
            yield types.EmbeddedResource(type="resource", resource=embedded)
        else:
            yield from _text_content(part, options)


def read_media(value: Json) -> Media | None:
    """The `Media` that a value stands for; None where it is something else."""
    if not is_object(value) or value.keys() != _MEDIA:
        return None
    try:
        size = len(b64decode(str(value["base64"]), validate=True))
    except ValueError:
        return None
    return (
        Media(**value) if size == value["bytes"] and isinstance(value["media_type"], str) else None
    )


def _read_embedded(value: Json) -> types.TextResourceContents | None:
    if not is_object(value) or value.keys() != _EMBEDDED or not all(map(_is_text, value.values())):
        return None
    text = to_unicode_text(value["text"])
    return types.TextResourceContents(uri=value["uri"], mime_type=value["media_type"], text=text)


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _text_content(value: Json, options: ResultOptions) -> Iterator[types.ContentBlock]:
    text = value if isinstance(value, str) else compact_json(value)
    if len(text) <= options.max_chars:
        yield text_block(text)
        return
    yield text_block(
        f"{text[: options.max_chars]}..."
        if isinstance(value, str)
        else shorten_json(value, options.max_chars)
    )
    media_type = "text/plain" if isinstance(value, str) else "application/json"
    yield from _link(text.encode("utf-8", "replace"), media_type, options)


def _is_binary(result: Result) -> bool:
    """Whether `value` stands for bytes that are no text."""
    response = result.response
    if response is None or not is_object(result.value):
        return False
    essence = response_essence(response) or _OCTETS
    return result.value == {"media_type": essence, "bytes": len(response.body)}


def _media_content(
    body: bytes, media_type: str, options: ResultOptions
) -> Iterator[types.ContentBlock]:
    if len(body) <= MAX_MEDIA_BYTES:
        data = b64encode(body).decode()
        if body.startswith(_IMAGES.get(media_type, ())):
            yield types.ImageContent(type="image", data=data, mime_type=media_type)
            return
        if body.startswith(_SOUNDS.get(media_type, ())):
            yield types.AudioContent(type="audio", data=data, mime_type=media_type)
            return
    yield text_block(f"{len(body):,} bytes of {media_type}")
    yield from _link(body, media_type, options)


def _link(body: bytes, media_type: str, options: ResultOptions) -> Iterator[types.ContentBlock]:
    """Where the whole of a body can be read."""
    if uri := options.keep(media_type, body):
        yield types.ResourceLink(
            type="resource_link",
            uri=uri,
            name="response",
            description="The whole response, for a while.",
            mime_type=media_type,
            size=len(body),
        )
    else:
        yield text_block("It is too long to be kept: ask for less of it.")
