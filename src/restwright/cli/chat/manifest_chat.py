"""`chat` with the agents of manifests, ours or SlashGPT's: a session with slash commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from restwright.cli.chat.base import Watch
from restwright.cli.chat.kept_turns import KeptTurns
from restwright.cli.chat.loop import talk
from restwright.cli.chat.manifest_commands import COMMANDS
from restwright.cli.chat.manifest_talk import ManifestChat
from restwright.cli.inputs.approval import Consent, policy_of
from restwright.cli.inputs.human import human_of
from restwright.cli.inputs.model import Models
from restwright.cli.render.output import Output, counting, is_terminal, one_line
from restwright.cli.runs.manifests import Agents, ManifestOptions, loaded_from
from restwright.cli.runs.run import kept_in_journal
from restwright.cli.runs.slashgpt import check_foreign, named_of, slash_manifest, wanted_of
from restwright.workspace.saved_chats import load_chats

if TYPE_CHECKING:
    from restwright.agents.steps import Model
    from restwright.cli.inputs.run_options import ResumeOptions
    from restwright.manifests.functions.code_calls import RunCode
    from restwright.manifests.own.builder import ManifestAgent
    from restwright.manifests.own.manifest import Manifest
    from restwright.manifests.own.stage import AgentFactory
    from restwright.manifests.session.stage import Stage
    from restwright.manifests.slashgpt.session import ManifestCollection
    from restwright.net.messages import Send


def chat_with(path: Path, options: ManifestOptions, kept: ResumeOptions, out: Output) -> int:
    """
    Talk with the agents of a manifest, a folder or a set of them.

    Raises:
        RestwrightError: They cannot be used, or there is no model.
    """
    noting = counting(out)
    foreign = slash_manifest(path, noting)
    reach = options.reach
    check_foreign(foreign, reach.connection)
    with (
        reach.access.code() as run,
        Models(options.model, out) as models,
        reach.transport.open_transport() as send,
        kept_in_journal(kept, out) as journal,
    ):
        watch, consent = Watch(), Consent()
        going = _Making(options, noting, models, send, run, watch, consent)
        stage = going.open_own(path) if foreign is None else going.open_slashgpt(path, foreign)
        whose = "Restwright" if foreign is None else "SlashGPT"
        out.note(one_line(f"{path}: agents of {whose}'s manifests, by {stage.model}"))
        stage.saved.extend(load_chats(path))
        chat = ManifestChat(
            slash_commands=COMMANDS,
            models=models,
            out=out,
            given=options.approval,
            watch=watch,
            is_person=is_terminal(),
            consent=consent,
            problems=noting.texts,
            stage=stage,
            path=path,
            saved=[*stage.saved],
            run=run,
            kept=KeptTurns(journal),
            make_agents=going.make_agents(path) if foreign is None else None,
        )
        name = kept.resume
        return talk(chat, first=(lambda: _resume(chat, name)) if name is not None else None)


def _resume(chat: ManifestChat, name: str) -> None:
    from restwright.cli.chat.shared_commands import resumed

    chat.take_up(name)
    resumed(chat, name)


@dataclass(frozen=True, slots=True)
class _Making:
    """What the stage of a chat is made of."""

    options: ManifestOptions
    out: Output
    models: Models
    send: Send
    run: RunCode | None
    watch: Watch
    consent: Consent

    def open_slashgpt(self, path: Path, loaded: ManifestCollection) -> Stage:
        from restwright.agents.agent import Limits
        from restwright.manifests.slashgpt.session import SessionOptions
        from restwright.manifests.slashgpt.stage import open_slash_stage

        wanted = wanted_of(loaded)
        name = wanted.name if wanted is not None else None
        terms = SessionOptions(
            model=self._model(name, wanted.url if wanted is not None else None),
            send=self.send,
            approve=self.watch.asking(self.consent),
            policy=policy_of(self.options.approval),
            human=self.watch.answering(human_of(self.options.approval.human)),
            limits=self.options.limits.over(Limits()),
            on_event=self.watch.event,
            on_words=self.watch.words,
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

    def make_agents(self, path: Path) -> Callable[[bool], AgentFactory]:
        """What makes what makes the agents, by whether writes are allowed."""

        def factory(is_free: bool) -> AgentFactory:
            approval = replace(self.options.approval, yes=is_free)
            making = replace(self, options=replace(self.options, approval=approval))
            return lambda model: making._make_agents(path, model)  # noqa: SLF001

        return factory

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
                approve=self.watch.asking(self.consent),
                human=self.watch.answering(human_of(self.options.approval.human)),
                limits=self.options.limits.over(made.limits),
                **self.options.moment.settings(),
                on_event=self.watch.event,
                on_words=self.watch.words,
            )
        return speakers
