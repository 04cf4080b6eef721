"""A SlashGPT manifest as an agent that takes turns."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import cycle, islice

from restwright.agents.steps import Steps
from restwright.manifests.dialogue.cells import run_written_code
from restwright.manifests.dialogue.loop import DialogueOptions, run_dialogue
from restwright.manifests.functions.code_calls import RunCode
from restwright.manifests.functions.functions import (
    Abilities,
    Ability,
    ManifestCode,
    build_abilities,
    restrict_choices,
)
from restwright.manifests.functions.handoff import handoff_from_action
from restwright.manifests.functions.openai_functions import Function
from restwright.manifests.functions.requests import RequestSettings
from restwright.manifests.session.session import AgentTurn, Sample, TurnContext
from restwright.manifests.slashgpt.loader import SlashManifest
from restwright.manifests.text.placeholders import fill_prompt
from restwright.tools.catalog.catalog import Catalog

TEMPERATURE = 0.7
"""Of a manifest that says none, as SlashGPT has it."""

_UNFORMED = "`"

FindArticles = Callable[[str], str]
"""The articles for what the user says, as one text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlashAgent:
    """
    One agent.

    Args:
        abilities: What it can do.
        calls_tools: Whether its model takes tools natively; asked at a turn, since a provider's
            model is made for the answer.
        words: What `{random}` is taken from, in this order.
        greeting: What it says first; empty for nothing.
        articles: What `{articles}` is taken from; None where there is nothing.
        now: The time, in UTC.
    """

    manifest: SlashManifest
    abilities: Abilities
    now: Callable[[], datetime]
    calls_tools: Callable[[], bool] = lambda: False
    words: tuple[str, ...] = ()
    greeting: str = ""
    articles: FindArticles | None = None

    @property
    def name(self) -> str:
        """Its key."""
        return self.manifest.name

    @property
    def title(self) -> str:
        """Its name for people."""
        return self.manifest.title or self.manifest.name

    @property
    def description(self) -> str:
        """What it is for, told to other agents."""
        return self.manifest.description

    @property
    def samples(self) -> tuple[Sample, ...]:
        """What its manifest proposes to say to it."""
        return self.manifest.samples

    @property
    def labels(self) -> tuple[str, str]:
        """How a chat labels what it says and what the user says; empty for nothing."""
        return self.manifest.bot, self.manifest.you

    @property
    def catalog(self) -> Catalog | None:
        """Its tools; None where it has none."""
        return self.abilities.catalog

    def turn(self, text: str, context: TurnContext) -> Steps[AgentTurn]:
        """Answer `text`, as `Speaker.turn()` says."""
        manifest = self.manifest
        asked = apply_form(manifest.form, text)
        system = build_system_prompt(self, context, text)
        abilities, options = self._offered_abilities(context), self._dialogue_options()
        turn = yield from run_dialogue(
            asked, system=system, history=context.history, abilities=abilities, options=options
        )
        if not manifest.notebook:
            return turn
        return (
            yield from run_written_code(
                turn, asked=asked, system=system, abilities=abilities, options=options
            )
        )

    def _offered_abilities(self, context: TurnContext) -> tuple[Ability, ...]:
        """What it can do; a switch knows the agents that there are now."""
        actions = self.manifest.actions
        agents = context.agents
        return tuple(
            replace(
                ability,
                make_handoff=partial(handoff_from_action, actions[ability.name], agents=agents),
            )
            if ability.name in actions and actions[ability.name].kind == "emit"
            else ability
            for ability in self.abilities.offered
        )

    def _dialogue_options(self) -> DialogueOptions:
        manifest = self.manifest
        given = manifest.temperature
        return DialogueOptions(
            native=self.calls_tools(),
            temperature=TEMPERATURE if given is None else min(max(given, 0.0), 2.0),
            forced=manifest.forced,
            skips_result=manifest.skips_result,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SlashAgentSettings:
    """
    What speakers have in common.

    Args:
        request_settings: Where requests go.
        run: Runs code; None where that is off.
        modules: `{Python file as a manifest names it: one to take in its place}`.
        calls_tools: Whether the model takes tools natively.
        articles: `{key: what {articles} of that agent is taken from}`.
        shuffle: Words in another order.
        choose: One of several greetings.
    """

    request_settings: RequestSettings
    now: Callable[[], datetime]
    run: RunCode | None = None
    modules: Mapping[str, str] = field(default_factory=dict[str, str])
    calls_tools: Callable[[], bool] = lambda: False
    articles: Mapping[str, FindArticles] = field(default_factory=dict[str, FindArticles])
    shuffle: Callable[[tuple[str, ...]], tuple[str, ...]] = tuple
    choose: Callable[[tuple[str, ...]], str] = field(default=lambda several: several[0])


def make_slash_agent(manifest: SlashManifest, setting: SlashAgentSettings) -> SlashAgent:
    """Make the agent of a manifest."""
    instead = setting.modules.get(str(manifest.raw.get("module", "")))
    code = ManifestCode(
        agent=manifest.name,
        run=setting.run,
        module=instead or manifest.module,
        is_missing=not instead and any(note.kind == "module" for note in manifest.notes),
        has_notebook=manifest.notebook,
        result_form=manifest.result_form,
    )
    return SlashAgent(
        manifest=manifest,
        abilities=build_abilities(
            manifest.name,
            list_offered_functions(manifest),
            manifest.actions,
            settings=setting.request_settings,
            code=code,
            title=manifest.title,
        ),
        now=setting.now,
        calls_tools=setting.calls_tools,
        words=setting.shuffle(manifest.words),
        greeting=setting.choose(manifest.intro) if manifest.intro else "",
        articles=setting.articles.get(manifest.name),
    )


def list_offered_functions(manifest: SlashManifest) -> tuple[Function, ...]:
    """The functions of a manifest; the one called `categorize` chooses among its agents."""
    return tuple(
        replace(
            function, parameters=restrict_choices(function.parameters, "category", manifest.agents)
        )
        if manifest.agents and function.name == "categorize"
        else function
        for function in manifest.functions
    )


def apply_form(form: str, text: str) -> str:
    """What the user says, in the form of the manifest; a backtick before it goes around that."""
    if text.startswith(_UNFORMED) and not text.startswith("```"):
        return text[1:]
    return fill_prompt(form, {"question": text}) if form and text else text


def build_system_prompt(given: SlashAgent, context: TurnContext, text: str) -> str | None:
    """
    The prompt of an agent, with everything put in: as it is, in one pass, once each.

    A name that there is nothing for stays as it is.
    """
    manifest = given.manifest
    if manifest.prompt is None:
        return None
    values: dict[str, str | Iterator[str]] = {"now": given.now().strftime("%Y%m%dT%H%M%SZ")}
    if given.words:
        # As many as may be asked for; an endless one could not be compared with nothing.
        values["random"] = islice(cycle(given.words), manifest.prompt.count("{random}"))
    if manifest.resource is not None:
        values["resource"] = manifest.resource
    if manifest.agents:
        known = context.agents
        lines = (f"{agent}: {known[agent]}" for agent in manifest.agents if agent in known)
        values["agents"] = "\n".join(lines)
    if context.memory is not None:
        values["memory"] = json.dumps(context.memory, ensure_ascii=False)
    if given.articles is not None and "{articles}" in manifest.prompt:
        values["articles"] = given.articles(text)
    return fill_prompt(manifest.prompt, values)
