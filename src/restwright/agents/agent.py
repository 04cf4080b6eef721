"""Binds a catalog, its connections and a model to a loop."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from types import NoneType
from typing import Any, TypeAlias, cast

from restwright.agents.events import Event, Listener, combine_listeners
from restwright.agents.execution.conclusion import best_partial
from restwright.agents.journal.conversations import is_later_turn
from restwright.agents.journal.replay import Recorder
from restwright.agents.journal.rows import SessionHeader
from restwright.agents.journal.store import Journal, JournalSession
from restwright.agents.journal.waiting import RunSuspended
from restwright.agents.memory.context import Background, with_background
from restwright.agents.memory.transcript import called
from restwright.agents.prompting.files import with_files
from restwright.agents.prompting.moment import (
    Clock,
    Moment,
    check_date,
    check_locale,
    make_moment,
)
from restwright.agents.prompting.templates import Prompts, prompts_from, with_prompts
from restwright.agents.runtime.budget import Budget, Limits, find_price
from restwright.agents.runtime.driver import run_steps, run_steps_async
from restwright.agents.runtime.event_stream import EventStream
from restwright.agents.runtime.faults import failure_from_error
from restwright.agents.runtime.human_input import Human, no_human
from restwright.agents.runtime.performer import Performer
from restwright.agents.runtime.streaming import DeltaListener
from restwright.agents.runtime.telemetry import make_tracer
from restwright.agents.runtime.trace_context import current_traceparent
from restwright.agents.runtime.write_guard import WRITE_EFFECTS
from restwright.agents.steps import (
    Answer,
    AnyModel,
    Attachment,
    Conclusion,
    Outcome,
    Step,
    StepListener,
    Steps,
)
from restwright.calls.approval.approval import Approve, refuse_all
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.calls.auth.connection import Connection
from restwright.calls.auth.oauth.driver import AsyncSend
from restwright.errors import (
    NoSuchPart,
    RestwrightError,
    UnusableSession,
    UsageError,
    WrongType,
    require_callable,
    require_type,
)
from restwright.jsontypes import JsonObject
from restwright.net.callbacks import await_callback_result, refuse_async
from restwright.net.http.transport import Transport
from restwright.net.messages import Send
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.catalog.summary import LOGGER_NAME, selection_from_names
from restwright.tools.catalog.usage import UsageCounter

__all__ = ["Agent", "Limits"]


@dataclass(frozen=True, slots=True)
class Agent:
    """
    Answers questions over the APIs of a catalog.

    Args:
        catalog: The tools it may use.
        model: Who decides; `model_named()` finds one.
        connections: `{namespace: Connection}`; an API without one uses its document's own server.
        send: Carries requests; a `Transport` of its own where None.
        approve: Asked before each write; nothing is written unless it says `True`.
        policy: What may be called at once, what `approve` is asked about, and what is refused.
        human: Answers what nobody else can know, and fills in what tools leave to a human.
        waits: Whether a run ends its turn where nobody is there to allow a write (`approve` is left
            out) or to answer (`human` does not): what it wants is kept open in the journal, for
            `restwright.journal.answer_question`, and the run goes on when it is resumed.
        limits: Of each run.
        kind: How it goes about a question: a name in `KINDS`, `Calling(...)`, or a loop of your
            own. None for `rest` with a small model, and `calling` with any other.
        prompts: `{name: text}` in the place of our prompts `agents/prompts/NAME.md`, or a folder of
            such files.
        now: When it is: a date and time with its time zone, or a function that is asked at the
            start of a run; None for the clock and the time zone of this machine.
        locale: Where the user is, such as `de-CH`, as prompts are told; empty for nothing.
        on_event: Called with each `Event` as it happens, with one at a time; in the thread of the
            run, or for steps that go on at the same time in one of theirs.
        on_words: Called with each piece of the answer while the model writes it, where it can tell;
            the answer that is returned at the end is the one that holds.
        on_step: Called with each entry of `Answer.steps` as it is made, and what came of the step:
            what the model was asked and replied, with its tokens and seconds, calls with their
            `Result`, the code of the parser. Of a run that is taken up again with those of before,
            too.
        name: Of the agent in traces; its kind where empty.
        description: What it is for, in traces.
        traces_content: Whether the spans that a process with OpenTelemetry is given hold what was
            said and answered.
        counter: Counts which tools are offered, called, failed and repaired; None to count nothing.

    Raises:
        WrongType: One of them is of another type.
        ValueError: There is no such kind, no such prompt, or no such locale.
        NoSuchPart: A connection is for no API of the catalog.
    """

    catalog: Catalog
    model: AnyModel = field(kw_only=True)
    connections: Mapping[str, Connection] = field(
        default_factory=dict[str, Connection], kw_only=True
    )
    send: Send | AsyncSend | None = field(default=None, kw_only=True)
    approve: Approve = field(default=refuse_all, kw_only=True)
    policy: Policy = field(default=CONFIRM, kw_only=True)
    human: Human = field(default=no_human, kw_only=True)
    waits: bool = field(default=False, kw_only=True)
    limits: Limits = field(default_factory=Limits, kw_only=True)
    kind: str | Loop | None = field(default=None, kw_only=True)
    prompts: Prompts | Path = field(default_factory=dict[str, str], kw_only=True)
    now: datetime | Clock | Moment | None = field(default=None, kw_only=True)
    locale: str = field(default="", kw_only=True)
    on_event: Listener | None = field(default=None, kw_only=True)
    on_words: DeltaListener | None = field(default=None, kw_only=True)
    on_step: StepListener | None = field(default=None, kw_only=True)
    counter: UsageCounter | None = field(default=None, kw_only=True)
    traces_content: bool = field(default=False, kw_only=True)
    name: str = field(default="", kw_only=True)
    description: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        """Refuse here what would fail in the middle of a run."""
        for name, (kind, wanted) in _WANTED.items():
            require_type(getattr(self, name), kind, what=f"`{name}`", wanted=wanted)
        for name, wanted in _CALLED.items():
            if (value := getattr(self, name)) is not None or name in _NEEDED:
                require_callable(value, what=f"`{name}`", wanted=wanted)
        _require_model(self.model)
        for connection in self.connections.values():
            require_type(connection, Connection, what="each of `connections`", wanted=_CONNECTION)
        _check_aliases(self.connections, self.catalog)
        find_loop(self.chosen_kind)
        if not (self.now is None or isinstance(self.now, Moment) or callable(self.now)):
            check_date(self.now)
        check_locale(self.locale)
        # Read once: a folder that changes later changes no run.
        object.__setattr__(self, "prompts", prompts_from(self.prompts))

    def ask(
        self,
        question: str = "",
        *,
        files: Sequence[Attachment] = (),
        history: Sequence[object] = (),
        journal: Journal | None = None,
        resume: str | None = None,
        background: Background | None = None,
    ) -> Answer:
        """
        Plan, call and answer.

        Args:
            files: Images and other files beside the question, for the kind `calling` and a model
                that takes them.
            history: Earlier messages of the conversation, which the application keeps itself: as
                OpenAI, Anthropic, Gemini or Ollama write them, or `Answer.messages()`.
            journal: Keeps every step and its outcome, so that the run can be taken up again.
            resume: A session of the journal: its run goes on where it was interrupted or stopped,
                with its own question. No finished call is made again.
            background: What earlier turns said and found; a `Conversation` gives it.

        Returns:
            The answer with its trace. A limit, a refused write or a failing API is in `stopped`
            and `reason`, not an exception. Once anything was performed, what is raised by the
            model, a callback, a credential, the sandbox or the journal is in `error`, and the text
            says what was sent.

        Raises:
            ModelUnavailable: The model cannot be reached or loaded, from the start.
            UnusableSession: The session is not there, is in use, or was of other documents.
            TypeError: A callback is asynchronous; that is for `ask_async`.
            WrongType: The question is no text, the history none, the journal none, or a file none.
            UsageError: There are a history and a journal; or files, and a journal or a kind that
                reads words alone.
        """
        refuse_async(
            approve=self.approve,
            human=self.human,
            on_event=self.on_event,
            on_words=self.on_words,
            on_step=self.on_step,
            model=self.model.complete,
            send=self.send,
        )
        with self._run(question, files, history, journal, resume, background) as going:
            try:
                conclusion = run_steps(going.steps, going.perform)
            except RunSuspended as suspended:
                return going.suspend(suspended)
            except Exception as error:  # noqa: BLE001 - what was done must not be lost with it
                conclusion = going.conclude_error(error)
            return going.finish(conclusion)

    async def ask_async(
        self,
        question: str = "",
        *,
        files: Sequence[Attachment] = (),
        history: Sequence[object] = (),
        journal: Journal | None = None,
        resume: str | None = None,
        background: Background | None = None,
    ) -> Answer:
        """
        Do the same as `ask` without blocking the event loop.

        `approve`, `human`, `on_event`, `on_words`, `send` and the model may be asynchronous here:
        then they are awaited in this loop. Others are called in a worker thread.
        """
        with self._run(question, files, history, journal, resume, background) as going:
            try:
                conclusion = await run_steps_async(going.steps, going.perform)
            except RunSuspended as suspended:
                return going.suspend(suspended)
            except Exception as error:  # noqa: BLE001 - what was done must not be lost with it
                conclusion = going.conclude_error(error)
            return going.finish(conclusion)

    def stream(
        self,
        question: str = "",
        *,
        files: Sequence[Attachment] = (),
        history: Sequence[object] = (),
        journal: Journal | None = None,
        resume: str | None = None,
        background: Background | None = None,
    ) -> AsyncGenerator[Event]:
        """
        Do the same as `ask_async`, and give what happens as it happens.

        `async for event in agent.stream(question)` gives the events of `restwright.events`, each
        before the run goes on, and at last an `AnswerEvent`. Where the agent has no `approve` and
        no `human` of its own, an `ApprovalEvent` and a `QuestionEvent` are to be answered on the
        event before the next one is asked for; one that is not is refused. Who leaves the loop, or
        is cancelled, ends the run with its requests.

        Raises:
            As `ask_async`, from the first step of the iteration on.
        """

        async def run(agent: Agent) -> Answer:
            return await agent.ask_async(
                question,
                files=files,
                history=history,
                journal=journal,
                resume=resume,
                background=background,
            )

        return stream_run(self, run)

    @property
    def chosen_kind(self) -> str | Loop:
        """How it goes about a question, as `kind` says, or what suits its model."""
        if self.kind is not None:
            return self.kind
        return "rest" if is_small(self.model) else "calling"

    @contextmanager
    def _run(
        self,
        question: str,
        files: Sequence[Attachment],
        history: Sequence[object],
        journal: Journal | None,
        resume: str | None,
        background: Background | None,
    ) -> Generator[_ActiveRun]:
        """All that a run needs; its connections and its session are let go at the end."""
        require_type(question, str, what="`question`", wanted="text")
        require_type(journal, (Journal, NoneType), what="`journal`", wanted="a `Journal` or None")
        wanted = "what a `Conversation` gives, or None"
        require_type(background, (Background, NoneType), what="`background`", wanted=wanted)
        if self.waits and journal is None:
            why = "who waits for people needs a journal that keeps what is asked of them"
            raise UsageError(why, "waits", "give one: journal=rw.journal()")
        background = self.read_history(history, journal, background)
        self._check_files(files, journal)
        with ExitStack() as ending:
            performer = self.performer(self.send or ending.enter_context(Transport()))
            ending.callback(performer.cancel)
            moment, kind = make_moment(self.now, self.locale), self.chosen_kind
            session = None if resume is None else self._resume_session(resume, journal)
            traceparent = ""
            if session is not None:
                ending.callback(session.release)
                _check_background(session, background)
                performer.budget.add_elapsed(session.elapsed_s)
                question, traceparent = session.header.question, session.header.traceparent
                if session.header.is_begun:
                    moment = Moment(session.header.now)
                    kind = session.header.agent if isinstance(kind, str) else kind
            performer.tracing = replace(performer.tracing, name=self.name or _loop_name(kind))
            add = ending.enter_context(performer.tracing.agent(question, traceparent))
            session = self._begin_session(session, question, journal, moment)
            _apply_background(performer, background)
            perform = performer
            if session is not None:
                ending.callback(session.release)
                _record_turn(session, background, is_new=resume is None)
                perform = Recorder(performer, session, waits=self.waits)
            conversation = _conversation_id(session, background)
            performer.tracing = replace(performer.tracing, conversation=conversation)
            add(performer.tracing.conversation_attributes)
            steps = self._steps(question, kind, moment)
            if background is not None:
                steps = with_background(steps, background)
            if files:
                steps = with_files(steps, files)
            yield _ActiveRun(steps, perform, performer, session, add, question)

    def read_history(
        self,
        history: Sequence[object],
        journal: Journal | None = None,
        background: Background | None = None,
    ) -> Background | None:
        """
        Make a background of messages, where there are any; else `background` is.

        Raises:
            WrongType: One of them is no message.
            UsageError: A journal or a background stands beside them.
        """
        require_type(history, (list, tuple), what="`history`", wanted="a list of messages")
        if not history:
            return background
        if journal is not None or background is not None:
            # A run that is taken up again would not know what it was told.
            why = "a journal keeps the turns of conversations, and no messages of others"
            raise UsageError(why, "history", "give no journal, or have a `Conversation` keep it")
        from restwright.agents.memory.history import read_history

        return read_history(history, self.catalog)

    def _check_files(self, files: Sequence[Attachment], journal: Journal | None) -> None:
        """Refuse files that nobody would read, or that would be lost."""
        wanted = "a list of `Attachment(media_type, data)`"
        require_type(files, (list, tuple), what="`files`", wanted=wanted)
        for file in files:
            require_type(file, Attachment, what="each of `files`", wanted=wanted)
        kind = self.chosen_kind
        if files and not (kind == "calling" or getattr(kind, "takes_files", False)):
            why = f"the kind {_loop_name(kind)!r} reads words alone"
            raise UsageError(why, "files", "give the agent kind='calling'")
        if files and journal is not None:
            # A run that is taken up again would not have them.
            raise UsageError("a journal keeps words, and no files", "files", "give no journal")

    def _begin_session(
        self,
        resumed: JournalSession | None,
        question: str,
        journal: Journal | None,
        moment: Moment,
    ) -> JournalSession | None:
        """What the run is kept in, with the span that it begins with; None for nothing."""
        if journal is None or (resumed is not None and resumed.header.is_begun):
            return resumed
        opening = replace(self.session_header(question), now=moment.text)
        if resumed is None:
            return journal.start(opening)
        resumed.begin(opening)
        return resumed

    def _resume_session(self, resume: str, journal: Journal | None) -> JournalSession:
        if journal is None:
            raise UnusableSession(resume, "no journal is given to take it from")
        session = journal.resume(resume)
        is_begun = session.header.is_begun
        if is_begun and (why := _explain_unresumable(session, self.session_header(""))):
            session.release()
            raise UnusableSession(resume, why)
        return session

    def _steps(self, question: str, kind: str | Loop, moment: Moment) -> Steps[Conclusion]:
        loop = find_loop(kind)
        steps = best_partial(loop(replace(self, now=moment), question), lambda: "")
        return with_prompts(steps, cast("Prompts", self.prompts)) if self.prompts else steps

    def _log_selection(self, event: Event) -> None:
        """Log which tools the model was given, as one record; then pass the event on."""
        log = logging.getLogger(LOGGER_NAME)
        if event.data.get("offered") and log.isEnabledFor(logging.DEBUG):
            given = selection_from_names(
                self.catalog,
                [item for item in event.data["offered"] if item in self.catalog],
                agent=_loop_name(self.chosen_kind),
                provider=self.model.name.partition(":")[0],
                reason=event.data.get("why", ""),
            )
            log.debug("%s", given, extra={"selected": given.to_json()})
        if self.on_event:
            await_callback_result(self.on_event(event), "on_event")

    def session_header(self, question: str) -> SessionHeader:
        """What a journal keeps of a run before its first step."""
        kind = self.chosen_kind
        return SessionHeader(
            question=question,
            agent=kind if isinstance(kind, str) else "",
            model=self.model.name,
            apis={name: api.sha256 for name, api in self.catalog.apis.items()},
            now=make_moment(self.now, self.locale).text,
            traceparent=current_traceparent(),
        )

    def performer(self, send: Send | AsyncSend) -> Performer:
        """Make what performs the steps of one run."""
        return Performer(
            catalog=self.catalog,
            model=self.model,
            send=send,
            approve=self.approve,
            policy=self.policy,
            connections=self.connections,
            budget=Budget(limits=self.limits, price=find_price(self.model.name)),
            human=self.human,
            on_event=self._log_selection,
            on_words=self.on_words,
            on_step=self.on_step,
            counter=self.counter,
            tracing=make_tracer(
                self.model,
                has_content=self.traces_content,
                is_heard=self.on_words is not None,
                catalog=self.catalog,
                name=self.name or _loop_name(self.chosen_kind),
                description=self.description,
            ),
        )


def stream_run(
    agent: Agent, run: Callable[[Agent], Coroutine[Any, Any, Answer]]
) -> AsyncGenerator[Event]:
    """
    Give the events of a run as they happen, as `Agent.stream` does.

    Args:
        run: Begins it, with an agent that tells the stream.
    """
    # What a run waits for is kept open for later, and nobody who watches is asked.
    asks_approval = agent.approve is refuse_all and not agent.waits
    asks_human = agent.human is no_human and not agent.waits
    asked = {"approval": asks_approval, "question": asks_human, "answer": True}
    told = EventStream(
        agent.policy, left_out=frozenset(kind for kind, is_asked in asked.items() if is_asked)
    )
    heard = replace(
        agent,
        approve=told.approve if asks_approval else agent.approve,
        human=told.ask if asks_human else agent.human,
        on_event=combine_listeners(agent.on_event, told.tell),
        on_words=combine_listeners(agent.on_words, told.tell_words, name="on_words"),
    )
    return told.events(partial(run, heard))


Loop: TypeAlias = Callable[[Agent, str], Steps[Conclusion]]
"""Makes the steps that answer a question with what an agent has."""


def _say_moment(agent: Agent) -> str:
    return make_moment(agent.now, agent.locale).text


# A loop is imported when it first runs: a chat begins before any of them is chosen.
def _run_rest(agent: Agent, question: str) -> Steps[Conclusion]:
    from restwright.agents.rest.rest import run_rest

    return run_rest(
        question,
        agent.catalog,
        policy=agent.policy,
        now=_say_moment(agent),
        is_small=is_small(agent.model),
    )


def _run_calling(agent: Agent, question: str) -> Steps[Conclusion]:
    from restwright.agents.calling.loop import Calling

    return Calling()(agent, question)


def _run_react(agent: Agent, question: str) -> Steps[Conclusion]:
    from restwright.agents.baselines.react import run_react

    return run_react(question, agent.catalog, policy=agent.policy, now=_say_moment(agent))


def _run_plan(agent: Agent, question: str) -> Steps[Conclusion]:
    from restwright.agents.baselines.offline_plan import run_offline_plan

    return run_offline_plan(question, agent.catalog, policy=agent.policy, now=_say_moment(agent))


def _run_dfsdt(agent: Agent, question: str) -> Steps[Conclusion]:
    from restwright.agents.baselines.dfsdt import run_dfsdt

    return run_dfsdt(question, agent.catalog, policy=agent.policy, now=_say_moment(agent))


KINDS: Mapping[str, Loop] = {
    "rest": _run_rest,
    "calling": _run_calling,
    "react": _run_react,
    "plan": _run_plan,
    "dfsdt": _run_dfsdt,
}
"""The loops that `Agent.kind` names."""


_CONNECTION = "a `Connection`, as `Connection(server=URL)`"
_WANTED: Mapping[str, tuple[type | tuple[type, ...], str]] = {
    "catalog": (Catalog, "a `Catalog`, as `catalog(api)` gives"),
    "connections": (Mapping, "a mapping such as {namespace: Connection}"),
    "policy": (Policy, "a `Policy`, as `Policy(default='read-only')`"),
    "limits": (Limits, "`Limits`, as `Limits(calls=5)`"),
    "prompts": ((Mapping, Path), "a mapping such as {name: text}, or the `Path` of a folder"),
    "waits": (bool, "True or False"),
    "locale": (str, "text such as 'de-CH'"),
    "counter": ((UsageCounter, NoneType), "a `UsageCounter` or None"),
}
_CALLED: Mapping[str, str] = {
    "send": "a `Transport`, or what sends a request as one does, or None",
    "approve": "a function of a tool and its request",
    "human": "a function of a question",
    "on_event": "a function of an `Event`, or None",
    "on_words": "a function of a piece of text, or None",
    "on_step": "a function of an entry of the trace and its outcome, or None",
}
_NEEDED = frozenset({"approve", "human"})


def _check_aliases(connections: Mapping[str, Connection], catalog: Catalog) -> None:
    known = {*catalog.apis, *(entry.namespace for entry in catalog.entries.values())}
    for name in connections:
        if name not in known:
            why = "has a connection, and is no API of the catalog"
            raise NoSuchPart(name, why, sorted(known))


def _require_model(model: object) -> None:
    if not (hasattr(model, "name") and callable(getattr(model, "complete", None))):
        wanted = "a model, as `model_named('openai:gpt-5')` returns"
        raise WrongType("`model`", wanted, type(model).__name__)


def find_loop(kind: str | Loop) -> Loop:
    """
    Return the loop of a name in `KINDS`; a loop of one's own is one already.

    Raises:
        ValueError: There is none of that name.
    """
    if not isinstance(kind, str):
        wanted = f"one of {', '.join(KINDS)}, or a function that makes the steps"
        require_callable(kind, what="`kind`", wanted=wanted)
        return kind
    if kind not in KINDS:
        raise ValueError(f"no kind of agent is named {kind!r}; there are {', '.join(KINDS)}")
    return KINDS[kind]


def is_small(model: AnyModel) -> bool:
    """Whether `model` is to be asked for one small thing at a time; so it is unless it says no."""
    return bool(getattr(model, "is_small", True))


def _explain_unresumable(session: JournalSession, opening: SessionHeader) -> str:
    """Why an agent that would open a session so cannot take up this one; empty where it can."""
    kept = session.header
    if opening.agent and not kept.agent:
        how = f"`restwright run MANIFEST --resume {session.id}`"
        return f"it was made by a manifest or by a loop of its own; go on with it by {how}"
    if kept.agent and not opening.agent:
        how = f"`restwright ask` or `chat` with --resume {session.id}"
        return f"it was made by the agent {kept.agent!r} without a manifest; go on with it by {how}"
    if kept.agent and kept.agent not in KINDS:
        return f"it was made by an agent of a kind that is not known, {kept.agent!r}"
    if kept.apis != opening.apis:
        return "it is of other documents, or they have changed since"
    return ""


def _record_turn(session: JournalSession, background: Background | None, *, is_new: bool) -> None:
    """Have the journal know which conversation a run is a turn of."""
    if background is None:
        return
    if background.found is not None:
        background.found.session = session.id
    if is_new:
        session.journal.append_turn(background.conversation or session.id, session.id)


def _apply_background(performer: Performer, background: Background | None) -> None:
    """Have a run know what earlier turns read, and them what it sends."""
    if background is not None:
        performer.read_before = background.read_from
        if background.found is not None:
            performer.on_write = background.found.sending


def _check_background(session: JournalSession, background: Background | None) -> None:
    """Find out whether a run that is taken up again is given what it knew before."""
    if background is None and is_later_turn(session.journal, session.id):
        why = f"it is a turn of a chat: restwright chat --resume {session.id} goes on with it"
        raise UnusableSession(session.id, why)


def _conversation_id(session: JournalSession | None, background: Background | None) -> str:
    """By which the turns of a conversation, or the runs of a session, are known as one."""
    known = background.conversation if background is not None else ""
    return known or (session.id if session is not None else "")


def _loop_name(kind: str | Loop) -> str:
    return kind if isinstance(kind, str) else getattr(kind, "__name__", type(kind).__name__.lower())


@dataclass(frozen=True, slots=True)
class _ActiveRun:
    """A run that is under way."""

    steps: Steps[Conclusion]
    perform: Callable[[Step], Outcome]
    performer: Performer
    session: JournalSession | None
    add: Callable[[JsonObject], None]
    question: str

    def conclude_error(self, error: Exception) -> Conclusion:
        """What is left to say where a loop was ended by an exception; raised before it began."""
        if not self.performer.has_started:
            raise error
        return _fail_conclusion(
            Conclusion(text=""), failure_from_error(error, "the loop of the agent")
        )

    def suspend(self, suspended: RunSuspended) -> Answer:
        """The end of a turn, and not of the run, which waits for a person."""
        asked = suspended.question
        what = f"an approval of {asked.tool}" if asked.kind == "approval" else asked.text
        how = f"`restwright sessions answer {asked.id}`, then --resume {asked.session}"
        reason = f"it waits for {what}: {how}"
        return self._answer(Conclusion(text="", stopped="question", reason=reason))

    def finish(self, conclusion: Conclusion) -> Answer:
        return self._answer(self._record_conclusion(conclusion))

    def _answer(self, conclusion: Conclusion) -> Answer:
        self.add(self.performer.tracing.conclusion_attributes(conclusion.text, conclusion.stopped))
        return Answer(
            text=self._answer_text(conclusion),
            stopped=conclusion.stopped,
            reason=self.performer.redact(conclusion.reason),
            steps=tuple(self.performer.trace),
            calls=tuple(self.performer.calls),
            usage=self.performer.budget.usage(),
            session=self.session.id if self.session else "",
            error=conclusion.error,
            question=self.question,
            exchanges=tuple(self.performer.exchanges),
        )

    def _record_conclusion(self, conclusion: Conclusion) -> Conclusion:
        """The conclusion, kept in the journal; a run that failed is not over, and goes on there."""
        if conclusion.error is None and (fault := self.performer.faults.pop_first()) is not None:
            conclusion = _fail_conclusion(conclusion, fault)
        if self.session is None or conclusion.error is not None:
            return conclusion
        try:
            self.session.end(conclusion.stopped, conclusion.text)
        except Exception as error:  # noqa: BLE001 - the answer is there all the same
            return _fail_conclusion(conclusion, failure_from_error(error, "the journal"))
        return conclusion

    def _answer_text(self, conclusion: Conclusion) -> str:
        """The words of the answer; of a run that failed with what happened, and what was sent."""
        if conclusion.error is None:
            return conclusion.text
        lines = [conclusion.text, f"Stopped: {self.performer.redact(conclusion.error.message)}"]
        writes = self.performer.writes
        sent = "; ".join(
            f"{called(write.tool, write.arguments)}: {WRITE_EFFECTS[write.effect]}"
            for write in writes
        )
        return "\n".join(filter(None, [*lines, f"Sent until then: {sent}" if sent else ""]))


def _fail_conclusion(conclusion: Conclusion, error: RestwrightError) -> Conclusion:
    return replace(conclusion, stopped="error", reason=error.message, error=error)
