"""
An OpenAPI Overlay: changes to a document that stand in a file of their own.

Source: OpenAPI Overlay Specification 1.0.0 and 1.1.0, "Overlay Object" and "Action Object".
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal

from restwright.errors import NotOpenAPI, UnusableOverlay
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.document import Document
from restwright.openapi.references import join_pointer

MAX_ACTIONS = 10_000
"""Of one overlay."""

OverlayActionKind = Literal["update", "remove", "copy", "nothing"]

_VERSION = re.compile(r"1\.([01])\.\d+")
_KNOWN = frozenset({"overlay", "info", "extends", "actions"})
_OF_INFO = frozenset({"title", "version", "description"})
_OF_ACTION = {
    "1.0": frozenset({"target", "description", "update", "remove"}),
    "1.1": frozenset({"target", "description", "update", "remove", "copy"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlayAction:
    """
    One change.

    Args:
        pointer: Where it stands in the overlay.
        target: A JSONPath query; every value that it finds is changed.
        value: What is merged in; of a copy, the query of the value.
        why: Why it does nothing, where `kind` says so.
    """

    pointer: str
    target: str
    kind: OverlayActionKind
    value: Json = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlay:
    """
    An ordered list of changes.

    Args:
        extends: What it says it was written for; empty where it does not.
    """

    source: str
    sha256: str
    version: str
    title: str
    extends: str
    actions: tuple[OverlayAction, ...]


def read_overlay(document: Document) -> Overlay:
    """
    Check the whole of an overlay and read it.

    Raises:
        UnreadableDocument: It is neither JSON nor YAML, or over a limit.
        UnusableOverlay: It is no overlay, or of a version that we do not read.
    """
    try:
        content = document.content
    except NotOpenAPI as error:
        raise UnusableOverlay(document.source, "", error.found) from None
    check = _OverlayChecker(document.source)
    version = check.read_version(content)
    check.read_info(content)
    return Overlay(
        source=document.source,
        sha256=document.sha256,
        version=version,
        title=content["info"]["title"],
        extends=check.read_text(content, "extends", "", needed=False),
        actions=check.read_actions(content, version),
    )


@dataclass(frozen=True, slots=True)
class _OverlayChecker:
    """Reads members of an overlay, and says where one is not as it must be."""

    source: str

    def make_error(self, pointer: str, why: str) -> UnusableOverlay:
        return UnusableOverlay(self.source, pointer, why)

    def read_version(self, content: JsonObject) -> str:
        written = content.get("overlay")
        if "overlay" not in content:
            raise self.make_error("", "it has no `overlay: 1.1.0` at the top")
        found = _VERSION.fullmatch(written) if isinstance(written, str) else None
        if found is None:
            why = f"versions 1.0.x and 1.1.x are read, not {json.dumps(written)[:40]}"
            raise self.make_error("/overlay", why)
        self.check_keys(content, _KNOWN, "")
        return f"1.{found[1]}"

    def check_keys(self, node: JsonObject, known: frozenset[str], pointer: str) -> None:
        for key in node:
            if key not in known and not key.startswith("x-"):
                raise self.make_error(
                    pointer + join_pointer(key), f"there is no key {key[:80]!r} there"
                )

    def read_text(self, node: JsonObject, key: str, pointer: str, *, needed: bool) -> str:
        if key not in node and not needed:
            return ""
        value = node.get(key)
        if not isinstance(value, str):
            why = "a text is expected" if key in node else f"`{key}` is missing"
            raise self.make_error(pointer + join_pointer(key) if key in node else pointer, why)
        return value

    def read_info(self, content: JsonObject) -> None:
        info = content.get("info")
        if not is_object(info):
            raise self.make_error("/info" if "info" in content else "", "`info` must be an object")
        self.check_keys(info, _OF_INFO, "/info")
        self.read_text(info, "title", "/info", needed=True)
        self.read_text(info, "version", "/info", needed=True)
        self.read_text(info, "description", "/info", needed=False)

    def read_actions(self, content: JsonObject, version: str) -> tuple[OverlayAction, ...]:
        actions = content.get("actions")
        if not is_array(actions) or not actions:
            where = "/actions" if "actions" in content else ""
            raise self.make_error(where, "`actions` must be a list of at least one action")
        if len(actions) > MAX_ACTIONS:
            raise self.make_error("/actions", f"there are more than {MAX_ACTIONS:,} actions")
        seen: dict[str, int] = {}
        for index, each in enumerate(actions):
            first = seen.setdefault(json.dumps(each, sort_keys=True), index)
            if first != index:
                why = f"it is the same as action {first}, and an action may stand only once"
                raise self.make_error(f"/actions/{index}", why)
        return tuple(
            self.read_action(each, f"/actions/{index}", version)
            for index, each in enumerate(actions)
        )

    def read_action(self, node: Json, pointer: str, version: str) -> OverlayAction:
        if not is_object(node):
            raise self.make_error(pointer, "an action must be an object")
        self.check_keys(node, _OF_ACTION[version], pointer)
        target = self.read_text(node, "target", pointer, needed=True)
        if not target.startswith("$"):
            raise self.make_error(f"{pointer}/target", "a JSONPath begins with $")
        self.read_text(node, "description", pointer, needed=False)
        self.read_text(node, "copy", pointer, needed=False)
        if not isinstance(node.get("remove", False), bool):
            raise self.make_error(f"{pointer}/remove", "true or false is expected")
        kind, value, why = _classify_action(node)
        return OverlayAction(pointer=pointer, target=target, kind=kind, value=value, why=why)


def _classify_action(node: JsonObject) -> tuple[OverlayActionKind, Json, str]:
    """What an action does, with what, and why it does nothing."""
    # What is removed is not changed before.
    if node.get("remove", False):
        return "remove", None, ""
    if "update" in node and "copy" in node:
        return "nothing", None, "`update` and `copy` exclude each other"
    for kind in ("update", "copy"):
        if kind in node:
            return kind, node[kind], ""
    return "nothing", None, "it says neither `update`, `remove` nor `copy`"
