"""
The models that SlashGPT manifests name, most of which are not served any more.

Source: SlashGPT, "Models and engines"; the retirement of models by their providers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from restwright.jsontypes import Json, is_object
from restwright.manifests.text.warnings import Note

_RETIRED = re.compile(
    r"gpt-?3.*|gpt-4(-\d{4}|-32k.*|-vision.*)?|text-davinci.*|palm.*|llama.?2.*|vicuna.*|gpt3\w?|gpt4"
)
_OF_OPENAI = re.compile(r"(gpt-|o\d|chatgpt-).+")
_SPOKEN = frozenset({"openai-gpt", "openai-legacy", ""})


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAlias:
    """
    A model that a manifest asks for.

    Args:
        name: As `agents.models.models.model_named()` takes it.
        url: Of a server that speaks as OpenAI's does; None for the provider's own.
    """

    name: str
    url: str | None = None


def parse_model_alias(file: str, given: Json, notes: list[Note]) -> ModelAlias | None:
    """The model that a manifest asks for; None for the one that the user has chosen."""
    if given is None:
        return None
    if is_object(given):
        return _parse_inline_model(file, given, notes)
    name = str(given)
    if ":" in name:
        return ModelAlias(name=name)
    if _OF_OPENAI.fullmatch(name) and not _RETIRED.fullmatch(name):
        return ModelAlias(name=f"openai:{name}")
    what = f"{name!r} is not served any more, or is no name of a model"
    notes.append(_make_note(file, "model", what))
    return None


def _parse_inline_model(file: str, given: dict[str, Json], notes: list[Note]) -> ModelAlias | None:
    engine, name = str(given.get("engine_name", "")), str(given.get("model_name", ""))
    url = given.get("api_base")
    if engine in _SPOKEN and name and isinstance(url, str):
        return ModelAlias(name=f"openai:{name}", url=url)
    if engine in _SPOKEN and name:
        return parse_model_alias(file, name, notes)
    what = f"the engine {engine!r} is not spoken"
    notes.append(_make_note(file, "engine", what))
    return None


def _make_note(file: str, kind: str, what: str) -> Note:
    action = "your own model is used; choose it with --model"
    return Note(
        kind="engine" if kind == "engine" else "model",
        file=file,
        where="model",
        what=what,
        action=action,
    )
