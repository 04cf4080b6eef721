"""
What a server says of its tools, read with suspicion: one bad tool costs that tool.

Texts are for a model, which can be lied to by them: what shows nothing in them is reported, and
everything that is said of a tool is part of what a lock pins.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.net.secret_names import is_hidden_input_name
from restwright.openapi.model import Problem
from restwright.openapi.references import join_pointer
from restwright.tools.text.prose import strip_unprintable

_MAX_NAME = 128
_MAX_DEPTH = 60
_MAX_NODES = 20_000
_MAX_TEXT = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTool:
    """
    One tool as a server lists it.

    Args:
        name: The server's own.
        annotations: Its hints about what a call does; nobody vouches for them.
        digest: SHA-256 of all that is said of it.
    """

    name: str
    description: str = ""
    title: str = ""
    parameters: JsonObject = field(repr=False)
    output: JsonObject | None = field(default=None, repr=False)
    annotations: JsonObject = field(default_factory=dict[str, Json])
    digest: str

    @property
    def claims_read(self) -> bool:
        """Whether it says that it only reads."""
        return self.annotations.get("readOnlyHint") is True


class ReadTools(NamedTuple):
    """What could be read of a list, and what was passed over or is doubtful."""

    tools: tuple[ListedTool, ...]
    problems: tuple[Problem, ...]


def read_tools(listed: Sequence[Json], refused: Sequence[Problem] = ()) -> ReadTools:
    """
    Read what a server lists.

    Args:
        listed: Each as it came; a form that the protocol does not have is in `refused` already.
    """
    problems, found = [*refused], dict[str, ListedTool]()
    for number, raw in enumerate(listed):
        if why := _why_unusable(raw, found.keys()):
            name = raw.get("name") if is_object(raw) else None
            where = _pointer(name if isinstance(name, str) and name else number)
            problems.append(Problem(where, why, "error", "no tool is made of it"))
            continue
        assert is_object(raw)  # noqa: S101  (it has a name)
        tool = _read_tool(raw)
        found[tool.name] = tool
        problems += _find_doubts(raw, _pointer(tool.name))
    return ReadTools(tuple(found.values()), tuple(problems))


def _pointer(name: str | int) -> str:
    return join_pointer("tools", strip_unprintable(str(name))[:_MAX_NAME])


def _why_unusable(raw: Json, known: Iterable[str]) -> str:
    name = raw.get("name") if is_object(raw) else None
    if not isinstance(name, str) or not name.strip():
        return "a tool has no name"
    if len(name) > _MAX_NAME or not name.isprintable():
        return f"a name is longer than {_MAX_NAME} characters, or cannot be printed"
    if name in known:
        return "another tool has the same name"
    if _is_too_large(raw):
        return f"its schemas are deeper than {_MAX_DEPTH} levels, or have over {_MAX_NODES:,} parts"
    if (secret := _find_mirrored_secret(raw)) is not None:
        return f"{secret[:_MAX_NAME]!r} would be sent in a header, where it may be logged"
    return ""


def _find_mirrored_secret(raw: Json) -> str | None:
    """A parameter that is a secret by its name, and that a client is to put into a header."""
    waiting = [raw]
    while waiting:
        node = waiting.pop()
        if is_object(node):
            named = node.get("properties")
            for name, schema in named.items() if is_object(named) else ():
                if is_object(schema) and "x-mcp-header" in schema and is_hidden_input_name(name):
                    return name
            waiting += node.values()
        elif is_array(node):
            waiting += node
    return None


def _read_tool(raw: JsonObject) -> ListedTool:
    annotations, output = raw.get("annotations"), raw.get("outputSchema")
    title = raw.get("title") or (annotations.get("title") if is_object(annotations) else "")
    return ListedTool(
        name=str(raw["name"]),
        description=str(raw.get("description") or "")[:_MAX_TEXT],
        title=title[:200] if isinstance(title, str) else "",
        parameters=raw["inputSchema"],
        output=output if is_object(output) else None,
        annotations=annotations if is_object(annotations) else {},
        digest=digest_tool(raw),
    )


def digest_tool(raw: JsonObject) -> str:
    """SHA-256 of what is said of a tool, icons and notes for clients left out."""
    said = {key: value for key, value in raw.items() if key not in {"_meta", "icons", "execution"}}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _is_too_large(raw: Json) -> bool:
    waiting, count = [(raw, 0)], 0
    while waiting:
        node, depth = waiting.pop()
        count += 1
        if depth > _MAX_DEPTH or count > _MAX_NODES:
            return True
        members = node.values() if is_object(node) else node if is_array(node) else ()
        waiting += [(member, depth + 1) for member in members]
    return False


def _find_doubts(raw: JsonObject, where: str) -> Iterator[Problem]:
    if any(map(_has_hidden, _list_texts(raw))):
        what = "a text has characters that show nothing or turn its direction"
        yield Problem(where, what, "warning", "they are left out")
    if len(str(raw.get("description") or "")) > _MAX_TEXT:
        what = f"the description is longer than {_MAX_TEXT:,} characters"
        yield Problem(where, what, "warning", "it is cut")
    if not is_object(raw.get("annotations")):
        what = "nothing says whether it only reads"
        yield Problem(where, what, "information", "it counts as a write")


def _list_texts(node: Json) -> Iterator[str]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif is_object(one):
            waiting += [*one.keys(), *one.values()]
        elif is_array(one):
            waiting += one


def _has_hidden(text: str) -> bool:
    if text.isascii() and text.replace("\n", "").replace("\t", "").replace("\r", "").isprintable():
        return False
    kept = "".join(strip_unprintable(text).split())
    return kept != "".join(text.split())
