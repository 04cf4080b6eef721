"""
JSON as language models write it, read to the value that was meant.

What is told apart with certainty is read here, in one pass: comments, single quotes, literals of
Python and JavaScript, names without quotes, commas too many or too few, a missing end. What is left
goes to `json_repair`, in small pieces: its time grows with more than the square of the length.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from restwright.jsontypes import Json, JsonObject, is_array, is_object

MAX_CHARS = 200_000
MAX_DEPTH = 100
_MAX_GUESSED_CHARS = 1_500
_MAX_OBJECTS = 20
_SPACE = re.compile(r"(?:\s+|//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)|#[^\n]*)*")
_QUOTES = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d", "\u2018": "\u2019"}
_STRING = {
    opening: re.compile(rf"{opening}(?:[^{closing}\\]|\\.)*", re.DOTALL)
    for opening, closing in _QUOTES.items()
}
_TRIPLE = re.compile(r"""(\"{3}|'{3})((?:(?!\1)(?:[^\\]|\\.))*)(\1|\Z)""", re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
# Before these a backslash is part of the text: of a path of Windows, or of a pattern.
_NO_ESCAPE = re.compile(r"[^\W_]|[.()\[\]{}+?^|-]")
_CONTROL = re.compile(r"[\x00-\x1f]")
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "\n": ""}
_SURROGATES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_NAME = re.compile(r"[\w$][\w$.\-]*")
_WORD = re.compile(r"""[^\s,:{}\[\]()"'`]+""")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,4000})(?:\.\d+)?(?:[eE][+-]?\d+)?")
_PLACEHOLDER = re.compile(r"""\{[^{}:"']{0,200}\}""")
_FENCE = re.compile(r"\s*(?:```\w*\s*)?")
_MEMBER = re.compile(r"""["']?[\w$.\-]+["']?\s*:""")
_AFTER = re.compile(r"[,:}\]]|\Z")
_LITERALS: dict[str, Json] = {
    "true": True,
    "false": False,
    "null": None,
    "none": None,
    "nan": float("nan"),
    "infinity": float("inf"),
    "-infinity": float("-inf"),
}
_CUT_LITERALS = {"tru": True, "fals": False, "nul": None}
_ABSENT: Json = object()
_MISSING = "the end was missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedArguments:
    """
    An object read from text.

    Args:
        value: The first object; the first with members where others stand before it.
        notes: What was read into the text beyond strict JSON.
        others: Further objects in the text that say something else.
    """

    value: JsonObject
    notes: tuple[str, ...] = ()
    others: tuple[JsonObject, ...] = field(default=(), repr=False)


class _AmbiguousText(Exception):
    """The text cannot be read with certainty."""


def parse_lenient_object(text: str) -> ParsedArguments | None:
    """
    Read the object in the text of a model; None where there is none, or no clear one.

    A longer text than 200,000 characters is not read, nor deeper nesting than 100.
    """
    if len(text) > MAX_CHARS:
        return None
    found = list(_scan_objects(text))
    if not found:
        return _guess_object(text)
    first = next((object_match for object_match in found if object_match.value), found[0])
    others = [
        object_match.value
        for object_match in found
        if object_match.value and object_match.value != first.value
    ]
    notes = (*first.notes, *_note_surroundings(text, first))
    return ParsedArguments(value=first.value, notes=notes, others=tuple(others))


def parse_lenient_value(text: str) -> Json:
    """
    The object or array that all of a text stands for, such as the text of a stringified argument.

    Brackets too many or too few at its end are put right; text that breaks off is not read.

    Raises:
        ValueError: It stands for none.
    """
    if len(text) > MAX_CHARS:
        raise ValueError("too long")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = _parse_whole(text)
    if not is_object(value) and not is_array(value):
        raise ValueError("neither an object nor an array")
    return value


