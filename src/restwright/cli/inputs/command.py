"""From a function to a command: its groups of options are expanded where they stand."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields, is_dataclass
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any, cast, get_type_hints

from typer import Option

from restwright.cli.render.output import Output

Command = Callable[..., int]


@dataclass(frozen=True, kw_only=True)
class _OutputOptions:
    """Options of every command."""

    as_json: Annotated[bool, Option("--json", help="One JSON document on standard output.")] = False
    verbose: Annotated[bool, Option("-v", "--verbose", help="Say more.")] = False
    quiet: Annotated[bool, Option("-q", "--quiet", help="Only results and errors.")] = False
    log_file: Annotated[
        Path | None, Option("--log-file", metavar="FILE", help="Write the log there.")
    ] = None


def command(function: Command) -> Command:
    """
    Make `function` a command.

    A parameter whose type is a dataclass is replaced by the options that its fields are, in their
    order; so is a field whose type is one. `out` is replaced by the options of every command.
    """
    signature = inspect.signature(function, eval_str=True)
    own = [parameter for name, parameter in signature.parameters.items() if name != "out"]
    common = _parameter("out", _OutputOptions)
    options = [option for parameter in (*own, common) for option in _expand(parameter)]

    @functools.wraps(function)
    def with_output(**values: Any) -> int:
        given = {parameter.name: _collect(parameter, values) for parameter in own}
        said = _collect(common, values)
        out = Output(json=said.as_json, verbose=said.verbose, quiet=said.quiet)
        with _logging(verbose=said.verbose, file=said.log_file):
            return function(**given, out=out)

    vars(with_output)["__signature__"] = signature.replace(parameters=options)
    with_output.__annotations__ = {option.name: option.annotation for option in options}
    return with_output


def list_given_options(group: Any) -> list[str]:
    """
    The words of a command line that stand for what a group of options holds.

    What is as it is by default is left out.
    """
    words: list[str] = []
    for member in _members(type(group)):
        value = getattr(group, member.name)
        if _is_group(member.annotation):
            words += list_given_options(value)
        elif value != member.default:
            words += _list_words(_option_name(member), value)
    return words


def _option_name(member: Parameter) -> str:
    (option,) = member.annotation.__metadata__
    # `Option("--name")` takes its first argument for a default, which the parser puts right later.
    names = [text for text in (option.default, *option.param_decls) if isinstance(text, str)]
    return next(name for name in names if name.startswith("--"))


def _list_words(name: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [name]
    values = cast("list[Any]", value) if isinstance(value, list) else [value]
    return [word for each in values for word in (name, str(each))]


def _expand(parameter: Parameter) -> Iterator[Parameter]:
    """The options that a parameter stands for: itself, or what its group holds."""
    if not _is_group(parameter.annotation):
        yield parameter.replace(kind=Parameter.KEYWORD_ONLY)
        return
    for member in _members(parameter.annotation):
        yield from _expand(member)


def _collect(parameter: Parameter, values: dict[str, Any]) -> Any:
    """What `values` has for a parameter, put together where that is a group."""
    group = parameter.annotation
    if not _is_group(group):
        return values[parameter.name]
    return group(**{member.name: _collect(member, values) for member in _members(group)})


def _is_group(kind: Any) -> bool:
    return is_dataclass(kind)


def _members(group: Any) -> list[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [_parameter(field.name, hints[field.name], field.default) for field in fields(group)]


def _parameter(name: str, kind: Any, default: Any = MISSING) -> Parameter:
    absent = Parameter.empty if default is MISSING else default
    return Parameter(name, Parameter.KEYWORD_ONLY, default=absent, annotation=kind)


@contextmanager
def _logging(*, verbose: bool, file: Path | None) -> Generator[None]:
    if not verbose and file is None:
        yield
        return
    import logging

    handlers: list[logging.Handler] = [logging.StreamHandler()] if verbose else []
    if file is not None:
        handlers.append(logging.FileHandler(file, encoding="utf-8"))
    logger = logging.getLogger("restwright")
    level = logger.level
    logger.setLevel(logging.DEBUG)
    for handler in handlers:
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        logger.addHandler(handler)
    try:
        yield
    finally:
        logger.setLevel(level)
        for handler in handlers:
            logger.removeHandler(handler)
            handler.close()
