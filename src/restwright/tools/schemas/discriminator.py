"""
The Discriminator Object: which property tells the alternatives of a schema apart.

JSON Schema has no such keyword, so a model reads it as a sentence; the checks keep it, to explain
a mismatch by the alternative that was meant.

Source: OAS 3.1.1, "Discriminator Object".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from restwright.jsontypes import Json, JsonObject, is_object
from restwright.openapi.references import find_ref

_MAX_NAMED = 60
ConstantsLookup = Callable[[str, str], Sequence[str]]


def clean_discriminator(value: Json, target: Callable[[str], str | None]) -> JsonObject | None:
    """
    `propertyName` and a `mapping` to cleaned references; None where it is none.

    Args:
        target: The cleaned reference of one of the document, None where it leads nowhere.
    """
    name = (
        value if isinstance(value, str) else value.get("propertyName") if is_object(value) else None
    )
    if not isinstance(name, str) or not name:
        return None
    mapping = value.get("mapping") if is_object(value) else None
    if not is_object(mapping):
        return {"propertyName": name}
    found = {
        key: cleaned
        for key, each in mapping.items()
        if isinstance(each, str) and (cleaned := target(_mapping_reference(each)))
    }
    return {"propertyName": name, "mapping": found} if found else {"propertyName": name}


def relax_one_of(schema: JsonObject) -> JsonObject:
    """
    A cleaned schema whose `discriminator` chooses from `oneOf`, as one that accepts any of those.

    The property decides; several may well describe a value that has only what they share, and by
    the letter it could never be sent.
    """
    if "oneOf" not in schema or "anyOf" in schema:
        return schema
    return {"anyOf" if key == "oneOf" else key: schema[key] for key in schema}


def describe_discriminator(schema: JsonObject, constants: ConstantsLookup) -> JsonObject:
    """
    A cleaned schema whose `discriminator` has become a sentence of its description.

    A base schema without alternatives of its own gets the mapped ones named.

    Args:
        constants: The only values of a property that the schema behind a reference allows.
    """
    whole = {key: value for key, value in schema.items() if key != "discriminator"}
    discriminator = schema["discriminator"]
    sentence = _discriminator_sentence(discriminator, schema, constants)
    described = "\n".join(part for part in (whole.get("description", ""), sentence) if part)
    return {**whole, "description": described} if described else whole


def _discriminator_sentence(
    discriminator: JsonObject, schema: JsonObject, constants: ConstantsLookup
) -> str:
    """Which value stands for which schema; empty where the document does not say."""
    name = discriminator["propertyName"]
    mapping = discriminator.get("mapping") or _implicit_mapping(schema)
    # By another name than its own constant an alternative could never be sent.
    own = {ref: constants(ref, name) for ref in mapping.values()}
    named = {value: ref for value, ref in mapping.items() if not own[ref]}
    named |= {value: ref for ref, values in own.items() for value in values}
    pairs = [f"{value} = {ref.rpartition('/')[2]}" for value, ref in named.items()]
    more = f", and {len(pairs) - _MAX_NAMED} more" if len(pairs) > _MAX_NAMED else ""
    return f"`{name}` tells which: {', '.join(pairs[:_MAX_NAMED])}{more}." if pairs else ""


def _implicit_mapping(schema: JsonObject) -> dict[str, str]:
    alternatives = [*schema.get("oneOf", ()), *schema.get("anyOf", ())]
    refs = [ref for alternative in alternatives if (ref := find_ref(alternative)) is not None]
    return {ref.rpartition("/")[2]: ref for ref in refs}


def _mapping_reference(text: str) -> str:
    """A mapping names a schema by a reference, or by its bare name."""
    is_reference = "/" in text or "#" in text or "." in text
    return text if is_reference else f"#/components/schemas/{text}"
