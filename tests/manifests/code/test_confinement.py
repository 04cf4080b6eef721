"""
Confined code changes nothing outside of its folder and has no sockets that it does not need.

The calls are made for real: by code that nothing confines, which shows that they would do harm, and
by code that is confined as it is here, and as a kernel without namespaces or with less of Landlock
would confine it. What this machine cannot run, the filter of ARM64, is read by an interpreter.
"""

from __future__ import annotations

import errno
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from restwright.manifests.code import Module, ModuleSettings, landlock
from restwright.manifests.code.process import probe_protections
from restwright.manifests.code.system_calls import Instruction, compile_filter

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux offers this"),
]

HERE = Path(__file__).parents[2]
CODE = HERE / "support" / "programs"
ROWS: list[dict[str, Any]] = json.loads((HERE / "adversarial/confined_calls.json").read_text())
SOCKETS: list[dict[str, Any]] = json.loads((HERE / "adversarial/confined_sockets.json").read_text())
MACHINE = platform.machine()
PLACES = {"x86_64": 0, "aarch64": 1}
UNSHARE, LANDLOCK = (272, 97), (444, 444)
KERNELS: dict[str, tuple[tuple[int, int], ...]] = {
    "this one": (),
    "no namespaces": (UNSHARE,),
    "no Landlock": (LANDLOCK,),
    "neither": (UNSHARE, LANDLOCK),
}
LANDLOCKS = (1, 2, 3)
MODES = {
    "module": {"sockets": False, "network": False},
    "module with a network": {"sockets": False, "network": True},
    "notebook": {"sockets": True, "network": False},
    "notebook with a network": {"sockets": True, "network": True},
}


def named(rows: list[dict[str, Any]]) -> Any:
    return pytest.mark.parametrize("row", [pytest.param(row, id=row["name"]) for row in rows])


def on_this_machine(row: dict[str, Any]) -> bool:
    return row["numbers"].get(MACHINE) is not None


def targets_in(folder: Path) -> list[dict[str, Any]]:
    """The rows that this machine can run, with a file of its own for each."""
    rows = [dict(row) for row in ROWS if on_this_machine(row)]
    for number, row in enumerate(rows):
        target = folder / str(number) / "target"
        target.parent.mkdir(parents=True)
        target.write_text("kept")
        target.chmod(0o600)
        with suppress(OSError):
            os.setxattr(target, "user.kept", b"kept")
        row["folder"] = str(target.parent)
    return rows


def state_of(row: dict[str, Any]) -> object:
    """What a change of the file or of its folder changes: the time of the last one, at least."""
    folder = Path(row["folder"])
    names = sorted(entry.name for entry in folder.iterdir())
    return about(folder), [(name, about(folder / name)) for name in names]


