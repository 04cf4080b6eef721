"""Gzip in pieces of bounded length, so that a bomb is met by whoever counts them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

MAGIC = b"\x1f\x8b"
_PIECE = 64 * 1024


def gunzipped(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """
    Decompress `chunks`; each piece is at most 64 KiB.

    Raises:
        zlib.error: It is no gzip, or it is cut off.

    Source: RFC 1952, "File format" (a file may have several members, one after the other).
    """
    decoder = zlib.decompressobj(wbits=31)
    empty = True
    for chunk in chunks:
        empty, rest = False, chunk
        while rest:
            if decoder.eof:
                decoder = zlib.decompressobj(wbits=31)
            yield decoder.decompress(rest, _PIECE)
            rest = decoder.unconsumed_tail or decoder.unused_data
    if not (empty or decoder.eof):
        raise zlib.error("it is cut off")
