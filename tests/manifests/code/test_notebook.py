"""Notebooks of manifests: what cells give, what they cannot do, and the file that stays."""

from __future__ import annotations

import base64
import json
import os
import platform
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from restwright.errors import MissingExtra, UnusableCode
from restwright.manifests.code import (
    Notebook,
    NotebookSettings,
    ProcessLimits,
    cell_from_call,
    format_for_model,
)
from restwright.manifests.code.kernel import require_jupyter

nbformat = pytest.importorskip("nbformat", reason="needs the extra [notebook]")
pytest.importorskip("ipykernel", reason="needs the extra [notebook]")
pytest.importorskip("zmq", reason="needs the extra [notebook]")
pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform == "win32", reason="code is not run on Windows"),
]

MIB = 2**20
LIMITS = ProcessLimits(
    seconds=30.0,
    start_seconds=120.0,
    memory_bytes=1024 * MIB,
    processes=64,
    output_chars=1000,
    result_bytes=100_000,
    open_files=256,
)
PAIR = "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0]"
CARS = "make,model,range\nNissan,Leaf,149\nTesla,Model 3,220\nTesla,Model S,208\n"
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("notebooks")


@pytest.fixture(scope="module")
def notebook(folder: Path) -> Iterator[Notebook]:
    """One kernel for all tests that leave it alive."""
    (folder / "cars.csv").write_text(CARS)
    settings = NotebookSettings(
        limits=LIMITS, path=folder / "book.ipynb", reads=(folder / "cars.csv",)
    )
    os.environ["OPENAI_API_KEY"] = "canary-7261"
    with Notebook(settings) as made:
        made.run("1")
        yield made
    del os.environ["OPENAI_API_KEY"]


def test_a_cell_shows_what_it_prints_and_its_last_value(notebook: Notebook) -> None:
    result = notebook.run("print('one')\n3**20")
    assert (result.text, result.error, result.is_fresh) == ("one\n\n3486784401", "", False)


def test_a_file_of_the_user_is_analysed_with_pandas(notebook: Notebook) -> None:
    """The example of SlashGPT's article: load a table, look at it, count in it."""
    pytest.importorskip("pandas", reason="needs the extra [notebook]")
    code = ["import pandas as pd\n", "df = pd.read_csv('./cars.csv')\n", "df.head()"]
    cell = cell_from_call("run_python_code", {"code": code, "query": "Load './cars.csv'"})
    assert cell is not None
    assert notebook.run(cell, query="Load './cars.csv'").text.split()[:4] == [
        *("make", "model", "range", "0")
    ]
    assert "Tesla     2" in notebook.run("df['make'].value_counts()").text


def test_an_error_names_the_line(notebook: Notebook) -> None:
    result = notebook.run("x = 1\nx / 0")
    assert result.error == "line 2, `x / 0`: ZeroDivisionError: division by zero"
    assert notebook.run("def f(").error.startswith("line 1, `def f(`: SyntaxError: ")
    assert format_for_model(result) == result.error


def test_images_are_kept_and_named(notebook: Notebook) -> None:
    show = "from IPython.display import Image, display, SVG\nimport base64\n"
    result = notebook.run(f"{show}display(Image(data=base64.b64decode('{PIXEL}')))\n'shown'")
    (image,) = result.images
    assert (image.media_type, image.content) == ("image/png", base64.b64decode(PIXEL))
    assert image.name.endswith("-1.png")
    assert result.text == f"[image {image.name}, 70 bytes]\n\n'shown'"


def test_an_image_that_is_none_or_too_large_is_not_kept(notebook: Notebook) -> None:
    show = "from IPython.display import display\n"
    false = notebook.run(show + "display({'image/png': 'not base64'}, raw=True)")
    assert (false.images, false.text) == ((), "[an image that is not kept]")
    large = notebook.run(show + "display({'image/svg+xml': 'x' * 150_000}, raw=True)")
    assert (large.images, large.text) == ((), "[an image of over 100,000 bytes, not kept]")


def test_what_is_printed_is_cut(notebook: Notebook) -> None:
    text = notebook.run("print('x' * 3000)").text
    assert len(text) < 1100
    assert "2,000 characters left out" in text


