"""A model of which some roles are taken over: by an ideal one, or by nobody."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

import orjson

from restwright.agents.agent import is_small
from restwright.agents.rest.provenance import quote_singly
from restwright.agents.steps import Complete, Completion, Model
from restwright.jsontypes import JsonObject
from restwright_bench.any.models.ideal_rest import IdealRestModel
from restwright_bench.any.tasks.task import Task
from restwright_bench.any.tasks.wordings import say, word
from restwright_bench.errors import UnusableChoice

IDEAL_ROLES = ("planner", "selector", "caller", "lookup", "answer")
"""The roles of `rest` that an ideal model can take of a small one."""

_TASK = "Task: "

Reply = Callable[[Complete], JsonObject]


@dataclass(slots=True)
class PartlyModel:
    """
    A model whose replies of some roles are made by others.

    Args:
        model: Replies in all other roles.
        replies: `{role: makes its reply}`.
    """

    model: Model
    replies: Mapping[str, Reply]
    name: str
    calls_tools: bool = False

    @property
    def is_small(self) -> bool:
        """As the model that is asked for the rest."""
        return is_small(self.model)

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """Reply, or let the model reply."""
        reply = self.replies.get(request.role)
        if reply is None:
            return self.model.complete(request, deadline_s=deadline_s)
        return Completion(text=orjson.dumps(reply(request)).decode())


def take_over(
    model: Model,
    task: Task,
    reads: frozenset[str],
    ideal: Collection[str],
    without: Collection[str],
) -> Model:
    """
    Return a model with some roles taken over, for one task.

    Args:
        reads: Names of the tools that only read.
        ideal: Roles that an ideal model takes.
        without: Parts of the loop that do nothing: see `NOTHING`.
    """
    if not ideal and not without:
        return model
    knowing = _InWords(IdealRestModel(task.case, task.language, reads))
    # What is planned ideally needs no translation, and nobody who looks at it again.
    beside = ("names", "translator", "intent", "condition") if "planner" in ideal else ()
    replies: dict[str, Reply] = dict.fromkeys((*ideal, *beside), knowing.reply)
    for part in without:
        replies |= {NOTHING[part][0]: NOTHING[part][1](task)}
    said = [f"ideal {'+'.join(ideal)}"] if ideal else []
    said += [f"without {part}" for part in without]
    return PartlyModel(model, replies, ", ".join((model.name, *said)))


@dataclass(slots=True)
class _InWords:
    """An ideal model whose plan others understand: its steps say what they are about."""

    ideal: IdealRestModel

    def reply(self, request: Complete) -> JsonObject:
        """The reply of the ideal model, which is told its own words for steps."""
        if request.role == "planner":
            reply = self.ideal.reply(request)
            return {**reply, "steps": [self._say(step) for step in reply["steps"]]}
        # Of the prompt the task alone is in those words: operations are called as the things are.
        before, mark, after = request.messages[-1].text.rpartition(_TASK)
        task, *rest = after.split("\n")
        for own, said in self._said().items():
            task = task.replace(said, own).replace(quote_singly(said), own)
        text = before + mark + "\n".join((task, *rest))
        told = (*request.messages[:-1], replace(request.messages[-1], text=text))
        return self.ideal.reply(replace(request, messages=told))

    def _say(self, step: JsonObject) -> JsonObject:
        what, said = str(step["what"]), self._said()
        more: JsonObject = {"effect": self._effect()} if step["kind"] == "change" else {}
        if "condition" in step:
            more["condition"] = {**step["condition"], "is": f"above {self._slot('number')}"}
        if step["kind"] == "change" and step["of"]:
            what = self._say_each()
        for own, words in said.items():
            if what.startswith(own):
                what = what.replace(own, words, 1)
                break
        return {**step, "what": what, **more}

    def _said(self) -> Mapping[str, str]:
        """`{the ideal model's words for a step: what it is about}`, the longer ones first."""
        case = self.ideal.case
        whole = word(case, "en", 0)
        slots = {name: self._slot(name) for name in case.slots}
        field = f"the {slots.get('field', '')} of"
        # What follows the condition.
        done = whole.partition(", ")[2].rstrip(".") if case.template.startswith("cond") else whole
        return {
            "thing 1": f"{field} {slots.get('item', '')}",
            "thing 2": f"{field} {slots.get('rival', '')}",
            "whether": f"{field} {slots.get('item', '')}",
            **self._say_whole(whole, done, slots.get("item", "")),
            "all": slots["things"],
        }

    def _say_whole(self, whole: str, done: str, item: str) -> Mapping[str, str]:
        if all(step.tool in self.ideal.reads for step in self.ideal.case.program):
            return {"what is asked": whole}
        return {"the change": f"{done} ({item})" if item else done}

    def _say_each(self) -> str:
        """What is done to each of several things that a step before finds."""
        if self._effect() == "delete":
            return "delete #1"
        return f"set the {self._slot('other')} of #1 to {self._slot('value')}"

    def _slot(self, name: str) -> str:
        return say(self.ideal.case.slots[name], "en")

    def _effect(self) -> str:
        kinds = {change.kind for change in self.ideal.case.asked}
        return _EFFECTS[min(kinds)] if len(kinds) == 1 else "other"


_EFFECTS = {"created": "create", "deleted": "delete", "updated": "update"}


def require_known(ideal: Collection[str], without: Collection[str]) -> None:
    """
    Refuse roles that nobody can take over.

    Raises:
        UnusableChoice: With those that there are.
    """
    for option, asked, known in (
        ("--ideal", ideal, IDEAL_ROLES),
        ("--without", without, (*NOTHING,)),
    ):
        if unknown := [name for name in asked if name not in known]:
            raise UnusableChoice(option, f"there is {', '.join(known)}; no {unknown[0]}")


def _plan_nothing(task: Task) -> Reply:
    """The message is the only step, which finds something."""
    step: JsonObject = {"id": 1, "kind": "find", "what": task.question, "of": [], "quantity": "one"}
    return lambda _: {"language": "English", "steps": [step]}


def read_nothing(request: Complete) -> JsonObject:
    """The reply of a reader for which all things of a response are what was asked for."""
    known: JsonObject = (request.schema or {})["anyOf"][0]["properties"]
    take, fields = known["take"].get("const"), known["fields"]
    first = {"by": fields["items"]["enum"][:1], "first": ["highest"]}
    return {
        "things": known["things"]["const"],
        "give": known["give"]["enum"][0],
        "fields": fields["items"]["enum"][: fields["minItems"]],
        # One of several has to be chosen: any.
        "sort": None if take is None else {name: one for name, [one] in first.items()},
        "take": take,
        "where": [],
    }


NOTHING: Mapping[str, tuple[str, Callable[[Task], Reply]]] = {
    "planner": ("planner", _plan_nothing),
    "parser": ("reader", lambda _: read_nothing),
}
"""`{part of the loop: (its role for a small model, what stands for its reply)}`."""
