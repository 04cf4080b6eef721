"""Sets of manifests: the folders that a `manifests.json` names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from restwright.errors import DocumentUnavailable
from restwright.jsontypes import is_object
from restwright.manifests.slashgpt.folders import (
    INDEX_FILE,
    MANIFESTS_FOLDER,
    ManifestRoot,
    load_value_file,
)

MAIN_SET = "main"
"""The set that is taken where none is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlashSet:
    """
    A folder of manifests, as `manifests.json` names it.

    Args:
        default: Who listens first; empty where nobody is named.
    """

    name: str
    folder: Path
    default: str = ""


def find_sets_index(path: Path) -> Path | None:
    """The `manifests.json` of a path; None where it is a manifest or a folder of them."""
    places = (path, path / INDEX_FILE, path / MANIFESTS_FOLDER / INDEX_FILE)
    return next((place for place in places if place.name == INDEX_FILE and place.is_file()), None)


def load_sets(index: Path, root: ManifestRoot) -> dict[str, SlashSet]:
    """
    The sets that a `manifests.json` names; none that is not there, or outside of the root.

    Raises:
        DocumentUnavailable, UnreadableDocument: It cannot be read.
    """
    raw = load_value_file(index)
    sets: dict[str, SlashSet] = {}
    for name, each in raw.items() if is_object(raw) else ():
        folder = str(each.get("manifests_dir", "")) if is_object(each) else ""
        found = next((p for p in root.candidate_paths(folder, index.parent) if p.is_dir()), None)
        if folder and found is not None:
            sets[name] = SlashSet(
                name=name, folder=found, default=str(each.get("default_agent_name") or "")
            )
    return sets


def choose_set(sets: Mapping[str, SlashSet], name: str, index: Path) -> SlashSet:
    """
    The set of a name; without one the set `main`, else the first.

    Raises:
        DocumentUnavailable: There is no such set.
    """
    wanted = name or (MAIN_SET if MAIN_SET in sets else next(iter(sets), ""))
    if wanted not in sets:
        known = ", ".join(sets) or "none"
        raise DocumentUnavailable(str(index), f"it has no set {wanted!r}; there are: {known}")
    return sets[wanted]