def test_what_is_printed_far_beyond_the_cap_is_cut_and_not_lost(notebook: Notebook) -> None:
    most = notebook.settings.limits.output_chars
    result = notebook.run(f"print('a' * {most * 60}); print('end')")
    assert (result.error, result.stopped) == ("", "")
    assert result.text.startswith("aaa")
    assert "more characters" in result.text
    assert "the next" in notebook.run("'the next'").text


def test_a_flood_of_output_is_interrupted(notebook: Notebook) -> None:
    notebook.run("before = 7")
    result = notebook.run("while True:\n    print('x' * 1000)")
    assert "it printed too much" in result.error
    assert len(result.text) < 1100


def test_too_much_memory_is_an_error(notebook: Notebook) -> None:
    if sys.platform == "linux":
        assert "MemoryError" in notebook.run("x = bytearray(4 * 2**30)").error


def test_the_environment_has_nothing_of_ours(notebook: Notebook) -> None:
    text = notebook.run("import os\nprint(dict(os.environ))").text
    assert "PATH" in text
    assert "canary" not in text


def test_nobody_can_be_asked(notebook: Notebook) -> None:
    assert "StdinNotImplementedError" in notebook.run("input()").error


def test_only_the_files_that_were_allowed_can_be_read(notebook: Notebook, folder: Path) -> None:
    if "files" not in notebook.protections:
        pytest.skip("this system has no Landlock")
    (folder / "other.txt").write_text("canary-7261")
    for path in (folder / "other.txt", "/etc/passwd", f"/proc/{os.getpid()}/environ"):
        result = notebook.run(f"open({str(path)!r}).read()")
        assert "PermissionError: " in result.error
        assert str(folder) not in result.error.partition("`: ")[2]
    assert "Error" in notebook.run("open('cars.csv', 'w')").error
    assert (folder / "cars.csv").read_text() == CARS


def test_a_file_that_may_be_read_keeps_its_mode_and_times(notebook: Notebook, folder: Path) -> None:
    if not {"read-only outside", "no metadata changes"} & set(notebook.protections):
        pytest.skip("this system has neither namespaces nor a filter of system calls")
    before = (folder / "cars.csv").stat()
    for call in ("os.chmod('cars.csv', 0o666)", "os.utime('cars.csv')"):
        notebook.run(f"import os\n{call}")
    after = (folder / "cars.csv").stat()
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)


@pytest.mark.skipif(platform.machine() not in ("x86_64", "aarch64"), reason="no filter here")
def test_a_cell_has_no_socket_of_a_virtual_machine(notebook: Notebook) -> None:
    if "system calls" in notebook.protections:
        assert "OSError: [Errno 97]" in notebook.run("import socket\nsocket.socket(40, 1)").error


def test_there_is_no_network(notebook: Notebook) -> None:
    if "no network" not in notebook.protections:
        pytest.skip("this system has no namespaces for networks")
    cell = "import socket\nsocket.create_connection(('127.0.0.1', 80), 1)"
    assert "Error" in notebook.run(cell).error


def test_a_cell_speaks_to_no_other_program(notebook: Notebook, tmp_path: Path) -> None:
    """By Unix sockets agents of keys and containers are asked, which have the user's rights."""
    if "no connections" not in notebook.protections:
        pytest.skip("this system has no filter of system calls")
    with socket.socket(socket.AF_UNIX) as stream:
        stream.bind(str(tmp_path / "stream"))
        stream.listen()
        cell = f"import socket\nsocket.socket(socket.AF_UNIX).connect({str(tmp_path / 'stream')!r})"
        assert "PermissionError" in notebook.run(cell).error
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagrams:
        datagrams.bind(str(tmp_path / "datagrams"))
        for made in ("socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)", PAIR):
            cell = f"import socket\n{made}.sendto(b'x', {str(tmp_path / 'datagrams')!r})"
            assert "PermissionError" in notebook.run(cell).error


def test_a_diagram_without_graphviz_is_an_error_that_says_so(notebook: Notebook) -> None:
    cell = cell_from_call("draw_diagram", {"code": "digraph { A -> B }", "query": "Draw"})
    assert cell is not None
    result = notebook.run(cell)
    assert result.images or "graphviz" in result.error


