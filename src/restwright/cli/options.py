"""The options that several commands share, each declared once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from restwright.cli.output import Output

Documents = Annotated[
    list[str], Argument(metavar="DOC...", help="Path, URL, - or alias=path-or-URL.")
]
Document = Annotated[str, Argument(metavar="DOC", help="Path, URL, - or alias=path-or-URL.")]
ToolName = Annotated[
    str, Argument(metavar="NAME", help="Of the tool; the operation's name where it is unique.")
]
Arguments = Annotated[str, Argument(metavar="ARGS", help="A JSON object, @file or -.")]
Question = Annotated[str, Argument(metavar="QUESTION", help="In any language.")]

Server = Annotated[
    list[str] | None,
    Option("--server", metavar="[ALIAS=]URL", help="Base URL to call instead of the document's."),
]
Auth = Annotated[
    list[str] | None,
    Option("--auth", metavar="[ALIAS=]env:NAME", help="Variable that holds the bearer token."),
]
Header = Annotated[
    list[str] | None,
    Option("--header", metavar="[ALIAS=]K:V", help="Header to send with every call."),
]
Timeout = Annotated[
    float,
    Option(
        "--timeout", min=0.1, max=86400, metavar="SECONDS", help="Longest wait for one response."
    ),
]
MaxBytes = Annotated[
    int, Option("--max-bytes", min=1, metavar="N", help="Longest response that is read.")
]
Yes = Annotated[bool, Option("--yes", help="Send writes without asking.")]

Model = Annotated[
    str | None,
    Option(
        "--model",
        envvar="RESTWRIGHT_MODEL",
        metavar="NAME",
        help="local, local:NAME, openai:NAME, anthropic:NAME, google:NAME.",
    ),
]
ModelURL = Annotated[
    str | None,
    Option(
        "--model-url",
        envvar="RESTWRIGHT_MODEL_URL",
        metavar="URL",
        help="OpenAI-compatible server of --model openai:NAME.",
    ),
]
YesDownload = Annotated[
    bool, Option("--yes-download", help="Download the local model without asking.")
]
Trace = Annotated[
    Path | None, Option("--trace", metavar="FILE", help="Write the trace there as JSON.")
]
MaxCalls = Annotated[int, Option("--max-calls", min=1, metavar="N", help="Most HTTP calls.")]
MaxModelCalls = Annotated[
    int, Option("--max-model-calls", min=1, metavar="N", help="Most requests to the model.")
]
MaxTokens = Annotated[
    int, Option("--max-tokens", min=1, metavar="N", help="Most tokens, read and written.")
]
MaxSeconds = Annotated[
    float, Option("--max-seconds", min=0.1, max=86400, metavar="SECONDS", help="Longest run.")
]

Command = Callable[..., int]

_COMMON: dict[str, tuple[Any, Any]] = {
    "as_json": (
        Annotated[bool, Option("--json", help="One JSON document on standard output.")],
        False,
    ),
    "verbose": (Annotated[bool, Option("-v", "--verbose", help="Say more.")], False),
    "quiet": (Annotated[bool, Option("-q", "--quiet", help="Only results and errors.")], False),
    "log_file": (
        Annotated[Path | None, Option("--log-file", metavar="FILE", help="Write the log there.")],
        None,
    ),
}


def command(function: Command) -> Command:
    """Give `function` the options that every command takes, in place of its parameter `out`."""
    signature = inspect.signature(function, eval_str=True)

    @functools.wraps(function)
    def with_output(
        *, as_json: bool, verbose: bool, quiet: bool, log_file: Path | None, **arguments: Any
    ) -> int:
        out = Output(json=as_json, verbose=verbose, quiet=quiet)
        with _logging(verbose=verbose, file=log_file):
            return function(**arguments, out=out)

    own = [parameter for name, parameter in signature.parameters.items() if name != "out"]
    common = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in _COMMON.items()
    ]
    vars(with_output)["__signature__"] = signature.replace(parameters=[*own, *common])
    with_output.__annotations__ = {each.name: each.annotation for each in (*own, *common)}
    return with_output


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
