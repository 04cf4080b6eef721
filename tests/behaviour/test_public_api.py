"""The facade: which names it has, that they are documented, and that importing it costs little."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

import restwright

NAMES = [
    "API",
    "Agent",
    "Answer",
    "AsyncTransport",
    "Calling",
    "Catalog",
    "Connection",
    "Conversation",
    "Event",
    "Injected",
    "Journal",
    "Limits",
    "MCPServer",
    "Mismatch",
    "Operation",
    "Pending",
    "Policy",
    "Problem",
    "Reply",
    "Request",
    "RequestLimit",
    "Response",
    "RestwrightError",
    "Result",
    "Said",
    "Secret",
    "Separation",
    "Tool",
    "ToolOptions",
    "Toolbox",
    "Transport",
    "Usage",
    "build_request",
    "call",
    "call_async",
    "catalog",
    "check",
    "controller",
    "enqueue",
    "enqueue_async",
    "feedback",
    "functions",
    "load",
    "load_async",
    "mcp",
    "model_named",
    "prepare",
    "tool",
    "toolbox",
]
MODULES = (
    *("auth", "dialects", "events", "filters", "human", "journal", "policy", "serving"),
    *("transport", "workflows"),
)
HEAVY = {
    "asyncio",
    "griffe",
    "httpcore2",
    "httpx2",
    "json_repair",
    "jsonschema_rs",
    "logging",
    "orjson",
    "pydantic",
    "pydantic_ai",
    "pydantic_monty",
    "rich",
    "starlette",
    "uvicorn",
    "xllamacpp",
    "yaml",
}


def modules_after(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter has imported after `code`."""
    listed = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.partition(".")[0] for name in listed.stdout.split()}


def test_the_facade_is_these_names():
    assert restwright.__all__ == NAMES
    assert len(NAMES) <= 49


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_the_facade_is_there_and_documented(name: str):
    value = getattr(restwright, name)
    # A dataclass without a docstring is given its signature as one.
    assert value.__doc__
    assert not value.__doc__.startswith(f"{name}(")


@pytest.mark.parametrize("module", MODULES)
def test_every_module_beside_the_facade_is_whole(module: str):
    found = getattr(restwright, module)
    assert found.__name__ == f"restwright.{module}"
    assert found.__doc__
    for name in found.__all__:
        assert getattr(found, name) is not None


def test_the_page_of_the_library_lists_every_name():
    page = (Path(__file__).parents[2] / "docs" / "library.md").read_text("utf-8")
    names = [*NAMES, *(name for each in MODULES for name in getattr(restwright, each).__all__)]
    assert [name for name in names if f"`{name}`" not in page] == []


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'restwright' has no attribute 'nothing'"):
        restwright.nothing  # noqa: B018 - the access is what is tested


def test_dir_lists_the_facade():
    assert {*NAMES, "__version__"} <= {*dir(restwright)}


def test_type_checkers_are_told_that_the_annotations_hold():
    assert files("restwright").joinpath("py.typed").is_file()


def test_importing_restwright_pulls_in_nothing_heavy():
    assert modules_after("import restwright") & HEAVY == set()


@pytest.mark.process
def test_a_toolbox_and_an_adapter_import_no_framework() -> None:
    folder = Path(restwright.__file__).parent / "adapters"
    adapters = [path.stem for path in folder.glob("*.py") if path.stem != "__init__"]
    assert len(adapters) == 10
    code = "import restwright as rw; rw.toolbox; rw.Toolbox"
    imported = "".join(f"; import restwright.adapters.{name}" for name in adapters)
    frameworks = {
        "agent_framework",
        "agents",
        "anthropic",
        "google",
        "llama_index",
        "langchain_core",
        "langgraph",
        "openai",
        "pydantic_ai",
    }
    assert modules_after(code + imported) & frameworks == set()


def test_the_command_line_pulls_in_nothing_heavy():
    assert modules_after("import restwright.cli.app") & (HEAVY - {"logging"}) == set()
