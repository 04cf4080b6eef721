"""A SlashGPT manifest in our own form, with the OpenAPI document that its prompt pastes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os.path import relpath
from pathlib import Path
from typing import Any

import yaml

from restwright.errors import RestwrightError
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.manifests.functions.requests import SECRET_VARIABLE_PREFIX
from restwright.manifests.slashgpt.folders import load_text_file
from restwright.manifests.slashgpt.loader import SlashManifest
from restwright.manifests.slashgpt.speaker import TEMPERATURE, list_offered_functions
from restwright.manifests.text.placeholders import sole_placeholder
from restwright.openapi.syntax.decode import parse_bytes

LINE_WIDTH = 100
_MOST = 10_000
EXTENSION_KEY = "x-slashgpt"
"""Where stands what our form has no key for."""

_KEPT = frozenset(
    {
        "title",
        "description",
        "prompt",
        "model",
        "functions",
        "actions",
        "resource",
        "module",
        "notebook",
        *("bot", "you", "temperature", "intro", "list", "form", "result_form"),
        *("skip_function_result", "function_call"),
    }
)
# What a prompt says about writing requests down, and about the document that follows.
_ASKS_FOR_REQUESTS = re.compile(
    r"\{resource\}|series of REST calls|just return JSON|definition of (the )?API|OpenAPI format",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionResult:
    """
    A manifest in our form.

    Args:
        text: YAML.
        files: `{name: text}` of the files to write beside it.
        notes: What does not go over by itself, a line each.
    """

    text: str
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    notes: tuple[str, ...] = ()


def convert_manifest(
    manifest: SlashManifest, *, into: Path | None = None, beside: Sequence[str] = ()
) -> ConversionResult:
    """
    Write a SlashGPT manifest in our form.

    Args:
        into: The folder it is going to stand in, which paths are relative to; files of other
            folders, which it could not name, stand beside it as well. None for nowhere: then paths
            are as they are found.
        beside: The keys of the manifests that it is converted with: where an action leaves open who
            it hands over to, it is any of these that its function can name.
    """
    document = extract_document(manifest)
    made: JsonObject = {"format": "restwright", "title": manifest.title or manifest.name}
    made |= {key: each for key in ("description", "bot", "you") if (each := getattr(manifest, key))}
    prompt = _convert_prompt(manifest, has_document=document is not None)
    if prompt or not (manifest.functions or manifest.model):
        # An agent is at least somebody who is told nothing.
        made["prompt"] = prompt or ""
    files: dict[str, str] = {}
    if document is None:
        made |= _convert_resource(manifest, into, files)
    made |= _convert_manner(manifest)
    made |= _convert_model(manifest)
    if document is not None:
        made["apis"] = [_convert_api(manifest, into, files)]
    made |= _convert_functions(manifest, into, files)
    if code := _convert_code(manifest, into, files):
        made["code"] = code
    if handed := _handoff_targets(manifest, beside):
        offered = {"tool": False}
        made["agents"] = {name: {"manifest": f"{name}.yaml", **offered} for name in handed}
    made |= _convert_samples(manifest)
    if rest := _remaining_keys(manifest):
        made[EXTENSION_KEY] = rest
    notes = tuple(_conversion_notes(manifest, document, handed))
    return ConversionResult(text=_dump_yaml(made), files=files, notes=notes)


def _convert_samples(manifest: SlashManifest) -> JsonObject:
    samples = [
        {"name": sample.name, "text": "\n".join((sample.text, *sample.more))}
        for sample in manifest.samples
    ]
    return {"samples": samples} if samples else {}


def _convert_manner(manifest: SlashManifest) -> JsonObject:
    """How the agent speaks, and what a turn of it is."""
    temperature = TEMPERATURE if manifest.temperature is None else manifest.temperature
    given: JsonObject = {
        "agent": "calling" if manifest.functions or manifest.notebook else "",
        "temperature": min(max(temperature, 0.0), 2.0),
        "intro": [*manifest.intro],
        "list": [*manifest.words],
        "form": manifest.form,
        "result_form": manifest.result_form,
        "skip_function_result": manifest.skips_result,
        "function_call": manifest.forced,
    }
    return {key: each for key, each in given.items() if each or key == "temperature"}


def _convert_resource(
    manifest: SlashManifest, into: Path | None, files: dict[str, str]
) -> JsonObject:
    """The file whose text stands for `{resource}`."""
    found = manifest.files.get(str(manifest.raw.get("resource", "")))
    if manifest.resource is None or found is None or "{resource}" not in (manifest.prompt or ""):
        return {}
    return {"resource": _place_file(found, into, files)}


def extract_document(manifest: SlashManifest) -> JsonObject | None:
    """The OpenAPI document that a manifest pastes into its prompt; None where it pastes none."""
    text = manifest.resource
    if text is None or "{resource}" not in (manifest.prompt or ""):
        return None
    try:
        value: Json = parse_bytes(text.encode(), source="resource").value
    except RestwrightError:
        return None
    is_document = is_object(value) and ("openapi" in value or "swagger" in value)
    return value if is_document and is_object(value.get("paths")) else None


def _convert_api(manifest: SlashManifest, into: Path | None, files: dict[str, str]) -> JsonObject:
    name = re.sub(r"[^a-z0-9]+", "_", manifest.name.lower()).strip("_")[:20]
    if into is None:
        found = manifest.files.get(str(manifest.raw.get("resource", "")))
        return {"document": str(found), "alias": name}
    suffix = "json" if (manifest.resource or "").lstrip().startswith("{") else "yaml"
    files[f"{manifest.name}.openapi.{suffix}"] = manifest.resource or ""
    return {"document": f"{manifest.name}.openapi.{suffix}", "alias": name}


def _convert_prompt(manifest: SlashManifest, *, has_document: bool) -> list[str]:
    """The lines of the prompt; without a resource that is an API of its own now."""
    lines = (manifest.prompt or "").split("\n") if manifest.prompt else []
    if has_document:
        kept = [line for line in lines if not _ASKS_FOR_REQUESTS.search(line)]
        return [line for line in kept if line.strip()]
    return lines


def _convert_model(manifest: SlashManifest) -> JsonObject:
    wanted = manifest.model
    if wanted is None:
        return {}
    return {"model": {"name": wanted.name, "url": wanted.url} if wanted.url else wanted.name}


def _convert_code(manifest: SlashManifest, into: Path | None, files: dict[str, str]) -> JsonObject:
    """The Python file and the notebook of a manifest, where it has them."""
    code: JsonObject = {}
    # One that leaves the manifest's root was not found, and is not carried anywhere.
    if manifest.module and not _has_no_module(manifest):
        code["module"] = _place_file(Path(manifest.module), into, files)
    if manifest.notebook:
        code["notebook"] = True
        if not manifest.functions:
            code["offered"] = False
    return code


def _has_no_module(manifest: SlashManifest) -> bool:
    return any(note.kind == "module" for note in manifest.notes)


def _place_file(path: Path, into: Path | None, files: dict[str, str]) -> str:
    """How a manifest in `into` names a file; one of another folder is written beside it."""
    if into is None:
        return str(path)
    if path.resolve().is_relative_to(into):
        return relpath(path.resolve(), into).replace("\\", "/")
    text = load_text_file(path)
    names = (path.name, *(f"{path.stem}-{number}{path.suffix}" for number in range(2, _MOST)))
    # Two folders may have files of one name.
    name = next(word for word in names if files.get(word, text) == text)
    files[name] = text
    return name


def _convert_functions(
    manifest: SlashManifest, into: Path | None, files: dict[str, str]
) -> JsonObject:
    made: JsonObject = {}
    if manifest.functions:
        made["functions"] = [
            {
                "name": offered_function.name,
                "description": offered_function.description,
                "parameters": offered_function.parameters,
            }
            for offered_function in list_offered_functions(manifest)
        ]
    raw: JsonObject = manifest.raw.get("actions", {})
    names = {function.name for function in manifest.functions}
    actions = {
        name: _convert_action(manifest, name, raw[name], into, files) for name in manifest.actions
    }
    if kept := {name: each for name, each in actions.items() if name in names}:
        made["actions"] = kept
    return made


def _convert_action(
    manifest: SlashManifest, name: str, raw: Json, into: Path | None, files: dict[str, str]
) -> JsonObject:
    """An action as it is, with its type, and with paths from where it is going to stand."""
    action = manifest.actions[name]
    made: JsonObject = {"type": action.kind, **raw}
    if action.kind == "emit":
        made = {"type": "emit", "emit_method": action.emit_method, "emit_data": action.emit_data}
        data = made["emit_data"]
        if "manifest" in data and "agent" not in data:
            made["emit_data"] = {
                "agent": data["manifest"],
                **{key: each for key, each in data.items() if key != "manifest"},
            }
    if action.appkey:
        made["appkey"] = f"env:{SECRET_VARIABLE_PREFIX}{action.appkey}"
    for key in ("template", "schema"):
        named = raw.get(key)
        if isinstance(named, str) and into is not None and manifest.files.get(named):
            made[key] = _place_file(manifest.files[named], into, files)
    return made


def _handoff_targets(manifest: SlashManifest, beside: Sequence[str]) -> tuple[str, ...]:
    """The agents that a manifest can hand over to, by name or by an argument of a function."""
    named: list[str] = [*manifest.agents]
    for name, action in manifest.actions.items():
        if action.kind != "emit":
            continue
        agent = str(action.emit_data.get("agent") or action.emit_data.get("manifest") or "")
        argument = sole_placeholder(agent)
        if argument is not None:
            choices = _choices_of(manifest, name, argument)
            named += choices or beside
        elif "{" in agent:
            named += beside
        elif agent:
            named.append(agent)
    return tuple(dict.fromkeys(name for name in named if not beside or name in beside))


def _choices_of(manifest: SlashManifest, function: str, argument: str) -> list[str]:
    """The values that a function takes for an argument; empty for any."""
    for offered in list_offered_functions(manifest):
        schema = offered.parameters.get("properties", {}).get(argument)
        if offered.name == function and is_object(schema):
            return [str(value) for value in schema.get("enum", ())]
    return []


def _remaining_keys(manifest: SlashManifest) -> JsonObject:
    is_sample = re.compile(r"\s*sample")
    return {
        key: each
        for key, each in manifest.raw.items()
        if key not in _KEPT and key != "agents" and not is_sample.match(key)
    }


def _conversion_notes(
    manifest: SlashManifest, document: JsonObject | None, handed: Sequence[str]
) -> Iterator[str]:
    if document is not None:
        yield "its prompt pasted an OpenAPI document, which is an API of its own now"
        if not document.get("servers") and "swagger" not in document:
            yield "the document names no server; name one as `server` of the API"
    if "{articles}" in (manifest.prompt or ""):
        yield "the prompt has {articles}, which only SlashGPT's form puts something in for"
    yield from _file_notes(manifest, handed)
    if len(manifest.prompt or "") > 20_000:
        yield "its prompt is longer than 20,000 characters; shorten it"


def _file_notes(manifest: SlashManifest, handed: Sequence[str]) -> Iterator[str]:
    if manifest.notebook or manifest.module:
        yield "it runs code, which stays switched off; --allow-code turns it on"
    if manifest.module and _has_no_module(manifest):
        yield f"there is no file {manifest.module}, whose functions it has"
    if handed:
        names = ", ".join(f"{name}.yaml" for name in handed)
        yield f"it hands over to {names}, which must stand beside it"


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as such."""


def _represent_text(dumper: Any, text: str) -> Any:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def _dump_yaml(value: JsonObject) -> str:
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=LINE_WIDTH)
