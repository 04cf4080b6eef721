"""What a command imports before it does its work. No time is measured here: machines differ."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.manifests.fixtures import CALENDAR, folder

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Things", "version": "1"},
    "servers": [{"url": "https://things.example"}],
    "paths": {"/things": {"get": {"operationId": "list", "responses": {}}}},
}
MANIFEST = "prompt: Be brief.\napis: [{document: document.json, alias: things}]\n"
# Says, behind all that the command prints, what is imported by then.
PROGRAM = """
import json, sys
from restwright.cli import main
code = main(sys.argv[1:])
print()
print(json.dumps([code, *sys.modules]))
"""
NEVER = {"pydantic", "rich", "importlib.metadata"}
"""What takes tens of milliseconds and no start needs."""
LATER = {
    *("pydantic", "pydantic_ai", "openai", "anthropic", "google.genai", "xllamacpp"),
    *("httpx", "httpx2", "graphql", "pydantic_monty", "huggingface_hub"),
    *("jupyter_client", "zmq", "nbformat", "matplotlib", "pandas"),
    *("rich", "prompt_toolkit", "tantivy", "restwright.agents.rest.rest"),
}
"""What a chat may need when something is asked, or a person is at the terminal."""
KEYS = {"OPENAI_API_KEY": "sk-none", "ANTHROPIC_API_KEY": "sk-none"}


def imported_by(*argv: str, keys: dict[str, str] | None = None) -> set[str]:
    """The modules that a command has imported when it is done."""
    ran = subprocess.run(  # noqa: S603
        [sys.executable, "-c", PROGRAM, *argv],
        env={**os.environ, **(keys or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    code, *modules = json.loads(ran.stdout.splitlines()[-1])
    assert code == 0, ran.stderr
    return set(modules)


@pytest.fixture
def manifest(tmp_path: Path) -> str:
    (tmp_path / "document.json").write_text(json.dumps(DOCUMENT), "utf-8")
    path = tmp_path / "manifest.yaml"
    path.write_text(MANIFEST, "utf-8")
    return str(path)


@pytest.mark.process
@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_imports_no_more_than_the_parser_of_options(option: str) -> None:
    modules = imported_by(option)
    assert not NEVER & modules
    own = {name.split(".")[1] for name in modules if name.startswith("restwright.")}
    assert own <= {"cli", "errors", "jsontypes"}


@pytest.mark.process
def test_a_list_of_tools_imports_neither_pydantic_nor_an_http_client(manifest: str) -> None:
    document = str(Path(manifest).with_name("document.json"))
    options = ("--naming", "accessor", "--only", "*", "--allow-refs", str(Path(manifest).parent))
    modules = imported_by("tools", document, *options)
    assert not (NEVER | LATER | {"httpcore2", "ssl", "yaml", "jsonschema_rs"}) & modules


@pytest.mark.process
@pytest.mark.parametrize(
    ("model", "url"),
    [
        ("openai:none", "http://127.0.0.1:9/v1"),
        ("openai:gpt-5", None),
        ("anthropic:claude-sonnet-4-5", None),
    ],
)
def test_a_chat_imports_what_its_model_needs_when_that_is_asked(
    model: str, url: str | None, manifest: str
) -> None:
    at = () if url is None else ("--model-url", url)
    assert not LATER & imported_by("chat", manifest, "--model", model, *at, keys=KEYS)


@pytest.mark.process
def test_so_does_a_chat_with_a_manifest_of_slashgpt(tmp_path: Path) -> None:
    path = folder(tmp_path, calendar=CALENDAR) / "calendar.json"
    assert not LATER & imported_by("chat", str(path), "--model", "openai:gpt-5", keys=KEYS)


@pytest.mark.process
def test_a_server_of_tools_imports_neither_a_model_nor_rest(manifest: str) -> None:
    document = str(Path(manifest).with_name("document.json"))
    modules = imported_by("mcp", "serve", document)
    needed = {"pydantic", "httpx2"}  # by the protocol's own kit
    assert not ((LATER - needed) | {"yaml", "jsonschema_rs"}) & modules
