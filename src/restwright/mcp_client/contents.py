"""What a tool of a server gave: data, whatever it says."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.tool import LocalResult

_MAGIC = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}
_MAX_ERROR = 4_000
_LINK_KEYS = ("uri", "name", "title", "description", "mimeType", "size")


def read_result(result: JsonObject, *, is_read: bool) -> LocalResult:
    """
    Read the result of `tools/call`.

    A structured one is the value as it is; of other contents texts are, alone where there is one.
    What is linked to is not fetched.

    Args:
        is_read: Whether nothing can have been changed.
    """
    warnings: list[str] = []
    contents = result.get("content")
    parts = [_read_block(block, warnings) for block in (contents if is_array(contents) else ())]
    if result.get("isError") is True:
        text = "\n".join(part if isinstance(part, str) else json.dumps(part) for part in parts)
        text = text[:_MAX_ERROR] or "the tool failed, and does not say why"
        return LocalResult(error=text, may_have_acted=not is_read, is_foreign=True)
    others = [part for part in parts if not isinstance(part, str)]
    if "structuredContent" in result:
        value: Json = result["structuredContent"]
        # What a text says once more is left out; what is no text would be lost.
        value = {"result": value, "contents": others} if others else value
    else:
        value = _join_parts(parts)
    return LocalResult(value=value, is_foreign=True, warnings=tuple(warnings))


def _join_parts(parts: Sequence[Json]) -> Json:
    if not parts:
        return None
    if len(parts) == 1:
        [only] = parts
        return _parse_json(only) if isinstance(only, str) else only
    return [*parts]


def _parse_json(text: str) -> Json:
    """The object or list that a text is in JSON; else the text."""
    if text[:1] not in {"{", "["}:
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if is_object(value) or is_array(value) else text


def _read_block(block: Json, warnings: list[str]) -> Json:
    kind = block.get("type") if is_object(block) else None
    if not is_object(block) or kind not in _READERS:
        warnings.append(f"a content of the unknown type {str(kind)[:40]!r} is left out")
        return ""
    return _READERS[kind](block, warnings)


def _read_text(block: JsonObject, warnings: list[str]) -> Json:
    del warnings
    return str(block.get("text", ""))


def _read_media(block: JsonObject, warnings: list[str]) -> Json:
    return _describe_bytes(block.get("data"), block.get("mimeType"), warnings)


def _read_link(block: JsonObject, warnings: list[str]) -> Json:
    del warnings
    return {"link": {key: block[key] for key in _LINK_KEYS if block.get(key) is not None}}


def _read_resource(block: JsonObject, warnings: list[str]) -> Json:
    resource = block.get("resource")
    if not is_object(resource):
        return ""
    uri = {"uri": str(resource.get("uri", ""))}
    if isinstance(resource.get("text"), str):
        return {**uri, "text": resource["text"]}
    return {**uri, **_describe_bytes(resource.get("blob"), resource.get("mimeType"), warnings)}


def _describe_bytes(data: Json, media_type: Json, warnings: list[str]) -> JsonObject:
    named = media_type if isinstance(media_type, str) else "application/octet-stream"
    try:
        content = base64.b64decode(data if isinstance(data, str) else "", validate=True)
    except (binascii.Error, ValueError):
        warnings.append(f"a content of {named[:80]} is no Base64, and is left out")
        return {"media_type": named, "bytes": 0}
    starts = _MAGIC.get(named)
    if starts is not None and not content.startswith(starts):
        warnings.append(f"a content is not the {named} that it is said to be")
    return {"media_type": named, "bytes": len(content), "base64": data}


_READERS = {
    "text": _read_text,
    "image": _read_media,
    "audio": _read_media,
    "resource_link": _read_link,
    "resource": _read_resource,
}