def test_what_a_kernel_sends_is_not_trusted(notebook: Notebook) -> None:
    """Messages of any shape under the name of the cell: they are passed over."""
    cell = """
ip = get_ipython().kernel
def send(kind, content):
    ip.session.send(ip.iopub_socket, kind, content, parent=ip.get_parent())
for content in ({}, {"data": 1}, {"data": {"text/plain": 3}}, {"name": [], "text": {}}, {"a": []}):
    for kind in ("stream", "display_data", "execute_result", "error", "status", "nonsense"):
        send(kind, content)
"""
    assert notebook.run(cell).stopped == ""
    assert notebook.run("1 + 1").text == "2"


def test_the_file_is_private_and_valid(notebook: Notebook, folder: Path) -> None:
    notebook.run("print('kept')\n6 * 7", query="What is six times seven?")
    path = folder / "book.ipynb"
    assert path.stat().st_mode & 0o777 == 0o600
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    question, cell = book.cells[-2:]
    assert question.source == "What is six times seven?"
    assert cell.source == "print('kept')\n6 * 7"
    assert [each.output_type for each in cell.outputs] == ["stream", "execute_result"]
    assert cell.outputs[1].data == {"text/plain": "42"}
    assert "canary" not in path.read_text()


def test_cells_that_take_too_long_die_or_run_away_do_no_harm(tmp_path: Path) -> None:
    """In one test, since each kernel takes a second to start."""
    mark = f"86400.{os.getpid()}4"
    settings = NotebookSettings(limits=replace(LIMITS, seconds=1.0), path=tmp_path / "x.ipynb")
    with Notebook(settings) as made:
        made.run("kept = 7")
        over = made.run("while True:\n    pass")
        assert over.error == "it took over 1 s and was interrupted; variables are kept"
        assert made.run("kept").text == "7"
        died = made.run(
            "import os, subprocess\n"
            f"subprocess.Popen(['/bin/sleep', '{mark}'], start_new_session=True)\n"
            "os._exit(1)"
        )
        assert (died.stopped, died.error) == (
            "died",
            "the kernel was ended: its process ended by itself; all variables are gone",
        )
        running = subprocess.run(["/bin/ps", "-eo", "args"], capture_output=True, check=True)
        assert mark.encode() not in running.stdout
        fresh = made.run("kept")
        assert fresh.is_fresh
        assert fresh.error.startswith("line 1, `kept`: NameError")
        stubborn = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True:\n  1"
        assert made.run(stubborn).stopped == "seconds"
        assert made.protections == ()
    cells = json.loads((tmp_path / "x.ipynb").read_text())["cells"]
    assert len(cells) == 6


def test_the_python_of_the_page_on_notebooks_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("pandas", reason="needs the extra [notebook]")
    page = (Path(__file__).parents[3] / "docs" / "notebooks.md").read_text("utf-8")
    folder = tmp_path / "resources" / "module"
    folder.mkdir(parents=True)
    (folder / "prices.py").write_text("def price_of(product):\n    return {product: 3}")
    (tmp_path / "cars.csv").write_text(CARS)
    monkeypatch.chdir(tmp_path)
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(code, "notebooks.md", "exec"), {})  # noqa: S102
    said = capsys.readouterr().out
    assert said.startswith("{'apple': 3}\n     make    model  range\n0  Nissan")


def test_nothing_starts_before_the_first_cell(tmp_path: Path) -> None:
    with Notebook(NotebookSettings(path=tmp_path / "x.ipynb")) as made:
        assert made.protections == ()
    assert not (tmp_path / "x.ipynb").exists()


@pytest.mark.parametrize("name", ["x.txt", "no/such/x.ipynb", "taken.ipynb", "link.ipynb"])
def test_a_file_that_cannot_be_a_new_notebook_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "taken.ipynb").write_text("{}")
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "elsewhere.ipynb")
    with pytest.raises(UnusableCode, match=r"name a new FILE\.ipynb"):
        Notebook(NotebookSettings(path=tmp_path / name))


def test_a_file_to_read_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with (
        Notebook(NotebookSettings(reads=(tmp_path / "missing.csv",))) as made,
        pytest.raises(UnusableCode, match=r"'missing\.csv', which it shall read"),
    ):
        made.run("1")


def test_a_cell_that_is_too_long_is_an_error() -> None:
    with Notebook() as made:
        assert made.run("x" * 2_000_000).error == "the cell is over 1,048,576 characters"


def test_missing_packages_are_named() -> None:
    with pytest.raises(MissingExtra, match=r"restwright\[notebook\]"):
        require_jupyter(lambda _: None)
