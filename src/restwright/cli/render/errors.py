"""From an exception to one line on standard error, or one JSON object, and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from typer import Abort, TyperException

from restwright.cli.render.output import one_line, printable, to_json, without_passwords
from restwright.cli.render.remedies import remedy
from restwright.errors import (
    LimitReached,
    RestwrightError,
    UnknownDialect,
    UnknownTool,
    UnreadableArguments,
    UnusableExpression,
    UsageError,
)

DONE, FAILED, USAGE, STOPPED, INTERRUPTED = 0, 1, 2, 3, 130

_MISTYPED = (UnknownTool, UnknownDialect, UnreadableArguments, UnusableExpression, UsageError)


def exit_code(error: RestwrightError) -> int:
    """2 for what was typed wrongly, 3 for a limit, else 1."""
    if isinstance(error, _MISTYPED):
        return USAGE
    return STOPPED if isinstance(error, LimitReached) else FAILED


def report(code: str, message: str, hint: str = "", *, as_json: bool) -> None:
    """Show one error where the contract wants it, without the password of a URL in it."""
    message, hint = (one_line(without_passwords(text)) for text in (message, hint))
    if as_json:
        print(to_json({"error": {"code": code, "message": message, "hint": hint}}))
    else:
        print(f"error: {message}; {hint}" if hint else f"error: {message}", file=sys.stderr)


def guarded(run: Callable[[], int], argv: Sequence[str]) -> int:
    """
    Run a command; turn what it raises into an exit code and at most one line.

    Args:
        run: Parses `argv` and performs the command.
        argv: Looked at for `--json` and `-v`, since it may be what cannot be parsed.
    """
    options = list(argv)[: list(argv).index("--")] if "--" in argv else list(argv)
    as_json = "--json" in options
    try:
        code = run()
        sys.stdout.flush()
    except (KeyboardInterrupt, Abort):
        return INTERRUPTED
    except BrokenPipeError:
        return _reader_gone()
    except RestwrightError as error:
        report(error.code, _message_of(error), remedy(error), as_json=as_json)
        return exit_code(error)
    except TyperException as error:
        # Typer's validator says this of every choice that there is not.
        message = error.format_message().rstrip(".").replace("Value error, ", "")
        report("usage", message, _usage_hint(error), as_json=as_json)
        return error.exit_code
    except OSError as error:
        if error.filename is None:
            return unexpected(error, as_json=as_json, verbose=_is_verbose(options))
        report("file", f"cannot use {error.filename}: {error.strerror}", as_json=as_json)
        return FAILED
    except Exception as error:  # noqa: BLE001 - the last resort: no traceback unless asked for
        return unexpected(error, as_json=as_json, verbose=_is_verbose(options))
    return code


def _message_of(error: RestwrightError) -> str:
    """What is wrong, in the words of the parser of options where an option is."""
    if not isinstance(error, UsageError):
        return error.message
    setting = f" for {error.setting}" if error.setting else ""
    return f"Invalid value{setting}: {error.why}".rstrip(".")


def _is_verbose(options: Sequence[str]) -> bool:
    return "-v" in options or "--verbose" in options


def _usage_hint(error: TyperException) -> str:
    context = getattr(error, "ctx", None)
    return f"see `{context.command_path} --help`" if context is not None else ""


def _reader_gone() -> int:
    """Leave quietly when the reader of our output has left (`restwright ... | head`)."""
    import os

    # What is still buffered must not fail a second time when the interpreter flushes it.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    return FAILED


def unexpected(error: Exception, *, as_json: bool, verbose: bool) -> int:
    """Show an error that nobody foresaw."""
    if verbose:
        import traceback

        lines = "".join(traceback.format_exception(error))
        print(printable(without_passwords(lines)), end="", file=sys.stderr)
    report(
        "unexpected",
        f"this should not happen ({type(error).__name__}: {error})",
        "please report it with what -v shows",
        as_json=as_json,
    )
    return FAILED
