"""
Which part of an agent is to blame where a query was not met: simple rules, the first that holds.

They look at what the world saw, at what was chosen among what, and at what the right calls would
have been. They say where a run went wrong first, not all that went wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from restwright.jsontypes import Json
from restwright_bench.policies.run import Ran
from restwright_bench.policies.tools import Tools
from restwright_bench.queries.checker import is_answered
from restwright_bench.queries.gold import blind
from restwright_bench.queries.query import Answered, GoldCall, Oracle, Query
from restwright_bench.queries.scores import LEAST_ERROR
from restwright_bench.world.api import SAFE, Logged

Operation = tuple[str, str]
"""Method, and path with its placeholders unnamed."""

ROLES = ("planner", "selector", "ids", "caller", "parser", "answer", "service", "limit", "crash")
"""The parts of an agent; then what is not its own: the service, a limit, a mistake of the code."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Which part is to blame, and why."""

    role: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Case:
    """
    A run that did not meet its query.

    Args:
        right: What the world sees of the right calls, in the same world.
    """

    query: Query
    oracle: Oracle
    ran: Ran
    tools: Tools = field(repr=False)
    right: Callable[[], Iterable[Logged]] = field(repr=False)

    @cached_property
    def wanted(self) -> tuple[Operation, ...]:
        """The operations of that accepted path of which most were reached."""
        paths = [tuple(map(blind, each)) for each in (self.query.gold, *self.oracle.alternatives)]
        return max(paths, key=lambda path: len(set(path) & self.done) / len(set(path)))

    @cached_property
    def done(self) -> set[Operation]:
        """The operations that succeeded."""
        return {_of(each) for each in self.ran.log if each.status < LEAST_ERROR}

    @cached_property
    def missing(self) -> Operation | None:
        """The first operation that is wanted and was not done."""
        return next((each for each in self.wanted if each not in self.done), None)

    @cached_property
    def chosen(self) -> list[Operation]:
        """The operations that were chosen."""
        return [self.operation(each["tool"]) for each in self.ran.said.chosen]

    @cached_property
    def offered(self) -> set[Operation]:
        """The operations that one was chosen among, at any time."""
        return {self.operation(name) for each in self.ran.said.chosen for name in each["offered"]}

    def operation(self, name: Json) -> Operation:
        """The operation of a tool; one that there is not where the name is unknown."""
        if name not in self.tools.catalog:
            return "", str(name)
        one = self.tools.catalog[str(name)].operation
        return blind(GoldCall(one.method.upper(), one.path))

    def is_said(self, texts: Iterable[str]) -> bool:
        """Whether what was asked for is in these texts together; False where it is a change."""
        expected = self.ran.expected
        if not isinstance(expected, Answered):
            return False
        return is_answered(_positive(expected), "\n".join(texts))

    @cached_property
    def other_path(self) -> Logged | None:
        """The first wanted call that is about another thing than the right one."""
        right = {_of(each): set[str]() for each in self.right_calls}
        for each in self.right_calls:
            right[_of(each)].add(each.path)
        made: dict[Operation, set[str]] = {}
        for each in self.ran.log:
            made.setdefault(_of(each), set()).add(each.path)
        for each in self.right_calls:
            if _of(each) in made and each.path not in made[_of(each)]:
                return each
        return None

    @cached_property
    def right_calls(self) -> tuple[Logged, ...]:
        """The right calls."""
        return tuple(self.right())


Rule = Callable[[Case], Cause | None]


def cause_of(
    query: Query,
    oracle: Oracle,
    ran: Ran,
    tools: Tools,
    right: Callable[[], Iterable[Logged]],
) -> Cause | None:
    """Why a query was not met; None where it was, or where that cannot be judged."""
    if ran.score.success is not False:
        return None
    case = Case(query=query, oracle=oracle, ran=ran, tools=tools, right=right)
    return next((found for rule in RULES if (found := rule(case))), None)


def _ended(case: Case) -> Cause | None:
    """It was ended from without."""
    said = case.ran.said
    told = {
        "limit": Cause("limit", _limit(said.reason)),
        "crashed": Cause("crash", f"the agent raised {said.reason}"),
        "question": Cause("caller", "asked the user for what the question says"),
    }
    return told.get(said.stopped)


def _limit(reason: str) -> str:
    """Which limit, as far as the reason says; what was used of it differs from run to run."""
    found = re.search(r"limit on [\w ]+\w", reason)
    return f"stopped by the {found[0]}" if found else "stopped by a limit"


_UNUSABLE = re.compile(r"reply as (\w+) cannot be used")
_ROLE_OF = {
    "reactor": "selector",
    "describer": "answer",
    "lookup": "ids",
    "about": "selector",
    "names": "planner",
    "intent": "planner",
    "condition": "planner",
    "computer": "parser",
}


