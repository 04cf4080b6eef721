"""Where a secret is may be said; what it is may not."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from restwright.errors import MissingCredential, MissingExtra
from restwright.net.secret import Secret
from restwright.net.secret_references import is_secret_reference, resolve_secret

CANARY = "canary-4f2a9c71"


def test_a_secret_is_its_own_reference() -> None:
    assert resolve_secret(Secret(CANARY)).reveal() == CANARY


def test_a_file_is_read_without_its_last_line_break(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text(f"{CANARY}\n")
    assert resolve_secret(f"file:{path}").reveal() == CANARY


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe", b"x" * 70_000])
def test_a_file_that_holds_no_secret_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "token"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(MissingCredential, match="token"):
        resolve_secret(f"file:{path}")


def test_a_folder_is_no_secret(tmp_path: Path) -> None:
    with pytest.raises(MissingCredential):
        resolve_secret(f"file:{tmp_path}")


def test_a_command_runs_only_where_that_is_allowed() -> None:
    reference = f"cmd:{sys.executable} -c 'print(\"{CANARY}\")'"
    with pytest.raises(MissingCredential, match="allow_commands=True"):
        resolve_secret(reference)
    assert resolve_secret(reference, allow_commands=True).reveal() == CANARY


@pytest.mark.parametrize("line", ["no-such-command-here", "'open quote", "false"])
def test_a_command_that_fails_is_not_repeated(line: str) -> None:
    with pytest.raises(MissingCredential) as caught:
        resolve_secret(f"cmd:{line}", allow_commands=True)
    assert line not in str(caught.value)


class KeyringError(Exception):
    """As `keyring.errors` has it."""


def keyring_of(get_password: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module, errors = ModuleType("keyring"), ModuleType("keyring.errors")
    vars(errors)["KeyringError"] = KeyringError
    vars(module).update(get_password=get_password, errors=errors)
    monkeypatch.setitem(sys.modules, "keyring", module)
    monkeypatch.setitem(sys.modules, "keyring.errors", errors)


def test_a_keyring_is_asked_for_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    keyring_of(lambda service, name: f"{service}-{name}", monkeypatch)
    assert resolve_secret("keyring:shop").reveal() == "restwright-shop"


def test_a_keyring_without_the_name_says_how_to_set_it(monkeypatch: pytest.MonkeyPatch) -> None:
    keyring_of(lambda *_: None, monkeypatch)
    with pytest.raises(MissingCredential, match="keyring set restwright shop"):
        resolve_secret("keyring:shop")


def test_a_machine_without_a_keyring_says_what_to_use(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: str) -> str:
        raise KeyringError("no backend")

    keyring_of(fails, monkeypatch)
    with pytest.raises(MissingCredential, match="use env: or file:"):
        resolve_secret("keyring:shop")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(MissingExtra, match=r"restwright\[keyring\]"):
        resolve_secret("keyring:shop")


@pytest.mark.parametrize("text", ["", "env:", "env:a b", "token", f"token:{CANARY}", "file:"])
def test_what_is_no_reference_is_never_shown(text: str) -> None:
    assert not is_secret_reference(text)
    with pytest.raises(MissingCredential) as caught:
        resolve_secret(text)
    assert str(caught.value).startswith("the credential *** is not set")


@pytest.mark.parametrize("text", ["env:SHOP_TOKEN", "keyring:shop", "file:/run/secrets/x", "cmd:x"])
def test_a_reference_says_where_a_secret_is(text: str) -> None:
    assert is_secret_reference(text)


def test_nothing_behind_an_error_holds_what_was_read(tmp_path: Path) -> None:
    """Reports of crashes walk through what an error was raised in."""
    path = tmp_path / "token"
    path.write_bytes(b"canary-4f2a9c71\xff")
    failing = f"cmd:{sys.executable} -c 'print(\"canary-4f2a9c71\"); exit(3)'"
    for reference in (f"file:{path}", failing):
        with pytest.raises(MissingCredential) as caught:
            resolve_secret(reference, allow_commands=True)
        assert (caught.value.__context__, caught.value.__cause__) == (None, None)
