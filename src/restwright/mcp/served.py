"""What a server offers: tools as they are called and as they are shown, and how to reach them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.calls.auth.connection import Connection
from restwright.calls.auth.credentials import Auth
from restwright.calls.auth.oauth.client import OAuthClient
from restwright.jsontypes import JsonObject
from restwright.tools.catalog.catalog import Catalog

if TYPE_CHECKING:
    from restwright.manifests.own.builder import AgentBlueprint
    from restwright.manifests.own.manifest import Manifest
    from restwright.tools.functions.calls import FunctionRunner

MAX_USERS = 1_000
"""Whose connections are kept at the same time; whoever called longest ago goes first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleQuestion:
    """Something that one could ask, as a manifest proposes it."""

    name: str
    text: str
    title: str = ""


@dataclass(slots=True)
class UserConnections:
    """
    How each API is reached for each user: tokens that an authorization server gives to one user
    are never sent for another one.

    Args:
        shared: `{namespace: Connection}` for everybody.
    """

    shared: Mapping[str, Connection]
    _by_user: dict[str, dict[str, Connection]] = field(
        default_factory=dict[str, dict[str, Connection]]
    )

    def find(self, namespace: str, user: str) -> Connection:
        """The connection of `user`, who is empty where nobody had to say who they are."""
        base = self.shared.get(namespace) or Connection()
        if not user:
            return base
        own = self._by_user.pop(user, {})
        self._by_user[user] = own
        while len(self._by_user) > MAX_USERS:
            del self._by_user[next(iter(self._by_user))]
        if namespace not in own:
            own[namespace] = _connection_of_user(base, user)
        return own[namespace]

    def of_user(self, user: str) -> dict[str, Connection]:
        """`{namespace: connection of a user}`."""
        return {namespace: self.find(namespace, user) for namespace in self.shared}


def _connection_of_user(connection: Connection, user: str) -> Connection:
    own = {scheme: _auth_of_user(auth, user) for scheme, auth in connection.auths.items()}
    sources = {name: _connection_of_user(one, user) for name, one in connection.sources.items()}
    return replace(connection, sources=sources, **({"auth": own} if own else {}))


def _auth_of_user(auth: Auth, user: str) -> Auth:
    return replace(auth, user=user) if isinstance(auth, OAuthClient) else auth


@dataclass(slots=True)
class ServedAgent:
    """
    The agent of a manifest, and those that it hands over to.

    Args:
        build_blueprint: Reads the documents of one of them.
    """

    manifest: Manifest
    build_blueprint: Callable[[Manifest], AgentBlueprint] = field(repr=False)
    _built: dict[str, tuple[AgentBlueprint, UserConnections]] = field(
        default_factory=dict[str, "tuple[AgentBlueprint, UserConnections]"]
    )

    @property
    def title(self) -> str:
        """Its name for people."""
        return self.manifest.title or self.manifest.name

    @property
    def description(self) -> str:
        """What it is for."""
        return self.manifest.description

    def build(self, manifest: Manifest) -> tuple[AgentBlueprint, UserConnections]:
        """All of one agent but its model, and how its APIs are reached for each user."""
        if manifest.source not in self._built:
            made = self.build_blueprint(manifest)
            self._built[manifest.source] = made, UserConnections(made.connections)
        return self._built[manifest.source]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedTools:
    """
    What there is to call at one moment.

    Args:
        catalog: Tools as they are called.
        offered: The same as clients see them, without arguments that are fixed.
        connections: How their APIs are reached.
        policies: `{namespace: Policy}`; `CONFIRM` for others.
        fixed: `{tool: arguments}` that every call of it has.
        picks: `{tool: JMESPath}` of what is kept of its responses.
        samples: What clients propose to people.
        agents: Those of manifests.
        prompts: Functions that are prompts.
        resources: Functions that are resources.
        is_read_only: Whether nothing that changes something may be called.
    """

    catalog: Catalog
    offered: Catalog
    connections: UserConnections = field(repr=False)
    policies: Mapping[str, Policy] = field(default_factory=dict[str, Policy])
    fixed: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    picks: Mapping[str, str] = field(default_factory=dict[str, str])
    samples: tuple[SampleQuestion, ...] = ()
    agents: tuple[ServedAgent, ...] = ()
    prompts: tuple[FunctionRunner, ...] = ()
    resources: tuple[FunctionRunner, ...] = ()
    is_read_only: bool = False

    def policy_of(self, namespace: str) -> Policy:
        """What may be called of an API."""
        return self.policies.get(namespace, CONFIRM)
