"""The options of commands in which a model decides."""

from __future__ import annotations

from dataclasses import fields

import pytest
from typer import BadParameter

from restwright.agents.agent import Limits
from restwright.cli.app import load_command
from restwright.cli.inputs.run_options import (
    ApprovalOptions,
    LimitOptions,
    ModelOptions,
    ResumeOptions,
)


@pytest.mark.parametrize("name", ["ask", "chat", "run", "test"])
def test_the_help_names_the_limits_that_hold_without_options(name) -> None:
    # Said twice, so that the help of a command costs no import.
    options = {option.name: option for option in load_command(name).params}
    usual = Limits()
    for limit in fields(Limits):
        value = getattr(usual, limit.name)
        shown = options[f"max_{limit.name}"].show_default
        assert shown == (str(value) if value is not None else True)


def test_limits_that_are_given_win_over_those_of_a_manifest() -> None:
    limits = Limits(calls=10, cost=0.5)
    assert LimitOptions().over(limits) == limits
    assert LimitOptions(max_calls=25, max_steps=7).over(limits) == Limits(
        calls=25, steps=7, cost=0.5
    )


def test_a_manifest_names_the_model_where_the_command_line_names_none() -> None:
    own = ("openai:own", "http://own")
    named = ModelOptions(model="local", model_url=None, yes_download=True)
    assert named.or_else(*own) == named
    assert ModelOptions().or_else(*own) == ModelOptions(model=own[0], model_url=own[1])
    assert ModelOptions(model_url="http://mine").or_else(*own).model_url == "http://mine"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ApprovalOptions(yes=True, read_only=True), "--yes and --read-only exclude"),
        (lambda: ApprovalOptions(trust_apis=True), "give --yes too"),
        (lambda: ResumeOptions(resume="x", no_journal=True), "--resume and --no-journal exclude"),
    ],
)
def test_options_that_exclude_each_other_are_refused(make, said) -> None:
    with pytest.raises(BadParameter, match=said):
        make()
