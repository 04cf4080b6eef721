"""
The laws of an agent as functions of a run that has ended; empty text where a law was kept.

They look at what was sent, asked and said, and share no code with what they judge.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import parse_qsl, unquote

from tests.support.agents.drawn_apis import FOREIGN, Sent
from tests.support.agents.law_runs import KINDS, REST, LawRun

from restwright.agents.steps import (
    Call,
    Complete,
    Completion,
    Extract,
    ExtractionResult,
    Say,
)
from restwright.jsontypes import Json, JsonObject

Law = Callable[[LawRun], str]


def nothing_is_written_without_consent(run: LawRun) -> str:
    """With consent refused, or where only reads are allowed, nothing is written."""
    if run.scenario.consent not in {"asked, no", "--read-only"}:
        return ""
    return _told(_writes(run))


def no_foreign_response_writes(run: LawRun) -> str:
    """With `--yes`: no write without consent to an API after a response of another was read."""
    if run.scenario.consent != "--yes":
        return ""
    read_from: set[str] = set()
    for sent in run.server.log:
        if sent.is_write and read_from - {sent.api}:
            return _told([sent])
        if sent.response:  # A 204 tells nothing.
            read_from.add(sent.api)
    return ""


def no_whole_collection_is_written(run: LawRun) -> str:
    """A write on a collection says which of its things it means."""
    return _told(
        sent
        for sent in _writes(run)
        if sent.method == "DELETE"
        and sent.path.count("/") == 1
        and "ids=" not in sent.query
        # Where nothing tells that things are in it, it may be one thing.
        and _operations(run, sent) & {"list", "get", "replace", "update", "delete"}
    )


def a_list_of_ids_needs_a_step_of_several(run: LawRun) -> str:
    """Several things are changed by one write only for a step that is of several."""
    if any(one["kind"] == "change" and one["quantity"] in {"all", "some"} for one in _plan(run)):
        return ""
    return _told([sent for sent in _writes(run) if len(_ids_of(sent) or ()) > 1])


def a_write_belongs_to_its_own_step(run: LawRun) -> str:
    """Each write is the operation that was chosen in a step that the plan calls a change."""
    chosen: JsonObject | None = None
    is_new, made = False, 0
    for step, _, _ in run.steps:
        if isinstance(step, Say) and step.event.kind == "select":
            chosen, is_new = dict(step.event.data), True
        if isinstance(step, Call) and _is_write_tool(run, step.tool):
            if chosen is None or chosen["tool"] != step.tool:
                return f"{step.tool} was not chosen, {chosen and chosen['tool']} was"
            # A choice whose call is not made leaves its step another one.
            made, is_new = made + is_new, False
            changes = sum(one["kind"] == "change" for one in _plan(run))
            if made > changes:
                return f"{made} changes made, {changes} in the plan"
    return ""


def no_write_is_sent_twice(run: LawRun) -> str:
    """The same write is not sent again; by other kinds than `rest` not after it worked."""
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for sent in _writes(run):
        key = (sent.method, f"{sent.api}{sent.path}", sent.query, sent.body)
        if counts[key]:
            return _told([sent])
        if run.kind == REST or sent.status < 400:
            counts[key] += 1
    return ""


def the_target_of_a_write_is_known(run: LawRun) -> str:
    """
    The ids in the path of a write stood in a response before, where anything reads such.

    Or a read of the thing, or inside of it, has succeeded with them.
    """
    for place, sent in enumerate(run.server.log):
        if not sent.is_write or not _has_readers(run, sent):
            continue
        reads = [one for one in run.server.log[:place] if not one.is_write and one.status < 400]
        known = {key for one in reads if one.api == sent.api for key in _ids_in_path(one)}
        for key in _ids_in_path(sent):
            if key not in known and not _stands_in(unquote(key), _seen(run, place, question=False)):
                return f"{key}: {_told([sent])}"
    return ""


def a_failed_write_is_not_replaced(run: LawRun) -> str:
    """After a failed write none of `rest`; of other kinds none other on what it was about."""
    failed: list[Sent] = []
    for sent in _writes(run):
        for before in failed:
            is_same = (sent.method, sent.path) == (before.method, before.path)
            if run.kind == REST or (sent.noun == before.noun and not is_same):
                return _told([before, sent])
        if sent.status >= 400:
            failed.append(sent)
    return ""


def ids_are_never_derived(run: LawRun) -> str:
    """Every id in a path was said by the user, stood in a response, or was computed by code."""
    for place, sent in enumerate(run.server.log):
        known = _seen(run, place)
        for key in _ids_in_path(sent):
            if not _stands_in(unquote(key), known):
                return f"{key}: {_told([sent])}"
    return ""


def ids_in_lists_are_never_derived(run: LawRun) -> str:
    """Every id of a list that a write is given was said, found or computed."""
    for place, sent in enumerate(run.server.log):
        known = _seen(run, place)
        if unknown := [key for key in _ids_of(sent) or () if not _stands_in(key, known)]:
            return f"{unknown}: {_told([sent])}"
    return ""


def no_prompt_is_asked_twice(run: LawRun) -> str:
    """Each request to the model has something new in it."""
    prompts = Counter(
        json.dumps([request.role, *((one.speaker, one.text) for one in request.messages)])
        for request in run.model.asked
    )
    prompt, count = max(prompts.items(), key=lambda pair: pair[1], default=("", 0))
    return f"{count} times: {prompt[:60]} ... {prompt[-200:]}" if count > 1 else ""


def nothing_is_told_that_was_not_found(run: LawRun) -> str:
    """Numbers and quoted names of an answer that the model worded stand in what was found."""
    return _unfounded(run) if run.server.log else ""


def what_needs_no_step_tells_no_numbers(run: LawRun) -> str:
    """Where nothing was called, the model's words tell nothing that the user did not say."""
    return "" if run.server.log else _unfounded(run)


