"""SlashGPT manifests of a path in our own form: what is to be written where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from restwright.errors import UsageError
from restwright.manifests.slashgpt.convert import convert_manifest
from restwright.manifests.slashgpt.loader import ManifestCollection, load_manifest_collection
from restwright.manifests.slashgpt.manifest_sets import find_sets_index


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertedFiles:
    """
    What came of a path.

    Args:
        text: The manifest, where the path is one.
        files: `{path: text}`.
        notes: What does not go over by itself, a line each.
    """

    text: str = ""
    files: Mapping[Path, str] = field(default_factory=dict[Path, str])
    notes: tuple[str, ...] = ()


def convert_path(path: Path, output: Path | None) -> ConvertedFiles:
    """
    Convert a manifest, a folder of them, or every set of a `manifests.json`.

    Args:
        output: The file to write, or the folder; of several sets, each gets a folder in it. None
            for nowhere, for one manifest.

    Raises:
        DocumentUnavailable, UnreadableDocument: There is nothing to read.
        UsageError: Two files would have one name.
    """
    if find_sets_index(path) is None:
        loaded = load_manifest_collection(path)
        if not path.is_dir():
            return _convert_one(loaded, output)
        return _convert_folder(loaded, output or path)
    whole = load_manifest_collection(path)
    made = [
        _convert_folder(load_manifest_collection(each.folder), (output or path) / name)
        for name, each in whole.sets.items()
    ]
    return ConvertedFiles(
        files={file: text for each in made for file, text in each.files.items()},
        notes=tuple(note for each in made for note in each.notes),
    )


def _convert_one(loaded: ManifestCollection, output: Path | None) -> ConvertedFiles:
    into = output.parent.resolve() if output else None
    beside = [*loaded.manifests] if len(loaded.manifests) > 1 else []
    made = convert_manifest(loaded.manifests[loaded.default], into=into, beside=beside)
    if output is None:
        return ConvertedFiles(text=made.text, notes=made.notes)
    files = {output.parent / name: text for name, text in made.files.items()}
    if output in files:
        raise UsageError(f"{output} is the name of a file that it needs; choose another")
    return ConvertedFiles(text=made.text, files={output: made.text, **files}, notes=made.notes)


def _convert_folder(loaded: ManifestCollection, output: Path) -> ConvertedFiles:
    files: dict[Path, str] = {}
    notes: list[str] = []
    for key, manifest in loaded.manifests.items():
        made = convert_manifest(manifest, into=output.resolve(), beside=[*loaded.manifests])
        notes += [f"{key}: {note}" for note in made.notes]
        for name, text in {f"{key}.yaml": made.text, **made.files}.items():
            path = output / name
            if files.setdefault(path, text) != text:
                raise UsageError(
                    f"{key} needs a file {name}, and so does another; convert it alone"
                )
    return ConvertedFiles(files=files, notes=tuple(notes))
