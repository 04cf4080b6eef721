"""
Who answers the questions of a run, and the part of a call that only a human fills in.

What a human says of a call goes into its request and nowhere else: no model reads it, no trace and
no journal keeps it.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from restwright.agents.steps import NoAnswer, Question, UserAnswer
from restwright.calls.arguments.check import check_value
from restwright.calls.arguments.feedback import feedback
from restwright.calls.arguments.human_part import (
    assemble_arguments,
    check_human_arguments,
    check_model_arguments,
    repair_human_arguments,
    repair_model_arguments,
)
from restwright.calls.questions import AnswerQuestion, CallQuestion
from restwright.calls.response.result import Result
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.net.callbacks import await_callback_result
from restwright.net.secret import Secret
from restwright.tools.tool import Tool

Said: TypeAlias = UserAnswer | NoAnswer
Human: TypeAlias = Callable[[Question], Said | Awaitable[Said]]
"""Asked what nobody else can know. One that is asynchronous is for the asynchronous entries."""

_TRIES = 3


def no_human(question: Question) -> UserAnswer | NoAnswer:
    """Answer nothing: there is no human."""
    return NoAnswer(f"nobody is there to answer: {question.text}")


def human_from_answers(answers: Mapping[str, Json], otherwise: Human = no_human) -> Human:
    """
    Answer from what was written down before.

    Args:
        answers: By the question's `name`, or by its tool: `{"film_id": 7}` or
            `{"shop__pay": {"pin": "..."}}`; a tool may go by its operation's name alone.
        otherwise: Asked where there is no answer, or one that does not fit.
    """

    def answer(question: Question) -> Said | Awaitable[Said]:
        operation = question.tool.partition("__")[2]
        for name in (question.name, question.tool, operation):
            value = answers.get(name) if name else None
            if value is not None and is_fitting_answer(question, value):
                return UserAnswer(value)
        return otherwise(question)

    return answer


def answer_by(human: Human) -> AnswerQuestion:
    """Put what comes up within calls to who answers the questions of a run."""

    def answer(asked: CallQuestion) -> Json:
        schema = asked.schema or {"type": "boolean"}
        said = await_callback_result(human(Question(asked.text, asked.tool, schema)), "human")
        return said.value if isinstance(said, UserAnswer) else None

    return answer


def is_fitting_answer(question: Question, value: Json) -> bool:
    """Whether an answer is what was asked for."""
    schema = question.schema
    if schema is None:
        return isinstance(value, str) and bool(value.strip())
    if schema.get("type") == "object" and "properties" in schema:
        return is_object(value) and not check_value(schema, value)
    definitions = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    wrapped = {"type": "object", "properties": {"it": schema}, **definitions}
    return not check_value(wrapped, {"it": value})


def build_question(tool: Tool) -> Question | None:
    """What a human is asked before `tool` can be called; None where nothing is left to one."""
    half = tool.separated.human if tool.separated else None
    if half is None or not half.checks.get("properties"):
        return None
    names = ", ".join(half.checks["properties"])
    return Question(f"{tool.name} needs from you: {names}", tool.name, half.checks)


def ask_human_part(tool: Tool, arguments: JsonObject, human: Human) -> JsonObject | NoAnswer:
    """
    Ask for the human's part of the arguments of `tool`.

    Args:
        arguments: The model's part, in which nothing is wrong.

    Returns:
        The part, checked; `NoAnswer` where it is needed and nobody gave it.
    """
    question = build_question(tool)
    if question is None:
        return {}
    for _ in range(_TRIES):
        said = await_callback_result(human(question), "human")
        if isinstance(said, NoAnswer):
            is_needed = check_value(
                tool.checks, assemble_arguments(tool, model=arguments, human={})
            )
            return said if is_needed else {}
        given = (
            repair_human_arguments(tool, said.value).arguments if is_object(said.value) else None
        )
        if given is not None and not check_human_arguments(tool, given):
            return given
    return NoAnswer(f"what was answered for {tool.name} does not fit")


def review_model_part(tool: Tool, arguments: JsonObject) -> JsonObject | Result:
    """
    Look at the model's part before a human is asked for the other.

    Returns:
        The part, repaired; the mismatches where something is wrong with it.
    """
    given = repair_model_arguments(tool, arguments)
    mismatches = check_model_arguments(tool, given.arguments)
    if not mismatches:
        return given.arguments
    text = feedback(tool.name, mismatches)
    return Result(kind="mismatch", text=text, repairable_by="model", repairs=given.repairs)


def collect_secrets(value: Json) -> tuple[Secret, ...]:
    """Every text and number in what a human filled in."""
    if is_object(value):
        return tuple(secret for own in value.values() for secret in collect_secrets(own))
    if is_array(value):
        return tuple(secret for own in value for secret in collect_secrets(own))
    if isinstance(value, bool) or value is None:
        return ()
    return (Secret(value if isinstance(value, str) else json.dumps(value)),)
