"""A chat with agents of SlashGPT."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from json import dumps
from pathlib import Path

from restwright.agents.steps import Model
from restwright.jsontypes import JsonObject, is_object
from restwright.manifests.session.session import ManifestSession
from restwright.manifests.session.stage import FunctionView
from restwright.manifests.slashgpt.folders import load_value_file
from restwright.manifests.slashgpt.loader import ManifestCollection
from restwright.manifests.slashgpt.models import ModelAlias
from restwright.manifests.slashgpt.session import (
    SessionOptions,
    load_manifest_collection,
    open_session,
)
from restwright.manifests.slashgpt.speaker import SlashAgent, build_system_prompt

TESTS = "test"
"""The folder of autotests."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(slots=True, kw_only=True)
class SlashStage:
    """
    A session of SlashGPT agents; see `stages.Stage`.

    Args:
        path: As it was given.
        find_model: Finds a model by its name; None for `Terms.model_for`.
    """

    path: str | Path
    options: SessionOptions
    collection: ManifestCollection
    session: ManifestSession
    find_model: Callable[[str], Model] | None = None
    is_verbose: bool = False
    saved: list[JsonObject] = field(default_factory=list[JsonObject])

    @property
    def speaker(self) -> SlashAgent:
        """Who listens."""
        found = self.session.speaker
        assert isinstance(found, SlashAgent)  # noqa: S101  (all of them are, here)
        return found

    @property
    def model(self) -> str:
        """The name of the model that is asked."""
        return self.options.model.name

    @property
    def manifest_sets(self) -> Mapping[str, str]:
        """`{set: its folder}`."""
        return {set_.name: set_.folder.name for set_ in self.collection.sets.values()}

    def prompt(self) -> str | None:
        """What who listens is told."""
        return build_system_prompt(self.speaker, self.session.context(), "")

    def functions(self) -> tuple[FunctionView, ...]:
        """What who listens can call."""
        shown = (ability for ability in self.speaker.abilities.offered if not ability.is_hidden)
        return tuple(
            FunctionView(ability.name, ability.tool.description, ability.tool_shape["parameters"])
            for ability in shown
        )

    def manifest(self, agent: str) -> str | None:
        """The text of an agent's manifest, and the notes about it."""
        manifest = self.collection.manifests.get(agent)
        if manifest is None:
            return None
        notes = "".join(f"\nnote: {note}" for note in manifest.notes)
        return f"{dumps(manifest.raw, indent=2, ensure_ascii=False)}{notes}"

    def reload(self, *, set_name: str = "", agent: str = "") -> None:
        """Read the manifests again, or those of another set."""
        wanted = set_name or self._set()
        # The path may be a folder or a file beside which other sets are.
        place = self.collection.index if wanted and self.collection.index else self.path
        loaded = load_manifest_collection(place, set_name=wanted)
        known = agent if agent in loaded.manifests else ""
        self.session = open_session(loaded, self.options, agent=known)
        self.collection = loaded

    def _set(self) -> str:
        folder = next(iter(self.collection.manifests.values())).file.parent.resolve()
        return next(
            (set_.name for set_ in self.collection.sets.values() if set_.folder == folder), ""
        )

    def choose_model(self, name: str) -> bool:
        """Ask another model from now on."""
        if self.find_model is not None:
            model = self.find_model(name)
        elif self.options.model_for is not None:
            model = self.options.model_for(ModelAlias(name=name))
        else:
            return False
        self.options = replace(self.options, model=model)
        was = self.session
        self.session = open_session(self.collection, self.options, agent=was.current)
        self.session.histories, self.session.memory = was.histories, was.memory
        return True

    def run_test(self, name: str) -> JsonObject | None:
        """What stands in `test/NAME.json`."""
        root = self.collection.root
        path = root.find(f"{TESTS}/{name}.json", root.folder) if _NAME.fullmatch(name) else None
        value = None if path is None else load_value_file(path)
        return value if is_object(value) else None

    def list_tests(self) -> tuple[str, ...]:
        """The names of the autotests that there are."""
        folder = self.collection.root.folder / TESTS
        found = (path.stem for path in folder.glob("*.json")) if folder.is_dir() else ()
        return tuple(sorted(item for item in found if _NAME.fullmatch(item)))


def open_slash_stage(
    path: str | Path | ManifestCollection,
    options: SessionOptions,
    *,
    agent: str = "",
    set_name: str = "",
    find: Callable[[str], Model] | None = None,
) -> SlashStage:
    """Begin a chat; arguments and errors as of `slashgpt.session()`."""
    loaded = (
        path
        if isinstance(path, ManifestCollection)
        else load_manifest_collection(path, set_name=set_name)
    )
    begun = open_session(loaded, options, agent=agent)
    place = loaded.root.folder if isinstance(path, ManifestCollection) else path
    return SlashStage(
        path=place, options=options, collection=loaded, session=begun, find_model=find
    )