def _parse_whole(text: str) -> Json:
    reader = _LenientParser(text)
    try:
        reader.skip_space()
        value = reader.parse_value(0)
        reader.skip_space()
    except (_AmbiguousText, RecursionError) as error:
        raise ValueError("no value") from error
    is_cut = _MISSING in reader.notes and not text.rstrip().endswith(("}", "]"))
    if is_cut or text[reader.position :].strip("}] \r\n\t"):
        raise ValueError("no whole value")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class _ObjectMatch:
    value: JsonObject
    start: int
    end: int
    notes: tuple[str, ...]


def _scan_objects(text: str) -> Iterator[_ObjectMatch]:
    """The objects in a text, one after the other, as far as they are clear."""
    at = text.find("{")
    for _ in range(_MAX_OBJECTS):
        if at < 0:
            return
        reader = _LenientParser(text, at)
        try:
            value = reader.parse_value(0)
        except (_AmbiguousText, RecursionError):
            # What stands in an unclear object is not what was meant.
            if not (skipped := _PLACEHOLDER.match(text, at)):
                return
            at = text.find("{", skipped.end())
        else:
            yield _ObjectMatch(
                value=value, start=at, end=reader.position, notes=tuple(reader.notes)
            )
            at = text.find("{", reader.position)


def _note_surroundings(text: str, found: _ObjectMatch) -> tuple[str, ...]:
    before, after = text[: found.start], text[found.end :]
    fence = ("a fence was taken off",) if "```" in before else ()
    is_bare = _FENCE.fullmatch(before) and _FENCE.fullmatch(after)
    return fence if is_bare else (*fence, "the text around was left out")


def _guess_object(text: str) -> ParsedArguments | None:
    """What `json_repair` makes of a text; never of several objects."""
    at = text.find("{")
    if at < 0 or len(text) - at > _MAX_GUESSED_CHARS:
        return None
    from json_repair import repair_json

    try:
        value: Json = repair_json(text[at:], return_objects=True)
    except (ValueError, RecursionError):
        return None
    return ParsedArguments(value=value, notes=("it was put right",)) if is_object(value) else None


