"""One reply of a model under a JSON Schema, checked by us whatever the provider promised."""

from __future__ import annotations

from restwright.agents.spotlighting import mark_data
from restwright.agents.steps import Complete, Completion, Message, Steps
from restwright.calls.arguments.check import check_value, parse_arguments
from restwright.errors import UnreadableArguments, UnusableReply
from restwright.jsontypes import Json, JsonObject, is_array, is_object

_TRIES = 3


def ask(
    role: str,
    messages: tuple[Message, ...],
    schema: JsonObject,
    *,
    max_tokens: int = 256,
    tries: int = _TRIES,
    temperature: float = 0.0,
    checks: JsonObject | None = None,
) -> Steps[JsonObject]:
    """
    Yield `Complete` until the reply is a JSON object under `schema`, at most `tries` times.

    What is wrong goes back to the model; the prompt before it stays the same, so that a cached
    prefix serves again.

    Args:
        checks: What the reply is checked against, where that is not `schema`.

    Raises:
        UnusableReply: The last reply is wrong too.
    """
    why = ""
    conversation = messages
    for _ in range(tries):
        completion = yield Complete(
            role=role,
            messages=conversation,
            schema=schema,
            max_tokens=max_tokens,
            temperature=temperature,
        )
        assert isinstance(completion, Completion)  # noqa: S101  (the driver's contract)
        reply, why = read_reply(completion, schema if checks is None else checks)
        if reply is not None:
            return reply
        conversation = (
            *messages,
            Message("assistant", completion.text[:2000]),
            Message(
                "user", f"That reply cannot be used:\n{mark_data(why)}\nReply again, corrected."
            ),
        )
    raise UnusableReply(role, why)


def read_reply(completion: Completion, schema: JsonObject) -> tuple[JsonObject | None, str]:
    """The reply under `schema`, or None and what is wrong with it."""
    if completion.finish == "length":
        return None, "it was cut off; be shorter"
    try:
        reply = parse_arguments(completion.text)
    except UnreadableArguments as error:
        return None, error.why
    mismatches = check_value(schema, reply)
    return (None, "; ".join(map(str, mismatches[:3]))) if mismatches else (reply, "")


def briefly(schema: JsonObject) -> JsonObject:
    """
    A schema to check against that takes texts of one character.

    That a text has three is asked of small models, which else may say nothing; in some languages
    two say all.
    """
    return {key: _briefly(each) for key, each in schema.items()} | (
        {"minLength": 1} if schema.get("minLength") else {}
    )


def _briefly(value: Json) -> Json:
    if is_array(value):
        return [_briefly(each) for each in value]
    return briefly(value) if is_object(value) else value


def closed(properties: JsonObject) -> JsonObject:
    """The schema of an object that has just these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }
