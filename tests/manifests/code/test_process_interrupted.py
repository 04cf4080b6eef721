"""Ctrl-C while code runs: it runs no longer, and the next call works at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from restwright.manifests.code import Calculator, Module, Notebook, NotebookSettings, ProcessLimits

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform == "win32", reason="code is not run on Windows"),
]

NUMBERS = count(10)
SLEEPS = "import subprocess\nsubprocess.run(['/bin/sleep', {mark!r}])"
LIMITS = ProcessLimits(
    seconds=60.0, start_seconds=120.0, memory_bytes=2**30, processes=64, open_files=256
)


@pytest.fixture
def mark() -> str:
    """What only the processes of one test have in their command lines."""
    return f"86400.{os.getpid()}{next(NUMBERS)}"


def is_alive(mark: str) -> bool:
    found = subprocess.run(["/bin/ps", "-ewwo", "args"], capture_output=True, text=True, check=True)
    return mark in found.stdout


@contextmanager
def interrupted_at(mark: str, *, times: int = 1) -> Iterator[None]:
    """Send Ctrl-C to this process once a process with `mark` is there, and expect its exception."""

    def send() -> None:
        until = time.monotonic() + 60
        while not is_alive(mark) and time.monotonic() < until:
            time.sleep(0.02)
        for _ in range(times):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        thread.join()


@pytest.fixture
def notebook(tmp_path: Path) -> Iterator[Notebook]:
    for name in ("nbformat", "ipykernel", "zmq"):
        pytest.importorskip(name, reason="needs the extra [notebook]")
    with Notebook(NotebookSettings(limits=LIMITS, path=tmp_path / "x.ipynb")) as made:
        yield made


def module_of(folder: Path, source: str) -> Module:
    (folder / "module.py").write_text(source)
    return Module(folder / "module.py", ["run", "count"])


MODULE = """
import pathlib, subprocess
if pathlib.Path(__file__).with_name("slow").exists():
    subprocess.run(["/bin/sleep", {mark!r}])
n = 0
def count():
    global n
    n += 1
    return n
def run():
    subprocess.run(["/bin/sleep", {mark!r}])
"""


def test_a_call_of_a_module_that_is_interrupted_ends_its_process(tmp_path: Path, mark: str) -> None:
    with module_of(tmp_path, MODULE.format(mark=mark)) as module:
        assert module.call("count", {}).value == 1
        with interrupted_at(mark):
            module.call("run", {})
        assert not is_alive(mark)
        after = module.call("count", {})
        assert (after.value, after.error, after.is_fresh) == (1, "", True)
        assert module.call("count", {}).value == 2


def test_a_module_that_is_interrupted_while_it_is_loaded_is_loaded_anew(
    tmp_path: Path, mark: str
) -> None:
    (tmp_path / "slow").touch()
    with module_of(tmp_path, MODULE.format(mark=mark)) as module:
        with interrupted_at(mark):
            module.call("count", {})
        assert not is_alive(mark)
        (tmp_path / "slow").unlink()
        assert module.call("count", {}).value == 1


def test_a_module_has_no_folder_left_after_an_interrupt(
    tmp_path: Path, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    with module_of(tmp_path, MODULE.format(mark=mark)) as module:
        with interrupted_at(mark):
            module.call("run", {})
        module.call("count", {})
        assert len(list(place.iterdir())) == 1
    assert list(place.iterdir()) == []


def test_a_cell_that_is_interrupted_runs_no_longer(
    notebook: Notebook, mark: str, tmp_path: Path
) -> None:
    """In one test, since each kernel takes a second to start."""
    notebook.run("kept = 7")
    with interrupted_at(mark):
        notebook.run(SLEEPS.format(mark=mark))
    assert not is_alive(mark)
    after = notebook.run("kept")
    assert (after.text, after.error, after.is_fresh) == ("7", "", False)
    # Nor does one that bears it, nor after a second Ctrl-C of somebody who does not wait.
    stubborn = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    with interrupted_at(mark, times=2):
        notebook.run(stubborn + SLEEPS.format(mark=mark))
    assert not is_alive(mark)
    after = notebook.run("kept")
    assert after.is_fresh
    assert "NameError" in after.error
    cells = json.loads((tmp_path / "x.ipynb").read_text())["cells"]
    sources = ["".join(cell["source"]).split("\n")[0] for cell in cells]
    assert sources == ["kept = 7", "import subprocess", "kept", "import signal", "kept"]


def test_a_kernel_that_is_interrupted_while_it_starts_is_started_anew(
    notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "t"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    with interrupted_at(f"{place}/restwright-"):
        notebook.run("1")
    assert not is_alive(f"{place}/restwright-")
    assert list(place.iterdir()) == []
    assert notebook.run("1 + 1").text == "2"


def test_a_calculation_that_is_interrupted_costs_its_variables() -> None:
    pytest.importorskip("pydantic_monty", reason="needs the extra [agent]")
    with Calculator(ProcessLimits(seconds=1.0)) as calculator:
        calculator.run("kept = 7")
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            calculator.run("while True:\n    pass")
        after = calculator.run("1 + 1")
        assert (after.text, after.error, after.is_fresh) == ("2", "", True)
