"""The commands put together; the module of one is imported when that one is called."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from restwright.cli.inputs.plain_values import keep_plain_values
from restwright.cli.surroundings import Surroundings, surrounded

SETTINGS = {"help_option_names": ["-h", "--help"]}

# Each command: the module and function of it, and its line in `--help`, which is the first
# paragraph of the function's docstring (a test holds them equal).
COMMANDS = {
    "tools": ("tools.tools", "List the tools of documents, or what is doubtful in these."),
    "show": ("show.show", "Show one tool whole, or one part of its schema."),
    "index": (
        "index.index",
        "Count the tools of documents by namespace; compare them with the lock.",
    ),
    "search": ("search.search", "Find the tools that a text is about, best first."),
    "upgrade": (
        "upgrade.upgrade",
        "Print a document of any version as OpenAPI 3.2, or an earlier one, in JSON.",
    ),
    "check": (
        "tools.check",
        "Check arguments against a tool without calling it; print them, repaired, when they fit.",
    ),
    "call": ("call.call", "Check arguments, call the tool and print the response."),
    "ask": (
        "ask.ask",
        "Answer a question by calling APIs; a language model decides which and how.",
    ),
    "chat": (
        "chat.chat",
        "Talk with a language model that calls APIs, or with the agents of a manifest.",
    ),
    "web": (
        "web.web",
        "Show documents and manifests in the browser: what there is, and what a call gives.",
    ),
    "run": ("run.run", "Ask the agent of a manifest; of SlashGPT's too."),
    "test": (
        "test.run_samples",
        "Run the samples of a manifest.",
    ),
    "new": ("new.new", "Write a small manifest for an API, or an Agent Skill."),
    "serve": (
        "serve.serve",
        "Answer the chats of other programs: Chat Completions of OpenAI, and AG-UI.",
    ),
    "worker": (
        "worker.worker",
        "Take runs from a queue until stopped, and resume each as a person would.",
    ),
    "demo": (
        "demo.demo",
        "Answer a question over the bundled shop API; --serve runs that API alone, --web a page.",
    ),
    "doctor": (
        "doctor.doctor",
        "Check the installation: packages, extras, the local model and its server, the cache, the"
        " sandbox and what would confine code of manifests.",
    ),
}
GROUPS = {
    "model": (
        {
            "pull": "model.pull",
            "list": "model.list_models",
            "path": "model.path",
            "serve": "model.serve",
        },
        "The models that run on this machine.",
    ),
    "mcp": (
        {
            "serve": "mcp_serve.serve",
            "config": "mcp_config.config",
            "bundle": "mcp_bundle.bundle",
            "inspect": "mcp_inspect.inspect",
        },
        "Servers of the Model Context Protocol, ours and those of others.",
    ),
    "cache": (
        {"path": "cache.path", "clear": "cache.clear"},
        "What is kept of documents between two runs.",
    ),
    "sessions": (
        {
            "list": "sessions.list_sessions",
            "show": "sessions.show",
            "export": "sessions.export",
            "delete": "sessions.delete",
            "prune": "sessions.prune",
            "questions": "questions.list_questions",
            "answer": "questions.answer",
        },
        "The runs of `ask`, `run` and `chat` that are kept, and what they wait for.",
    ),
    "queue": (
        {"add": "queue.add", "list": "queue.list_runs", "retry": "queue.retry"},
        "The runs that workers take up.",
    ),
    "convert": (
        {"slashgpt": "convert.slashgpt", "gpt-actions": "convert.gpt_actions"},
        "Manifests of other programs in our own form, and documents as others want them.",
    ),
}


@cache
def load_command(name: str) -> Any:
    """Import the command or the group of commands `name`, with its options."""
    homes, summary = GROUPS.get(name) or ({name: COMMANDS[name][0]}, None)
    loaded = typer.Typer(name=name, rich_markup_mode=None, add_completion=False, help=summary)
    for own_name, home in homes.items():
        _add(loaded, own_name, home)
    return typer.main.get_group(loaded) if name in GROUPS else typer.main.get_command(loaded)


def _add(group: typer.Typer, name: str, home: str) -> None:
    from restwright.cli.inputs.command import command

    module, _, function = home.partition(".")
    found = getattr(import_module(f"restwright.cli.commands.{module}"), function)
    group.command(name, cls=_Command)(command(found))


class _Command(TyperCommand):
    def get_params(self, ctx: Any) -> Any:
        return keep_plain_values(super().get_params(ctx))


class _Lazy(TyperGroup):
    """Lists commands that are not imported, and imports the one that is called."""

    def get_params(self, ctx: Any) -> Any:
        return keep_plain_values(super().get_params(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed if name is None else load_command(name), rest


app = typer.Typer(
    name="restwright",
    cls=_Lazy,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=SETTINGS,
)


def _listed() -> None:
    """Stand for a command in the list of them; never called."""


for _name, (_, _summary) in (COMMANDS | GROUPS).items():
    app.command(_name, help=_summary)(_listed)


def _print_version(wanted: bool) -> None:
    if wanted:
        from restwright import __version__

        print(f"restwright {__version__}")
        raise typer.Exit


@app.callback()
def restwright(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_print_version, help="Print the version."
        ),
    ] = False,
) -> None:
    """Call any REST API that has an OpenAPI document, by hand or by a language model."""


def run(argv: Sequence[str] | None = None, surroundings: Surroundings | None = None) -> int:
    """Run one command and return its exit code; None for the surroundings of this process."""
    arguments = list(sys.argv[1:] if argv is None else argv) or ["--help"]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # Text of a document may hold what the terminal's encoding cannot express.
            stream.reconfigure(errors="backslashreplace")
    from restwright.cli.render.errors import guarded

    with surrounded(surroundings or Surroundings()):
        return guarded(
            lambda: int(app(arguments, prog_name="restwright", standalone_mode=False) or 0),
            arguments,
        )
