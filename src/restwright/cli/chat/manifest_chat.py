"""`chat` with the agents of manifests, ours or SlashGPT's: a session with slash commands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from restwright.cli.chat.chat import Models
from restwright.cli.chat.loop import command_in, talk
from restwright.cli.inputs.approval import Consent, policy_of
from restwright.cli.inputs.human import human_of
from restwright.cli.render.answer import Screen, print_answer
from restwright.cli.render.errors import FAILED, INTERRUPTED
from restwright.cli.render.images import print_images, take_images
from restwright.cli.render.output import Output, counted, is_terminal, one_line
from restwright.cli.runs.manifests import Agents, ManifestOptions, loaded_from
from restwright.cli.runs.run import EXIT_CODES, note_end
from restwright.cli.runs.slashgpt import (
    answer_of,
    check_foreign,
    named_of,
    slash_manifest,
    wanted_of,
)
from restwright.jsontypes import JsonObject
from restwright.manifests.session.stage import CommandResult
from restwright.workspace.saved_chats import load_chats

if TYPE_CHECKING:
    from restwright.agents.events import Event
    from restwright.agents.steps import Answer, Model
    from restwright.manifests.functions.code_calls import RunCode
    from restwright.manifests.own.builder import ManifestAgent
    from restwright.manifests.own.manifest import Manifest
    from restwright.manifests.session.driver import SessionDriver
    from restwright.manifests.session.stage import Stage
    from restwright.manifests.slashgpt.session import ManifestCollection
    from restwright.net.messages import Send
    from restwright.tools.catalog.catalog import Catalog


class Watch:
    """Passes the events of a run to the screen of the turn that goes on."""

    def __init__(self) -> None:
        self.screen: Screen | None = None

    def event(self, event: Event) -> None:
        """Show what happened."""
        if self.screen is not None:
            self.screen.show_event(event)


@dataclass(slots=True, kw_only=True)
class ManifestChat:
    """
    A chat that goes on; see `talking.Talker`.

    Args:
        driver: How the turns of the stage are performed.
        path: Of the manifests.
        run: Runs code, and has the images that it showed.
        images: Of each turn.
        kept: The chats that were there when it began, for `/import`.
        answers: What was said so far, `(question, answer)`.
    """

    stage: Stage
    out: Output
    watch: Watch
    path: Path = Path()
    kept: list[JsonObject] = field(default_factory=list[JsonObject])
    run: RunCode | None = None
    images: list[list[JsonObject]] = field(default_factory=list[list[JsonObject]])
    is_person: bool = False
    codes: set[int] = field(default_factory=set[int])
    answers: list[tuple[str, Answer]] = field(default_factory=list["tuple[str, Answer]"])

    @property
    def driver(self) -> SessionDriver:
        """Performs the turns."""
        from restwright.manifests.session.driver import SessionDriver

        drive = self.stage.session.drive_turn
        assert isinstance(drive, SessionDriver)  # noqa: S101  (as both kinds of stages make it)
        return drive

    def greeting(self) -> str:
        """Who listens, and what that says first."""
        session = self.stage.session
        said = session.greet() or "Ask, or type /help or /sample; Ctrl-D quits."
        label = getattr(session.speaker, "labels", ("", ""))[0] or session.speaker.title
        return one_line(f"{label}: {said}")

    def handle_line(self, text: str) -> None:
        """Take a message, or carry a command out."""
        name = self._command(text)
        if name is None:
            self.run_turn(text.strip())
            return
        from restwright.manifests.slashgpt.commands import run_slashgpt_command

        # With --json standard output is for one document alone.
        with redirect_stdout(sys.stderr) if self.out.json else nullcontext():
            if name in OWN:
                OWN[name].act(self)
                return
            done = run_slashgpt_command(self.stage, text.strip()) or CommandResult()
            if done.text and not done.is_end:
                self.out.text(f"> {done.text}" if done.message else done.text)
        if not done.is_ok:
            self.codes.add(FAILED)
        if done.is_end:
            raise EOFError
        for text in filter(None, (done.message, *done.more)):
            self.run_turn(text)

    def _command(self, text: str) -> str | None:
        found = command_in(text)
        if found is not None:
            return found[0]
        # The key of an agent may be more than a word.
        name = text.strip().partition(" ")[0].removeprefix("/")
        is_agent = text.startswith("/") and name in self.stage.session.speakers
        return name if is_agent else None

    def run_turn(self, text: str) -> None:
        """Take a turn."""
        session, drive = self.stage.session, self.driver
        begun = len(drive.usage), len(drive.trace), len(drive.calls)
        with self._screen() as screen:
            reply = session.ask(text)
        answer = answer_of(reply, drive, begun)
        self.answers.append((text, answer))
        images = take_images(self.run)
        self.images.append(images)
        self.codes.add(EXIT_CODES[answer.stopped])
        note_end(answer, self.out)
        if not self.out.json:
            label = getattr(session.speaker, "labels", ("", ""))[0]
            said = answer.text or f"({answer.stopped}: {answer.reason})"
            said = f"{label}: {said}" if label else said
            print_answer(said, self.out, values=screen.values)
            print_images(images, self.out)
            sys.stdout.flush()

    @contextmanager
    def _screen(self) -> Generator[Screen]:
        out = replace(self.out, verbose=self.out.verbose or self.stage.is_verbose)
        self.watch.screen = screen = Screen(out)
        try:
            yield screen
        except KeyboardInterrupt:
            if self.is_person:
                # What was said before the turn stays; the loop says that it was stopped.
                self.codes.add(INTERRUPTED)
            raise
        finally:
            self.watch.screen = None
            screen.close()

    def end(self) -> None:
        """Keep the chat for `/import`, and print all turns as JSON."""
        from restwright.manifests.slashgpt.commands import save_chat
        from restwright.workspace.saved_chats import keep_chats

        if self.is_person:
            save_chat(self.stage)
        if self.stage.saved != self.kept:
            with suppress(OSError):
                keep_chats(self.path, self.stage.saved)
        if self.out.json:
            pairs = zip(self.answers, self.images, strict=True)
            turns = [
                _turn_json(*answer) | ({"images": images} if images else {})
                for answer, images in pairs
            ]
            self.out.value({"session": None, "turns": turns})

    def status_line(self) -> str:
        """Who listens, and which model is asked."""
        return f"{self.stage.session.speaker.title} | {self.stage.model} | /help"

    def commands(self) -> Mapping[str, str]:
        """What may stand behind a slash: commands, and agents."""
        from restwright.manifests.slashgpt.commands import SLASHGPT_COMMANDS

        agents = {key: each.title for key, each in self.stage.session.speakers.items()}
        own = {name: each.help for name, each in OWN.items()}
        return {**agents, **{name: each.help for name, each in SLASHGPT_COMMANDS.items()}, **own}

    def complete_argument(self, command: str) -> Iterable[str]:
        """What may stand behind a command."""
        return self.stage.session.speakers if command in {"help", "sample", "manifest"} else ()

    def tool_names(self) -> Sequence[str]:
        """The names of the functions of who listens."""
        catalog = self.catalog()
        return () if catalog is None else catalog.names

    def catalog(self) -> Catalog | None:
        """The tools of who listens."""
        return getattr(self.stage.session.speaker, "catalog", None)


def _turn_json(question: str, answer: Answer) -> JsonObject:
    return {
        "question": question,
        "answer": answer.text,
        "stopped": answer.stopped,
        "reason": answer.reason,
        "calls": [asdict(call) for call in answer.calls],
        "usage": asdict(answer.usage),
    }


@dataclass(frozen=True, slots=True)
class Own:
    """A command beside those of SlashGPT."""

    act: Callable[[ManifestChat], None]
    help: str


def _cost(chat: ManifestChat) -> None:
    from restwright.manifests.own.asking import sum_usages

    usage = sum_usages(chat.driver.usage)
    cost = "not known" if usage.cost is None else f"${usage.cost:.4f}"
    tokens = f"{usage.input_tokens:,} tokens read, {usage.output_tokens:,} written"
    made = f"{counted(usage.model_calls, 'model call')}, {counted(usage.http_calls, 'HTTP call')}"
    chat.out.text(f"{made}, {tokens}; cost: {cost}")


def _tools(chat: ManifestChat) -> None:
    from restwright.cli.render.tool_list import print_list

    catalog = chat.catalog()
    if catalog is None or not catalog.entries:
        chat.out.text("this agent has no tools")
    else:
        print_list(catalog, chat.out)


def _trace(chat: ManifestChat) -> None:
    from restwright.cli.chat.views import print_steps

    if not chat.answers:
        chat.out.text("Nothing was asked yet.")
        return
    print_steps(*chat.answers[-1], chat.out)


def _quit(chat: ManifestChat) -> None:
    del chat
    raise EOFError


OWN: Mapping[str, Own] = {
    "tools": Own(_tools, "the tools of this agent"),
    "trace": Own(_trace, "what was done for the last message, step by step"),
    "cost": Own(_cost, "tokens, calls and cost of this chat"),
    "quit": Own(_quit, "end"),
}
"""Commands of every chat, beside those of SlashGPT."""


def chat_with(path: Path, options: ManifestOptions, out: Output) -> int:
    """
    Talk with the agents of a manifest, a folder or a set of them.

    Raises:
        RestwrightError: They cannot be used, or there is no model.
    """
    foreign = slash_manifest(path, out)
    reach = options.reach
    check_foreign(foreign, reach.connection)
    with (
        reach.access.code() as run,
        Models(options.model, out) as models,
        reach.transport.open_transport() as send,
    ):
        watch = Watch()
        going = _Making(options, out, models, send, run, watch)
        stage = going.open_own(path) if foreign is None else going.open_slashgpt(path, foreign)
        whose = "Restwright" if foreign is None else "SlashGPT"
        out.note(one_line(f"{path}: agents of {whose}'s manifests, by {stage.model}"))
        stage.saved.extend(load_chats(path))
        chat = ManifestChat(
            stage=stage,
            out=out,
            watch=watch,
            path=path,
            kept=[*stage.saved],
            run=run,
            is_person=is_terminal(),
        )
        return talk(chat)


@dataclass(frozen=True, slots=True)
class _Making:
    """What the stage of a chat is made of."""

    options: ManifestOptions
    out: Output
    models: Models
    send: Send
    run: RunCode | None
    watch: Watch

    def open_slashgpt(self, path: Path, loaded: ManifestCollection) -> Stage:
        from restwright.agents.agent import Limits
        from restwright.manifests.slashgpt.session import SessionOptions
        from restwright.manifests.slashgpt.stage import open_slash_stage

        wanted = wanted_of(loaded)
        name = wanted.name if wanted is not None else None
        terms = SessionOptions(
            model=self._model(name, wanted.url if wanted is not None else None),
            send=self.send,
            approve=Consent(),
            policy=policy_of(self.options.approval),
            human=human_of(self.options.approval.human),
            limits=self.options.limits.over(Limits()),
            on_event=self.watch.event,
            run=self.run,
            named=named_of(loaded, self.options, self.out),
        )
        return open_slash_stage(path, terms, find=self.models.choose)

    def open_own(self, path: Path) -> Stage:
        from restwright.manifests.own.stage import open_own_stage

        # What is wrong with the manifest is said before a model is fetched.
        manifest = self._load(path)
        model = self._model(manifest.model, manifest.model_url)
        return open_own_stage(
            lambda asked: self._make_agents(path, asked), model, self.send, find=self.models.choose
        )

    def _model(self, name: str | None, url: str | None) -> Model:
        """The model that the command line names, else that of the manifest."""
        named = self.options.model.model
        if named is not None:
            return self.models.choose(named)
        return self.models.choose(name, url=url)

    def _load(self, path: Path) -> Manifest:
        return loaded_from(path, self.options.reach.access, self.out)

    def _make_agents(self, path: Path, model: Model) -> Mapping[str, ManifestAgent]:
        from restwright.manifests.own.builder import make_manifest_agent
        from restwright.manifests.own.stage import reachable_manifests

        first = self._load(path)
        agents = Agents(first, self.options, self.out, self.run)
        speakers: dict[str, ManifestAgent] = {}
        for name, manifest in reachable_manifests(first).items():
            made = agents.build(manifest)
            speakers[name] = make_manifest_agent(
                made,
                model,
                send=self.send,
                approve=Consent(),
                human=human_of(self.options.approval.human),
                limits=self.options.limits.over(made.limits),
                **self.options.moment.settings(),
                on_event=self.watch.event,
            )
        return speakers