def about(path: Path) -> tuple[int, ...]:
    found = path.lstat()
    return (*found[:6], found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def python(folder: Path, script: str, given: object) -> Any:
    command = [sys.executable, str(CODE / script), json.dumps(given)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(  # noqa: S603 - our own
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def on_kernel(folder: Path, name: str, runs: str, **arguments: object) -> Any:
    """Have `older_kernel` run one of its functions on one of `KERNELS`."""
    missing = [numbers[PLACES[MACHINE]] for numbers in KERNELS[name]]
    given = {"without": missing, "runs": runs, "arguments": arguments}
    return python(folder, "older_kernel.py", given)


Changed = tuple[set[str], set[str]]
"""The names of rows whose files were changed, and the protections that held."""


def changed(folder: Path, run: Callable[[list[dict[str, Any]]], Any]) -> Changed:
    rows = targets_in(folder / "targets")
    before = [state_of(row) for row in rows]
    _, held = run(rows)
    pairs = zip(rows, before, strict=True)
    return {row["name"] for row, state in pairs if state_of(row) != state}, set(held)


@pytest.fixture(scope="module")
def harmful(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """What changes a file where nothing confines; not every file system knows all of it."""
    own = tmp_path_factory.mktemp("own")
    return changed(
        tmp_path_factory.mktemp("loose"), lambda rows: (python(own, "calls_outside.py", rows), ())
    )[0]


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Changed]:
    """What confined code changes on each kernel."""
    if MACHINE not in PLACES:
        pytest.skip("no filter for this processor")
    found = {}
    for name in KERNELS:
        folder = tmp_path_factory.mktemp("kernel")
        found[name] = changed(
            folder,
            lambda rows, folder=folder, name=name: on_kernel(
                folder, name, "in_a_module", rows=rows, reads=str(folder)
            ),
        )
    for version in (each for each in LANDLOCKS if each <= landlock.landlock_version()):
        folder, own = tmp_path_factory.mktemp("landlock"), tmp_path_factory.mktemp("own")
        found[f"Landlock {version}"] = changed(
            folder,
            lambda rows, folder=folder, own=own, version=version: on_kernel(
                own,
                "no namespaces",
                "under_landlock",
                rows=rows,
                reads=str(folder / "targets"),
                version=version,
            ),
        )
    return found


@named(ROWS)
def test_no_call_changes_a_file_outside_on_any_kernel(
    row: dict[str, Any], harmful: set[str], done: dict[str, Changed]
) -> None:
    if row["name"] not in harmful:
        pytest.skip("it does nothing on this machine")
    holding = {"files", "read-only outside"} if row["changes"] == "content" else {"system calls"}
    bounded = {name: names for name, (names, held) in done.items() if held & holding}
    assert bounded
    assert [name for name, names in bounded.items() if row["name"] in names] == []


def test_what_every_system_has_does_harm_where_nothing_confines(harmful: set[str]) -> None:
    assert {"fchmod", "fchmodat", "fchownat", "utimensat", "truncate", "unlinkat"} <= harmful


def test_a_descriptor_that_was_there_leads_to_nothing_that_can_be_changed(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("import os\ndef attack(mode):\n    os.fchmod(0, mode)")
    before = os.stat(os.devnull)  # noqa: PTH116 - as it is
    with Module(path, ["attack"]) as module:
        module.call("attack", {"mode": before.st_mode & 0o777})
        if not {"read-only outside", "no metadata changes"} & set(module.protections):
            pytest.skip("no filter for this processor")
    assert os.stat(os.devnull).st_ctime_ns == before.st_ctime_ns  # noqa: PTH116 - as it is


# What it may do


def test_code_changes_modes_and_times_of_its_own_files() -> None:
    with Module(CODE / "calls_outside.py", ["changed_own"]) as module:
        result = module.call("changed_own", {})
        if "no metadata changes" in module.protections:
            pytest.skip("user namespaces are not allowed here")
    assert (result.value, result.error) == (["0o644", 1.0], "")


LIBRARIES = [
    "import matplotlib\nmatplotlib.use('agg')",
    "import pandas as pd\ndf = pd.DataFrame({'a': [1, 2]})\ndf.to_csv('a.csv')\n"
    "int(pd.read_csv('a.csv')['a'].sum())",
    "import matplotlib.pyplot as plt\ndf.plot()\nplt.savefig('a.png')\nplt.close()",
    "import shutil\nshutil.copy2('a.csv', 'b.csv')\nshutil.copytree('.', '/'.join(['.', 'c']), "
    "ignore=lambda *_: ['c', '.kernel'])",
    "import sqlite3\nsqlite3.connect('a.db').execute('create table t(a)').close()",
    "import tarfile, zipfile\nwith tarfile.open('a.tar', 'w') as tar:\n    tar.add('a.csv')\n"
    "tarfile.open('a.tar').extractall('d')\nwith zipfile.ZipFile('a.zip', 'w') as archive:\n"
    "    archive.write('a.csv')\nzipfile.ZipFile('a.zip').extractall('e')",
    "import asyncio, subprocess, tempfile, pathlib\npathlib.Path('a.csv').touch()\n"
    "with tempfile.TemporaryDirectory() as folder:\n    open(f'{folder}/x', 'w').close()\n"
    "subprocess.run(['cp', '-p', 'a.csv', 'f.csv'], check=True, capture_output=True)",
]


def test_ordinary_libraries_work_where_metadata_cannot_be_changed(tmp_path: Path) -> None:
    for name in ("ipykernel", "pandas", "matplotlib"):
        pytest.importorskip(name, reason="needs the extra [notebook]")
    if MACHINE not in PLACES:
        pytest.skip("no filter for this processor")
    found = on_kernel(tmp_path, "no namespaces", "in_a_notebook", cells=LIBRARIES)
    assert [error for _, error in found if error] == []
    assert found[1][0] == "3"


# Sockets


@pytest.fixture(scope="module")
def opened() -> dict[str, list[bool]]:
    """Which sockets a module gets, without a network and with one."""
    found = {}
    for name, network in (("module", "none"), ("module with a network", "host")):
        settings = ModuleSettings(network=network)
        with Module(CODE / "calls_outside.py", ["opened"], settings) as module:
            found[name] = module.call("opened", {"rows": SOCKETS}).value
            if "system calls" not in module.protections:
                pytest.skip("no filter for this processor")
    return found


@named(SOCKETS)
def test_a_module_has_no_socket_that_it_does_not_need(
    row: dict[str, Any], opened: dict[str, list[bool]]
) -> None:
    at = SOCKETS.index(row)
    assert {mode for mode in opened if opened[mode][at]} <= set(row["allowed_in"])


def test_a_module_with_a_network_has_the_sockets_of_one(opened: dict[str, list[bool]]) -> None:
    names = [row["name"] for row in SOCKETS]
    assert opened["module with a network"][names.index("IPv4 stream")]


@pytest.mark.parametrize("kind", ["SOCK_DGRAM", "SOCK_RAW", "SOCK_SEQPACKET"])
def test_a_pair_of_sockets_sends_to_no_other(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        "import socket\ndef attack():\n"
        f"    socket.socketpair(socket.AF_UNIX, socket.{kind})[0].sendto(b'x', '/run/no-such')"
    )
    with Module(path, ["attack"]) as module:
        assert module.call("attack", {}).error.startswith("PermissionError")


# The filter, read as the kernel reads it


@pytest.fixture(params=sorted(PLACES))
def machine(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def verdict(machine: str) -> Callable[..., int | None]:
    """The error that a call gets in a mode; None where it is allowed."""

    def answered(number: int, *arguments: int, mode: str = "module", **options: bool) -> int | None:
        allowed = {"metadata": False, "truncating": False, **MODES[mode], **options}
        return read(compile_filter(machine, **allowed), machine, number, *arguments)

    return answered


def read(program: list[Instruction], machine: str, number: int, *arguments: int) -> int | None:
    """
    What a filter answers.

    Source: Linux, "Documentation/networking/filter.rst": classic BPF, of which this is a part.
    """
    architecture = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}[machine]
    words = {0: number & 0xFFFFFFFF, 4: architecture}
    for place, argument in enumerate(arguments):
        words |= {16 + 8 * place: argument & 0xFFFFFFFF, 20 + 8 * place: argument >> 32}
    loaded, at = 0, 0
    while True:
        code, if_true, if_false, value = program[at]
        at += 1
        match code:
            case 0x20:
                loaded = words.get(value, 0)
            case 0x54:
                loaded &= value
            case 0x15:
                at += if_true if loaded == value else if_false
            case 0x35:
                at += if_true if loaded >= value else if_false
            case 0x06:
                return None if value == 0x7FFF0000 else value & 0xFFFF


def test_a_filter_is_there_for_both_processors_and_no_other() -> None:
    open_to = {"metadata": True, "truncating": True, **MODES["notebook with a network"]}
    assert all(compile_filter(machine, **open_to) for machine in PLACES)
    assert compile_filter("riscv64", **open_to) == []


@named([row for row in ROWS if row["changes"] == "metadata"])
def test_the_filter_refuses_what_changes_metadata_on_both_processors(
    row: dict[str, Any], machine: str, verdict: Callable[..., int | None]
) -> None:
    number = row["numbers"][machine]
    if number is None:
        pytest.skip("this processor has no such call")
    arguments = [each if isinstance(each, int) else 0 for each in row["arguments"]]
    assert verdict(number, *arguments) is not None


@named(SOCKETS)
@pytest.mark.parametrize("mode", sorted(MODES))
def test_the_filter_allows_the_sockets_of_each_mode(
    row: dict[str, Any], mode: str, machine: str, verdict: Callable[..., int | None]
) -> None:
    number = {"x86_64": 41, "aarch64": 198}[machine]
    answer = verdict(number, row["family"], row["type"] | 0o2000000, 0, mode=mode)
    assert (answer is None) == (mode in row["allowed_in"])


@pytest.mark.parametrize("number", [463, 469, 500, 1000, 0x40000000, 0x4000005A, 0xFFFFFFFF])
def test_calls_that_are_newer_than_the_filter_are_not_there(
    number: int, verdict: Callable[..., int | None]
) -> None:
    assert verdict(number, metadata=True, truncating=True) == errno.ENOSYS


def test_a_call_of_another_processor_is_refused() -> None:
    program = compile_filter("x86_64", metadata=True, truncating=True, **MODES["module"])
    assert read(program, "aarch64", 0) == errno.EPERM


def test_upper_halves_of_arguments_do_not_matter(
    machine: str, verdict: Callable[..., int | None]
) -> None:
    """The kernel takes the lower half of a family and of a command, and so does the filter."""
    socket, ioctl = {"x86_64": (41, 16), "aarch64": (198, 29)}[machine]
    assert verdict(socket, 1 << 32 | 40, 1, 0, mode="notebook with a network") is not None
    assert verdict(ioctl, 3, 1 << 32 | 0x40086602) == errno.ENOTTY
    assert verdict(ioctl, 3, 0x5421) is None


def test_what_programs_live_on_is_allowed(machine: str, verdict: Callable[..., int | None]) -> None:
    names = ("read", "write", "openat to read", "openat to write", "mmap", "clone", "exit_group")
    calls = {
        "x86_64": ((0,), (1,), (257, -100, 0, 0), (257, -100, 0, 0o1101), (9,), (56,), (231,)),
        "aarch64": ((63,), (64,), (56, -100, 0, 0), (56, -100, 0, 0o1101), (222,), (220,), (94,)),
    }[machine]
    assert {name: verdict(*call) for name, call in zip(names, calls, strict=True)} == (
        dict.fromkeys(names)
    )


# What is said


def test_the_protections_of_this_machine_are_found() -> None:
    assert "limits" in probe_protections()


@pytest.mark.skipif(MACHINE not in PLACES, reason="no filter for this processor")
def test_what_a_kernel_lacks_is_not_said_to_hold(tmp_path: Path) -> None:
    found = set(on_kernel(tmp_path, "neither", "protections"))
    assert not found & {"files", "read-only outside", "own processes", "no TCP"}
    assert found >= {"limits", "system calls", "no network", "no metadata changes"}
