"""`restwright-bench`: the world by itself, policies over it, and the other boards."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

from restwright.cli.inputs.command import command
from restwright.cli.render.errors import guarded
from restwright_bench import commands
from restwright_bench.any.command import any_document
from restwright_bench.servers.command import servers, servers_setup

app = typer.Typer(
    name="restwright-bench",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for function in (
    commands.world,
    commands.run,
    commands.mutations,
    commands.fuzz,
    commands.board,
    commands.bfcl,
    commands.spaces,
    commands.example,
    commands.quick,
    commands.page,
):
    app.command()(command(function))
app.command("any")(command(any_document))
app.command("servers")(command(servers))
app.command("servers-setup")(command(servers_setup))


@app.callback()
def restwright_bench() -> None:
    """Measure planning, calling and finding over APIs that run on this machine."""


def main(argv: Sequence[str] | None = None) -> int:
    """
    Run one command.

    Returns:
        0 done, 1 failed, 2 wrong command line, 130 interrupted.
    """
    arguments = list(sys.argv[1:] if argv is None else argv) or ["--help"]
    return guarded(
        lambda: int(app(arguments, prog_name="restwright-bench", standalone_mode=False) or 0),
        arguments,
    )


if __name__ == "__main__":
    sys.exit(main())
