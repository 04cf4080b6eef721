"""`model`: the files of the local models, and the server of one that stays in memory."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from restwright.cli.inputs.options import Port
from restwright.cli.render.errors import DONE, FAILED, INTERRUPTED
from restwright.cli.render.output import Output
from restwright.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Generator

    from restwright.agents.models.server_record import ServerRecord

Name = Annotated[str, Argument(metavar="[NAME]", help="As `model list` shows it.")]
Socket = Annotated[
    Path | None,
    Option("--socket", metavar="PATH", help="Unix socket; without it one that only you can reach."),
]
Idle = Annotated[
    str, Option("--idle", metavar="TIME", help="End after so long without a request: 90s, 15m, 2h.")
]
Stop = Annotated[bool, Option("--stop", help="End the server that runs.")]

_IDLE = re.compile(r"(\d{1,6})([smh])")
_SECONDS = {"s": 1, "m": 60, "h": 3600}


def pull(name: Name = "local", *, out: Output) -> int:
    """
    Download a model, verify it and print its path. What was fetched before is kept.

    What the prompts of agents begin with is processed then too, so that the first question need not
    wait for that.
    """
    from restwright.cli.inputs.model import keep_prefixes, pull_with_progress

    path = pull_with_progress(name, out)
    keep_prefixes(name, path, out)
    if out.json:
        out.value({"name": name, "path": str(path)})
    else:
        out.text(str(path))
    return DONE


def list_models(*, out: Output) -> int:
    """List the models, their sizes and licences, and which are here."""
    from restwright.agents.models.model_files import MODELS, model_path

    # The hash is checked when the model is loaded; a list should not read gigabytes.
    rows = [(file, model_path(file.name).is_file()) for file in MODELS.values()]
    if out.json:
        out.value(
            {
                "models": [
                    {
                        "name": file.name,
                        "bytes": file.size_bytes,
                        "licence": file.licence,
                        "sha256": file.sha256,
                        "here": here,
                    }
                    for file, here in rows
                ]
            }
        )
        return DONE
    lines = [
        (file.name, f"{file.size_bytes / 1e6:,.0f} MB", "here" if here else "missing", file.licence)
        for file, here in rows
    ]
    if not sys.stdout.isatty():
        for line in lines:
            out.text("\t".join(line))
        return DONE
    from restwright.cli.render.tables import print_table

    print_table(("model", "size", "state", "licence"), lines)
    return DONE


def path(name: Name = "local", *, out: Output) -> int:
    """Print where the file of a model is, or will be."""
    from restwright.agents.models.model_files import model_path

    where = model_path(name)
    if out.json:
        out.value({"name": name, "path": str(where), "here": where.is_file()})
    else:
        out.text(str(where))
    return DONE


def serve(
    name: Name = "local",
    *,
    socket: Socket = None,
    port: Port = None,
    idle: Idle = "15m",
    stop: Stop = False,
    out: Output,
) -> int:
    """
    Keep a model in memory, so that `ask`, `chat` and `run` need not load it each time.

    They find it by themselves. It answers one request after another, to you alone: on a socket that
    nobody else can open, or on a port of this machine, where a client must know a key that is kept
    beside the caches.
    """
    from restwright.agents.models.model_files import model_entry

    idle_s = _read_idle(idle)
    model_entry(name)
    if stop:
        return _stop(name, out)
    if socket is not None and port is not None:
        raise UsageError("it listens in one place", "--socket, --port", "give one of them")
    if (running := _find_running(name)) is not None:
        raise UsageError(
            f"{name} is served already by process {running.pid}",
            next_move="run `restwright model serve --stop` first",
        )
    return _serve(name, socket, port, idle_s, out)


def _serve(name: str, socket: Path | None, port: int | None, idle_s: float, out: Output) -> int:
    from restwright.agents.models.model_server import serve_model
    from restwright.agents.models.registry import find_local_model

    def ready(record: ServerRecord) -> None:
        if out.json:
            out.value({"name": name, "address": record.address, "pid": record.pid})
        else:
            out.text(f"{name} listens on {_shown(record)} (process {record.pid})")
        sys.stdout.flush()

    model = find_local_model(name)
    try:
        with _end_by_signal():
            serve_model(model, idle_s=idle_s, socket_path=socket, port=port, ready=ready)
    except KeyboardInterrupt:
        out.note("ended")
        return INTERRUPTED
    finally:
        model.close()
    return DONE


@contextmanager
def _end_by_signal() -> Generator[None]:
    """Let SIGTERM end the server as Ctrl-C does: nothing is left behind."""
    import signal

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _stop(name: str, out: Output) -> int:
    from restwright.agents.models.server_record import read_record
    from restwright.agents.models.shared_model import stop_server

    record = read_record(name)
    stopped = record is not None and stop_server(record)
    if out.json:
        out.value({"name": name, "stopped": stopped})
    else:
        out.text("stopped" if stopped else "no server runs")
    return DONE if stopped else FAILED


def _find_running(name: str) -> ServerRecord | None:
    from restwright.agents.models.server_record import read_record
    from restwright.agents.models.shared_model import ask_status

    record = read_record(name)
    return record if record is not None and ask_status(record) is not None else None


def _shown(record: ServerRecord) -> str:
    address = record.address
    return address if isinstance(address, str) else f"{address[0]}:{address[1]}"


def _read_idle(text: str) -> float:
    found = _IDLE.fullmatch(text)
    if found is None or not int(found[1]):
        raise UsageError(f"{text!r} is no time", "--idle", "write it like 90s, 15m or 2h")
    return int(found[1]) * _SECONDS[found[2]]
