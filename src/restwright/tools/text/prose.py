"""Texts of documents are made fit to be read by a model: visible, plain, and cut at sentences."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator

_MARK = "\u2026"
# No text of a document is read further than this.
_MAX_READ = 20_000
MAX_SENTENCE = 300

# Cc and Cf are the control, zero-width, bidirectional and tag characters; Co and Cs print nothing.
_UNPRINTABLE = frozenset({"Cc", "Cf", "Co", "Cs"})
# Unicode, DerivedCoreProperties, "Default_Ignorable_Code_Point": text can be hidden in these.
_IGNORABLE = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_LINE_ENDS = {"\r\n": "\n", "\r": "\n", "\u2028": "\n", "\u2029": "\n\n"}

# The HTML elements of descriptions; any other word in angle brackets is text (`List<Pet>`).
_ELEMENTS = {
    "\n\n": ("p", "div", "ul", "ol", "dl", "pre", "table", "blockquote", "hr"),
    "\n": ("br", "li", "tr", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6"),
    " ": ("td", "th"),
    "": (
        *("a", "abbr", "b", "code", "del", "em", "font", "i", "img", "kbd", "s", "small", "span"),
        *("strong", "sub", "sup", "tbody", "thead", "tt", "u", "var"),
    ),
}
_SPACES = {name: space for space, names in _ELEMENTS.items() for name in names}
_ELEMENT = re.compile(rf"</?({'|'.join(_SPACES)})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_LINK = re.compile(r"(!?)\[([^\[\]]*)\]\([^()]*\)")

_SENTENCE_END = re.compile(
    r"[.!?]+[\"')\]*\u2019\u201d]{0,3}(?=\s|$)|[\u3002\uff01\uff1f]|\n(?=\n)"
)
_ABBREVIATION = re.compile(
    r"(?:^|[^a-z])(?:(?:[a-z]\.\s?)+[a-z]\.|(?:vs|cf|approx|incl|excl|resp|mrs?|dr|eg|ie)\.)$"
    r"|(?:^|\n)\d{1,3}\.$",
    re.IGNORECASE,
)
_LONGEST_ABBREVIATION = 12
_LIST_ITEM = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+")
_QUOTE_OR_ITEM = re.compile(rf"^(?:> ?)?(?:{_LIST_ITEM.pattern})?")
_STRUCTURE = ("#", "|", "```", "~~~", "---", "===", "***", "___", ":::", "> [!")
_STRUCTURE_MARKS = "#|`~-=*_:> "


def strip_unprintable(text: str) -> str:
    """`text` without characters that show nothing or change the direction of what follows."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split()) if "  " in text else text.strip()
    if not text.isascii() or not text.replace("\n", "").isprintable():
        text = _strip_hidden(text)
    lines = "\n".join([" ".join(line.split()) for line in text.split("\n")])
    while "\n\n\n" in lines:
        lines = lines.replace("\n\n\n", "\n\n")
    return lines.strip()


def to_plain_text(text: str) -> str:
    """`text`, printable and without HTML, the addresses of links, and images."""
    text = text[:_MAX_READ]
    if "<" in text:
        text = _ELEMENT.sub(lambda found: _SPACES[found[1].lower()], _strip_comments(text))
    if "&" in text:
        text = html.unescape(text)
    if "](" in text:
        text = _LINK.sub(lambda found: "" if found[1] else found[2], text)
    return strip_unprintable(text)


def first_sentence(text: str, max_chars: int = MAX_SENTENCE) -> str:
    """The first sentence of the first paragraph that is neither heading, table nor code."""
    prose = _first_prose(to_plain_text(text))
    if "**" in prose:
        prose = " ".join(prose.replace("**", "").split())
    return shorten_text(prose[: next(_find_sentence_ends(prose), len(prose))], max_chars)


def shorten_text(text: str, max_chars: int) -> str:
    """`text` cut at the end of a sentence, or of a word where that is too early; marked by `…`."""
    if len(text) <= max_chars:
        return text
    # Room for a space and the mark.
    *_, end = 0, *_find_sentence_ends(text, max_chars - 2)
    if end > max_chars // 3:
        return f"{text[:end].rstrip()} {_MARK}"
    window = text[: max(0, max_chars - 1)]
    end = max(window.rfind(" "), window.rfind("\n"))
    return ((window[:end] if end > 0 else window).rstrip() + _MARK)[: max(0, max_chars)]


def to_one_line(text: str) -> str:
    """`text`, printable and without line ends."""
    return " ".join(strip_unprintable(text).split())


def _strip_hidden(text: str) -> str:
    for written, end in _LINE_ENDS.items():
        text = text.replace(written, end)
    text = _IGNORABLE.sub("", text)
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(
        character
        for character in text
        if character.isprintable()
        or character in "\n\t"
        or unicodedata.category(character) not in _UNPRINTABLE
    )


def _strip_comments(text: str) -> str:
    """What a browser shows: a comment without an end hides the rest."""
    first, *rest = text.split("<!--")
    return first + "".join(item.partition("-->")[2] for item in rest)


def _first_prose(text: str) -> str:
    """The first paragraph of prose in one line; else the first heading."""
    if "\n" not in text and text[:1].isalpha():
        return text
    heading = ""
    for paragraph in text.split("\n\n"):
        lines: list[str] = []
        for line in paragraph.split("\n"):
            ends_prose = line.startswith(_STRUCTURE) or _LIST_ITEM.match(line)
            if lines and ends_prose:
                break
            if line.startswith(_STRUCTURE):
                heading = heading or line.strip(_STRUCTURE_MARKS)
            elif written := _QUOTE_OR_ITEM.sub("", line):
                lines.append(written)
        if lines:
            return " ".join(lines)
    return heading


def _find_sentence_ends(text: str, limit: int | None = None) -> Iterator[int]:
    """Where sentences end, up to `limit`: `e.g. this` and `v1.2` are within one."""
    limit = len(text) if limit is None else limit
    # One character more, so that the one behind an end is seen.
    for found in _SENTENCE_END.finditer(text, 0, max(0, limit + 1)):
        end = found.end()
        if end <= limit and (end == len(text) or not _continues_after(text, found.start(), end)):
            yield end


def _continues_after(text: str, start: int, end: int) -> bool:
    """Whether the full stop at `start` belongs to an abbreviation or the number of an item."""
    if text[start] != ".":
        return False
    following = text[end : end + 2].lstrip()[:1]
    before = text[max(0, start - _LONGEST_ABBREVIATION) : start + 1]
    return following.islower() or bool(_ABBREVIATION.search(before))
