"""What a model must not fill in: arguments that are left to a human, and who gives them."""

from __future__ import annotations

from restwright.agents.runtime.human_input import Human, human_from_answers, no_human
from restwright.agents.steps import NoAnswer, Question, UserAnswer
from restwright.calls.arguments.human_part import (
    assemble_arguments,
    check_human_arguments,
    check_model_arguments,
    merge_arguments,
)
from restwright.tools.human_inputs import ArgumentHalf, ArgumentHalves, Separation, by_extension

__all__ = [
    "ArgumentHalf",
    "ArgumentHalves",
    "Human",
    "NoAnswer",
    "Question",
    "Separation",
    "UserAnswer",
    "assemble_arguments",
    "by_extension",
    "check_human_arguments",
    "check_model_arguments",
    "human_from_answers",
    "merge_arguments",
    "no_human",
]
