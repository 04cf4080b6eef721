"""The hosts on this machine and in private networks that the actions of manifests may ask."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from restwright.cli.render.output import Output, confirmed, is_terminal, one_line

if TYPE_CHECKING:
    from restwright.manifests.own.manifest import Manifest
    from restwright.manifests.slashgpt.session import ManifestCollection
    from restwright.net.policy.hosts import AllowedHost
    from restwright.net.policy.origins import Origin


@dataclass(slots=True, kw_only=True)
class HostConsent:
    """
    The user's word on hosts: by options, by the lock of a folder, or when a person is asked.

    Args:
        allowed: Those of `--allow-host`.
    """

    allowed: tuple[AllowedHost, ...]
    out: Output
    _asked: dict[Origin, bool] = field(default_factory=dict["Origin", bool])

    def named_origins(self, origins: Iterable[Origin], folder: Path) -> tuple[str, ...]:
        """
        Those of `origins` that may be this machine or in a private network.

        Args:
            folder: Of the manifests that name them, in whose lock a yes is kept.

        Raises:
            UnusableLock: The lock cannot be read, or is none.
        """
        from restwright.net.policy.hosts import is_local_origin

        named: list[str] = []
        for origin in dict.fromkeys(origins):
            is_given = any(host.allows(origin.host, origin.port) for host in self.allowed)
            if is_given or (is_local_origin(origin) and self._is_agreed(origin, folder)):
                named.append(str(origin))
        return tuple(named)

    def _is_agreed(self, origin: Origin, folder: Path) -> bool:
        from restwright.workspace.allowed_hosts import keep_allowed_hosts, read_allowed_hosts

        if str(origin) in read_allowed_hosts(folder):
            return True
        if origin not in self._asked:
            where = f"{origin}, which is this machine or in a private network"
            asked = one_line(f"The manifest sends requests to {where}. Let it, from now on?")
            self._asked[origin] = is_terminal() and confirmed(asked)
            if self._asked[origin] and not keep_allowed_hosts(folder, [origin]):
                self.out.note("that is not remembered: there is no cache")
        return self._asked[origin]


def own_origins(manifest: Manifest) -> tuple[Origin, ...]:
    """Where the actions of a manifest of ours send requests."""
    from restwright.errors import RefusedRequest
    from restwright.jsontypes import is_object
    from restwright.manifests.functions.actions import url_authority
    from restwright.net.policy.origins import parse_origin

    found: list[Origin] = []
    for action in manifest.actions.values():
        url = action.get("url") if is_object(action) else None
        if isinstance(url, str):
            try:
                found.append(parse_origin(url_authority(url)))
            except RefusedRequest:
                continue  # What is wrong with it is said where the action is read.
    return tuple(found)


def slashgpt_origins(loaded: ManifestCollection) -> tuple[Origin, ...]:
    """Where the actions of manifests of SlashGPT send requests."""
    actions = [each for one in loaded.manifests.values() for each in one.actions.values()]
    return tuple(action.origin for action in actions if action.kind in {"rest", "graphQL"})
