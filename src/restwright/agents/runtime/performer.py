"""Performs the steps of an agent: the only place where its model and its tools are really used."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from threading import RLock, Semaphore
from typing import Any, NamedTuple

from restwright.agents.events import Event, Listener, call_event, end_event
from restwright.agents.runtime.budget import Budget
from restwright.agents.runtime.concurrency import run_concurrently
from restwright.agents.runtime.faults import ListenerFaults
from restwright.agents.runtime.human_input import (
    Human,
    answer_by,
    ask_human_part,
    build_question,
    collect_secrets,
    no_human,
    review_model_part,
)
from restwright.agents.runtime.streaming import (
    DeltaListener,
    TextDelta,
    complete_request,
    is_spoken,
)
from restwright.agents.runtime.telemetry import RunTracer
from restwright.agents.runtime.trace import (
    make_call_exchange,
    make_call_record,
    trace_call,
    trace_completion,
    trace_event,
    trace_extraction,
    trace_human_reply,
)
from restwright.agents.runtime.write_guard import WriteGuard, WriteRecord, is_collection_write
from restwright.agents.sandbox import run_code
from restwright.agents.steps import (
    AnyModel,
    ApprovalDecision,
    Approve,
    Call,
    CallExchange,
    CallRecord,
    Complete,
    Completion,
    Extract,
    ExtractionResult,
    Gather,
    NoAnswer,
    Outcome,
    Question,
    Say,
    Step,
    StepListener,
    UserAnswer,
)
from restwright.calls.approval import approval as consent
from restwright.calls.approval.approval import hash_request
from restwright.calls.approval.destination import add_idempotency_key
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.calls.arguments.human_part import assemble_arguments
from restwright.calls.auth.connection import Connection, list_secret_texts
from restwright.calls.auth.oauth.driver import AsyncSend
from restwright.calls.call import call, prepare
from restwright.calls.questions import answer_questions
from restwright.calls.response.redact import make_masker
from restwright.calls.response.result import Result
from restwright.calls.send import BeforeSendHook
from restwright.errors import LimitReached, RestwrightError
from restwright.jsontypes import Json, JsonObject
from restwright.net.callbacks import await_callback_result
from restwright.net.http.cancellation import CancelToken, limit_wait
from restwright.net.messages import Request, Response, Send
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.catalog.usage import UsageCounter
from restwright.tools.tool import Tool

MAX_CONCURRENT_STEPS = 8
"""Steps of one `Gather` under way at the same time."""
MAX_CONCURRENT_PER_API = 4
_SHORTEST_HIDDEN = 4

BeforeWrite = Callable[[Tool, JsonObject], None]


Decide = Callable[[Tool, JsonObject, Request], bool | None]


def _decide_nothing(tool: Tool, arguments: JsonObject, request: Request) -> None:
    """Know of no word on a request."""


def _ignore_write(tool: Tool, arguments: JsonObject) -> None:
    """Take no notice of a write that is about to be sent."""


class _ArgumentParts(NamedTuple):
    """The arguments of a call: the model's part, both parts together, and the human's."""

    model: JsonObject
    whole: JsonObject
    human: JsonObject


@dataclass(slots=True)
class _SharedState:
    """What the branches of a `Gather` have in common with the rest of the run."""

    lock: RLock = field(default_factory=RLock)
    cancel_token: CancelToken = field(default_factory=CancelToken)
    human_parts: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    approved: set[str] = field(default_factory=set[str])
    read_from: set[str] = field(default_factory=set[str])
    writes: WriteGuard = field(default_factory=WriteGuard)
    faults: ListenerFaults = field(default_factory=ListenerFaults)
    secrets: set[str] = field(default_factory=set[str])
    has_started: bool = False
    wordings: int = 0
    ids: Iterator[int] = field(default_factory=lambda: itertools.count(1))


@dataclass(slots=True, kw_only=True)
class Performer:
    """
    Does what a step asks for, counts it, and keeps the trace.

    Args:
        budget: Counts what is used; a `LimitReached` of it goes to the loop by the driver.
        human: Answers questions, and fills in what tools leave to a human.
        on_words: Told the words of the answer as the model writes them, where it can tell.
        on_step: Told of each entry of the trace as it is made.
        read_before: The APIs whose responses earlier turns of the conversation read.
        before_write: Told of each write right before it is sent, with the arguments of the model's
            part, an idempotency key included where there is one.
        on_write: Told of it after that.
        decide: What was said before to exactly this request, and the model's part of its arguments;
            None where `approve` is to be asked.

    Raises, when called:
        LimitReached: The run has used up a limit; `run` hands it to the loop.
        ModelUnavailable: There is no model to ask.
    """

    catalog: Catalog
    model: AnyModel
    send: Send | AsyncSend
    approve: consent.Approve
    connections: Mapping[str, Connection]
    policy: Policy = CONFIRM
    budget: Budget = field(default_factory=Budget)
    human: Human = no_human
    on_event: Listener | None = None
    on_words: DeltaListener | None = None
    on_step: StepListener | None = None
    counter: UsageCounter | None = None
    tracing: RunTracer = field(default_factory=RunTracer)
    read_before: frozenset[str] = frozenset()
    before_write: BeforeWrite = _ignore_write
    on_write: BeforeWrite = _ignore_write
    decide: Decide = _decide_nothing
    calls: list[CallRecord] = field(default_factory=list[CallRecord])
    exchanges: list[CallExchange] = field(default_factory=list[CallExchange])
    trace: list[JsonObject] = field(default_factory=list[JsonObject])
    _shared: _SharedState = field(default_factory=_SharedState)
    _call_id: str = ""
    _is_branch: bool = False

    @property
    def read_from(self) -> frozenset[str]:
        """The APIs whose responses were read, in this run or before."""
        return self.read_before | self._shared.read_from

    @property
    def writes(self) -> tuple[WriteRecord, ...]:
        """The writes that were sent, in this run and in what it goes on with."""
        return tuple(self._shared.writes.sent)

    @property
    def faults(self) -> ListenerFaults:
        """What listeners raised, and was not told yet."""
        return self._shared.faults

    @property
    def has_started(self) -> bool:
        """Whether anything was performed that did not end by an exception, or sent."""
        return self._shared.has_started

    def redact(self, text: str) -> str:
        """A text without the credentials that this run has used."""
        return make_masker(tuple(self._shared.secrets))(text)

    def __call__(self, step: Step) -> Outcome:
        """Perform one step, and keep what came of it."""
        deed = STEP_HANDLERS[type(step)]
        if not isinstance(step, Say):
            self.budget.count_step()
        stopping = self._shared.cancel_token
        self._identify(step)
        with stopping.cancelable(), self.tracing.step(step) as seen:
            stopping.check()
            self.faults.raise_first()
            outcome = deed.perform(self, step)
            stopping.check()
            with self.faults.capture("tracing"):
                seen(outcome)
        if not isinstance(step, Say):
            self._shared.has_started = True
        deed.record(self, step, outcome)
        return outcome

    def cancel(self) -> None:
        """
        End what still goes on in other threads, of which nobody wants to know any more.

        Nothing is performed afterwards: it is for the end of a run.
        """
        self._shared.cancel_token.cancel()

    def replay(self, step: Step, outcome: Outcome) -> None:
        """Keep a step that was performed before this run was taken up again; nobody is told."""
        if not isinstance(step, Say):
            self.budget.count_step(is_new=False)
        if isinstance(step, Call) and isinstance(outcome, Result) and outcome.was_sent:
            self.budget.record_request(self._namespace(step))
        self._identify(step)
        silent = replace(self, on_event=None, counter=None, tracing=RunTracer())
        STEP_HANDLERS[type(step)].record(silent, step, outcome)

    def _identify(self, step: Step) -> None:
        """Give a call an id; that of a branch goes by its place, whichever is made first."""
        if isinstance(step, Call) and not self._is_branch:
            self._call_id = str(next(self._shared.ids))

    def _new_branch(self) -> Performer:
        id_ = str(next(self._shared.ids))
        return replace(self, calls=[], exchanges=[], trace=[], _call_id=id_, _is_branch=True)

    def gather(
        self, steps: tuple[Step, ...], perform: Callable[[Performer, int], Outcome]
    ) -> tuple[Outcome, ...]:
        """
        Perform several steps, at the same time where all of them only read and ask nobody.

        An interruption does not wait for them, and ends the run.

        Args:
            perform: Performs the step of this number with a branch of this performer.

        Raises:
            LimitReached: With what came of the steps that ended.
        """
        branches = [self._new_branch() for _ in steps]
        outcomes: list[Outcome] = [None] * len(steps)

        def performed(number: int) -> None:
            outcomes[number] = perform(branches[number], number)

        try:
            self._perform_all(steps, performed)
        except LimitReached as limit:
            limit.outcomes = tuple(outcomes)
            raise
        except Exception:
            raise
        except BaseException:
            self.cancel()
            raise
        finally:
            for branch in branches:
                self.calls.extend(branch.calls)
                self.exchanges.extend(branch.exchanges)
                self.trace.extend(branch.trace)
        return tuple(outcomes)

    def _perform_all(self, steps: tuple[Step, ...], perform: Callable[[int], None]) -> None:
        """Perform steps by their numbers, together where that is well."""
        numbers = range(len(steps))
        if not all(map(self._is_free, steps)):
            for count in numbers:
                perform(count)
            return
        turns = {self._namespace(step): Semaphore(MAX_CONCURRENT_PER_API) for step in steps}

        def in_turn(number: int) -> None:
            with turns[self._namespace(steps[number])]:
                perform(number)

        run_concurrently(
            [partial(in_turn, number) for number in numbers], at_once=MAX_CONCURRENT_STEPS
        )

    def is_read(self, step: Call) -> bool:
        """Whether a call changes nothing; one to no known tool is not sent at all."""
        tool = self.catalog.dispatch(step.tool).tool
        return tool is None or self.policy.class_of(tool) == "read"

    def _is_free(self, step: Step) -> bool:
        """Whether a step neither changes anything nor waits for an answer of the user."""
        if not isinstance(step, Call):
            return isinstance(step, Extract)
        tool = self.catalog.dispatch(step.tool).tool
        if tool is None:
            return True
        asks = build_question(tool) is not None or self._policy_for(tool).decision(tool) == "ask"
        return self.is_read(step) and not asks

    def _namespace(self, step: Step) -> str:
        tool = self.catalog.dispatch(step.tool).tool if isinstance(step, Call) else None
        return tool.namespace if tool else ""

    def _gather(self, step: Gather) -> tuple[Outcome, ...]:
        return self.gather(step.steps, lambda branch, number: branch(step.steps[number]))

    def _complete(self, step: Complete) -> Completion:
        deadline_s = self.budget.reserve_model_call(_prompt_length(step))
        if self.on_words is None or not is_spoken(step):
            return await_callback_result(self.model.complete(step, deadline_s=deadline_s), "model")
        self._shared.wordings += 1
        tell = partial(_tell_piece, self.on_words, self._shared.wordings, self.faults)
        return complete_request(self.model, step, deadline_s=deadline_s, tell=tell)

    def _record_completion(self, step: Complete, reply: Completion) -> None:
        self.budget.record_completion(step.role, reply, characters=_prompt_length(step))
        self._keep(trace_completion(step, reply), reply)

    def _call(self, step: Call) -> Result:
        asked = self.catalog.dispatch(step.tool)
        if (tool := asked.tool) is None:
            self.budget.left_s()
            return Result(kind="unknown_tool", text=asked.text, repairable_by="model")
        if why := self._explain_forbidden_write(tool, step.arguments):
            return Result(kind="refused", text=why, repairable_by="model")
        with self.budget.reserve_call(tool.namespace) as count_sent:
            parts = self._argument_parts(tool, step.arguments)
            if isinstance(parts, Result):
                return parts
            with limit_wait(self._deadline(tool)), answer_questions(answer_by(self._ask_in_call)):
                result = call(
                    tool,
                    parts.whole,
                    connection=self._connection(tool, parts),
                    send=self._send_traced,
                    before_send=self._before_send_hook(tool, parts, count_sent),
                    before_call=partial(self._notice_write, tool, parts.model),
                    approve=partial(self._is_call_approved, step, parts.model),
                    policy=self._policy_for(tool),
                )
        if result.ok and not self.is_read(step):
            self._shared.human_parts.pop(tool.name, None)
        return result

    def _send_traced(self, request: Request) -> Response:
        self._shared.has_started = True
        return self.tracing.send_traced(request, self._send)

    def _send(self, request: Request) -> Response:
        return await_callback_result(self.send(request), "send")

    def _explain_forbidden_write(self, tool: Tool, arguments: JsonObject) -> str:
        """Why a write may not be made, whoever would allow it; empty where it may."""
        if self.policy.class_of(tool) == "read":
            return ""
        if is_collection_write(self.catalog, self.policy, tool.name, arguments):
            path = tool.operation.path
            return f"{tool.name} was not sent: it changes all of {path}, and no policy names it"
        return self._shared.writes.explain_refusal(tool, arguments)

    def _deadline(self, tool: Tool) -> float:
        """Until when a response is waited for; what came of a write is worth more than a limit."""
        is_read = self.policy.class_of(tool) == "read"
        return time.monotonic() + self.budget.left_s() if is_read else math.inf

    def _argument_parts(self, tool: Tool, arguments: JsonObject) -> _ArgumentParts | Result:
        """The arguments with an idempotency key, and with what a human fills in."""
        arguments = add_idempotency_key(tool, arguments)
        if build_question(tool) is None:
            return _ArgumentParts(arguments, arguments, {})
        given = review_model_part(tool, arguments)
        if isinstance(given, Result):
            return given
        human = self._human_part(tool, given)
        if isinstance(human, NoAnswer):
            return Result(kind="refused", text=human.why, repairable_by="user")
        return _ArgumentParts(given, assemble_arguments(tool, model=given, human=human), human)

    def _before_send_hook(
        self, tool: Tool, parts: _ArgumentParts, count_sent: Callable[[], None]
    ) -> BeforeSendHook:
        """What tells of the requests of one call, right before each goes out."""
        hidden = tuple(_secret_texts(parts.human))

        def announce(request: Request) -> None:
            # A person may have been asked meanwhile, or a token waited for.
            self._shared.cancel_token.check()
            count_sent()
            event = call_event(request, tool=tool.name, id=self._call_id, hidden=hidden)
            self._emit(event)
            # Whoever watches cannot see what would be sent.
            self.faults.raise_first()
            self._keep(trace_event(event))
            self._shared.secrets.update(list_secret_texts(request))

        return announce

    def _notice_write(self, tool: Tool, arguments: JsonObject, request: Request) -> None:
        """Tell of a write whose request goes out now; a token that is asked for is none."""
        del request
        if self.policy.class_of(tool) != "read":
            self.before_write(tool, arguments)
            self.on_write(tool, arguments)
        self._shared.has_started = True

    def _record_call(self, step: Call, result: Result) -> None:
        asked = self.catalog.dispatch(step.tool)
        self._keep(trace_call(step, asked, result), result)
        if (tool := asked.tool) is None:
            return
        if self.policy.class_of(tool) != "read":
            self._shared.writes.record_outcome(tool, step.arguments, result)
        counted = UsageCounter()
        is_repaired = step.is_repaired or bool(result.repairs)
        counted.count_call(tool.name, kind=result.kind, is_repaired=is_repaired)
        self._count(counted)
        if result.has_server_text:
            self._shared.read_from.add(tool.namespace)
        if result.was_attempted:
            self.calls.append(make_call_record(step, tool, result))
            self.exchanges.append(make_call_exchange(tool, step, result, self.policy))
        event = end_event(result, tool=tool.name, id=self._call_id)
        self._emit(event)
        self._keep(trace_event(event))

    def _extract(self, step: Extract) -> ExtractionResult:
        return run_code(step.code, step.body)

    def _record_extraction(self, step: Extract, outcome: ExtractionResult) -> None:
        self._keep(trace_extraction(step, outcome))

    def _approve(self, step: Approve) -> ApprovalDecision:
        asked = self.catalog.dispatch(step.tool)
        if (tool := asked.tool) is None:
            return ApprovalDecision(is_allowed=False, arguments=step.arguments, why=asked.text)
        parts = self._argument_parts(tool, step.arguments)
        if isinstance(parts, Result):
            return ApprovalDecision(is_allowed=False, arguments=step.arguments, why=parts.text)
        why = self._explain_refusal(tool, parts)
        return ApprovalDecision(is_allowed=not why, arguments=parts.model, why=why)

    def _explain_refusal(self, tool: Tool, parts: _ArgumentParts) -> str:
        """Why a call may not be made; empty where it may."""
        if why := self._explain_forbidden_write(tool, parts.model):
            return why
        decision = self._policy_for(tool).decision(tool)
        if decision != "ask":
            return f"{tool.name} is not allowed by the policy" if decision == "refuse" else ""
        if tool.handler is not None and tool.handler.make_steps is not None:
            return ""  # Each of its writes is asked about when it is known.
        try:
            request = prepare(tool, parts.whole, self._connection(tool, parts))
        except RestwrightError as error:
            return error.message
        if not self._ask_approval(tool, parts.model, request):
            return f"{tool.name} was not allowed"
        self._shared.approved.add(hash_request(request))
        return ""

    def _policy_for(self, tool: Tool) -> Policy:
        """The policy, now that answers of some APIs were read, whose words nobody vouches for."""
        return self.policy.after_reading(tool, self.read_from)

    def _is_call_approved(
        self, step: Call, arguments: JsonObject, tool: Tool, request: Request
    ) -> bool:
        """The user's word on a write, given before or now. One word is for one request."""
        known = hash_request(request)
        if known in self._shared.approved:
            self._shared.approved.discard(known)
            return True
        told = replace(request, notes=step.notes, batch=step.batch)
        return self._ask_approval(tool, arguments, told)

    def _ask_approval(self, tool: Tool, arguments: JsonObject, request: Request) -> bool:
        # Who filled something in is shown it.
        own = collect_secrets(self._shared.human_parts.get(tool.name, {}))
        shown = tuple(secret for secret in request.secrets if secret not in own)
        said = self.decide(tool, arguments, request)
        if said is None:
            asked = self.approve(tool, replace(request, secrets=shown))
            said = await_callback_result(asked, "approve")
        is_allowed = said is True
        words = "allowed" if is_allowed else "refused"
        data: JsonObject = {"tool": tool.name, "is_allowed": is_allowed}
        self._emit(Event("approval", f"{tool.name} is {words}", data))
        return is_allowed

    def _human_part(self, tool: Tool, arguments: JsonObject) -> JsonObject | NoAnswer:
        """What a human fills in, asked for once, and once more after it was used to write."""
        with self._shared.lock:
            known = self._shared.human_parts
            if tool.name not in known:
                found = ask_human_part(tool, arguments, self.human)
                if isinstance(found, NoAnswer):
                    return found
                known[tool.name] = found
            return known[tool.name]

    def _connection(self, tool: Tool, parts: _ArgumentParts) -> Connection:
        """How an API is reached; what a human filled in is as secret as a credential."""
        connection = self.connections.get(tool.namespace, Connection())
        own = collect_secrets(parts.human)
        return replace(connection, secrets=(*connection.secrets, *own)) if own else connection

    def _question(self, step: Question) -> UserAnswer | NoAnswer:
        self._emit(Event("question", step.text, {"name": step.name, "tool": step.tool}))
        return self.ask_human(step)

    def _ask_in_call(self, question: Question) -> UserAnswer | NoAnswer:
        """What the user says to a question of a server, which only that server is told."""
        outcome = self._question(question)
        self._record_human_reply(question, NoAnswer("asked by the server"))
        return outcome

    def ask_human(self, question: Question) -> UserAnswer | NoAnswer:
        """What the user says to a question; no event tells of it."""
        return await_callback_result(self.human(question), "human")

    def _record_human_reply(self, step: Step, outcome: Outcome) -> None:
        if (entry := trace_human_reply(step, outcome)) is not None:
            self._keep(entry)

    def _say(self, step: Say) -> None:
        self._emit(step.event)

    def _record_message(self, step: Say, outcome: None) -> None:
        del outcome
        self._keep({"step": step.event.kind, "text": step.event.text})
        counted = UsageCounter()
        count_event(counted, step.event)
        self._count(counted)

    def _count(self, counted: UsageCounter) -> None:
        """Count what became of tools, for this user and for who measures."""
        self.tracing.meters.record_usage(counted)
        if self.counter is not None:
            self.counter.add(counted)

    def _keep(self, entry: JsonObject, outcome: Outcome = None) -> None:
        """Have an entry in the trace, and tell of it."""
        self.trace.append(entry)
        if self.on_step is not None:
            with self._shared.lock:
                if not self._shared.cancel_token.is_canceled:
                    with self.faults.capture("on_step"):
                        await_callback_result(self.on_step(entry, outcome), "on_step")

    def _emit(self, event: Event) -> None:
        if self.on_event:
            with self._shared.lock:
                if not self._shared.cancel_token.is_canceled:
                    with self.faults.capture("on_event"):
                        await_callback_result(self.on_event(event), "on_event")


