"""
SlashGPT manifests, as they are: a file, a folder of them, or a set of folders.

What is doubtful in one is a note and never the end of it; a file that cannot be read at all costs
that agent alone.

Source: SlashGPT, "Manifest File Is All You Need"; "SlashGPT: Function calling in detail".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from restwright.errors import DocumentUnavailable, RestwrightError, UnreadableDocument
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.manifests.functions.actions import ActionLocation, ManifestAction, parse_action
from restwright.manifests.functions.graphql import is_graphql_schema
from restwright.manifests.functions.openai_functions import Function, parse_functions
from restwright.manifests.session.session import Sample
from restwright.manifests.slashgpt.folders import (
    INDEX_FILE,
    ManifestRoot,
    explain_read_error,
    find_root,
    list_manifest_files,
    load_text_file,
    load_value_file,
)
from restwright.manifests.slashgpt.keys import OWN_KEYS, check_keys, drop_unusable_keys
from restwright.manifests.slashgpt.lint import lint_manifest
from restwright.manifests.slashgpt.manifest_sets import (
    SlashSet,
    choose_set,
    find_sets_index,
    load_sets,
)
from restwright.manifests.slashgpt.models import ModelAlias, parse_model_alias
from restwright.manifests.text.warnings import Note


@dataclass(frozen=True, slots=True, kw_only=True)
class SlashManifest:
    """
    One SlashGPT manifest.

    Args:
        name: Its key: the name of its file up to the first dot.
        file: Where it was read.
        prompt: Template of the system message; None for none.
        intro: Of which one is said when it is switched to.
        temperature: None for the engine's own.
        model: None for the one that the user has chosen.
        forced: The function that is always called; empty for none.
        actions: `{function: action}`.
        module: The Python file with its functions; empty for none.
        form: Template of what the user says; empty for none.
        result_form: Template of what code gives; empty for none.
        skips_result: Whether the model is not asked again after a function was called.
        words: What `{random}` is taken from.
        agents: Those that it may hand over to; empty for all.
        embeddings: The database of articles; None for none.
        raw: As it is written, keys included that nothing reads.
        files: `{as it is named: where it was found}` of its resource and of its actions.
        notes: What is doubtful.
    """

    name: str
    file: Path
    title: str = ""
    description: str = ""
    prompt: str | None = None
    bot: str = ""
    you: str = ""
    intro: tuple[str, ...] = ()
    samples: tuple[Sample, ...] = ()
    temperature: float | None = None
    model: ModelAlias | None = None
    functions: tuple[Function, ...] = ()
    forced: str = ""
    actions: Mapping[str, ManifestAction] = field(default_factory=dict[str, ManifestAction])
    module: str = ""
    notebook: bool = False
    form: str = ""
    result_form: str = ""
    skips_result: bool = False
    resource: str | None = None
    words: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    embeddings: JsonObject | None = None
    raw: JsonObject = field(default_factory=dict[str, Json], repr=False)
    files: Mapping[str, Path] = field(default_factory=dict[str, Path], repr=False)
    notes: tuple[Note, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestCollection:
    """
    What was found at a path.

    Args:
        manifests: `{key: manifest}`.
        default: Who listens first.
        sets: All sets beside this one, `{name: set}`.
        index: The `manifests.json` that names them; None for none.
        notes: About files, and about all manifests.
    """

    manifests: Mapping[str, SlashManifest]
    default: str
    root: ManifestRoot
    sets: Mapping[str, SlashSet] = field(default_factory=dict[str, SlashSet])
    index: Path | None = None
    notes: tuple[Note, ...] = ()


SLASHGPT = "slashgpt"
"""The `format` of a manifest that is one of SlashGPT's."""


def load_slash_manifests(path: str | Path) -> tuple[SlashManifest, ...]:
    """
    Read a manifest, a folder of them, or the first of several sets.

    Raises:
        DocumentUnavailable: There is nothing to read.
        UnreadableDocument: The one file that was asked for is neither JSON nor YAML.
    """
    return tuple(load_manifest_collection(path).manifests.values())


def load_manifest_collection(path: str | Path, *, set_name: str = "") -> ManifestCollection:
    """
    Do as `load_slash_manifests()`, and say what there is beside.

    Args:
        set_name: Which of several sets; the one called `main`, else the first, where it is empty.
    """
    place = Path(path)
    root = find_root(place)
    index = find_sets_index(place)
    if index is not None:
        sets = load_sets(index, root)
        chosen = choose_set(sets, set_name, index)
        loaded = _load_folder(chosen.folder, root, chosen.default)
        return replace(loaded, sets=sets, index=index)
    if not place.is_dir() and not place.is_file():
        raise DocumentUnavailable(str(path), "there is no such file or folder")
    loaded = _load_folder(place, root, "") if place.is_dir() else _load_with_neighbors(place, root)
    return _add_sibling_sets(loaded, place if place.is_dir() else place.parent)


