"""
What becomes of a function's call, as a manifest says it: the actions, read and checked.

Source: "SlashGPT: Function calling in detail", "actions"; the same keys stand in our own manifests.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from restwright.errors import RefusedRequest
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.manifests.text.placeholders import (
    encode_url_text,
    find_field_accesses,
    placeholder_names,
)
from restwright.manifests.text.warnings import Note, NoteKind
from restwright.net.policy.origins import Origin, parse_origin

ActionKind = Literal["rest", "graphQL", "data_url", "message_template", "emit", "debug"]

ACTION_KINDS: Mapping[str, ActionKind] = {
    literal.lower(): literal
    for literal in cast(
        "tuple[ActionKind, ...]",
        ("rest", "graphQL", "data_url", "message_template", "emit", "debug"),
    )
}
APPKEY = "appkey"

_TEXTS = ("url", "method", APPKEY, "template", "mime_type", "message", "emit_method", "schema")
_KNOWN = frozenset({"type", "headers", "emit_data", *_TEXTS})
_LEGACY = frozenset({"graphQL", "metafile", "manifest", "chained_msg"})
_NEEDED: Mapping[ActionKind, tuple[str, ...]] = {
    "rest": ("url",),
    "graphQL": ("url",),
    "data_url": ("template",),
    "message_template": ("message",),
    "emit": ("emit_method",),
    "debug": (),
}
_METHOD = re.compile(r"[A-Za-z]{1,20}")
# The one asks a server to go between, the other has it echo what was sent, secrets too.
_NOT_SENT = frozenset({"CONNECT", "TRACE"})
# Where a message goes and where it ends is not for a manifest to say.
_OF_TRANSPORT = frozenset(
    {
        *("host", "connection", "keep-alive", "proxy-connection", "proxy-authorization"),
        *("content-length", "transfer-encoding", "te", "trailer", "expect", "upgrade"),
    }
)
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_AUTHORITY = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestAction:
    """
    One action.

    Args:
        name: Of the function.
        url: Template; only what follows the host may have placeholders.
        method: Upper case.
        headers: `{name: template}`.
        appkey: The name of a secret, which is `{appkey}` in `url` and `headers`; empty for none.
        template: Of a data URL, the text of its file.
        message: Template of what the model is told.
        emit_data: Of a switch; its texts are templates.
        schema: Of a GraphQL server, as text; empty where it is not known.
    """

    kind: ActionKind
    name: str
    url: str = ""
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    appkey: str = ""
    template: str = ""
    mime_type: str = ""
    message: str = ""
    emit_method: str = ""
    emit_data: JsonObject = field(default_factory=dict[str, Json])
    schema: str = ""

    @property
    def origin(self) -> Origin:
        """
        Where a request of it goes.

        Raises:
            RefusedRequest: The URL is not one that may be asked.
        """
        return parse_origin(encode_url_text(url_authority(self.url)))


@dataclass(frozen=True, slots=True)
class ActionLocation:
    """
    Where an action stands, for notes.

    Args:
        read: The text of a file that the manifest names; None, and a note of its own, where it
            cannot be read.
    """

    file: str
    read: Callable[[str, str], str | None]

    def note(self, kind: NoteKind, where: str, what: str, action: str = "") -> Note:
        """Make a note about a part of the manifest."""
        return Note(kind=kind, file=self.file, where=where, what=what, action=action)


def url_authority(url: str) -> str:
    """Scheme, host and port of a URL template, as they are written; empty for none."""
    match = _AUTHORITY.match(url)
    return match[0] if match else ""


def parse_action(
    name: str, raw: Json, location: ActionLocation, notes: list[Note]
) -> ManifestAction | None:
    """
    Read one action, in the dialect of today or in the one before it.

    Args:
        notes: Takes what is doubtful.

    Returns:
        None, where it cannot be carried out; a note says why.
    """
    where = f"actions.{name}"
    if not is_object(raw):
        notes.append(
            location.note(
                "action",
                where,
                f"an object is expected, with a type: {', '.join(ACTION_KINDS.values())}",
                "it is left out",
            )
        )
        return None
    given = _upgrade_action(raw, where, location, notes)
    kind = ACTION_KINDS.get(str(given.get("type", "")).lower())
    if kind is None:
        what = f"there is no type {str(given.get('type'))[:40]!r}"
        notes.append(
            location.note("action", where, what, f"write one of {', '.join(ACTION_KINDS.values())}")
        )
        return None
    missing = [text for text in _NEEDED[kind] if not isinstance(given.get(text), str)]
    if missing:
        what = f"{kind} needs {' and '.join(missing)}"
        notes.append(location.note("action", where, what, "it is left out"))
        return None
    texts = {key: str(given[key]) for key in _TEXTS if isinstance(given.get(key), str | int)}
    action = ManifestAction(
        kind=kind,
        name=name,
        headers=_parse_headers(given.get("headers"), where, location, notes),
        emit_data=given["emit_data"] if is_object(given.get("emit_data")) else {},
        **texts,
    )
    return _finish_action(action, where, location, notes)


def _finish_action(
    action: ManifestAction, where: str, location: ActionLocation, notes: list[Note]
) -> ManifestAction | None:
    """Read the files it names, and say what of it is doubtful."""
    unfit = next(_explain_unfit(action), None)
    if unfit is not None:
        notes.append(location.note("action", where, unfit, "it is left out"))
        return None
    files = {"template": action.template, "schema": action.schema}
    for key, path in files.items():
        if path and not (key == "schema" and "{" in path):
            text = location.read(path, f"{where}.{key}")
            if text is None and key == "template":
                return None
            action = replace(action, **{key: text or ""})
    for text in (action.url, action.message, action.template, *action.headers.values()):
        notes.extend(
            location.note(
                "template", where, f"{field_access} is no name", "it stays as it is written"
            )
            for field_access in find_field_accesses(text)
        )
    return replace(action, method=action.method.upper())


def _explain_unfit(action: ManifestAction) -> Iterator[str]:
    """Why an action can never be carried out."""
    if action.kind not in {"rest", "graphQL"}:
        return
    if not _METHOD.fullmatch(action.method):
        yield f"{action.method[:20]!r} is no method of HTTP"
    if action.method.upper() in _NOT_SENT:
        yield f"{action.method.upper()} is not sent"
    if placeholder_names(url_authority(action.url)):
        yield "a placeholder stands in the host of its url"
    try:
        _ = action.origin
    except RefusedRequest as error:
        yield error.why


def _parse_headers(
    raw: Json, where: str, location: ActionLocation, notes: list[Note]
) -> dict[str, str]:
    if not is_object(raw):
        return {}
    kept: dict[str, str] = {}
    for name, value in raw.items():
        why = _explain_unfit_header(name, value)
        if why:
            what = f"{name[:40]!r} {why}"
            notes.append(location.note("value", f"{where}.headers", what, "it is left out"))
        else:
            kept[name] = str(value)
    return kept


def _explain_unfit_header(name: str, value: Json) -> str:
    """Why a header is not sent; empty for one that is."""
    if not _HEADER.fullmatch(name) or not isinstance(value, str | int | float):
        return "is no header"
    if name.lower() in _OF_TRANSPORT:
        return "is a header that only the transport writes"
    text = str(value)
    if not text.isascii() or not text.replace("\t", " ").isprintable():
        return "has a value that no header carries"
    return ""


def _upgrade_action(
    raw: JsonObject, where: str, location: ActionLocation, notes: list[Note]
) -> JsonObject:
    """An action in the dialect of today."""
    given = dict(raw)
    if "type" not in given:
        kind = _infer_kind(given)
        what = f"it has no type; it is taken for {kind or 'none'}"
        notes.append(location.note("dialect", where, what, f"write `type: {kind or '...'}`"))
        given["type"] = kind
        if kind == "emit":
            given |= _handoff_from_legacy(given)
        if kind == "message_template" and "message" not in given:
            given["message"] = given["chained_msg"]
    unknown = (key for key in given if key not in _KNOWN | _LEGACY and not key.startswith("x-"))
    notes.extend(
        location.note("key", where, f"{key[:40]!r} is no key of an action", "it is ignored")
        for key in unknown
    )
    return given


def _infer_kind(given: JsonObject) -> str:
    """The type that an action had before it was written down (SlashGPT until September 2023)."""
    if "url" in given:
        return "graphQL" if given.get("graphQL") is True else "rest"
    by_key = {
        "template": "data_url",
        "message": "message_template",
        "metafile": "emit",
        "manifest": "emit",
        "chained_msg": "message_template",
    }
    return next((kind for key, kind in by_key.items() if key in given), "")


def _handoff_from_legacy(given: JsonObject) -> JsonObject:
    agent = given.get("metafile", given.get("manifest"))
    said = {"message": given["chained_msg"]} if "chained_msg" in given else {}
    return {"emit_method": "switch_session", "emit_data": {"agent": agent, **said}}
