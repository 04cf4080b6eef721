"""
Runs something of the package as a kernel that has less would have it run.

The argument is JSON: `without`, numbers of system calls that are missing from here on; `runs`, a
function below, and its `arguments`. What that returns is printed as JSON.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

from restwright.manifests.code import Module, ModuleSettings, Notebook, confinement
from restwright.manifests.code.process import list_python_folders, probe_protections

CALLS = Path(__file__).with_name("calls_outside.py")


def miss(numbers: list[int]) -> None:
    """Have system calls answer with `ENOSYS`."""
    program = [(0x20, 0, 0, 0)]
    for number in numbers:
        program += [(0x15, 0, 1, number), (0x06, 0, 0, 0x00050000 | 38)]
    program.append((0x06, 0, 0, 0x7FFF0000))
    code = b"".join(struct.pack("=HBBI", *each) for each in program)
    kept = ctypes.create_string_buffer(code, len(code))
    libc = ctypes.CDLL(None)
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    header = struct.pack("@HP", len(program), ctypes.addressof(kept))
    assert libc.prctl(22, 2, header, 0, 0) == 0


def in_a_module(rows: list[dict[str, Any]], reads: str) -> Any:
    """Make the calls in a module."""
    with Module(CALLS, ["attack"], ModuleSettings(reads=(Path(reads),))) as module:
        result = module.call("attack", {"rows": rows, "outside": os.getpid()})
        assert result.error == ""
        return [result.value, module.protections]


def under_landlock(rows: list[dict[str, Any]], reads: str, version: int) -> Any:
    """Make the calls in this process, which an older Landlock and the filter confine."""
    spec = importlib.util.spec_from_file_location(CALLS.stem, CALLS)
    calls = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(calls)
    held = confinement.give_up_rights(
        reads=[*list_python_folders(), reads],
        writes=(str(Path.cwd()),),
        network=False,
        sockets=False,
        is_protected=False,
        version=version,
    )
    return [calls.attack(rows, os.getppid()), held]


def in_a_notebook(cells: list[str]) -> Any:
    """Run cells."""
    with Notebook() as notebook:
        return [(result.text, result.error) for result in map(notebook.run, cells)]


def protections() -> Any:
    """What would hold code."""
    return probe_protections()


def doctor() -> Any:
    """What `restwright doctor` prints."""
    return subprocess.run(
        [sys.executable, "-m", "restwright", "doctor"], capture_output=True, text=True, check=True
    ).stdout.splitlines()


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    miss(given["without"])
    sys.stdout.write(json.dumps(globals()[given["runs"]](**given["arguments"])))
