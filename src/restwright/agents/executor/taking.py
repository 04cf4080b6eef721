"""What an operation can be given: ids, lists of them, and addresses of things."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from restwright.agents.executor.running import Run
from restwright.agents.memory.memory import id_producers, mentioned
from restwright.agents.memory.referring import Reference
from restwright.agents.memory.tool_inputs import address_in, properties_of, required_of
from restwright.agents.roles.coding import is_identity
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.tool import Tool


def is_list_of_ids(tool: Tool, name: str) -> bool:
    """Whether an input takes several ids or addresses: as a list, or as text with commas."""
    return is_list(tool, name) or bool(re.search(r"(?i)(id|uri|urn|href)s$", name))


def takes_amount(tool: Tool, beside: str) -> bool:
    """Whether an operation takes a number beside an input, one that is no id: how many."""
    others = ((name, schema) for name, schema in properties_of(tool).items() if name != beside)
    return any(
        is_object(schema) and _is_number(schema) and not is_identity(name)
        for name, schema in others
    )


def _is_number(schema: JsonObject) -> bool:
    """Whether a schema names a type of numbers, alone or among others."""
    kind = schema.get("type")
    return any(name in {"integer", "number"} for name in (kind if is_array(kind) else [kind]))


def listed(tool: Tool, name: str, values: Sequence[str | int], *, inside: str = "") -> Json:
    """Values as a list, each under the key `inside` where there is one; else as text."""
    if not is_list(tool, name):
        return ",".join(map(str, values))
    return [{inside: each} for each in values] if inside else [*values]


def is_list(tool: Tool, name: str) -> bool:
    """Whether an input takes a list."""
    schema = properties_of(tool)[name]
    return is_object(schema) and schema.get("type") == "array"


def takes(run: Run, tool: Tool, reference: Reference) -> bool:
    """Whether an operation can be given the id or the address of what was found."""
    beside = run.beside(tool)
    for name in properties_of(tool):
        if id_producers(tool, name, beside) and reference.known(tool, name, beside):
            return True
    if run.is_read(tool):
        return False
    return any(reference.held(address_of(tool, name)) for name in references_in(tool))


def references_in(tool: Tool) -> Iterator[str]:
    """Inputs that are called like an address of a thing, the bodies' own before the others."""
    for name, schema in properties_of(tool).items():
        is_free = is_object(schema) and not schema.keys() & {"enum", "const"}
        if is_free and address_of(tool, name):
            yield name


def address_of(tool: Tool, name: str) -> str:
    """What kind of address an input takes (`uri`), or each object of the list that it takes."""
    if found := address_in(name):
        return found
    schema = properties_of(tool)[name]
    items: Json = schema.get("items") if is_object(schema) else None
    parts: JsonObject = items.get("properties", {}) if is_object(items) else {}
    return next((each for each in parts if address_in(each) == each), "")


def is_within_reach(run: Run, tool: Tool) -> bool:
    """
    Whether each id that `tool` needs is said, known, or supplied by what needs no id itself.

    People name films and directors; the id of a credit turns up inside of other things only.
    """
    beside = run.beside(tool)
    for name in required_of(tool):
        found = id_producers(tool, name, beside)
        if not found or any(not needs_id(run, each.tool) for each in found):
            continue
        if not (mentioned(tool, name, run.question) or run.memory.known(tool, name, beside)):
            return False
    return True


def needs_id(run: Run, tool: Tool) -> bool:
    """Whether an operation cannot be called without an id that another one supplies."""
    return any(id_producers(tool, name, run.beside(tool)) for name in required_of(tool))
