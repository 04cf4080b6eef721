"""
What calling an operation may do: nothing, a change, or a loss.

The class is made from the method, and from words and flags of the document. What a document says
can only make an operation more dangerous, never less: only the user may, by a policy or an overlay.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, cast

from restwright.openapi.effects import (
    CLASS_FLAGS,
    READ_VERBS,
    UserText,
    bare_operation_id,
    find_change_verb,
    find_method_override,
    is_read_name,
    last_literal_segment,
    split_identifier,
)
from restwright.openapi.model import Operation

OperationClass = Literal["read", "write", "destructive"]

CONSEQUENTIAL_FLAG = "x-openai-isConsequential"

CLASS_RANK: Mapping[OperationClass, int] = {"read": 0, "write": 1, "destructive": 2}
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
# No verbs that are done to something as well: `POST /messages/read` marks them.
_CALLED_READ = frozenset(
    (verb,)
    for verb in (
        *("count", "describe", "fetch", "find", "get", "list", "lookup", "query", "retrieve"),
        "search",
    )
)
# Some documents call actions by their name in the query or in the fragment, by GET too.
_ACTION = re.compile(r"[?#&]Action=(\w+)", re.IGNORECASE)


def classify_operation(operation: Operation) -> OperationClass:
    """
    Say what calling an operation may do: nothing, a change, or a loss.

    Source: RFC 9110, "Safe Methods"; GPT Actions, `x-openai-isConsequential`.
    """
    of_user: list[OperationClass] = [
        _to_class(class_flag)
        for class_flag in _class_flags(operation)
        if isinstance(class_flag, UserText)
    ]
    if of_user:
        return max(of_user, key=CLASS_RANK.__getitem__)
    found = max(
        (classify_by_name(operation), _classify_by_flags(operation)), key=CLASS_RANK.__getitem__
    )
    return "destructive" if find_method_override(operation) else found


def classify_by_method(operation: Operation) -> OperationClass:
    """Say what calling it may do by its method alone, whatever else anybody says of it."""
    if find_method_override(operation):
        return "destructive"
    return "read" if operation.method.is_read else classify_by_name(operation)


def classify_by_name(operation: Operation) -> OperationClass:
    """Say the same without the document's flags: to count operations without reading them."""
    named, path = (
        split_identifier(bare_operation_id(operation)),
        split_identifier(last_literal_segment(operation.path)),
    )
    if operation.method.is_read:
        return _classify_safe_method(operation, named, path)
    is_loss = bool(_DESTRUCTIVE & {*named, *path})
    return "destructive" if is_loss or operation.method == "delete" else "write"


def is_called_read(operation: Operation) -> bool:
    """
    Whether an operation is called like a read, though by its method it may change something.

    `POST /books/search` may be a read; only the user can say so.
    """
    if operation.method != "post" or classify_operation(operation) != "write":
        return False
    named = split_identifier(bare_operation_id(operation))
    path = split_identifier(last_literal_segment(operation.path))
    return named[:1] in _CALLED_READ or path in _CALLED_READ


def _classify_safe_method(
    operation: Operation, named: tuple[str, ...], path: tuple[str, ...]
) -> OperationClass:
    path = () if is_read_name(named) else path
    if _UNMISTAKABLE & {*named[:1], *path[:1]}:
        return "destructive"
    action = _action_words(operation.path)
    is_action = bool(action) and action[0] not in READ_VERBS
    return "write" if is_action or find_change_verb(operation) else "read"


def _action_words(path: str) -> tuple[str, ...]:
    """The words of what a path such as `/?Action=RunInstances` calls."""
    found = _ACTION.search(path)
    return split_identifier(found[1]) if found else ()


def _classify_by_flags(operation: Operation) -> OperationClass:
    is_consequential = operation.extensions.get(CONSEQUENTIAL_FLAG) is True
    own: list[OperationClass] = ["write" if is_consequential else "read"]
    return max((*own, *map(_to_class, _class_flags(operation))), key=CLASS_RANK.__getitem__)


def _class_flags(operation: Operation) -> list[str]:
    """The classes that are written at an operation."""
    values = [operation.extensions.get(flag) for flag in CLASS_FLAGS]
    return [value for value in values if isinstance(value, str) and value in CLASS_RANK]


def _to_class(text: str) -> OperationClass:
    return cast("OperationClass", str(text))
