"""A chat with agents of manifests: whose turn it is, and what may be called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from restwright.cli.chat.base import BaseChat
from restwright.cli.chat.kept_turns import KeptTurns
from restwright.cli.chat.loop import command_in
from restwright.cli.inputs.approval import Approval, policy_for
from restwright.cli.render.errors import FAILED
from restwright.cli.render.images import print_images, take_images
from restwright.cli.render.output import one_line
from restwright.cli.runs.slashgpt import answer_of
from restwright.errors import StepFailed, UnusableSession
from restwright.manifests.session.stage import CommandResult

if TYPE_CHECKING:
    from restwright.agents.journal.rows import SessionSummary
    from restwright.agents.journal.store import Journal
    from restwright.agents.memory.turn import Turn
    from restwright.agents.runtime.performer import Performer
    from restwright.agents.steps import Answer, Message
    from restwright.calls.approval.policy import Policy
    from restwright.jsontypes import JsonObject
    from restwright.manifests.functions.code_calls import RunCode
    from restwright.manifests.own.stage import AgentFactory
    from restwright.manifests.session.driver import RunTurn, SessionDriver
    from restwright.manifests.session.session import AgentTurn, SessionAgent
    from restwright.manifests.session.stage import Stage
    from restwright.tools.catalog.catalog import Catalog


@dataclass(frozen=True, slots=True)
class _State:
    """What a session knows: who listens, what was left for the next, and what was said."""

    current: str
    memory: JsonObject | None
    histories: Mapping[str, tuple[Message, ...]]


@dataclass(slots=True, kw_only=True)
class ManifestChat(BaseChat):
    """
    A chat with agents of manifests.

    Args:
        stage: The session with them.
        kept: Keeps the turns.
        path: Of the manifests.
        saved: The chats that were there when it began, for `/import`.
        run: Runs code, and has the images that it showed.
        images: Of each turn, by the place of the turn.
        make_agents: Makes what makes our agents, by whether writes are allowed; None for those of
            SlashGPT.
    """

    stage: Stage
    kept: KeptTurns = field(default_factory=KeptTurns)
    path: Path = Path()
    saved: Sequence[JsonObject] = ()
    run: RunCode | None = None
    images: dict[int, list[JsonObject]] = field(default_factory=dict[int, "list[JsonObject]"])
    make_agents: Callable[[bool], AgentFactory] | None = None
    _turns: list[tuple[Turn, _State]] = field(default_factory=list["tuple[Turn, _State]"])
    _read_from: frozenset[str] = frozenset()
    _speaks: str = ""

    @property
    def turns(self) -> Sequence[Turn]:
        """What was said so far, oldest first."""
        return [turn for turn, _ in self._turns]

    @property
    def session(self) -> str:
        """By which the journal knows the chat; empty where it does not."""
        return self.kept.conversation

    @property
    def journal(self) -> Journal | None:
        """What keeps the chat; None where nothing does."""
        return self.kept.journal

    @property
    def model_name(self) -> str:
        """Who is asked."""
        return self.stage.model

    def greeting(self) -> str:
        """Who listens, and what that says first."""
        session = self.stage.session
        said = session.greet() or "Ask, or type /help or /sample; Ctrl-D quits."
        return self.with_problems(one_line(f"{self.label or session.speaker.title}: {said}"))

    @property
    def label(self) -> str:
        """What stands before the words of who listens, as its manifest says; empty for nothing."""
        return getattr(self.stage.session.speaker, "labels", ("", ""))[0]

    @property
    def user_label(self) -> str:
        """What stands before the words of the user, as the manifest of who listens says."""
        return getattr(self.stage.session.speaker, "labels", ("", ""))[1]

    def end(self) -> None:
        """Keep the chat for `/import`, and print all turns as JSON, or how to go on."""
        from restwright.manifests.slashgpt.commands import save_chat
        from restwright.workspace.saved_chats import keep_chats

        if self.is_person:
            save_chat(self.stage)
        if self.stage.saved != [*self.saved]:
            with suppress(OSError):
                keep_chats(self.path, self.stage.saved)
        BaseChat.end(self)

    def turn_json(self, turn: Turn) -> JsonObject:
        """A turn as JSON, with the images that it gave."""
        images = self.images.get(turn.place)
        return BaseChat.turn_json(self, turn) | ({"images": images} if images else {})

    def status_line(self) -> str:
        """Who listens, and the choices that were made."""
        who = self.stage.session.speaker.title
        return " | ".join((who, self.stage.model, f"approved: {self.approval}", "/help"))

    def catalog(self) -> Catalog | None:
        """The tools of who listens."""
        return getattr(self.stage.session.speaker, "catalog", None)

    def commands(self) -> Mapping[str, str]:
        """What may stand behind a slash: commands, and agents."""
        from restwright.manifests.slashgpt.commands import SLASHGPT_COMMANDS

        agents = {key: each.title for key, each in self.stage.session.speakers.items()}
        theirs = {name: each.help for name, each in SLASHGPT_COMMANDS.items()}
        return {**agents, **theirs, **BaseChat.commands(self)}

    def complete_argument(self, command: str) -> Sequence[str]:
        """What may stand behind a command."""
        if command in {"help", "sample", "manifest"}:
            return [*self.stage.session.speakers]
        return [*BaseChat.complete_argument(self, command)]

    def handle_line(self, text: str) -> None:
        """Take a message, or carry a command out: ours, or one of SlashGPT."""
        name = self._command(text)
        if name is None or name.lower() in self.slash_commands:
            BaseChat.handle_line(self, text)
            return
        from restwright.manifests.slashgpt.commands import run_slashgpt_command

        with self.beside_json():
            done = run_slashgpt_command(self.stage, text.strip()) or CommandResult()
            if done.text and not done.is_end:
                self.out.text(f"> {done.text}" if done.message else done.text)
        if not done.is_ok:
            self.codes.add(FAILED)
        if done.is_end:
            raise EOFError
        for message in filter(None, (done.message, *done.more)):
            self.ask(message)

    def _command(self, text: str) -> str | None:
        found = command_in(text)
        if found is not None:
            return found[0]
        # The key of an agent may be more than a word.
        name = text.strip().partition(" ")[0].removeprefix("/")
        is_agent = text.startswith("/") and name in self.stage.session.speakers
        return name if is_agent else None

    def ask(self, text: str) -> None:
        """Take a turn."""
        self.kept.begin(text)
        self.show_turn(lambda _: self._take_turn(text), lambda turn: turn)
        images = take_images(self.run)
        if images and self.turns:
            self.images[self.turns[-1].place] = images
        if not self.out.json:
            print_images(images, self.out)

    def resume_turn(self, session: str) -> None:
        """Go on with a turn that was interrupted; no finished call is made again."""
        turn = next(turn for turn in self.turns if turn.session == session)
        self._turns = [own for own in self._turns if own[0] is not turn]
        self.kept.begin(turn.question, again=session)
        self._enter(self.kept.speaker_of(session))
        self.show_turn(lambda _: self._take_turn(turn.question), lambda answer: answer)

    def _take_turn(self, text: str) -> Answer:
        session, drive, before = self.stage.session, self._driver(), self._state()
        begun = len(drive.usage), len(drive.trace), len(drive.calls)
        writes, self._speaks = len(drive.writes), session.current
        try:
            reply = session.ask(text)
            answer = replace(answer_of(reply, drive, begun), session=self.kept.session)
            if answer.stopped == "error" and self.kept.session:
                answer = replace(answer, error=StepFailed("the turn", answer.reason))
        except BaseException:
            # What was said before the turn stays.
            self._restore(before)
            if self.kept.session or len(drive.usage) > begun[0]:
                self._turns.append((self._turn(text, None, drive, begun, writes), before))
            raise
        finally:
            self._read_from |= drive.read_from
        self._turns.append((self._turn(text, answer, drive, begun, writes), before))
        return answer

    def _turn(
        self,
        text: str,
        answer: Answer | None,
        drive: SessionDriver,
        begun: tuple[int, int, int],
        writes: int,
    ) -> Turn:
        from restwright.agents.memory.turn import Turn, total

        place = max((turn.place for turn in self.turns), default=0) + 1
        return Turn(
            question=text,
            answer=answer,
            writes=tuple(drive.writes[writes:]),
            calls=answer.calls if answer else tuple(drive.calls[begun[2] :]),
            read_from=drive.read_from,
            usage=total(drive.usage[begun[0] :]),
            model=self.stage.model,
            session=self.kept.session,
            place=place,
        )

    def _driver(self) -> SessionDriver:
        """What performs the turns; it is another one after the manifests were read again."""
        from restwright.manifests.session.driver import SessionDriver

        drive = self.stage.session.drive_turn
        assert isinstance(drive, SessionDriver)  # noqa: S101  (as both kinds of stages make it)
        drive.take = self._take
        drive.read_from |= self._read_from
        return drive

    def _take(self, speaker: SessionAgent, performer: Performer, run: RunTurn) -> AgentTurn:
        """Take the turn of one agent, which may be another than the one before."""
        performer.policy = self._policy(performer.policy)
        screen = self.watch.screen
        if speaker.name != self._speaks and screen is not None:
            screen.say(f"{'agent':<9}{one_line(speaker.title)} goes on")
        self._speaks = speaker.name
        turn = self.kept.take(speaker, performer, run)
        if turn.switch is not None and turn.text and screen is not None:
            screen.print_part(turn.text)
        return turn

    def _policy(self, policy: Policy) -> Policy:
        """What the manifest and the user allow, less what the user has taken back since."""
        if self.make_agents is None:
            return policy_for(self.approval, trusts=self.given.trust_apis)
        if self.approval == "writes":
            return replace(policy, classes={**policy.classes, "destructive": "ask"})
        if self.approval == "reads":
            tools = {
                name: "refuse" if each == "ask" else each for name, each in policy.tools.items()
            }
            return replace(
                policy, classes={"write": "refuse", "destructive": "refuse"}, tools=tools
            )
        return policy

    def approve(self, approval: Approval) -> None:
        """Decide what may be called from now on; what a manifest refuses stays refused."""
        is_free = approval in {"writes", "all"}
        if self.make_agents is not None and is_free != (self.approval in {"writes", "all"}):
            from restwright.manifests.own.stage import OwnStage

            assert isinstance(self.stage, OwnStage)  # noqa: S101  (of which there are makers)
            self.stage.make_agents = self.make_agents(is_free)
            before = self._state()
            self.stage.reload(agent=before.current)
            self._restore(before)
        self.approval = approval

    def choose_model(self, name: str) -> None:
        """Ask another model from now on."""
        self.stage.choose_model(name)

    def undo(self) -> Turn | None:
        """Forget the last turn."""
        if not self._turns:
            return None
        turn, before = self._turns.pop()
        self._restore(before)
        self.kept.undo(turn.session)
        return turn

    def take_up(self, name: str) -> None:
        """Go on with another chat of the journal: what was done in it is done again from there."""
        was, before, kept = self._turns, self._state(), self.kept
        self.kept, self._turns = kept.open(name), []
        self.stage.reload()
        try:
            for summary in self.kept.summaries:
                self._replay(summary)
        except BaseException:
            self.kept, self._turns = kept, was
            self._restore(before)
            raise
        if self.approval != self.first_approval and self.kept.conversation != kept.conversation:
            self.approve(self.first_approval)
            self.out.note(f"what was approved does not hold here: /approve {self.first_approval}")

    def _replay(self, summary: SessionSummary) -> None:
        self._enter(summary.header.agent)
        question = summary.header.question
        self.kept.begin(question, again=summary.id, is_replay=True)
        if summary.stopped:
            self._take_turn(question)
            return
        from restwright.agents.memory.turn import Turn

        place = len(self._turns) + 1
        turn = Turn(question=question, answer=None, session=summary.id, place=place)
        self._turns.append((replace(turn, model=summary.header.model), self._state()))

    def _enter(self, agent: str) -> None:
        """Have the agent listen that did when a turn was begun."""
        session = self.stage.session
        if agent not in session.speakers:
            raise UnusableSession(self.kept.session or self.session, "it is with other agents")
        session.current = agent

    def _state(self) -> _State:
        session = self.stage.session
        return _State(session.current, session.memory, dict(session.histories))

    def _restore(self, state: _State) -> None:
        session = self.stage.session
        session.current, session.memory = state.current, state.memory
        session.histories = dict(state.histories)
