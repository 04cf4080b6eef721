"""What is doubtful in a manifest as a whole, once its parts are read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from restwright.manifests.text.placeholders import find_prompt_field_accesses
from restwright.manifests.text.warnings import Note, NoteKind

if TYPE_CHECKING:
    from restwright.manifests.slashgpt.loader import SlashManifest

NOTEBOOK_NAMES = ("run_python_code", "python", "draw_diagram")
"""The functions that a notebook carries out."""
PROMPT_PLACEHOLDERS = ("now", "random", "resource", "agents", "memory", "articles")
"""The names that something is put in for in a prompt."""


def lint_manifest(manifest: SlashManifest, file: str) -> list[Note]:
    """Everything that does not fit together."""
    found = (
        *_find_unhandled(manifest),
        *_find_unfilled(manifest),
        *_find_outside_effects(manifest),
    )
    return [
        Note(kind=kind, file=file, where=where, what=what, action=action)
        for kind, where, what, action in found
    ]


_Doubt = tuple[NoteKind, str, str, str]


def _find_unhandled(manifest: SlashManifest) -> Iterator[_Doubt]:
    names = {function.name for function in manifest.functions}
    for name in names - {*manifest.actions}:
        if not (manifest.module or (manifest.notebook and name in NOTEBOOK_NAMES)):
            what = "nothing carries it out"
            yield "unhandled", f"functions.{name}", what, "give it an action; its call says so"
    for name in manifest.actions.keys() - names:
        yield "unhandled", f"actions.{name}", "no function has its name", "it is never called"
    if manifest.forced and manifest.forced not in names:
        what = f"there is no function {manifest.forced!r}"
        yield "unhandled", "function_call", what, "nothing is forced"


def _find_unfilled(manifest: SlashManifest) -> Iterator[_Doubt]:
    text = manifest.prompt or ""
    if "{random}" in text and not manifest.words:
        yield "placeholder", "prompt", "there is no `list` for {random}", "it stays as it is"
    elif text.count("{random}") > len(manifest.words):
        what = "`list` has fewer words than there are {random}"
        yield "placeholder", "list", what, "words are repeated"
    if "{resource}" in text and manifest.resource is None:
        yield "placeholder", "prompt", "there is no `resource` for {resource}", "it stays as it is"
    if "{articles}" in text:
        what = "the database of articles is not read"
        yield "database", "embeddings", what, "give a folder of texts in its place"
    for prompt_field_access in find_prompt_field_accesses(text):
        yield (
            "template",
            "prompt",
            f"{prompt_field_access[:60]} is no name",
            "it stays as it is written",
        )
    if "{input}" in text:
        yield "placeholder", "prompt", "nothing is put in for {input}", "say it in the chat"


def _find_outside_effects(manifest: SlashManifest) -> Iterator[_Doubt]:
    if manifest.notebook:
        yield "code", "notebook", "it runs code", "turn that on with --allow-code"
    if manifest.module:
        yield "code", "module", "it runs a Python file", "turn that on with --allow-code"
    for name, action in manifest.actions.items():
        if action.appkey:
            what = f"{action.appkey} is sent to {action.origin.authority}"
            variable = f"SLASH_GPT_ENV_{action.appkey}"
            yield "appkey", f"actions.{name}", what, f"set {variable} to HOST,SECRET to bind it"
