"""Manifests that ask this machine: by an option, or once a person has allowed it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.manifests.stub import Stub, calling, saying, serving

from restwright.testing import ScriptedModel
from restwright.workspace.allowed_hosts import keep_allowed_hosts, read_allowed_hosts
from restwright.workspace.lock import FILE_NAME

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}


@pytest.fixture
def stub() -> Iterator[Stub]:
    with serving(lambda _: (200, {"rate": 146})) as running:
        yield running


def theirs(folder: Path, stub: Stub) -> str:
    function = {"name": "convert", "description": "c", "parameters": SCHEMA}
    action = {"type": "rest", "url": f"{stub.url}/rate?a={{a}}"}
    path = folder / "currency.json"
    raw = {"title": "Currency", "prompt": "p", "temperature": 0, "bot": "b"}
    path.write_text(
        json.dumps({**raw, "functions": [function], "actions": {"convert": action}}), "utf-8"
    )
    return str(path)


def model(*, times: int = 1) -> ScriptedModel:
    reply = [calling("convert", {"a": "USD"}), saying("146")]
    return ScriptedModel(reply * times)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_a_host_on_this_machine_is_named_by_an_option(restwright, stub, tmp_path):
    path = theirs(tmp_path, stub)
    restwright.find_model(lambda *_: model())
    refused = restwright("run", path, "x", "--no-journal")
    host = stub.url.partition("://")[2]
    assert f"--allow-host {host}" in refused.err
    assert "--server" not in refused.err
    assert stub.received == []
    assert restwright("run", path, "x", "--no-journal", "--allow-host", "127.0.0.1").out == "146\n"
    assert [each.path for each in stub.received] == ["/rate?a=USD"]


def test_a_person_is_asked_once_and_the_lock_remembers(restwright, stub, tmp_path):
    path = theirs(tmp_path, stub)
    restwright.surroundings = replace(restwright.surroundings, is_terminal=lambda: True)
    restwright.find_model(lambda *_: model())
    said = restwright("run", path, "x", "--no-journal", stdin="y\n")
    assert (said.out, len(stub.received)) == ("146\n", 1)
    assert f"{stub.url}, which is this machine" in said.err
    again = restwright("run", path, "x", "--no-journal")
    assert "which is this machine" not in again.err
    assert len(stub.received) == 2


def test_a_lock_of_somebody_else_allows_nothing(stub, tmp_path, monkeypatch):
    from restwright.net.policy.origins import parse_origin

    origin = parse_origin(stub.url)
    assert keep_allowed_hosts(tmp_path, [origin])
    assert read_allowed_hosts(tmp_path) == {stub.url}
    other = tmp_path / "other"
    other.mkdir()
    (other / FILE_NAME).write_text((tmp_path / FILE_NAME).read_text("utf-8"), "utf-8")
    assert read_allowed_hosts(other) == frozenset()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "of-another-user"))
    assert read_allowed_hosts(tmp_path) == frozenset()


def test_options_of_apis_are_no_use_to_a_manifest_without_any(restwright, stub, tmp_path):
    path = tmp_path / "ours.yaml"
    path.write_text("title: T\nprompt: p\nagent: calling\n", "utf-8")
    ended = restwright("run", str(path), "x", "--server", stub.url)
    assert ended.code == 2
    assert "which the manifest has none of" in ended.err
    ended = restwright("run", theirs(tmp_path, stub), "x", "--server", stub.url)
    assert (ended.code, "--allow-host" in ended.err) == (2, True)


@pytest.mark.parametrize(
    "more",
    [
        ("--allow-host", "http://a"),
        ("--allow-net", "a"),
        ("--allow-file", "nowhere.csv", "--allow-code"),
    ],
)
def test_what_cannot_be_allowed_is_refused(restwright, stub, tmp_path, more):
    assert restwright("run", theirs(tmp_path, stub), "x", *more).code == 2
