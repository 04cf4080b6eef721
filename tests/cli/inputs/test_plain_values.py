"""Values that are taken as they are come out as typer would convert them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer import BadParameter

from restwright.cli.app import COMMANDS, GROUPS, load_command
from restwright.cli.inputs.plain_values import keep_plain_values


def commands() -> Iterator[Any]:
    for name in COMMANDS:
        yield load_command(name)
    for name in GROUPS:
        yield from load_command(name).commands.values()


def parameters() -> dict[str, Any]:
    """One of the commands' parameters for each kind of annotation and default."""
    several = (parameter for command in commands() for parameter in command.params)
    return {
        f"{each.type_descriptor.annotation}, {each.default!r}, {each.nargs}": each
        for each in several
    }


PARAMETERS = parameters()
# A path that is there, one that is not, one that cannot be; and what each kind of option may get.
VALUES = (
    *(None, "", "x", "7", "-7", "0.5", "true", 7, 0.5, 10_000_000.0, True, False),
    *((), [], ("a",), ["a", "b"], ("a", 7), (None,), ("flat",)),
    *("flat", "Flat", "accessor", "rest", "native", "."),
    *("no/such/file", "a\0b", "-", __file__, Path(__file__)),
)


def outcome(conversion: Any, value: object, parameter: Any) -> object:
    try:
        made = conversion.coerce(value, param=parameter, ctx=None)
    except BadParameter as error:
        return f"refused: {error.message}"
    # Collections become lists, whichever they are here.
    return [*made] if isinstance(made, list | tuple) else (type(made), made)


@pytest.mark.parametrize("kind", PARAMETERS)
def test_values_come_out_as_typer_converts_them(kind: str) -> None:
    parameter = PARAMETERS[kind]
    typers = type(parameter).get_runtime_param(parameter)
    keep_plain_values([parameter])
    ours = parameter.get_runtime_param()
    values = (*VALUES, parameter.default)
    given = [outcome(ours, value, parameter) for value in values]
    assert given == [outcome(typers, value, parameter) for value in values]