def _add_sibling_sets(loaded: ManifestCollection, folder: Path) -> ManifestCollection:
    """With the sets of the `manifests.json` beside a folder, for who wants to go there."""
    index = folder.resolve().parent / INDEX_FILE
    if not index.is_file() or not index.is_relative_to(loaded.root.folder):
        return loaded
    try:
        return replace(loaded, sets=load_sets(index, loaded.root), index=index)
    except RestwrightError:
        return loaded


def load_manifest_file(path: str | Path) -> SlashManifest:
    """
    Read the manifest in one file, and nothing beside it.

    Raises:
        DocumentUnavailable, UnreadableDocument: It cannot be read.
    """
    place = Path(path)
    return _load_file(place, find_root(place))


def is_slashgpt(raw: Json) -> bool:
    """
    Whether an object is a SlashGPT manifest: by its `format`, else by having no key of ours.

    Ours alone have `apis`, `mcp`, `agent`, `code`, `policy`, `samples`, `limits`, and `agents` by
    their names.
    """
    if not is_object(raw):
        return False
    if "format" in raw:
        return raw["format"] == SLASHGPT
    if OWN_KEYS & set(raw) or is_object(raw.get("agents")):
        return False
    return bool({"prompt", "title", "model", "functions"} & set(raw))


def is_slashgpt_path(path: str | Path) -> bool:
    """Whether there are SlashGPT manifests at a path: a folder of files, or one that looks so."""
    place = Path(path)
    if place.is_dir() or place.name == INDEX_FILE:
        return True
    try:
        return is_slashgpt(load_value_file(place))
    except RestwrightError:
        return False


def parse_manifest(
    raw: JsonObject, *, file: Path, root: ManifestRoot, name: str = "", known: str = ""
) -> SlashManifest:
    """
    Read the object of one manifest, and the files that it names.

    Args:
        file: Where it is, or would be.
        name: Its key; from the name of the file where empty.
        known: What its notes call the file.
    """
    called = known or file.name
    notes = check_keys(called, raw)
    given = drop_unusable_keys(raw)
    read = partial(_load_named_text, root, file.parent, called, notes)
    place = ActionLocation(called, read)
    functions = parse_functions(
        given, called, partial(_load_named_value, root, file.parent, called, notes)
    )
    resource = read(str(given["resource"]), "resource") if "resource" in given else None
    actions = _parse_actions(given, place, resource, notes)
    manifest = SlashManifest(
        name=name or manifest_key(file),
        file=file,
        title=str(given.get("title", "")),
        description=str(given.get("description", "")),
        prompt=_join_prompt(given.get("prompt")),
        bot=str(given.get("bot", "")),
        you=str(given.get("you", "")),
        intro=_to_lines(given.get("intro")),
        samples=_parse_samples(raw),
        temperature=float(given["temperature"]) if "temperature" in given else None,
        model=parse_model_alias(called, given.get("model"), notes),
        functions=functions.functions,
        forced=str(given.get("function_call", "")),
        actions=actions,
        module=_find_module(given, root, file.parent, place, notes),
        notebook=given.get("notebook") is True,
        form=str(given.get("form", "")),
        result_form=str(given.get("result_form", "")),
        skips_result=given.get("skip_function_result") is True,
        resource=resource,
        words=tuple(str(item) for item in given.get("list", ())),
        agents=tuple(str(agent) for agent in given.get("agents", ())),
        embeddings=given.get("embeddings"),
        raw=raw,
        files=_find_named_files(given, root, file.parent),
        notes=(*notes, *functions.notes),
    )
    return _add_notes(manifest, lint_manifest(manifest, called))


def manifest_key(file: Path) -> str:
    """The key of a manifest: the name of its file up to the first dot."""
    return file.name.partition(".")[0]


def _add_notes(manifest: SlashManifest, more: list[Note]) -> SlashManifest:
    return replace(manifest, notes=(*manifest.notes, *more))


def _load_with_neighbors(file: Path, root: ManifestRoot) -> ManifestCollection:
    manifest = _load_file(file, root)
    others: dict[str, SlashManifest] = {}
    notes: list[Note] = []
    if _has_handoffs(manifest):
        # It needs its neighbours; what is wrong with those of them that it does not name is theirs.
        for manifest_file in list_manifest_files(file.parent):
            if (
                manifest_key(manifest_file) != manifest.name
                and manifest_file.name != INDEX_FILE
                and root.contains(manifest_file)
            ):
                try:
                    others[manifest_key(manifest_file)] = _load_file(manifest_file, root)
                except RestwrightError as error:
                    notes.append(_note_broken_file(manifest_file, error))
    manifests = {manifest.name: manifest, **others}
    return ManifestCollection(
        manifests=manifests,
        default=manifest.name,
        root=root,
        notes=(*manifest.notes, *notes),
    )


def _has_handoffs(manifest: SlashManifest) -> bool:
    return bool(manifest.agents) or any(
        action.kind == "emit" for action in manifest.actions.values()
    )