def _unfounded(run: LawRun) -> str:
    worded = [
        json.loads(outcome.text).get("answer")
        for step, outcome, _ in run.steps
        if isinstance(step, Complete) and step.role == "answer" and isinstance(outcome, Completion)
    ]
    if run.answer.text not in worded:
        return ""
    known = _seen(run, len(run.server.log))
    told = [*re.findall(r"\d+", run.answer.text), *re.findall(r'"([^"]+)"', run.answer.text)]
    unknown = [part for part in told if not _stands_in(part, known)]
    return f"{unknown} in {run.answer.text!r}" if unknown else ""


FOR_ALL: tuple[Law, ...] = (
    nothing_is_written_without_consent,
    no_foreign_response_writes,
    no_whole_collection_is_written,
    no_write_is_sent_twice,
    a_failed_write_is_not_replaced,
)
FOR_REST: tuple[Law, ...] = (
    a_list_of_ids_needs_a_step_of_several,
    a_write_belongs_to_its_own_step,
    the_target_of_a_write_is_known,
    ids_are_never_derived,
    ids_in_lists_are_never_derived,
    no_prompt_is_asked_twice,
    nothing_is_told_that_was_not_found,
    what_needs_no_step_tells_no_numbers,
)
LAWS: Mapping[str, tuple[Law, ...]] = {
    kind: (*FOR_ALL, *(FOR_REST if kind == REST else ())) for kind in KINDS
}
"""What holds for each kind."""


def find_broken(run: LawRun) -> Iterator[tuple[str, str]]:
    """Yield `(law, how it was broken)`; a loop that raises keeps none."""
    if run.answer.error is not None:
        yield "no_loop_raises", run.answer.reason
    for law in LAWS[run.kind]:
        if how := law(run):
            yield law.__name__, how


def _writes(run: LawRun) -> list[Sent]:
    return [sent for sent in run.server.log if sent.is_write]


def _told(several: Iterator[Sent] | list[Sent]) -> str:
    return "; ".join(
        f"{sent.method} {sent.api}{sent.path}?{sent.query} {sent.body} -> {sent.status}"
        for sent in several
    )


def _ids_in_path(sent: Sent) -> list[str]:
    """The ids in a path: every second part of it."""
    return [part for part in sent.path.split("/")[2::2] if part != "batch-delete"]


def _ids_of(sent: Sent) -> list[str] | None:
    """What a write that takes a list of ids was given; None for another request."""
    if sent.is_write and '"ids"' in sent.body:
        return [str(key) for key in json.loads(sent.body)["ids"]]
    found = [value for name, value in parse_qsl(sent.query) if name == "ids"]
    return found if sent.is_write and found else None


def _plan(run: LawRun) -> list[JsonObject]:
    """The steps of the last plan of the model whose changes are those that the run tells of."""
    told = [
        step.event.data["quantity"]
        for step, _, _ in run.steps
        if isinstance(step, Say) and step.event.kind == "plan"
        if step.event.data["type"] == "change"
    ]
    plans: list[list[JsonObject]] = [
        json.loads(outcome.text)["steps"]
        for step, outcome, _ in run.steps
        if isinstance(step, Complete)
        and step.role == "planner"
        and isinstance(outcome, Completion)
        and '"steps"' in outcome.text
    ]
    return next((plan for plan in reversed(plans) if _changes_of(plan) == told), [])


def _changes_of(plan: list[JsonObject]) -> list[Json]:
    return [one["quantity"] for one in plan if one["kind"] == "change"]


def _is_write_tool(run: LawRun, name: str) -> bool:
    operation = name.partition("__")[2]
    return bool(operation) and not operation.startswith(("list_", "get_"))


def _seen(run: LawRun, place: int, *, question: bool = True) -> str:
    """What was said, found and computed before a request."""
    texts = [run.scenario.question] if question else []
    texts += [sent.response for sent in run.server.log[:place]]
    texts += [
        json.dumps(outcome.value, ensure_ascii=False)
        for step, outcome, sent in run.steps
        if isinstance(step, Extract) and isinstance(outcome, ExtractionResult) and sent <= place
    ]
    # What a query over a response gave is only told of, after the words of its step.
    texts += [
        step.event.text.rpartition(": ")[2]
        for step, _, sent in run.steps
        if isinstance(step, Say) and step.event.kind == "result" and sent <= place
    ]
    return "\n".join(texts)


def _stands_in(value: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value.casefold())}(?!\w)", text.casefold()) is not None


def _has_readers(run: LawRun, sent: Sent) -> bool:
    """Whether an operation reads the thing that a write is about, or the list that holds it."""
    # A part is read by the list of parts alone.
    readers = {"list_parts"} if "/parts/" in sent.path else {"list", "get"}
    return sent.api == FOREIGN or bool(_operations(run, sent) & readers)


def _operations(run: LawRun, sent: Sent) -> frozenset[str]:
    """What the collection has that a request is about."""
    found = (one.operations for one in run.scenario.drawn.resources if one.noun == sent.noun)
    return next(found, frozenset())
