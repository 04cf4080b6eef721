"""
SlashGPT manifests as agents: a file, a folder of them or a set of folders becomes a session.

Source: SlashGPT, "Manifest File Is All You Need"; "SlashGPT: Function calling in detail".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from restwright.agents.events import Listener
from restwright.agents.runtime.budget import Limits
from restwright.agents.runtime.human_input import Human, no_human
from restwright.agents.runtime.streaming import DeltaListener
from restwright.agents.steps import Model
from restwright.calls.approval.approval import Approve, refuse_all
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.errors import DocumentUnavailable
from restwright.manifests.functions.code_calls import RunCode
from restwright.manifests.functions.functions import find_shared_keys
from restwright.manifests.functions.requests import SECRET_VARIABLE_PREFIX, RequestSettings
from restwright.manifests.session.driver import SessionDriver
from restwright.manifests.session.session import ManifestSession
from restwright.manifests.slashgpt.loader import (
    ManifestCollection,
    SlashManifest,
    is_slashgpt,
    is_slashgpt_path,
    load_manifest_collection,
    load_slash_manifests,
    parse_manifest,
)
from restwright.manifests.slashgpt.manifest_sets import SlashSet
from restwright.manifests.slashgpt.models import ModelAlias
from restwright.manifests.slashgpt.retrieval import load_articles
from restwright.manifests.slashgpt.speaker import (
    FindArticles,
    SlashAgent,
    SlashAgentSettings,
    make_slash_agent,
)
from restwright.net.messages import Send
from restwright.net.policy.origins import parse_origin
from restwright.net.secret import Secret
from restwright.net.secret_references import resolve_secret
from restwright.tools.naming.hosts import public_suffix

__all__ = [
    "ManifestCollection",
    "SessionOptions",
    "SlashAgent",
    "SlashManifest",
    "SlashSet",
    "is_slashgpt",
    "is_slashgpt_path",
    "load_manifest_collection",
    "load_slash_manifests",
    "make_slash_agents",
    "open_session",
    "parse_manifest",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions:
    """
    What the user, not a manifest, says about a session.

    Args:
        model: Who decides.
        model_for: Finds the model that a manifest asks for, such as `model_named`; None to use
            `model` for all.
        send: Carries requests; a `Transport` for each turn where None.
        approve: Asked before each write; nothing is written without it.
        limits: Of each turn.
        servers: `{origin that manifests name: base URL to ask in its place}`.
        named: Origins of manifests that may be this machine or in a private network; None where
            `send` knows them alone.
        keys: `{appkey: reference to its secret}`; the others are `env:SLASH_GPT_ENV_NAME`.
        run: Runs code; None where that is off.
        modules: `{Python file as a manifest names it: one to take in its place}`.
        articles: A folder of texts in the place of databases of articles; None for none.
        now: The time, in UTC.
        random: Chooses words and greetings.
    """

    model: Model
    model_for: Callable[[ModelAlias], Model] | None = None
    send: Send | None = None
    approve: Approve = refuse_all
    policy: Policy = CONFIRM
    human: Human = no_human
    limits: Limits = field(default_factory=Limits)
    on_event: Listener | None = None
    on_words: DeltaListener | None = None
    servers: Mapping[str, str] = field(default_factory=dict[str, str])
    named: Iterable[str] | None = None
    keys: Mapping[str, str] = field(default_factory=dict[str, str])
    run: RunCode | None = None
    modules: Mapping[str, str] = field(default_factory=dict[str, str])
    articles: str | Path | None = None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    random: Random = field(default_factory=Random)


def open_session(
    path: str | Path | ManifestCollection,
    options: SessionOptions,
    *,
    agent: str = "",
    set_name: str = "",
) -> ManifestSession:
    """
    Make a session of a manifest, a folder of them, or one of several sets.

    Args:
        agent: Who listens first; else the file that was named, or the default of the set.
        set_name: Which of the sets of a `manifests.json`.

    Raises:
        DocumentUnavailable: There is nothing to read, or no such agent.
        UnreadableDocument: The one file that was asked for is neither JSON nor YAML.
        RefusedRequest: One of `servers` or `named` is no URL that may be asked.
    """
    loaded = (
        path
        if isinstance(path, ManifestCollection)
        else load_manifest_collection(path, set_name=set_name)
    )
    current = agent or loaded.default
    if current not in loaded.manifests:
        known = ", ".join(loaded.manifests)
        raise DocumentUnavailable(str(path), f"it has no agent {current!r}; there are: {known}")
    driving = SessionDriver(
        model=options.model,
        models=_find_models(loaded, options),
        send=options.send,
        approve=options.approve,
        policy=options.policy,
        human=options.human,
        limits=options.limits,
        on_event=options.on_event,
        on_words=options.on_words,
    )
    return ManifestSession(
        speakers=make_slash_agents(loaded, options), current=current, drive_turn=driving
    )


def make_slash_agents(loaded: ManifestCollection, options: SessionOptions) -> dict[str, SlashAgent]:
    """The agents of manifests, by their keys."""
    models = _find_models(loaded, options)
    reach = _request_settings(loaded, options)
    found = load_articles(options.articles) if options.articles is not None else None
    return {
        key: make_slash_agent(
            each, _agent_settings(key, reach, options, models.get(key, options.model), found)
        )
        for key, each in loaded.manifests.items()
    }


def _agent_settings(
    key: str,
    settings: RequestSettings,
    options: SessionOptions,
    model: Model,
    found: FindArticles | None,
) -> SlashAgentSettings:
    random = options.random
    return SlashAgentSettings(
        request_settings=settings,
        now=options.now,
        run=options.run,
        modules=options.modules,
        calls_tools=lambda: bool(getattr(model, "calls_tools", False)),
        articles={} if found is None else {key: found},
        shuffle=lambda words: tuple(random.sample(words, len(words))),
        choose=random.choice,
    )


def _find_models(loaded: ManifestCollection, options: SessionOptions) -> dict[str, Model]:
    find = options.model_for
    if find is None:
        return {}
    wanted = {key: each.model for key, each in loaded.manifests.items()}
    return {key: find(each) for key, each in wanted.items() if each is not None}


def _request_settings(loaded: ManifestCollection, options: SessionOptions) -> RequestSettings:
    actions = [
        action
        for manifest in loaded.manifests.values()
        for action in manifest.actions.values()
        if action.appkey
    ]

    def secret(name: str) -> Secret:
        return resolve_secret(options.keys.get(name, f"env:{SECRET_VARIABLE_PREFIX}{name}"))

    return RequestSettings(
        secret=secret,
        named=None if options.named is None else frozenset(map(parse_origin, options.named)),
        stand_ins={parse_origin(url): base for url, base in options.servers.items()},
        shared=find_shared_keys(actions, _owner_domain),
    )


def _owner_domain(host: str) -> str:
    """The part of a host that somebody registered: `noteable.io` of `chat.noteable.io`."""
    suffix = public_suffix(host)
    if suffix is None or suffix == host:
        return host
    return f"{host.removesuffix(suffix).rstrip('.').rpartition('.')[2]}.{suffix}"
