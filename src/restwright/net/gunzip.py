"""Gzip in pieces of bounded length, so that a bomb is met by whoever counts them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

GZIP_MAGIC = b"\x1f\x8b"
_PIECE = 64 * 1024


class GzipDecoder:
    """
    Decompresses what it is fed; each piece is at most 64 KiB.

    Source: RFC 1952, "File format" (a file may have several members, one after the other).
    """

    def __init__(self) -> None:
        self._decoder = zlib.decompressobj(wbits=31)
        self._is_empty = True

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """
        Return the pieces that `chunk` completes.

        Raises:
            zlib.error: It is no gzip.
        """
        self._is_empty, rest = False, chunk
        while rest:
            if self._decoder.eof:
                self._decoder = zlib.decompressobj(wbits=31)
            yield self._decoder.decompress(rest, _PIECE)
            rest = self._decoder.unconsumed_tail or self._decoder.unused_data

    def finish(self) -> None:
        """
        Say that nothing more comes.

        Raises:
            zlib.error: It is cut off.
        """
        if not (self._is_empty or self._decoder.eof):
            raise zlib.error("it is cut off")


def decompress_gzip(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """
    Decompress `chunks`; each piece is at most 64 KiB.

    Raises:
        zlib.error: It is no gzip, or it is cut off.
    """
    gunzip = GzipDecoder()
    for chunk in chunks:
        yield from gunzip.feed(chunk)
    gunzip.finish()
