"""What can be done with the APIs at hand, in the model's words."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice

from restwright.agents.prompting.structured_output import ask
from restwright.agents.prompting.templates import render, schema
from restwright.agents.steps import Steps
from restwright.tools.catalog.catalog import Catalog

_LISTED = 30


def capabilities(question: str, catalog: Catalog, *, language: str) -> Steps[str]:
    """Say what can be done, from namespaces and descriptions, without a call."""
    lines: list[str] = []
    for namespace, api in catalog.apis.items():
        first = api.description.split("\n")[0][:200]
        lines.append(
            f"API {namespace} ({api.title}): {first}\nIt can: {_abilities(catalog, namespace)}"
        )
    apis = _bounded("\n".join(lines))
    prompt = render("capabilities", apis=apis, question=question, language=language)
    reply = yield from ask("answer", prompt, schema("capabilities"), max_tokens=300)
    return str(reply["answer"])


def _abilities(catalog: Catalog, namespace: str) -> str:
    """What an API can do: each of its operations, or what most of them are about."""
    own = {name: entry for name, entry in catalog.entries.items() if entry.namespace == namespace}
    if len(own) <= _LISTED:
        return "; ".join(catalog[name].description.split("\n")[0][:80] for name in own)
    operations = [entry.operation for entry in own.values()]
    things = Counter(
        thing for operation in operations for thing in operation.tags or _first_word(operation.path)
    )
    common = ", ".join(thing for thing, _ in things.most_common(_LISTED))
    return f"{len(own):,} operations on {common}"


def _first_word(path: str) -> tuple[str, ...]:
    """The first part of a path that is no version and no parameter."""
    parts = (part for part in path.split("/") if re.fullmatch(r"(?!v\d)[A-Za-z][\w-]*", part))
    return tuple(islice(parts, 1))


def _bounded(text: str, max_chars: int = 4000) -> str:
    return text if len(text) <= max_chars else text[: text.rfind("\n", 0, max_chars)] + "\n..."
