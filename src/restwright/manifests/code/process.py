"""A process of code that nobody trusts, seen from outside: its start, its texts, its end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, cast, get_args

from restwright.errors import UnusableCode
from restwright.jsontypes import Json, JsonObject, is_array
from restwright.manifests.code.gateway import Gateway
from restwright.manifests.code.limits import (
    Network,
    ProcessLimits,
    ProcessStopReason,
    require_posix,
)
from restwright.manifests.code.removal import remove_folder
from restwright.net.policy.hosts import AllowedHost

END_SECONDS = 6.0
SETTLE_SECONDS = 2.0
MAX_NOTES_BYTES = 64_000

# The packages above `launcher` are empty here: what they import is not needed, and takes time.
_BOOT = """
import sys, types
name = ""
for part, folder in {packages!r}:
    name = f"{{name}}.{{part}}" if name else part
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [folder]
from restwright.manifests.code import launcher
launcher.main()
"""
MINIMAL = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
_FOLDERS_OF_PYTHON = ("bin", "lib", "lib64", "share", "etc/fonts", "pyvenv.cfg")


class ConfinedProcess:
    """
    One process, started at once, with all that it starts itself.

    Args:
        command: The program and its arguments; `sys.executable` for Python.
        folder: Its private folder, which it starts in.
        reads: Files and folders that it may read, besides Python's.
        writes: Files and folders that it may change.
        hosts: Those that it may ask by HTTP and HTTPS, where it has no network.
        environment: Beside `PATH`, `LANG`, `HOME` and `TMPDIR`, which are all there is.
        sockets: Whether Unix sockets may be used.

    Attributes:
        requests, replies, printed: The ends of pipes that this process has: what the code reads
            as descriptor 3, writes to 4, and prints.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        limits: ProcessLimits,
        network: Network,
        folder: Path,
        reads: Iterable[Path] = (),
        writes: Iterable[Path] = (),
        hosts: Sequence[AllowedHost] = (),
        environment: Mapping[str, str] | None = None,
        sockets: bool = False,
    ) -> None:
        own = {**MINIMAL, "HOME": str(folder), "TMPDIR": str(folder)}
        life, notes, requests, replies = os.pipe(), os.pipe(), os.pipe(), os.pipe()
        theirs = [life[0], notes[1], requests[0], replies[1]]
        self._gateway = Gateway(hosts) if hosts and network == "none" else None
        if self._gateway is not None:
            theirs.append(self._gateway.theirs)
        spec: JsonObject = {
            "command": list(command),
            "limits": asdict(limits),
            "network": network,
            "folder": str(folder),
            "reads": [*list_python_folders(), *map(str, reads)],
            "writes": [*map(str, writes)],
            "gateway": self._gateway is not None,
            "environment": {**own, **(environment or {})},
            "sockets": sockets,
            "descriptors": theirs,
        }
        self._lifeline, self._notes = life[1], notes[0]
        self.requests, self.replies = requests[1], replies[0]
        try:
            self._process = _start_launcher(spec, theirs)
        except OSError as error:
            self._close()
            why = f"no process can be started ({error.strerror})"
            raise UnusableCode(command[0], why, "try again") from error
        except BaseException:
            self._close()
            raise
        finally:
            for its in theirs:
                os.close(its)
        self.printed = cast("IO[bytes]", self._process.stdout).fileno()
        self._reported = b""
        self._is_ended = False

    @property
    def is_running(self) -> bool:
        """Whether the process and what watches it are there."""
        return not self._is_ended and self._process.poll() is None

    def settle(self) -> None:
        """Wait a moment for what watches it to say why it ended, where it seems to have."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(SETTLE_SECONDS)

    def end(self) -> ProcessStopReason:
        """
        Kill whatever is left of it, and wait until nothing is.

        Returns:
            The limit that ended it before, or `died`; empty where it was still running.
        """
        if not self._is_ended:
            self._is_ended = True
            self._wait_for_end()
        ended = self._note("ended")
        if ended in get_args(ProcessStopReason):
            return cast("ProcessStopReason", ended)
        return "" if ended == "unwanted" else "died"

    def _wait_for_end(self) -> None:
        os.close(self._lifeline)
        self._lifeline = -1
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        finally:
            self._read_notes()
            self._close()
            cast("IO[bytes]", self._process.stdout).close()

    def _close(self) -> None:
        """Close this end of the pipes; without that of its life, the process ends."""
        for number in (self._lifeline, self._notes, self.requests, self.replies):
            with suppress(OSError):
                os.close(number)
        if self._gateway is not None:
            self._gateway.close()

    def protections(self) -> tuple[str, ...]:
        """What holds it, once it is ready."""
        if not self._is_ended:
            self._read_notes()
        found = self._note("protections")
        return tuple(map(str, found)) if is_array(found) else ()

    def _read_notes(self) -> None:
        os.set_blocking(self._notes, False)
        with suppress(OSError):
            while len(self._reported) < MAX_NOTES_BYTES and (part := os.read(self._notes, 4096)):
                self._reported += part

    def _note(self, name: str) -> Json:
        for line in self._reported.splitlines():
            with suppress(ValueError):
                note: Json = json.loads(line)
                if name in note:
                    return note[name]
        return None


def make_private_folder() -> Path:
    """
    A new empty folder that only this user can enter.

    Raises:
        UnusableCode: There is no place for it, or the system is none on which code is run.
    """
    require_posix("a manifest")
    try:
        return Path(tempfile.mkdtemp(prefix="restwright-")).resolve()
    except OSError as error:
        why = f"there is no place for its files ({error.strerror})"
        raise UnusableCode(
            "a manifest", why, "set TMPDIR to a folder that you can write"
        ) from error


def link_files(folder: Path, paths: Iterable[Path]) -> tuple[Path, ...]:
    """
    Have files stand in `folder`: a path below this one as it is written, another by its name.

    Returns:
        Where they really are.

    Raises:
        UnusableCode: One is not there, leaves the folder, or has the name of another.
    """
    return tuple(_link_file(folder, path) for path in paths)


def _link_file(folder: Path, path: Path) -> Path:
    is_inside = not path.is_absolute() and ".." not in path.parts
    inside = path if is_inside else Path(path.name)
    try:
        found = path.resolve(strict=True)
        (folder / inside).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / inside).symlink_to(found)
    except (OSError, ValueError, RuntimeError) as error:
        why = f"{str(inside)!r}, which it shall read, cannot be used"
        action = "name files that are there, each once"
        raise UnusableCode("a manifest", why, action) from error
    return found


def probe_protections() -> tuple[str, ...]:
    """
    What holds code on this machine, found by confining a process that does nothing.

    Raises:
        UnusableCode: No process can be started here, or the system is none on which code is run.
    """
    folder = make_private_folder()
    try:
        command = [sys.executable, "-I", "-S", "-c", ""]
        process = ConfinedProcess(command, limits=ProcessLimits(), network="none", folder=folder)
        process.settle()
        process.end()
        return process.protections()
    finally:
        remove_folder(folder)


def list_python_folders() -> list[str]:
    """What this Python is installed in, and its packages; never the folder of a project."""
    # Not `sys.path`, which may hold the folder that a program was started in.
    found = {path for name, path in sysconfig.get_paths().items() if name != "data"}
    for prefix in {sys.prefix, sys.base_prefix, sys.exec_prefix}:
        found.update(f"{prefix}/{name}" for name in _FOLDERS_OF_PYTHON)
    found.add(sys.executable)
    found.add(str(Path(sys.executable).resolve()))
    return sorted(found)


def _start_launcher(spec: JsonObject, descriptors: Sequence[int]) -> subprocess.Popen[bytes]:
    folders = Path(__file__).resolve().parents
    names = ("restwright", "manifests", "code")
    packages = [(name, str(folders[2 - at])) for at, name in enumerate(names)]
    return subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-I", "-B", "-c", _BOOT.format(packages=packages), json.dumps(spec)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=spec["environment"],
        cwd=spec["folder"],
        pass_fds=descriptors,
        start_new_session=True,
    )
