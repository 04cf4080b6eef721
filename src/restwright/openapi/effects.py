"""
What an operation does whatever its method says: `GET /users/{id}/logout` changes something.

It has a parameter that names another method, or its id, path or summary leads with a verb of
change. Only what leads counts: `list_deleted` and `cancel-reasons` are about such things.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from restwright.openapi.model import Operation

CLASS_FLAGS = ("x-restwright-class", "x-class")
"""Extensions of an operation that say its class: `read`, `write` or `destructive`. Both mean the
same."""


class UserText(str):
    """A text of a document that the user wrote there by an overlay."""

    __slots__ = ()


class ReadClaim(str):
    """That a tool only reads, in the word of who offers it; no document can hold one."""

    __slots__ = ()


CLAIM_FLAG = "x-restwright-claim"


def claims_read(operation: Operation) -> bool:
    """Whether who offers an operation says that it only reads, which nobody vouches for."""
    return isinstance(operation.extensions.get(CLAIM_FLAG), ReadClaim)


READ_VERBS = frozenset(
    [
        *("check", "compare", "count", "describe", "download", "fetch", "find", "get", "inspect"),
        *("list", "lookup", "preview", "query", "read", "resolve", "retrieve", "search", "show"),
        *("view", "watch"),
    ]
)
# Of these those that are nothing else: where one stands in an id, it is what is done.
_INSPECTING = frozenset(["describe", "fetch", "get", "inspect", "resolve", "retrieve"])
# Verbs that are hardly anything else where they lead.
_VERBS = frozenset(
    [
        *("activate", "add", "append", "apply", "approve", "assign", "attach", "buy", "clear"),
        *("confirm", "create", "deactivate", "decrement", "delete", "deploy", "destroy"),
        *("disable", "disconnect", "dismiss", "eject", "enable", "enqueue", "enroll", "erase"),
        *("exec", "execute", "expunge", "increment", "insert", "install", "join", "kick"),
        *("launch", "leave", "logoff", "logout", "mark", "modify", "mute", "notify", "pause"),
        *("pay", "prune", "publish", "purge", "reactivate", "reboot", "rebuild", "redeem"),
        *("regenerate", "register", "reject", "remove", "rename", "renew", "reopen", "reorder"),
        *("replace", "requeue", "resend", "restart", "restore", "resume", "retry", "revert"),
        *("revoke", "rotate", "save", "send", "shutdown", "signout", "signup", "submit"),
        *("subscribe", "suspend", "terminate", "toggle", "truncate", "unarchive", "unassign"),
        *("unban", "unblock", "undo", "unfollow", "uninstall", "unlink", "unlock", "unmute"),
        *("unpublish", "unregister", "unsubscribe", "unsuspend", "update", "upload", "upsert"),
        *("wipe", "withdraw", "write"),
    ]
)
# These qualify a noun as well: `reset_password_tokens`, `upgrade-plans`.
_QUALIFYING = frozenset(["cancel", "reset", "start", "stop", "upgrade"])
# Nouns of their own too: verbs only where something follows that they are done to.
_WITH_OBJECT = frozenset(
    [
        *("archive", "ban", "book", "charge", "close", "copy", "dispatch", "follow", "force"),
        *("grant", "import", "invite", "lock", "merge", "migrate", "move", "post", "push", "put"),
        *("refund", "release", "schedule", "set", "share", "switch", "swap", "transfer"),
        *("trigger",),
    ]
)
_PARTICLES = frozenset([("log", "out"), ("log", "off"), ("sign", "out"), ("shut", "down")])
_DETERMINERS = frozenset(["a", "all", "an", "any", "the", "this", "your"])
# What stands at the end of a name of things: the words before it say which ones.
_HEADS = frozenset(
    [
        *("code", "codes", "comment", "comments", "config", "count", "data", "date", "dates"),
        *("details", "event", "events", "field", "fields", "form", "history", "id", "ids"),
        *("info", "item", "items", "job", "jobs", "key", "keys", "limit", "limits", "link"),
        *("links", "list", "lists", "log", "logs", "member", "members", "meta", "metadata"),
        *("method", "methods", "option", "options", "page", "pages", "policies", "policy"),
        *("price", "prices", "progress", "reason", "reasons", "record", "records", "report"),
        *("reports", "request", "requests", "result", "results", "rule", "rules", "schedule"),
        *("schedules", "settings", "state", "states", "stats", "status", "statuses", "summary"),
        *("template", "templates", "time", "times", "token", "tokens", "type", "types", "url"),
        *("urls", "window", "windows"),
    ]
)
_LISTING = frozenset(["check", "get", "list", "lists", "retrieve", "retrieves", "returns"])
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# `Auth_Logout`, `users.logout`, `users/logout`; not `log_out_user`.
_PARTS_OF_ID = re.compile(r"[/.:#]|_(?=[A-Z])|(?<=Controller)_")
_USING = re.compile(r"Using(?:GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE)(?:_\d+)?$")
_NO_WORD = re.compile(r"\W")
_OVERRIDE = re.compile(
    r"-method|\$?http-?method|(?:x-)?(?:http-)?method-override|x-(?:http|original)-method",
    re.IGNORECASE,
)
_MAX_NAME = 200


def find_method_override(operation: Operation) -> str:
    """Return the name of the parameter by which a server takes another method; else nothing."""
    return next(
        (
            parameter.name
            for parameter in operation.parameters
            if is_method_override(parameter.name)
        ),
        "",
    )


def is_method_override(name: str) -> bool:
    """Whether servers read the method from a header or a field of a query of this name."""
    # Some take `_` in a header for `-`.
    return _OVERRIDE.fullmatch(name.strip().replace("_", "-")) is not None


@lru_cache(maxsize=8192)
def split_identifier(name: str) -> tuple[str, ...]:
    """The words of a name in lower case, whichever way they are joined."""
    return tuple([word.lower() for word in _WORDS.findall(name[:_MAX_NAME])])


def bare_operation_id(operation: Operation) -> str:
    """
    The id without the method, which some tools write into it.

    These are `GET_DeleteGroup`, `deleteGroupUsingGET_1` of Springfox, and of FastAPI
    `delete_group_groups__id__delete_get`, which has the path as well.
    """
    method = operation.method.upper()
    name = (operation.operation_id or "").removeprefix(f"{method}_")
    placed = f"{_NO_WORD.sub('_', operation.path)}_{operation.method}"
    return _USING.sub("", name.removesuffix(placed) or name)


def last_literal_segment(path: str) -> str:
    """The last part of a path that is no parameter."""
    parts = [part for part in re.split(r"[/:.=]", path) if part and "{" not in part]
    return parts[-1] if parts else ""


def is_read_name(name: tuple[str, ...]) -> bool:
    """Whether any of the words of an id says that something is read."""
    return not READ_VERBS.isdisjoint(name)


def find_change_verb(operation: Operation) -> str:
    """Return the verb of change that the id, the path or the summary leads with; else nothing."""
    return _find_verb(bare_operation_id(operation), operation.path, operation.summary)


@lru_cache(maxsize=4096)
def _find_verb(name: str, template: str, summary: str) -> str:
    named, path, sentence = (
        split_identifier(name),
        split_identifier(last_literal_segment(template)),
        split_identifier(summary),
    )
    is_read = is_read_name(named) or not _LISTING.isdisjoint(sentence[:1])
    if is_read_name(named) and (template.endswith("}") or not _is_command(named, path)):
        path = ()
    own = _last_id_part(name) if _INSPECTING.isdisjoint(named) else ()
    return (
        _verb_of_name(own, is_read=is_read)
        or _verb_of_name(path, is_read=is_read)
        or _verb_of_sentence(sentence)
    )


def _is_command(named: tuple[str, ...], path: tuple[str, ...]) -> bool:
    """Whether `/users/{id}/logout` does what it says: `getUserLogout` has `get` of its method."""
    is_verb = len(path) == 1 and path[0] in _VERBS | _QUALIFYING and path[0] in named
    return is_verb and READ_VERBS.intersection(named) <= {"get"}


def _last_id_part(name: str) -> tuple[str, ...]:
    """The words of the last part of an id; none where a part before it says that it reads."""
    *before, last = [split_identifier(part) for part in _PARTS_OF_ID.split(name)]
    return () if any(map(is_read_name, before)) else last


def _verb_of_name(name: Sequence[str], *, is_read: bool = False) -> str:
    """
    The verb that a name leads with.

    Args:
        is_read: Whether something else says that it reads, so that only what is no noun counts.
    """
    if not name:
        return ""
    if name[0] in _VERBS:
        return name[0]
    if tuple(name[:2]) in _PARTICLES:
        return " ".join(name[:2])
    if is_read:
        return ""
    is_change = name[0] in _QUALIFYING or (name[0] in _WITH_OBJECT and len(name) > 1)
    return name[0] if is_change and name[-1] not in _HEADS else ""


def _verb_of_sentence(sentence: tuple[str, ...]) -> str:
    """The verb of `Sends an e-mail`, or of `Send an e-mail`."""
    if not sentence or sentence[0] in READ_VERBS:
        return ""
    first, *rest = sentence
    for verb in (first, first.removesuffix("s"), first.removesuffix("es")):
        if verb in _VERBS or (verb, *rest[:1]) in _PARTICLES:
            return _verb_of_name([verb, *rest])
        if verb in _QUALIFYING | _WITH_OBJECT and rest[:1] and rest[0] in _DETERMINERS:
            return verb
    return _verb_of_name(sentence)
