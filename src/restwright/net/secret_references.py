"""
References to secrets, which may stand where secrets may not: on a command line, in a file.

`env:NAME` a variable, `file:PATH` the content of a file, `keyring:NAME` an entry of the system's
keyring under the service `restwright`, `cmd:COMMAND` what a command prints, where that is allowed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from restwright.errors import MissingCredential, MissingExtra, WrongType
from restwright.net.secret import MASK, Secret

KINDS = ("env", "file", "keyring", "cmd")
_ENV = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MAX_BYTES = 64 * 1024
_TIMEOUT_S = 30
_FORMS = "name where it is, as in env:SHOP_TOKEN, file:PATH or keyring:NAME"


def is_secret_reference(text: str) -> bool:
    """Whether `text` says where a secret is; only then may it be shown."""
    kind, colon, rest = text.partition(":")
    if not colon or not rest or kind not in KINDS:
        return False
    return kind != "env" or bool(_ENV.fullmatch(rest))


def require_secret_reference(value: object, *, what: str, others: str = " or a `Secret`") -> None:
    """
    Refuse what is neither a `Secret` nor says where one is; it may be a secret, and is not shown.

    Args:
        others: What else is wanted in its place.

    Raises:
        WrongType: It is neither.
    """
    if isinstance(value, Secret) or (isinstance(value, str) and is_secret_reference(value)):
        return
    given = "other text" if isinstance(value, str) else type(value).__name__
    wanted = "a reference to a secret (env:NAME, file:PATH, keyring:NAME)"
    raise WrongType(what, f"{wanted}{others}", given)


def resolve_secret(reference: str | Secret, *, allow_commands: bool = False) -> Secret:
    """
    Read the secret behind a reference; a `Secret` is one already.

    Raises:
        MissingCredential: There is none, or `reference` is no reference. Never shows a value.
        MissingExtra: `keyring:` without the package that reads it.
    """
    if isinstance(reference, Secret):
        return reference
    if not is_secret_reference(reference):
        raise MissingCredential(MASK, _FORMS)
    kind, _, rest = reference.partition(":")
    if kind == "cmd" and not allow_commands:
        raise MissingCredential("cmd:...", "allow them: allow_commands=True")
    value = _READERS[kind](rest).strip()
    if not value:
        raise MissingCredential(_redact_reference(reference), _WHERE[kind].format(rest))
    return Secret(value)


def _redact_reference(reference: str) -> str:
    return "cmd:..." if reference.startswith("cmd:") else reference


def _read_environment(name: str) -> str:
    return os.environ.get(name, "")


def _read_secret_file(name: str) -> str:
    path = Path(name).expanduser()
    try:
        if not path.is_file() or path.stat().st_size > _MAX_BYTES:
            raise MissingCredential(f"file:{name}", f"{name} is no file of at most 64 KiB")
        octets = path.read_bytes()
    except OSError as error:
        raise MissingCredential(f"file:{name}", f"make {name} readable") from error
    # Errors keep those that they were raised in, and Python's holds what could not be decoded.
    with suppress(UnicodeDecodeError):
        return octets.decode()
    raise MissingCredential(f"file:{name}", f"{name} is no text")


def _read_keyring(name: str) -> str:
    try:
        keyring: Any = import_module("keyring")
        errors: Any = import_module("keyring.errors")
    except ImportError as error:
        raise MissingExtra("keyring", f"the reference keyring:{name}") from error
    try:
        return keyring.get_password("restwright", name) or ""
    except errors.KeyringError as error:
        why = "this machine has no keyring that can be read; use env: or file:"
        raise MissingCredential(f"keyring:{name}", why) from error


def _run_command(line: str) -> str:
    import shlex
    import subprocess

    # What it printed stays out, of the errors behind an error too: it may be the secret.
    with suppress(OSError, ValueError, subprocess.SubprocessError):
        # The user allowed commands and wrote this one; no shell reads it.
        return subprocess.run(  # noqa: S603
            shlex.split(line), capture_output=True, timeout=_TIMEOUT_S, check=True, text=True
        ).stdout
    raise MissingCredential("cmd:...", "the command failed, or took over 30 s: run it yourself")


_READERS: Mapping[str, Callable[[str], str]] = {
    "env": _read_environment,
    "file": _read_secret_file,
    "keyring": _read_keyring,
    "cmd": _run_command,
}
_WHERE = {
    "env": "set the environment variable {}",
    "file": "write it to {}",
    "keyring": "keep it with `keyring set restwright {}`",
    "cmd": "the command printed nothing",
}
