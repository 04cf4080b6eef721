"""
What calling an operation may do: nothing, a change, or a loss.

The class is made from the method, and from words and flags of the document. What a document says
can only make an operation more dangerous, never less: only the user may, by a policy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from restwright.openapi.model import Operation

OperationClass = Literal["read", "write", "destructive"]

CLASS_FLAG = "x-restwright-class"
"""An extension of an operation whose value is one of the classes."""
CONSEQUENTIAL_FLAG = "x-openai-isConsequential"

RANK: Mapping[OperationClass, int] = {"read": 0, "write": 1, "destructive": 2}
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_DESTRUCTIVE = frozenset(
    [
        *("abort", "cancel", "clear", "deactivate", "delete", "deprovision", "destroy", "detach"),
        *("disable", "discard", "drop", "erase", "expire", "expunge", "invalidate", "kill"),
        *("leave", "prune", "purge", "remove", "reset", "revoke", "shutdown", "stop"),
        *("terminate", "truncate", "uninstall", "unlink", "void", "wipe"),
    ]
)
# Of a method that HTTP calls safe only what can mean nothing else; such a word must come first,
# since `list_deleted` and `cancel-reasons` are about such things and do none.
_UNMISTAKABLE = frozenset(
    [
        *("delete", "destroy", "erase", "expunge", "purge", "remove", "revoke", "terminate"),
        *("truncate", "wipe"),
    ]
)
_READING = frozenset(["describe", "find", "get", "list", "read", "search", "show", "view"])
# Some documents call actions by their name in the query or in the fragment, by GET too.
_ACTION = re.compile(r"[?#&]Action=(\w+)", re.IGNORECASE)


def classified(operation: Operation) -> OperationClass:
    """
    Say what calling an operation may do: nothing, a change, or a loss.

    Source: RFC 9110, "Safe Methods"; GPT Actions, `x-openai-isConsequential`.
    """
    return max((classified_by_name(operation), _by_flags(operation)), key=RANK.__getitem__)


def classified_by_name(operation: Operation) -> OperationClass:
    """Say the same without the document's flags: to count operations without reading them."""
    # Some documents name an operation `GET_DeleteGroup`.
    name = (operation.operation_id or "").removeprefix(f"{operation.method.upper()}_")
    named, path = _words(name), _words(_last_segment(operation.path))
    if operation.method.is_read:
        return _of_safe_method(operation, named, path)
    is_loss = bool(_DESTRUCTIVE & {*named, *path})
    return "destructive" if is_loss or operation.method == "delete" else "write"


def _of_safe_method(operation: Operation, named: list[str], path: list[str]) -> OperationClass:
    path = [] if _READING & {*named} else path
    if _UNMISTAKABLE & {*named[:1], *path[:1]}:
        return "destructive"
    action = _action(operation.path)
    return "write" if action and action[0] not in _READING else "read"


def _action(path: str) -> list[str]:
    """The words of what a path such as `/?Action=RunInstances` calls."""
    found = _ACTION.search(path)
    return _words(found[1]) if found else []


def _by_flags(operation: Operation) -> OperationClass:
    said = operation.extensions.get(CLASS_FLAG)
    own: OperationClass = said if said == "write" or said == "destructive" else "read"
    is_consequential = operation.extensions.get(CONSEQUENTIAL_FLAG) is True
    return max(("write" if is_consequential else "read", own), key=RANK.__getitem__)


def _last_segment(path: str) -> str:
    """The last part of a path that is no parameter."""
    parts = [each for each in re.split(r"[/:.=]", path) if each and "{" not in each]
    return parts[-1] if parts else ""


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]
