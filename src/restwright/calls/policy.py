"""
What a call may do without asking: operations are classed, and a policy decides about each class.

The class is made from the method, and from words and flags of the document. What a document says
can only make an operation more dangerous, never less: only a `Policy`, which is the user's, may.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal

from restwright.openapi.model import Operation
from restwright.tools.tool import Tool

OperationClass = Literal["read", "write", "destructive"]
Decision = Literal["allow", "ask", "refuse"]
PolicyName = Literal["read-only", "confirm", "allow"]

CLASS_FLAG = "x-restwright-class"
"""An extension of an operation whose value is one of the classes."""
CONSEQUENTIAL_FLAG = "x-openai-isConsequential"

_RANK: Mapping[OperationClass, int] = {"read": 0, "write": 1, "destructive": 2}
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

_BY_NAME: Mapping[PolicyName, Mapping[OperationClass, Decision]] = {
    "read-only": {"read": "allow", "write": "refuse", "destructive": "refuse"},
    "confirm": {"read": "allow", "write": "ask", "destructive": "ask"},
    "allow": {"read": "allow", "write": "allow", "destructive": "allow"},
}


def classified(operation: Operation) -> OperationClass:
    """
    Say what calling an operation may do: nothing, a change, or a loss.

    Source: RFC 9110, "Safe Methods"; GPT Actions, `x-openai-isConsequential`.
    """
    return max((_by_method(operation), _by_flags(operation)), key=_RANK.__getitem__)


def _by_method(operation: Operation) -> OperationClass:
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
    return max(("write" if is_consequential else "read", own), key=_RANK.__getitem__)


def _last_segment(path: str) -> str:
    """The last part of a path that is no parameter."""
    parts = [each for each in re.split(r"[/:.=]", path) if each and "{" not in each]
    return parts[-1] if parts else ""


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """
    What may be called: at once, after asking, or never.

    Args:
        default: `read-only`, `confirm` (reads at once, everything else after asking) or `allow`.
        classes: What is decided about a class in place of that.
        tools: `{pattern of names: decision, or class}`; of several that match, the last one
            holds. A pattern is a name of a tool or operation with `*` and `?`.
    """

    default: PolicyName = "confirm"
    classes: Mapping[OperationClass, Decision] = field(
        default_factory=dict[OperationClass, Decision]
    )
    tools: Mapping[str, Decision | OperationClass] = field(
        default_factory=dict[str, Decision | OperationClass]
    )

    def __post_init__(self) -> None:
        known: set[str] = {*_BY_NAME["allow"].values(), "ask", "refuse", *_RANK}
        if self.default not in _BY_NAME or not {*self.tools.values()} <= known:
            raise ValueError("a policy decides allow, ask or refuse, by class or by tool")

    def class_of(self, tool: Tool) -> OperationClass:
        """The class of a tool: what the user says, else what its document and method say."""
        said = self._said(tool)
        if said == "read" or said == "write" or said == "destructive":
            return said
        return classified(tool.operation)

    def decision(self, tool: Tool) -> Decision:
        """What is to be done about a call of `tool`."""
        said = self._said(tool)
        if said == "allow" or said == "ask" or said == "refuse":
            return said
        found = self.class_of(tool)
        return self.classes.get(found, _BY_NAME[self.default][found])

    def _said(self, tool: Tool) -> Decision | OperationClass | None:
        said = None
        for pattern, each in self.tools.items():
            if fnmatchcase(tool.name, pattern) or fnmatchcase(tool.operation_name, pattern):
                said = each
        return said


CONFIRM = Policy()
READ_ONLY = Policy(default="read-only")
ALLOW = Policy(default="allow")
