"""`mcp bundle`: one file that starts a server elsewhere, and what the registry is told of it."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import tomllib
import zipfile

import jsonschema_rs
import pytest
from tests.support.mcp.bundles import MANIFEST_SCHEMA, SERVER_SCHEMA, stand_in_for_uv
from tests.support.mcp.over_stdio import Spoken
from tests.support.mcp.tricky import upstream

from restwright.mcp.install.bundle import semantic_version, summarize


def unpack(path, folder):
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
    return json.loads((folder / "manifest.json").read_text())


def start(manifest, folder, tmp_path, **user_config):
    """What a host does: fills in its own names, and starts the command."""
    config = manifest["server"]["mcp_config"]

    def fill(text):
        text = text.replace("${__dirname}", str(folder))
        for key, value in user_config.items():
            text = text.replace(f"${{user_config.{key}}}", value)
        assert "${" not in text
        return text

    programs = stand_in_for_uv(tmp_path / "bin")
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    environment |= {name: fill(value) for name, value in config.get("env", {}).items()}
    return subprocess.Popen(  # noqa: S603 - our own command
        [str(programs / config["command"]), *map(fill, config["args"])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        cwd=tmp_path,
        bufsize=0,
    )


@pytest.mark.process
def test_what_a_bundle_says_is_started_lists_and_calls(restwright, tmp_path):
    file = tmp_path / "tricky.mcpb"
    with upstream() as api:
        document = api.write(tmp_path)
        auth = ("--auth", "key=env:TRICKY_KEY", "--server", api.url)
        given = (*auth, "--expose", "all", "--only", "*secret", "-o", str(file))
        ended = restwright("mcp", "bundle", f"tricky={document}", *given)
        assert ended.code == 0, ended.err
        document.unlink()
        manifest = unpack(file, tmp_path / "there")
        process = start(manifest, tmp_path / "there", tmp_path, tricky_key="c4nary-0f-the-user")
        with process:
            spoken = Spoken(process)
            try:
                spoken.begin()
                [tool] = spoken.ask("tools/list")["result"]["tools"]
                told = spoken.ask("tools/call", {"name": tool["name"], "arguments": {}})
                process.stdin.close()
                assert spoken.wait() == 0
            finally:
                process.kill()
    assert tool["name"] == manifest["tools"][0]["name"] == "tricky__secret"
    assert "isError" not in told["result"] or not told["result"]["isError"]
    assert api.seen[0][2]["X-Key"] == "c4nary-0f-the-user"


def test_a_manifest_is_one_and_asks_for_secrets(restwright, things, tmp_path, monkeypatch):
    monkeypatch.setenv("THINGS_TOKEN", "c4nary-0f-the-maker")
    file = tmp_path / "things.mcpb"
    header = "X-Token: env:THINGS_TOKEN"
    assert restwright("mcp", "bundle", things, "-o", str(file), "--header", header).code == 0
    manifest = unpack(file, tmp_path / "there")
    assert jsonschema_rs.is_valid(MANIFEST_SCHEMA, manifest)
    assert manifest["server"]["mcp_config"]["env"] == {
        "THINGS_TOKEN": "${user_config.things_token}"
    }
    asked = manifest["user_config"]["things_token"]
    assert (asked["sensitive"], asked["required"], asked["type"]) == (True, True, "string")
    assert manifest["version"] == "1.0.0"
    assert b"c4nary" not in file.read_bytes()
    for content in (tmp_path / "there").rglob("*.*"):
        assert content.is_dir() or "c4nary" not in content.read_text()
    project = tomllib.loads((tmp_path / "there" / "pyproject.toml").read_text())
    assert project["project"]["dependencies"][0].startswith("restwright[mcp]==")


def test_a_bundle_has_its_document_whole(restwright, things, tmp_path):
    overlay = tmp_path / "change.yaml"
    overlay.write_text(
        "overlay: 1.0.0\ninfo: {title: A, version: '1'}\n"
        "actions: [{target: $.info, update: {title: Changed}}]\n"
    )
    file = tmp_path / "a.mcpb"
    ended = restwright("mcp", "bundle", f"a={things}", "--overlay", str(overlay), "-o", str(file))
    assert ended.code == 0
    manifest = unpack(file, tmp_path / "there")
    assert manifest["display_name"] == "Changed"
    document = json.loads((tmp_path / "there" / "documents" / "a.json").read_text())
    assert document["info"]["title"] == "Changed"
    assert "--overlay" not in (tmp_path / "there" / "server.py").read_text()


def test_equal_documents_are_equal_bytes(restwright, things, tmp_path):
    files = [tmp_path / "one.mcpb", tmp_path / "two.mcpb"]
    for file in files:
        restwright("mcp", "bundle", things, "-o", str(file))
    assert files[0].read_bytes() == files[1].read_bytes()
    again = restwright("mcp", "bundle", things, "-o", str(files[0]))
    assert again.code == 2
    assert "--force" in again.err


def test_the_registry_is_told_its_hash(restwright, things, tmp_path):
    file = tmp_path / "things.mcpb"
    url = "https://github.com/ada/things/releases/download/v1/things.mcpb"
    named = ("--server-json", "io.github.ada/things", "--url", url)
    ended = restwright("mcp", "bundle", things, "-o", str(file), *named, "--version", "2.1.0")
    assert ended.code == 0
    told = json.loads((tmp_path / "server.json").read_text())
    assert jsonschema_rs.is_valid(SERVER_SCHEMA, told)
    assert told["version"] == "2.1.0"
    [package] = told["packages"]
    assert package["identifier"] == url
    assert package["fileSha256"] == hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--header", "X-Key: abc"), "may be a secret"),
        (("--auth", "hunter2"), "--auth takes env:NAME"),
        (("--auth", "file:/run/token"), "on this machine alone"),
        (("--server", "https://ada:hunter2@shop.example"), "with a password"),
        (("-m", "git=uvx mcp-server-git"), "starts no commands"),
        (("--allow-commands",), "starts no commands"),
        (("--call-log", "calls.jsonl"), "has not"),
        (("--server-json", "io.github.ada/things"), "need each other"),
        (("--server-json", "things", "--url", "https://a.example/a.mcpb"), "io.github.ada/shop"),
        (("--only", "nothing"), "nothing is left"),
        (("--version", "one"), "three numbers"),
    ],
)
def test_what_cannot_be_meant_is_said_and_nothing_is_written(
    restwright, things, tmp_path, arguments, word
):
    file = tmp_path / "things.mcpb"
    ended = restwright("mcp", "bundle", things, "-o", str(file), *arguments)
    assert ended.code == 2
    assert word in ended.err
    assert "hunter2" not in ended.err
    assert not file.exists()


def test_versions_and_lines_are_what_programs_take():
    assert [semantic_version(text) for text in ("v1", "1.2", "01.2.3", "1.2.3-rc.1", "beta")] == [
        *("1.0.0", "1.2.0", "1.2.3", "1.2.3-rc.1"),
        None,
    ]
    assert len(summarize("word " * 50)) <= 100


def test_an_archive_has_plain_names(restwright, things, tmp_path):
    file = tmp_path / "things.mcpb"
    restwright("mcp", "bundle", things, "-o", str(file))
    with zipfile.ZipFile(io.BytesIO(file.read_bytes())) as archive:
        names = archive.namelist()
    [document] = [name for name in names if name.startswith("documents/")]
    assert {*names} - {document} == {"manifest.json", "pyproject.toml", "server.py"}
