"""
What a call may do without asking: a policy, which is the user's, decides about each class.

Only it can make an operation less dangerous than its document and method say.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Literal, Protocol

from restwright.openapi.effects import claims_read
from restwright.openapi.model import Operation
from restwright.tools.safety import CLASS_RANK, OperationClass, classify_operation
from restwright.tools.tool import Tool

Decision = Literal["allow", "ask", "refuse"]
PolicyName = Literal["read-only", "confirm", "allow"]

_DECISIONS: Mapping[PolicyName, Mapping[OperationClass, Decision]] = {
    "read-only": {"read": "allow", "write": "refuse", "destructive": "refuse"},
    "confirm": {"read": "allow", "write": "ask", "destructive": "ask"},
    "allow": {"read": "allow", "write": "allow", "destructive": "allow"},
}


class PolicySubject(Protocol):
    """What a policy looks at: a `Tool`, or what one is going to be made of."""

    @property
    def name(self) -> str:
        """The full name."""
        ...

    @property
    def operation_name(self) -> str:
        """The name without its namespace."""
        ...

    @property
    def operation(self) -> Operation:
        """What is called."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """
    What may be called: at once, after asking, or never.

    Args:
        default: `read-only`, `confirm` (reads at once, everything else after asking) or `allow`.
        classes: What is decided about a class in place of that.
        tools: `{pattern of names: decision, or class}`; of several that match, the last one
            holds. A pattern is a name of a tool or operation with `*` and `?`.
        after_foreign_read: What an agent does about an allowed write after it has read a response
            of another
            API, which may have told it to write: `ask`, or `allow` where the user trusts what
            these APIs say.
    """

    default: PolicyName = "confirm"
    classes: Mapping[OperationClass, Decision] = field(
        default_factory=dict[OperationClass, Decision]
    )
    tools: Mapping[str, Decision | OperationClass] = field(
        default_factory=dict[str, Decision | OperationClass]
    )
    after_foreign_read: Literal["allow", "ask"] = "ask"

    def __post_init__(self) -> None:
        known: set[str] = {*_DECISIONS["allow"].values(), "ask", "refuse", *CLASS_RANK}
        if self.default not in _DECISIONS or not {*self.tools.values()} <= known:
            raise ValueError("a policy decides allow, ask or refuse, by class or by tool")
        if self.after_foreign_read not in {"allow", "ask"}:
            raise ValueError(f"after_foreign_read={self.after_foreign_read!r} is not allow or ask")

    def class_of(self, tool: PolicySubject) -> OperationClass:
        """The class of a tool: what the user says, else what its document and method say."""
        said = self._configured(tool)
        if said == "read" or said == "write" or said == "destructive":
            return said
        is_harmless = (
            isinstance(tool, Tool) and tool.handler is not None and tool.handler.is_read_only
        )
        is_read = is_harmless or claims_read(tool.operation)
        return "read" if is_read else classify_operation(tool.operation)

    def consent_class_of(self, tool: PolicySubject) -> OperationClass:
        """The class that a call is approved by, for which no claim of a server counts."""
        is_claim = claims_read(tool.operation) and self._configured(tool) not in CLASS_RANK
        return classify_operation(tool.operation) if is_claim else self.class_of(tool)

    def decision(self, tool: PolicySubject) -> Decision:
        """What is to be done about a call of `tool`."""
        said = self._configured(tool)
        if said == "allow" or said == "ask" or said == "refuse":
            return said
        found = self.consent_class_of(tool)
        return self.classes.get(found, _DECISIONS[self.default][found])

    def has_exact_rule(self, tool: PolicySubject) -> bool:
        """Whether `tools` has the very name of `tool`, not only a pattern that fits it."""
        return bool({tool.name, tool.operation_name} & self.tools.keys())

    def after_reading(self, tool: Tool, read_from: Collection[str]) -> Policy:
        """
        What holds for a call of `tool` by an agent that has read responses.

        An allowed write to an API is asked about once a response of another one was read.

        Args:
            read_from: The namespaces of the APIs whose responses were read so far.
        """
        if self.after_foreign_read == "allow" or not {*read_from} - {tool.namespace}:
            return self
        if self.consent_class_of(tool) == "read" or self.decision(tool) != "allow":
            return self
        # The last one that matches holds, and a name that is there would keep its place.
        others = {name: each for name, each in self.tools.items() if name != tool.name}
        return replace(self, tools={**others, tool.name: "ask"})

    def _configured(self, tool: PolicySubject) -> Decision | OperationClass | None:
        said = None
        for pattern, each in self.tools.items():
            if fnmatchcase(tool.name, pattern) or fnmatchcase(tool.operation_name, pattern):
                said = each
        return said


CONFIRM = Policy()
READ_ONLY = Policy(default="read-only")
ALLOW = Policy(default="allow")
