"""The text of `restwright.lock`: read strictly, written so that comments and order stay."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from restwright.errors import UnusableLock
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.tools.catalog.lock import Lock, LockedAPI, LockedOperation
from restwright.tools.naming.names import ToolName, tool_name

if TYPE_CHECKING:
    from tomlkit.items import InlineTable, Table

LOCK_VERSION = 1
MAX_LOCK_CHARS = 64 * 1024 * 1024

_HEADER = f"""\
# What tools are called, and hashes of what they were: names never change by themselves.
# Written by `restwright index DOC... --update`. Change a name here to rename a tool.
version = {LOCK_VERSION}"""
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")


def parse_lock(text: str, path: str = "restwright.lock") -> Lock:
    """
    The lock that is written as `text`.

    Args:
        path: Where it is, for what is said about it.

    Raises:
        UnusableLock: It is not TOML, or not a lock.
    """
    if len(text) > MAX_LOCK_CHARS:
        raise UnusableLock(path, None, "it is too long")
    try:
        whole = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = _AT_LINE.search(str(error))
        why = _AT_LINE.sub("", str(error)).strip().rstrip(".") or "it is nested too deep"
        raise UnusableLock(path, int(line[1]) if line else None, why) from None
    return _LockReader(text, path).read_lock(whole)


class _LockReader:
    """Knows where to look for the line of what is wrong."""

    def __init__(self, text: str, path: str) -> None:
        self._lines, self._path = text.splitlines(), path

    def read_lock(self, whole: JsonObject) -> Lock:
        if whole.get("version") != LOCK_VERSION:
            self._refuse("version", f"`version` is {whole.get('version')!r}, not {LOCK_VERSION}")
        apis = self._read_table(whole, "apis")
        return Lock(
            {name: self._read_api(name, self._read_table(apis, name)) for name in sorted(apis)}
        )

    def _read_api(self, namespace: str, table: JsonObject) -> LockedAPI:
        operations = self._read_table(table, "operations", of=namespace)
        read = {key: self._read_operation(namespace, key, each) for key, each in operations.items()}
        names: dict[str, str] = {}
        for key, each in read.items():
            if (other := names.setdefault(each.name, key)) != key:
                self._refuse(key, f"{key!r} and {other!r} are both named {each.name!r}")
        return LockedAPI(
            namespace=namespace,
            alias=self._read_text(table, "alias", namespace),
            source=self._read_text(table, "source", namespace),
            sha256=self._read_text(table, "sha256", namespace),
            operations=read,
        )

    def _read_operation(self, namespace: str, key: str, value: Json) -> LockedOperation:
        if not is_object(value):
            self._refuse(key, f"{key!r} is not a table with a name and a hash")
        name = self._read_text(value, "name", key)
        try:
            ToolName(name)
            tool_name(namespace, name)
        except ValueError:
            self._refuse(key, f"{name!r} is no legal name of a tool of {namespace!r}")
        pieces = self._read_text(value, "parts", key).split()
        parts = dict(zip(pieces[::2], pieces[1::2], strict=False))
        return LockedOperation(name=name, hash=self._read_text(value, "hash", key), parts=parts)

    def _read_table(self, holder: JsonObject, key: str, *, of: str = "") -> JsonObject:
        value = holder.get(key, {})
        if not is_object(value):
            self._refuse(of or key, f"`{key}` is not a table")
        return value

    def _read_text(self, holder: JsonObject, key: str, of: str) -> str:
        value = holder.get(key, "")
        if not isinstance(value, str):
            self._refuse(of, f"`{key}` of {of!r} is not a text")
        return value

    def _refuse(self, key: str, why: str) -> Any:
        at = next((number for number, each in enumerate(self._lines, 1) if key in each), None)
        raise UnusableLock(self._path, at, why)


def format_lock(lock: Lock, text: str = "") -> str:
    """
    `lock` as text.

    Args:
        text: As it was written before; what did not change stays as it is, comments too.
    """
    before = (parse_lock(text) if text.strip() else Lock()).apis
    kept = {name: each for name, each in lock.apis.items() if name in before}
    # Finding and keeping comments takes long, so nothing is looked at that did not change.
    lines = [_edit_text(kept, text) if kept != before else text.strip() or _HEADER]
    new = [_format_section(each) for name, each in lock.apis.items() if name not in before]
    return "\n\n".join([*(line.strip("\n") for line in lines), *new]) + "\n"


def _format_section(api: LockedAPI) -> str:
    """An API that is new to the file."""
    name = api.namespace if _BARE.fullmatch(api.namespace) else _quote_key(api.namespace)
    facts = (("alias", api.alias), ("source", api.source), ("sha256", api.sha256))
    head = [f"{key} = {_quote_key(value)}" for key, value in facts if value]
    lines = [
        f"{_quote_key(key)} = {{name = {_quote_key(each.name)}, hash = {_quote_key(each.hash)},"
        f" parts = {_quote_key(_format_parts(each))}}}"
        for key, each in api.operations.items()
    ]
    return "\n".join([f"[apis.{name}]", *head, "", f"[apis.{name}.operations]", *lines])


def _quote_key(text: str) -> str:
    # TOML 1.0, "String": the escapes of JSON are escapes of basic strings too.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _format_parts(operation: LockedOperation) -> str:
    return " ".join(f"{pointer} {part}" for pointer, part in operation.parts.items())


def _edit_text(apis: Mapping[str, LockedAPI], text: str) -> str:
    """A text that has all of `apis`, with what changed."""
    import tomlkit

    whole = tomlkit.parse(text)
    there = cast("Table", whole["apis"])
    for name in [branch for branch in there if branch not in apis]:
        del there[name]
    for name, each in apis.items():
        _write_api(cast("Table", there[name]), each)
    return tomlkit.dumps(whole)


def _write_api(table: Table, api: LockedAPI) -> None:
    import tomlkit

    for key in ("alias", "source", "sha256"):
        value = getattr(api, key)
        if value and (key not in table or table[key] != value):
            table[key] = value
    if "operations" not in table:
        table.add("operations", tomlkit.table())
    before = cast("Table", table["operations"])
    table["operations"] = _sort_table(before, api.operations)


def _sort_table(before: Table, operations: Mapping[str, LockedOperation]) -> Table:
    """A table of one line an operation, in their order, each with the comments above and beside."""
    import tomlkit

    above, lines, below = _split_table(before)
    after = tomlkit.table()
    after.trivia.comment, after.trivia.comment_ws = before.trivia.comment, before.trivia.comment_ws
    for key, each in operations.items():
        for remark in above.get(key, ()):
            after.add(remark)
        after.add(key, _build_line(each, lines.get(key)))
    # What stood above an operation that is gone is a person's, too.
    orphans = [item for key, several in above.items() if key not in operations for item in several]
    for remark in (*orphans, *below):
        after.add(remark)
    return after


def _split_table(table: Table) -> tuple[dict[str, list[Any]], dict[str, Any], list[Any]]:
    """The comments above each line, the values, and the comments at the end."""
    from tomlkit.items import Comment

    above: dict[str, list[Any]] = {}
    values: dict[str, Any] = {}
    waiting: list[Any] = []
    for key, item in table.value.body:
        if key is not None:
            above[key.key], values[key.key] = waiting, item
            waiting = []
        elif isinstance(item, Comment):
            waiting.append(item)
    return above, values, waiting


def _build_line(operation: LockedOperation, before: Any) -> InlineTable:
    import tomlkit

    now = {"name": operation.name, "hash": operation.hash, "parts": _format_parts(operation)}
    if before is not None and dict(before) == now:
        return before
    line = tomlkit.inline_table()
    for name, value in now.items():
        line.append(name, value)
    if before is not None:
        line.trivia.comment = before.trivia.comment
        line.trivia.comment_ws = before.trivia.comment_ws
    return line
