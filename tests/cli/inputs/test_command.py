"""How a function becomes a command: its groups are expanded where they stand."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest
import typer
from typer import Option

from restwright.cli.app import COMMANDS, GROUPS, load_command
from restwright.cli.inputs.command import command
from restwright.cli.render.output import Output

FLAGS = ["as_json", "verbose", "quiet", "log_file"]


@dataclass(frozen=True, kw_only=True)
class Inner:
    size: Annotated[int, Option("--size")] = 3
    colour: Annotated[str, Option("--colour")] = "teal"


@dataclass(frozen=True, kw_only=True)
class Outer:
    first: Annotated[str, Option("--first")]
    inner: Inner = field(default_factory=Inner)
    last: Annotated[str, Option("--last")] = "z"


GIVEN: list[Any] = []


def paint(
    *,
    wall: str,
    outer: Outer,
    coats: Annotated[int, Option("--coats")] = 1,
    out: Output,
) -> int:
    """Paint a wall."""
    GIVEN[:] = [wall, outer, coats, out]
    return coats


def ran(function: Callable[..., int], *argv: str) -> Any:
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command()(command(function))
    return typer.main.get_command(app).main([*argv], standalone_mode=False)


def test_groups_and_groups_in_them_are_expanded_where_they_stand() -> None:
    parameters = inspect.signature(command(paint)).parameters
    assert [*parameters] == ["wall", "first", "size", "colour", "last", "coats", *FLAGS]
    assert parameters["first"].default is inspect.Parameter.empty
    assert parameters["size"].default == 3


def test_a_function_is_given_its_groups() -> None:
    assert ran(paint, "north", "--first", "a", "--size", "7", "--coats", "2", "--json") == 2
    outer = Outer(first="a", inner=Inner(size=7))
    assert ["north", outer, 2, Output(json=True, verbose=False, quiet=False)] == GIVEN


def test_an_option_of_a_group_without_a_default_is_required() -> None:
    with pytest.raises(typer.BadParameter, match="first"):
        ran(paint, "north")


def test_two_groups_may_not_have_an_option_of_one_name() -> None:
    def twice(*, one: Inner, other: Inner, out: Output) -> int:
        del one, other, out
        return 0

    with pytest.raises(ValueError, match="duplicate parameter name: 'size'"):
        command(twice)


# Of tools or of samples, of a manifest or of what is converted, of a run or of a chat; one that is
# as long as names may be, or leaves room for the prefix of a host; an API that may be used, or was;
# where a call goes, or what a document is to say of that.
OF_SEVERAL_KINDS = {
    *("--agent", "--api", "--every", "--name", "--name-length", "--only", "--output", "--resume"),
    *("--server", "--url"),
}


def options() -> Iterator[tuple[str, Any]]:
    """Every option of every command, `(its name, its definition)`."""
    for name in COMMANDS | GROUPS:
        loaded = load_command(name)
        for one in (*getattr(loaded, "commands", {}).values(), loaded):
            for parameter in one.params:
                if parameter.param_type_name == "option":
                    yield max(parameter.opts, key=len), parameter


def test_an_option_of_several_commands_is_one_and_the_same() -> None:
    seen: dict[str, set[tuple[Any, ...]]] = {}
    for name, option in options():
        said = (option.help, option.metavar, option.envvar, repr(option.default))
        seen.setdefault(name, set()).add(said)
    assert {name for name, kinds in seen.items() if len(kinds) > 1} == OF_SEVERAL_KINDS
