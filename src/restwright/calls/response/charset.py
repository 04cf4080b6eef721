"""The charset of a body: the one that is named where it is a plain encoding of text, else UTF-8."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from encodings import normalize_encoding
from encodings.aliases import aliases
from functools import cache
from typing import Any

from restwright.net.messages import Response

_CHARSET_PARAMETER = re.compile(r"charset=\"?([\w.:-]{1,40})", re.IGNORECASE | re.ASCII)
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf_8_sig"),
    (codecs.BOM_UTF32_LE, "utf_32"),
    (codecs.BOM_UTF32_BE, "utf_32"),
    (codecs.BOM_UTF16_LE, "utf_16"),
    (codecs.BOM_UTF16_BE, "utf_16"),
)
# Python has codecs that are slow (`punycode`), that refuse all (`idna`, `undefined`), and that are
# no charsets (`hex`, `unicode_escape`); UTF-7 hides markup.
_UNICODE = (
    *("utf_8", "utf_8_sig", "utf_16", "utf_16_le", "utf_16_be"),
    *("utf_32", "utf_32_le", "utf_32_be"),
)
_SINGLE_BYTE = (
    *("ascii", "latin_1", "koi8_r", "koi8_u", "mac_roman", "tis_620", "cp437", "cp850", "cp852"),
    *("cp855", "cp866", "cp874", *(f"cp{number}" for number in range(1250, 1259))),
    *(f"iso8859_{number}" for number in range(2, 17) if number != 12),
)
_EAST_ASIAN = (
    *("big5", "big5hkscs", "cp932", "cp949", "cp950", "euc_jp", "euc_kr", "gb2312", "gb18030"),
    *("gbk", "iso2022_jp", "shift_jis"),
)
_CHARSETS = frozenset((*_UNICODE, *_SINGLE_BYTE, *_EAST_ASIAN))


@dataclass(frozen=True, slots=True)
class Charset:
    """
    How the text of a body is decoded.

    Args:
        name: As Python calls it.
        note: What is wrong with the charset that the response names; empty for nothing.
    """

    name: str = "utf_8"
    note: str = ""

    @property
    def is_wide(self) -> bool:
        """Whether a character takes more than one byte, of which some are zero."""
        return self.name.startswith(("utf_16", "utf_32"))


def detect_charset(response: Response) -> Charset:
    """Return the charset that is named, or that a byte order mark gives away; UTF-8 else."""
    for mark, name in _BYTE_ORDER_MARKS:
        if response.body.startswith(mark):
            return Charset(name)
    named = _CHARSET_PARAMETER.search(response.header("content-type"))
    if named is None:
        return Charset()
    # Looked up here: `codecs.lookup()` imports a module by the name that a server sends.
    plain = normalize_encoding(named[1]).lower()
    name = aliases.get(plain, plain)
    if name in _CHARSETS:
        return Charset(name)
    return Charset(note=f"the charset {named[1]} is not read here; the body is read as UTF-8")


def decode_response_text(response: Response) -> str:
    """Return the body as text, with U+FFFD for what is none."""
    name = detect_charset(response).name
    if name in _SINGLE_BYTE:
        # Its codec would take its time for every byte that it has no character for.
        table: Any = _charset_table(name)
        return codecs.charmap_decode(response.body, "replace", table)[0]
    return response.body.decode(name, "replace")


@cache
def _charset_table(name: str) -> str:
    """The characters of all bytes."""
    return bytes(range(256)).decode(name, "replace")
