"""
Starts code in a process that is confined, watches what it uses, and leaves nothing of it behind.

Runs as a process of its own between Restwright and the code: Restwright's own descriptors, memory
and environment never are in a process that becomes the code, and when Restwright is killed, the
code goes with it. Standard library only.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import socket
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any

from restwright.manifests.code import confinement, landlock

LIFE, NOTES, REQUESTS, REPLIES, GATEWAY = 10, 11, 12, 13, 14
"""Descriptors of this process; the code gets the third and the fourth, as 3 and 4."""
_FIRST_FREE, _LAST = 20, 4096

_EVERY_SECONDS = 0.025
_FOLDER_EVERY = 10
_COMPUTED = 128 + signal.SIGXCPU
_MOST_FILES = 20_000


def main() -> None:
    """Run what the JSON object in the first argument describes."""
    spec = json.loads(sys.argv[1])
    _move_descriptors(spec["descriptors"])
    for literal in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(literal, signal.SIG_IGN)
    network = spec["network"] != "none"
    held = confinement.enter_namespaces(network=network)
    confinement.adopt_orphans()
    listener = _open_gateway(spec, held) if spec["gateway"] else None
    child = os.fork()
    if child == 0:
        _run_init_process(spec, held) if held else _become_code(spec, held)
    for item in (0, 1, 2, REQUESTS, REPLIES):
        # Who reads the other ends must see that the code has ended.
        os.close(item)
    caller, ended = os.getppid(), "ended"
    try:
        ended = _watch_process(child, spec, listener)
    finally:
        _kill_descendants(child)
        _send_note({"ended": ended})
        if os.getppid() != caller:
            # Nobody else is left to do it.
            from restwright.manifests.code.removal import remove_folder

            remove_folder(spec["folder"], programs=False)


def _move_descriptors(descriptors: list[int]) -> None:
    """Move the descriptors that were handed over to where they are looked for; close all others."""
    moved = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, _FIRST_FREE) for descriptor in descriptors]
    places = (LIFE, NOTES, REQUESTS, REPLIES, GATEWAY)
    for place, each in zip(places, moved, strict=False):
        os.dup2(each, place)
    os.closerange(3, LIFE)
    os.closerange(places[len(moved) - 1] + 1, _LAST)


def _open_gateway(spec: dict[str, Any], held: list[str]) -> socket.socket | None:
    """
    Listen on the loopback interface of the code, which has no other, for what it wants to ask.

    Returns:
        None where there is no network of its own: then it has none at all.
    """
    if "no network" not in held or not confinement.open_loopback():
        return None
    listener = socket.create_server(("127.0.0.1", 0), backlog=16)
    listener.setblocking(False)  # noqa: FBT003 - as it is declared
    proxy = f"http://127.0.0.1:{listener.getsockname()[1]}"
    names = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
    spec["environment"] = {**spec["environment"], **dict.fromkeys(names, proxy)}
    return listener


def _pass_connection(listener: socket.socket) -> None:
    """Hand one connection of the code over to who may look where it leads."""
    with suppress(OSError):
        connection, _ = listener.accept()
        with connection, socket.socket(fileno=os.dup(GATEWAY)) as gateway:
            socket.send_fds(gateway, [b"c"], [connection.fileno()])


def _run_init_process(spec: Mapping[str, Any], held: list[str]) -> None:
    """Be the first process of the namespace: wait for the code, and end everything with it."""
    confinement.die_with_parent()
    code = os.fork()
    if code == 0:
        _become_code(spec, held)
    os.closerange(0, _LAST)
    ended, status = os.wait()
    while ended != code:
        ended, status = os.wait()
    os._exit(_COMPUTED if _has_computed_too_long(status) else 0)


def _has_computed_too_long(status: int) -> bool:
    return (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU) or (
        os.WIFEXITED(status) and os.WEXITSTATUS(status) == _COMPUTED
    )


def _become_code(spec: Mapping[str, Any], held: list[str]) -> None:
    """Confine this process and make it the code; never returns."""
    try:
        os.setsid()
        confinement.die_with_parent()
        os.umask(0o077)
        os.chdir(spec["folder"])
        for literal in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(literal, signal.SIG_DFL)
        own = "own processes" in held
        held = held + confinement.set_resource_limits(spec["limits"], has_own_processes=own)
        writes, network = tuple(spec["writes"]), spec["network"] != "none" or _has_gateway(spec)
        protected = confinement.protect_files_outside(spec["folder"], writes) if own else []
        held += protected
        held += confinement.give_up_rights(
            reads=spec["reads"],
            writes=(spec["folder"], *writes),
            network=network,
            sockets=spec["sockets"],
            is_protected=bool(protected),
            version=landlock.landlock_version(),
        )
        _send_note({"protections": list(dict.fromkeys(held))})
        os.dup2(REQUESTS, 3)
        os.dup2(REPLIES, 4)
        os.closerange(5, _LAST)
        os.execve(spec["command"][0], spec["command"], spec["environment"])  # noqa: S606 - no shell
    except BaseException as error:  # noqa: BLE001 - nothing of this process may go on
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(111)


def _has_gateway(spec: Mapping[str, Any]) -> bool:
    return "http_proxy" in spec["environment"]


def _watch_process(child: int, spec: Mapping[str, Any], listener: socket.socket | None) -> str:
    """Wait until the code ends, is no longer wanted, or uses too much; return which of these."""
    checks, peak, most = _usage_checks(spec), 0, spec["limits"]["processes"]
    waiting = [LIFE, listener] if listener else [LIFE]
    for turn in range(2**62):
        ready = select.select(waiting, [], [], _EVERY_SECONDS)[0]
        if LIFE in ready:
            return "unwanted"
        if listener is not None and listener in ready:
            _pass_connection(listener)
        ended, status = os.waitpid(child, os.WNOHANG)
        peak = max(peak, _count_processes(most + 2))
        if ended:
            if _has_computed_too_long(status):
                return "computing"
            # Who may start no more and dies of it does not say so.
            return "processes" if peak > most else "ended"
        for name, is_over in checks.items():
            if (name != "files" or turn % _FOLDER_EVERY == 0) and is_over():
                return name
    return "unwanted"


def _usage_checks(spec: Mapping[str, Any]) -> dict[str, Callable[[], bool]]:
    limits, page = spec["limits"], os.sysconf("SC_PAGE_SIZE")
    return {
        "processes": lambda: _count_processes(limits["processes"] + 2) > limits["processes"] + 1,
        "memory": lambda: (
            sum(map(_resident_pages, _descendants(os.getpid()))) * page > limits["memory_bytes"]
        ),
        "files": lambda: (
            _folder_bytes(spec["folder"]) + _unlinked_bytes(_descendants(os.getpid()))
            > limits["folder_bytes"]
        ),
    }


def _count_processes(most: int) -> int:
    """How many are below this one, up to `most`: who counts all of a fork bomb never ends."""
    return sum(1 for _ in islice(_descendants(os.getpid()), most))


def _descendants(process: int) -> Iterator[int]:
    """Every process below `process`; none where the system does not tell."""
    try:
        tasks = os.listdir(f"/proc/{process}/task")  # noqa: PTH208 - as for `_read_text()`
    except OSError:
        return
    for task in tasks:
        with suppress(OSError):
            for child in _read_text(f"/proc/{process}/task/{task}/children").split():
                yield int(child)
                yield from _descendants(int(child))


def _resident_pages(process: int) -> int:
    try:
        return int(_read_text(f"/proc/{process}/statm").split()[1])
    except (OSError, IndexError):
        return 0


def _folder_bytes(folder: str) -> int:
    """What all files take; very much where there are too many to count."""
    size = files = 0
    with suppress(RecursionError):
        for at, _, names in os.walk(folder):
            for name in names:
                with suppress(OSError):
                    size += os.lstat(f"{at}/{name}").st_size
            files += len(names) + 1
            if files > _MOST_FILES:
                return 2**62
        return size
    return 2**62


def _unlinked_bytes(processes: Iterable[int]) -> int:
    """What the open files take that were removed: they lie in no folder, and take as much."""
    found: dict[tuple[int, int], int] = {}
    for process in processes:
        folder = f"/proc/{process}/fd"
        with suppress(OSError):
            for name in os.listdir(folder):  # noqa: PTH208 - as for `_read_text()`
                with suppress(OSError):
                    about = os.stat(f"{folder}/{name}")  # noqa: PTH116 - as for `_read_text()`
                    if stat.S_ISREG(about.st_mode) and not about.st_nlink:
                        found[about.st_dev, about.st_ino] = about.st_blocks * 512
    return sum(found.values())


def _kill_descendants(child: int) -> None:
    """Kill all descendants, also those that were forked meanwhile, and wait for them."""
    until = time.monotonic() + 5
    with suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    while time.monotonic() < until:
        for descendant in [child, *_descendants(os.getpid())]:
            with suppress(OSError):
                os.kill(descendant, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.005)


def _send_note(note: Mapping[str, Any]) -> None:
    with suppress(OSError):
        os.write(NOTES, json.dumps(note).encode() + b"\n")


def _read_text(path: str) -> str:
    with open(path, encoding="ascii") as file:  # noqa: PTH123 - `pathlib` would cost its import
        return file.read()
