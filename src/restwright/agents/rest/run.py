"""What one run of the loop carries along."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from restwright.agents.execution.call_keys import change_key_of, key_of
from restwright.agents.execution.catalog_parts import part_of
from restwright.agents.execution.failure import say
from restwright.agents.memory.context import background
from restwright.agents.prompting.moment import tell_calendar
from restwright.agents.rest.facts import Fact, KnownResponse, find_label, iterate_scalars
from restwright.agents.rest.plan import REFERENCE, Plan, PlanStep, replace_references
from restwright.agents.rest.provenance import find_quoted, normalize_text
from restwright.agents.spotlighting import escape_marks, mark_data
from restwright.agents.steps import Call, Steps
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.calls.response.page_inputs import fill_largest_page
from restwright.calls.response.pagination import PageLimits, iterate_pages
from restwright.calls.response.result import Result
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.tool import Tool

MAX_PAGES = 5
"""Of a list that is read whole."""

ACCEPTED = "accepted, and not known to be finished"
"""Of a change that a server has only taken in (202)."""

_MAX_LABEL_CHARS = 80
_MAX_FACT_CHARS = 300  # of the value of a fact, where it may be needed for another step


@dataclass(slots=True)
class RestRun:
    """
    What one run of the loop carries along.

    Args:
        now: What the prompts are told of the time; empty for nothing.
        is_small: Whether the model is to be asked for one small thing at a time.
        message: The question as parts of the loop are asked about it: in English for a small model.
        plan: As it stands; steps that were taken are not taken again.
        merged: Creations that were taken for a part of another one.
        unplanned: What the message names and no step has.
        failures: `{step: why it gave nothing}`.
        ruled_out: `{step: names of operations that gave nothing for it}`.
        written: The writes that succeeded, by `change_key_of`.
        refused: `{step: the write that failed in it}`, likewise.
        lookups: `{(operation, what it is asked for and inside of what, thing in words): its id}`.
        names: `{id: what it is the id of, in words}`.
        said_ids: `{(list, what it is read with): the one id of it that the message has}`.
        places: `{read: the ids in its path}` of those that are inside of what the message says.
        around: `{namespace: members around what is asked for in all of its responses}`.
        untested: `{step: fields that its things are not chosen by: they are to get them}`.
        to_get: `{step: what its things are to get and nothing else}`, normalised.
        searches: `{(operation, thing in words and inside of what, whether plainly): arguments}`.
    """

    question: str
    catalog: Catalog
    policy: Policy = CONFIRM
    now: str = ""
    is_small: bool = False
    message: str = ""
    plan: Plan = field(default_factory=lambda: Plan("English", ()))
    unplanned: Sequence[str] = ()
    merged: list[str] = field(default_factory=list[str])
    facts: list[Fact] = field(default_factory=list[Fact])
    responses: list[KnownResponse] = field(default_factory=list[KnownResponse])
    failures: dict[int, str] = field(default_factory=dict[int, str])
    ruled_out: dict[int, set[str]] = field(default_factory=dict[int, set[str]])
    written: set[bytes] = field(default_factory=set[bytes])
    refused: dict[int, bytes] = field(default_factory=dict[int, bytes])
    lookups: dict[tuple[str, str, str], Fact | None] = field(
        default_factory=dict[tuple[str, str, str], Fact | None]
    )
    names: dict[Json, str] = field(default_factory=dict[Json, str])
    untested: dict[int, frozenset[str]] = field(default_factory=dict[int, frozenset[str]])
    to_get: dict[int, frozenset[str]] = field(default_factory=dict[int, frozenset[str]])
    places: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    around: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    said_ids: dict[bytes, str] = field(default_factory=dict[bytes, str])
    searches: dict[tuple[str, str, bool], JsonObject | None] = field(
        default_factory=dict[tuple[str, str, bool], JsonObject | None]
    )
    _results: dict[bytes, Result] = field(default_factory=dict[bytes, Result])
    _siblings: dict[str, tuple[Tool, ...]] = field(default_factory=dict[str, tuple[Tool, ...]])

    def __post_init__(self) -> None:
        self.message = self.message or self.question

    def is_read(self, tool: Tool) -> bool:
        """Whether calling a tool changes nothing, by what the user or the document says."""
        return self.policy.class_of(tool) == "read"

    def offered(self, *, reads: bool) -> Catalog:
        """The reads of the catalog, or its writes; without what the policy refuses."""
        return part_of(self.catalog, self.policy, reads=reads)

    def siblings(self, tool: Tool) -> tuple[Tool, ...]:
        """The tools of the same API, which alone can say something about its ids."""
        if tool.namespace not in self._siblings:
            names = [
                name
                for name, entry in self.catalog.entries.items()
                if entry.namespace == tool.namespace
            ]
            self._siblings[tool.namespace] = tuple(self.catalog[name] for name in names)
        return self._siblings[tool.namespace]

    def fact(self, step: int) -> Fact | None:
        """What a step gave; None for nothing."""
        return next((fact for fact in self.facts if fact.step == step), None)

    def facts_of(self, step: PlanStep) -> list[Fact]:
        """
        What the steps gave that a step is about.

        Of one that only told yes or no it is not, unless it says so by its number.
        """
        referred = {int(number) for number in REFERENCE.findall(step.what)}
        facts = [fact for number in step.of for fact in self.facts if fact.step == number]
        return [fact for fact in facts if fact.step in referred or not isinstance(fact.value, bool)]

    def asked_facts(self) -> list[Fact]:
        """What was found for the message itself, and not only for another step."""
        return [
            fact
            for fact in self.facts
            if fact.step and fact.kind != "done" and not self.plan.is_needed(fact.step)
        ]

    def describe(self, step: PlanStep) -> str:
        """
        A step in words that can be understood alone: its references replaced.

        A thing that was found is called by its name: what it was found by is no part of what is
        asked of it. What is worked out of earlier steps is of nothing else.
        """
        texts: dict[int, str] = {}
        labels = {number: _label(self.fact(number)) for number in step.of}
        for number in step.of:
            earlier = next((other for other in self.plan.steps if other.id == number), None)
            if earlier is not None:
                texts[number] = labels[number] or self.describe(earlier)
        told = texts if step.kind == "answer" else labels
        unnamed = [text for number, text in told.items() if text and f"#{number}" not in step.what]
        about = f" ({', '.join(unnamed)})" if unnamed else ""
        return replace_references(step.what, texts) + about

    def list_undone(self, *, changes: bool) -> list[str]:
        """What was to be changed and was not, or to be found and was not, each with why."""
        return [
            f"{self.describe(step)}: {self.failures[step.id]}"
            for step in self.plan.steps
            if step.id in self.failures and (step.kind == "change") == changes
        ]

    def list_accepted(self) -> list[str]:
        """The changes that were only taken in."""
        return [fact.what for fact in self.facts if ACCEPTED in fact.notes]

    def say_now(self, period: str) -> str:
        """The date, and the days around it where a step speaks of a period."""
        return tell_calendar(self.now) if period else self.now

    def said(self) -> str:
        """All that the user has said, normalised: this message and those before it."""
        earlier = (exchange.question for exchange in background().exchanges)
        return normalize_text("\n".join((*earlier, self.question)))

    def said_in_english(self) -> str:
        """What `said` gives, and the message as a small model is asked about it."""
        return f"{self.said()}\n{normalize_text(self.message)}"

    def is_quoted(self, text: str) -> bool:
        """Whether the message has a text in quotation marks: it is a name, and no description."""
        quoted = (*find_quoted(self.question), *find_quoted(self.message))
        return normalize_text(text) in map(normalize_text, quoted)

    def found(self) -> frozenset[Json]:
        """The scalars of all responses of the conversation, and what code made of them."""
        before = (done.value for done in background().done)
        bodies = (response.body for response in self.responses)
        values = (fact.value for fact in self.facts)
        everything = [*before, *bodies, *values]
        return frozenset(scalar for value in everything for scalar in iterate_scalars(value))

    def fact_lines(self, facts: Iterable[Fact] | None = None) -> str:
        """The facts as a prompt shows them, with a line end; empty for none."""
        known = self.facts if facts is None else facts
        lines = [fact.describe(_MAX_FACT_CHARS) for fact in known]
        return mark_data("Facts:\n" + "\n".join(lines)) + "\n" if lines else ""

    def send_read(self, tool: Tool, arguments: JsonObject) -> Steps[Result]:
        """Call a read; one that was made before, with nothing written since, is not sent again."""
        key = key_of(tool, arguments)
        if key in self._results:
            return self._results[key]
        result = yield Call(tool=tool.name, arguments=arguments)
        assert isinstance(result, Result)  # noqa: S101  (the driver's contract)
        if result.ok:
            self._results[key] = result
            self.responses.append(
                KnownResponse(tool=tool.name, arguments=arguments, body=result.value)
            )
        return result

    def read_whole(self, tool: Tool, arguments: JsonObject) -> Steps[tuple[Result, bool]]:
        """
        Call a read, and the further pages of a list, as many as the limits allow.

        Returns:
            The result, and whether it is all that there is.
        """
        whole_page = {**fill_largest_page(tool), **arguments}
        pages = iterate_pages(tool, whole_page, PageLimits(pages=MAX_PAGES))
        first = yield from self.send_read(tool, next(pages))
        result = first
        try:
            while True:
                result = yield from self.send_read(tool, pages.send(result))
        except StopIteration as end:
            whole: Result = end.value
        if not first.ok or whole.pages is None:
            return first, True
        if not whole.pages.is_whole:
            yield say("note", f"only {whole.pages.items:,} items of a longer list were read")
        self.responses.append(KnownResponse(tool=tool.name, arguments=arguments, body=whole.value))
        return whole, whole.pages.is_whole

    def call_text(self, tool: Tool, arguments: JsonObject) -> str:
        """A call in the words of prompts, with what its ids stand for."""
        given = ", ".join(
            f"{name}={value!r}{self._say_name(value)}" for name, value in arguments.items()
        )
        return f"{tool.operation_name}({given})"

    def _say_name(self, value: Json) -> str:
        name = self.names.get(value, "") if isinstance(value, str | int) else ""
        return f" “{name}”" if name and name != value else ""

    def note_write(self, tool: Tool, arguments: JsonObject, body: Json) -> None:
        """A write makes all that was read before doubtful; it may tell the id of what it made."""
        self._results.clear()
        self.lookups.clear()
        self.said_ids.clear()
        self.places.clear()
        self.searches.clear()
        self.written.add(change_key_of(tool, arguments))
        self.responses.append(KnownResponse(tool=tool.name, arguments=arguments, body=body))


def short_name(tool: Tool, catalog: Catalog) -> str:
    """The shortest name that means only this tool among those of a catalog."""
    names = [entry.operation_name for entry in catalog.entries.values()]
    return str(tool.operation_name if names.count(tool.operation_name) == 1 else tool.name)


def _label(fact: Fact | None) -> str:
    """By what people know the one thing that a fact is about; empty where that is not plain."""
    value = fact.value if fact is not None else None
    if is_object(value):
        value = value.get(find_label(value))
    if not isinstance(value, str) or len(value) > _MAX_LABEL_CHARS:
        return ""
    # It stands in a task, outside of all marks.
    is_plain = value.isprintable() and escape_marks(value) == value
    return value if is_plain else ""
