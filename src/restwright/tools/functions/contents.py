"""What a function returns that is more than text and data."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from typing import TypeAlias

_Octets: TypeAlias = bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """
    An image, a sound or other bytes: `Media.of(content, "image/png")`.

    Args:
        bytes: How many.
    """

    media_type: str
    bytes: int
    base64: str = field(repr=False)

    @classmethod
    def of(cls, content: _Octets, media_type: str) -> Media:
        """Bytes of a media type."""
        text = b64encode(content).decode()
        return cls(media_type=media_type, bytes=len(content), base64=text)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedResource:
    """A text with the URI that it is known by."""

    uri: str
    text: str
    media_type: str = "text/plain"
