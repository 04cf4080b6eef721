"""A document as it was read: its bytes, its content, and what was doubtful in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from restwright.errors import NotOpenAPI, UnreadableDocument
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import Problem
from restwright.openapi.syntax.decode import LazyValue, ParsedFile


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Document:
    """
    A document, parsed when its content is first asked for. Equal where source and bytes are.

    Args:
        source: A path, a URL without its query, `-`, `bytes` or `object`.
        digest: What `sha256` is taken from.
        parsed: What `content` and `problems` are taken from.
        doubts: What the overlays could not do.
    """

    source: str
    digest: LazyValue[str] = field(repr=False)
    parsed: LazyValue[ParsedFile] = field(repr=False)
    doubts: LazyValue[tuple[Problem, ...]] | None = field(default=None, repr=False)

    def __eq__(self, other: object) -> bool:
        """Compare source and bytes."""
        is_one = isinstance(other, Document)
        return is_one and (self.source, self.sha256) == (other.source, other.sha256)

    def __hash__(self) -> int:
        """Agree with equality."""
        return hash((self.source, self.sha256))

    @property
    def sha256(self) -> str:
        """Of the bytes that were read, in hexadecimal; of all files and overlays together."""
        return self.digest()

    @property
    def content(self) -> JsonObject:
        """
        Plain JSON values; every key is a string.

        Raises:
            UnreadableDocument: Neither JSON nor YAML, or over a limit.
            NotOpenAPI: The top of the document is no object.
        """
        return _require_object(self.parsed().value, self.source)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What the parser met and passed over; the first question looks at JSON a second time."""
        return (*self.parsed().problems(), *self.overlay_problems)

    @property
    def overlay_problems(self) -> tuple[Problem, ...]:
        """What the overlays could not do; empty where there are none."""
        return self.doubts() if self.doubts else ()


def _require_object(value: Json, source: str) -> JsonObject:
    if is_object(value):
        return value
    if isinstance(value, str):
        raise UnreadableDocument(source, "it is plain text")
    kind = "a list" if is_array(value) else "a single value"
    raise NotOpenAPI(source, f"{kind} stands at the top, where an object is expected")