class _LenientParser:
    """Reads one value from `position` on, and remembers what was lenient about it."""

    def __init__(self, text: str, at: int = 0) -> None:
        self.text, self.position = text, at
        self.notes: dict[str, None] = {}

    def skip_space(self) -> None:
        """Go to the next character that means something; comments do not."""
        end = _match_end(_SPACE, self.text, self.position)
        if self.text[self.position : end].strip():
            self.add_note("comments were left out")
        self.position = end

    def add_note(self, what: str) -> None:
        self.notes[what] = None

    def peek(self) -> str:
        """The next character after space; empty at the end."""
        self.skip_space()
        return self.text[self.position : self.position + 1]

    def parse_value(self, depth: int) -> Json:
        """Read what stands here."""
        if depth > MAX_DEPTH:
            raise _AmbiguousText
        following = self.peek()
        if following == "{":
            return self.parse_object(depth)
        if following == "[":
            return self.parse_array(depth)
        if triple := _TRIPLE.match(self.text, self.position):
            return self.parse_triple_quoted(triple)
        if following in _STRING:
            return self.parse_string(following)
        return self.parse_word()

    def parse_object(self, depth: int) -> JsonObject:
        self.position += 1
        found: JsonObject = {}
        while not self.skip_end("}"):
            name = self.parse_name()
            if self.peek() != ":":
                raise _AmbiguousText
            self.position += 1
            value = self.parse_member(depth)
            if name in found:
                raise _AmbiguousText
            if value is not _ABSENT:
                found[name] = value
        return found

    def parse_member(self, depth: int) -> Json:
        if self.peek() not in {"", "}"}:
            return self.parse_value(depth + 1)
        self.add_note("names without a value were left out")
        return _ABSENT

    def parse_array(self, depth: int) -> list[Json]:
        self.position += 1
        found: list[Json] = []
        while not self.skip_end("]"):
            value = self.parse_value(depth + 1)
            found.append(None if value is _ABSENT else value)
        return found

    def skip_end(self, closing: str) -> bool:
        """Go past commas, and past the end of an object or array where it comes now."""
        while (following := self.peek()) == ",":
            self.position += 1
            if self.peek() in {closing, ",", ""}:
                self.add_note("commas too many were left out")
        if not following:
            self.add_note(_MISSING)
            return True
        if following in "}])" and following != closing:
            raise _AmbiguousText
        self.position += following == closing
        return following == closing

    def parse_name(self) -> str:
        quote = self.peek()
        if quote in _STRING:
            return self.parse_string(quote)
        match = _NAME.match(self.text, self.position)
        if match is None:
            raise _AmbiguousText
        self.add_note("names were put in quotes")
        self.position = match.end()
        return match[0]

    def parse_string(self, quote: str) -> str:
        end = _match_end(_STRING[quote], self.text, self.position)
        inner = self.text[self.position + 1 : end]
        self.position = end + 1
        if quote != '"':
            self.add_note(f"{quote} quotes were read as double ones")
        if end >= len(self.text):
            self.add_note(_MISSING)
            self.position = len(self.text)
            return self.unescape(inner.removesuffix("\\"))
        self.skip_space()
        if not _AFTER.match(self.text, self.position):
            self.missing_comma()
        return self.unescape(inner)

    def parse_triple_quoted(self, match: re.Match[str]) -> str:
        """Text between three quotes, as Python writes it."""
        self.position = match.end()
        self.add_note("three quotes were read as one" if match[3] else _MISSING)
        return self.unescape(match[2])

    def unescape(self, inner: str) -> str:
        """The text that a string stands for."""
        if _CONTROL.search(inner):
            self.add_note("line breaks and tabs in text were read as they are")
        text = _ESCAPE.sub(self.decode_escape, inner) if "\\" in inner else inner
        return _SURROGATES.sub(_join_surrogates, text)

    def decode_escape(self, match: re.Match[str]) -> str:
        code = match[1]
        if len(code) == 5:
            return chr(int(code[1:], 16))
        if code not in _ESCAPES and _NO_ESCAPE.fullmatch(code):
            self.add_note("a backslash that escapes nothing was kept")
            return match[0]
        return _ESCAPES.get(code, code)

    def missing_comma(self) -> None:
        """A string is followed by the next one or a name, or it did not end there."""
        if (
            not _MEMBER.match(self.text, self.position)
            or "\n" not in self.text[self.position - 2 : self.position]
        ):
            raise _AmbiguousText
        self.add_note("missing commas were added")

    def parse_word(self) -> Json:
        """A literal of JSON, Python or JavaScript, or text without quotes."""
        match = _WORD.match(self.text, self.position)
        if match is None:
            raise _AmbiguousText
        word, self.position = match[0], match.end()
        if _NUMBER.fullmatch(word):
            return _parse_number(word)
        if word.lower() in _LITERALS:
            if word not in {"true", "false", "null"}:
                self.add_note(f"{word} was read as a literal")
            return _LITERALS[word.lower()]
        if word == "undefined":
            self.add_note("what is undefined was left out")
            return _ABSENT
        return self.parse_unquoted(word)

    def parse_unquoted(self, word: str) -> Json:
        if self.position >= len(self.text):
            self.add_note(_MISSING)
            for start, value in _CUT_LITERALS.items():
                if start.startswith(word.lower()):
                    return value
        if self.peek() not in {",", "}", "]", ""} or word.startswith("<"):
            raise _AmbiguousText
        self.add_note("text was put in quotes")
        return word


def _match_end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _parse_number(word: str) -> Json:
    return int(word) if word.lstrip("-").isdecimal() else float(word)


def _join_surrogates(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16", "surrogatepass").decode("utf-16")
