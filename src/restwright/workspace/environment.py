"""A file of environment variables, such as `.env`, for as long as a command runs."""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from restwright.errors import UsageError

_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*")
_QUOTED = re.compile(r"(['\"])(.*?)\1\s*(?:#.*)?")


@contextmanager
def environment_from(path: Path | None) -> Generator[None]:
    """
    Have the variables of a file in the block; those that are set already win.

    Raises:
        UsageError: It cannot be read, or a line is no `NAME=VALUE`; no value is repeated.
    """
    given = read_variables(path) if path is not None else {}
    added = {name: value for name, value in given.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


def read_variables(path: Path) -> dict[str, str]:
    """
    Read `NAME=VALUE` lines; quotes around a value, `export` and comments may stand there.

    Raises:
        UsageError: As of `environment_from()`.
    """
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text in UTF-8"
        raise UsageError(f"cannot read {path}: {why}", setting="--env-file") from None
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            why = f"line {number} of {path} is no NAME=VALUE"
            raise UsageError(why, setting="--env-file")
        quoted = _QUOTED.fullmatch(match[2])
        found[match[1]] = quoted[2] if quoted else match[2].partition(" #")[0].rstrip()
    return found