def _load_folder(folder: Path, root: ManifestRoot, default: str) -> ManifestCollection:
    manifests: dict[str, SlashManifest] = {}
    notes: list[Note] = []
    for manifest_file in list_manifest_files(folder):
        if manifest_file.name == INDEX_FILE:
            continue
        if not root.contains(manifest_file):
            what = f"it is a link that leaves {root.folder}"
            notes.append(
                Note(kind="file", file=manifest_file.name, what=what, action="it is left out")
            )
            continue
        try:
            manifests[manifest_key(manifest_file)] = _load_file(manifest_file, root)
        except RestwrightError as error:
            notes.append(_note_broken_file(manifest_file, error))
    if not manifests:
        why_not = "; ".join(map(str, notes)) or "it holds no manifest (.json, .yml, .yaml)"
        raise DocumentUnavailable(str(folder), why_not)
    first = default if default in manifests else next(iter(manifests))
    return ManifestCollection(
        manifests=manifests,
        default=first,
        root=root,
        notes=(*notes, *(note for manifest in manifests.values() for note in manifest.notes)),
    )


def _load_file(file: Path, root: ManifestRoot) -> SlashManifest:
    raw = load_value_file(file)
    if not is_object(raw):
        raise UnreadableDocument(str(file), "a manifest is an object, with keys such as `prompt`")
    return parse_manifest(raw, file=file, root=root)


def _note_broken_file(file: Path, error: RestwrightError) -> Note:
    return Note(
        kind="file", file=file.name, what=explain_read_error(error), action="it is left out"
    )


def _load_named_text(
    root: ManifestRoot, beside: Path, file: str, notes: list[Note], named: str, where: str
) -> str | None:
    path = _find_file(root, beside, file, notes, named, where)
    if path is None:
        return None
    try:
        return load_text_file(path)
    except RestwrightError as error:
        notes.append(Note(kind="path", file=file, where=where, what=explain_read_error(error)))
        return None


def _load_named_value(
    root: ManifestRoot, beside: Path, file: str, notes: list[Note], named: str, where: str
) -> Json:
    path = _find_file(root, beside, file, notes, named, where)
    if path is None:
        return None
    try:
        return load_value_file(path)
    except RestwrightError as error:
        notes.append(Note(kind="path", file=file, where=where, what=explain_read_error(error)))
        return None


def _find_file(
    root: ManifestRoot, beside: Path, file: str, notes: list[Note], named: str, where: str
) -> Path | None:
    path = root.find(named, beside)
    if path is None:
        is_outside = not root.candidate_paths(named, beside)
        what = f"there is no file {named[:80]!r} in {root.folder}"
        if is_outside:
            what = f"{named[:80]!r} leaves {root.folder}"
        action = "nothing outside is read" if is_outside else "put it there"
        notes.append(Note(kind="path", file=file, where=where, what=what, action=action))
    return path


def _parse_actions(
    given: JsonObject, location: ActionLocation, resource: str | None, notes: list[Note]
) -> dict[str, ManifestAction]:
    raw: JsonObject = given.get("actions", {})
    actions: dict[str, ManifestAction] = {}
    for name, each in raw.items():
        action = parse_action(name, each, location, notes)
        if action is None:
            continue
        if (
            action.kind == "graphQL"
            and not action.schema
            and resource
            and is_graphql_schema(resource)
        ):
            action = replace(action, schema=resource)
        actions[name] = action
    return actions


def _find_named_files(given: JsonObject, root: ManifestRoot, beside: Path) -> dict[str, Path]:
    actions = (action for action in given.get("actions", {}).values() if is_object(action))
    named = {action[key] for action in actions for key in ("template", "schema") if key in action}
    named.add(given.get("resource"))
    found = {name: root.find(name, beside) for name in named if isinstance(name, str)}
    return {name: path for name, path in found.items() if path is not None}


def _find_module(
    given: JsonObject, root: ManifestRoot, beside: Path, location: ActionLocation, notes: list[Note]
) -> str:
    named = str(given.get("module", ""))
    if not named:
        return ""
    found = root.find(named, beside)
    if found is not None:
        return str(found)
    what = f"there is no file {named[:80]!r} in {root.folder}"
    notes.append(
        location.note("module", "module", what, "its functions say so when they are called")
    )
    return named


def _join_prompt(given: Json) -> str | None:
    if given is None:
        return None
    return "\n".join(str(item) for item in given) if is_array(given) else str(given)


def _to_lines(given: Json) -> tuple[str, ...]:
    if given is None:
        return ()
    return tuple(map(str, given)) if is_array(given) else (str(given),)


def _parse_samples(raw: JsonObject) -> tuple[Sample, ...]:
    """Every key that begins with `sample`; a list of texts is said one after another."""
    samples = (
        (key.strip(), _to_lines(each))
        for key, each in raw.items()
        if key.strip().startswith("sample") and (isinstance(each, str) or is_array(each))
    )
    return tuple(
        Sample(name=name, text=texts[0], more=texts[1:]) for name, texts in samples if texts
    )
