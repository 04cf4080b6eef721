"""A small manifest for an API, to go on from."""

from __future__ import annotations

import re

from restwright.jsontypes import JsonObject
from restwright.openapi.model import API
from restwright.openapi.syntax.yaml_writer import to_yaml
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.safety import classify_operation
from restwright.tools.text.prose import first_sentence

MAX_SAMPLES = 3

_ABSOLUTE = re.compile(r"https?://", re.IGNORECASE)


def propose_manifest(whole: Catalog, *, document: str) -> str:
    """
    Write a manifest for the one API of a catalog.

    Args:
        document: How the manifest names it.
    """
    [(namespace, api)] = whole.apis.items()
    title = api.title or namespace
    manifest: JsonObject = {
        "title": title,
        "description": first_sentence(api.description) or f"Answers questions about {title}.",
        "prompt": (
            f"You answer questions about {title}.\nAnswer in the user's language, in a few words."
        ),
        "apis": [_scaffold_api(api, namespace, document)],
        "policy": "confirm",
    }
    if samples := _scaffold_samples(whole):
        manifest["samples"] = samples
    return _HEAD + to_yaml(manifest)


_HEAD = """\
# An agent over an API; `restwright run THIS_FILE "a question"` asks it.
# `restwright new --schema` prints what may stand here, for an editor.
"""


def _scaffold_api(api: API, namespace: str, document: str) -> JsonObject:
    given: JsonObject = {"document": document, "alias": namespace}
    is_reachable = any(_ABSOLUTE.match(server.url) for server in api.servers)
    if not is_reachable and not _ABSOLUTE.match(document):
        given["server"] = "http://127.0.0.1:8000"
    if api.security_schemes:
        given["auth"] = f"env:{namespace.upper()}_TOKEN"
    return given


def _scaffold_samples(whole: Catalog) -> list[JsonObject]:
    """Questions that a few reads without inputs answer."""
    found: list[JsonObject] = []
    for name, entry in whole.entries.items():
        operation = entry.operation
        is_plain = not any(parameter.required for parameter in operation.parameters)
        if classify_operation(operation) == "read" and is_plain and operation.headline:
            question = operation.headline.rstrip(". ")
            calls = [{"tool": str(entry.operation_name)}]
            found.append({"name": str(entry.operation_name), "text": question, "calls": calls})
        if len(found) == MAX_SAMPLES:
            break
        del name
    return found