class StepHandler(NamedTuple):
    """How one kind of step is performed, and how what came of it is kept."""

    perform: Callable[[Performer, Any], Outcome]
    record: Callable[[Performer, Any, Any], None]


# pyright: reportPrivateUsage=false
# One row a step. The methods are private to this file, not to the class.
STEP_HANDLERS: Mapping[type, StepHandler] = {
    Complete: StepHandler(Performer._complete, Performer._record_completion),  # noqa: SLF001
    Call: StepHandler(Performer._call, Performer._record_call),  # noqa: SLF001
    Extract: StepHandler(Performer._extract, Performer._record_extraction),  # noqa: SLF001
    Approve: StepHandler(Performer._approve, Performer._record_human_reply),  # noqa: SLF001
    Question: StepHandler(Performer._question, Performer._record_human_reply),  # noqa: SLF001
    Say: StepHandler(Performer._say, Performer._record_message),  # noqa: SLF001
    Gather: StepHandler(Performer._gather, Performer._record_human_reply),  # noqa: SLF001
}


def count_event(counter: UsageCounter, event: Event) -> None:
    """Count what an event tells of tools: those offered, and calls that were never sent."""
    counter.count_offered(event.data.get("offered", ()))
    if event.kind == "feedback" and event.data.get("is_mismatch"):
        counter.count_call(event.data["tool"], kind="mismatch")


def _prompt_length(step: Complete) -> int:
    return sum(len(message.text) for message in step.messages)


def _tell_piece(hearer: DeltaListener, wording: int, faults: ListenerFaults, text: str) -> None:
    with faults.capture("on_words"):
        await_callback_result(hearer(TextDelta(text, wording)), "on_words")


def _secret_texts(value: Json) -> list[str]:
    """What a human filled in, as the texts that are long enough to be looked for."""
    return [
        text
        for secret in collect_secrets(value)
        if len(text := secret.reveal()) >= _SHORTEST_HIDDEN
    ]
