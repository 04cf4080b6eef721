"""
Files among the arguments of a call.

Within arguments a file is a data URL (RFC 2397), which is JSON like all else: what was checked,
approved and written down is what is sent. A path is read only where the caller brings what reads
it; a model that writes a path has written a text.
"""

from __future__ import annotations

import base64
import binascii
import mimetypes
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePath
from urllib.parse import quote, unquote, unquote_to_bytes

from restwright.calls.request.body_schema import BodySchema
from restwright.calls.request.encode import Unwritable
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.text.media_types import body_media_type
from restwright.tools.tool import Tool

MAX_FILE_BYTES = 25_000_000
"""Of one file in a request body."""
OCTET_STREAM = "application/octet-stream"
FileReader = Callable[[str], bytes]
"""From a path that the user wrote to its bytes; raises OSError."""
_DATA_URL = re.compile(r"data:(?P<head>[^,]{0,1000}),", re.ASCII)
_ESSENCE = re.compile(r"[!#$&^_.+A-Za-z0-9-]{1,80}/[!#$&^_.+A-Za-z0-9-]{1,80}")


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """The bytes of a file, and what is known about them; empty for what is not."""

    content: bytes = field(repr=False)
    name: str = ""
    media_type: str = ""


def data_url_from_bytes(content: bytes, *, name: str = "", media_type: str = "") -> str:
    """
    Return bytes as a text that stands for a file in the arguments of a call.

    Args:
        name: Of the file, without folders; empty for none.
        media_type: Guessed from `name` where it is empty.
    """
    guessed = media_type or mimetypes.guess_type(name)[0] or OCTET_STREAM
    named = f";name={quote(PurePath(name).name, safe='')}" if name else ""
    return f"data:{guessed}{named};base64,{base64.b64encode(content).decode()}"


def file_from_data_url(text: str) -> File | None:
    """
    Return the file that a data URL holds; None for any other text.

    Raises:
        Unwritable: It begins like a data URL and is none, or holds more than a file may have.
    """
    match = _DATA_URL.match(text)
    if match is None:
        return None
    media_type, *options = match["head"].split(";")
    content = _decode_data(text[match.end() :], is_base64=options[-1:] == ["base64"])
    if len(content) > MAX_FILE_BYTES:
        raise Unwritable(f"a file of at most {MAX_FILE_BYTES:,} bytes")
    named = (option.partition("=") for option in options)
    name = next((unquote(value) for key, _, value in named if key in {"name", "filename"}), "")
    known = media_type if _ESSENCE.fullmatch(media_type) else ""
    return File(content=content, name=PurePath(name).name, media_type=known)


def _decode_data(text: str, *, is_base64: bool) -> bytes:
    if not is_base64:
        return unquote_to_bytes(text)
    try:
        # Some write it percent-encoded, as a URL may be.
        return base64.b64decode(unquote(text), validate=True)
    except (binascii.Error, ValueError):
        raise Unwritable("a data URL whose base64 is whole") from None


def embed_files(tool: Tool, arguments: JsonObject, *, read: FileReader | None = None) -> JsonObject:
    """
    Return the arguments with files as JSON: bytes become data URLs, or base64 where that is asked.

    Args:
        read: Reads the paths that the user wrote, `"@path"` or `{"path": path}`, where the document
            asks for a file. Without it no path is read, so it is never given for what a model
            wrote.

    Raises:
        OSError: A path cannot be read.
        Unwritable: A file is larger than a file may be.
    """
    if read is None and not _has_bytes(arguments):
        return arguments
    media_type = body_media_type(tool.operation)
    body = BodySchema(media_type.schema if media_type else True, tool.document)
    inputs = {(tool_input.group, tool_input.name): tool_input for tool_input in tool.inputs}

    def described(name: str) -> BodySchema | None:
        target = inputs.get(("", name))
        if target is None or not target.location.startswith("body"):
            return None
        return body if target.location == "body" else body.member(target.target)

    found: JsonObject = {}
    for name, value in arguments.items():
        try:
            found[name] = _embed_in_value(value, described(name), read)
        except Unwritable as error:
            raise Unwritable(str(error), (name, *error.path)) from None
    return found


def _has_bytes(value: Json) -> bool:
    if isinstance(value, (bytes, bytearray)):
        return True
    if is_object(value):
        return any(map(_has_bytes, value.values()))
    return is_array(value) and any(map(_has_bytes, value))


def _embed_in_value(value: Json, described: BodySchema | None, read: FileReader | None) -> Json:
    if isinstance(value, (bytes, bytearray)):
        return _encode_file(bytes(value), "", described)
    if described is None:
        return value
    path = _file_path(value) if read is not None and described.is_file else None
    if path is not None and read is not None:
        return _encode_file(read(path), path, described)
    if is_array(value):
        items = described.items
        return [_embed_in_value(item, items, read) for item in value]
    if is_object(value):
        return {
            key: _embed_in_value(each, described.member(key), read) for key, each in value.items()
        }
    return value


def _file_path(value: Json) -> str | None:
    if isinstance(value, str) and value.startswith("@") and len(value) > 1:
        return value[1:]
    if is_object(value) and value.keys() == {"path"} and isinstance(value["path"], str):
        return value["path"]
    return None


def _encode_file(content: bytes, path: str, described: BodySchema | None) -> str:
    if len(content) > MAX_FILE_BYTES:
        raise Unwritable(f"a file of at most {MAX_FILE_BYTES:,} bytes")
    if described is not None and described.is_base64:
        return base64.b64encode(content).decode()
    return data_url_from_bytes(content, name=PurePath(path).name)