def _unusable(case: Case) -> Cause | None:
    """A part had no reply that could be used, after all tries."""
    found = _UNUSABLE.search(case.ran.said.reason)
    if found is None:
        return None
    role = _ROLE_OF.get(found[1], found[1])
    return Cause(role if role in ROLES else "planner", "no reply that can be used")


def _nothing_chosen(case: Case) -> Cause | None:
    if case.chosen or case.ran.log:
        return None
    return Cause("planner", "planned no call")


def _refused(case: Case) -> Cause | None:
    """A needed operation was called, and did not succeed."""
    statuses = [each.status for each in case.ran.log if _of(each) == case.missing]
    if not statuses:
        return None
    if max(statuses) >= 500:
        return Cause("service", "the API failed")
    return Cause("caller", "the API refused the arguments of a needed operation")


def _not_called(case: Case) -> Cause | None:
    """A needed operation was chosen, and not called."""
    if case.missing not in case.chosen:
        return None
    names = {case.operation(each) for each in case.ran.said.told_of}
    if case.missing in names:
        return Cause("caller", "no fitting arguments for a needed operation")
    return Cause("ids", "no id for a needed operation")


def _not_chosen(case: Case) -> Cause | None:
    """A needed operation was never chosen."""
    if case.missing is None:
        return None
    is_write = case.missing[0] not in SAFE
    if is_write and not any(method not in SAFE for method, _ in case.offered):
        return Cause("planner", "planned to find something, not to do it")
    if all(each in case.wanted for each in case.chosen):
        return Cause("planner", "ended before a needed operation")
    if case.missing not in case.offered:
        return Cause("selector", "a needed operation was not among those offered")
    return Cause("selector", "chose another than a needed operation")


def _wrote(case: Case) -> Cause | None:
    """It wrote where nothing was to be written, or more than that."""
    wanted = {each for each in case.wanted if each[0] not in SAFE}
    wrote = [_of(each) for each in case.ran.log if each.method not in SAFE]
    if all(each in wanted for each in wrote):
        return None
    return Cause("selector", "wrote something that nobody asked for")


def _other_thing(case: Case) -> Cause | None:
    """The right operations were called about another thing."""
    if case.is_said(_bodies(case.ran)) or case.other_path is None:
        return None
    return Cause("ids", "called a needed operation about another thing")


def _other_arguments(case: Case) -> Cause | None:
    """The right operations were called, and something was said otherwise in them."""
    if not isinstance(case.ran.expected, Answered):
        return Cause("caller", "wrote other values than asked for")
    last = case.wanted[-1] if case.wanted else ("", "")
    if "{}" in last[1] or case.is_said(_bodies(case.ran)):
        return None
    return Cause("caller", "other arguments: no response has what was asked for")


def _not_read(case: Case) -> Cause | None:
    if case.is_said(_results(case.ran)):
        return None
    return Cause("parser", "a right response was read wrong")


def _not_told(_case: Case) -> Cause | None:
    return Cause("answer", "what was found is not, or not alone, in the answer")


RULES: Sequence[Rule] = (
    _ended,
    _unusable,
    _nothing_chosen,
    _refused,
    _not_called,
    _not_chosen,
    _wrote,
    _other_thing,
    _other_arguments,
    _not_read,
    _not_told,
)


def _of(logged: Logged) -> Operation:
    return blind(GoldCall(logged.method, logged.template))


def _bodies(ran: Ran) -> list[str]:
    return [json.dumps(each.body, ensure_ascii=False, default=str) for each in ran.answers]


def _results(ran: Ran) -> list[str]:
    """What was taken out of responses."""
    told = {"result": "text", "extract": "value"}
    return [
        json.dumps(each.get(told[kind]), ensure_ascii=False, default=str)
        for each in ran.said.trace
        if (kind := each.get("step", "")) in told
    ]


def _positive(expected: Answered) -> Answered:
    """What has to be said; in a whole response there also is what must not be."""
    return Answered(
        all_of=expected.all_of,
        any_of=expected.any_of,
        one_of=tuple(map(_positive, expected.one_of)),
    )


def counted(causes: Iterable[Mapping[str, str]]) -> dict[tuple[str, str], int]:
    """`{(role, why): runs}`, in the order of `ROLES`, the most frequent first."""
    found: dict[tuple[str, str], int] = {}
    for each in causes:
        key = each["role"], each["why"]
        found[key] = found.get(key, 0) + 1
    ranked = sorted(found, key=lambda each: (ROLES.index(each[0]), -found[each], each[1]))
    return {each: found[each] for each in ranked}
