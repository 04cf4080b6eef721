"""Modules of manifests: what they give, and that hostile ones are contained, one attack a test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from restwright.errors import UnusableCode
from restwright.manifests.code import (
    CallResult,
    Module,
    ModuleSettings,
    ProcessLimits,
    format_for_model,
)
from restwright.manifests.code.removal import remove_folder

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform == "win32", reason="code is not run on Windows"),
]
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux offers this without rights")

MIB = 2**20
TIGHT = ProcessLimits(
    seconds=20.0,
    cpu_seconds=20,
    memory_bytes=128 * MIB,
    processes=8,
    file_bytes=MIB,
    folder_bytes=3 * MIB,
    open_files=64,
    output_chars=500,
    result_bytes=10_000,
    arguments_bytes=10_000,
)
Run = Callable[..., CallResult]


def holds(*wanted: str) -> bool:
    """Whether this machine offers these layers; an older system, or a container, may not."""
    return set(wanted) <= HELD


def held() -> set[str]:
    if sys.platform == "win32":
        return set()
    path = Path(__file__).parents[2] / "support" / "programs" / "calendar_of_tests.py"
    with Module(path, ["days"]) as probe:
        probe.call("days", {"month": 2})
        return set(probe.protections)


HELD = held()
BROWSER = Path(__file__).parents[2] / "support" / "programs" / "browser.py"


class Page(BaseHTTPRequestHandler):
    """A web page on this machine."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<h1>News</h1><script>hidden()</script><p>It rains.</p>")

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@contextmanager
def page() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}/news"
        http.shutdown()
        thread.join()


@pytest.fixture
def module(tmp_path: Path) -> Iterator[Callable[..., Module]]:
    """Make a module of a source; all are ended at the end."""
    made: list[Module] = []

    def make(source: str, *names: str, limits: ProcessLimits = TIGHT) -> Module:
        path = tmp_path / "manifests" / f"module{len(made)}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(source)
        made.append(Module(path, names or ("attack",), ModuleSettings(limits=limits)))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def attack(module: Callable[..., Module]) -> Run:
    """Run the function `attack` of a source once."""

    def run(source: str, *, limits: ProcessLimits = TIGHT, **arguments: object) -> CallResult:
        with module(source, limits=limits) as made:
            return made.call("attack", arguments)

    return run


def is_alive(mark: str) -> bool:
    """Whether a process has `mark` in its command line."""
    found = subprocess.run(["/bin/ps", "-eo", "args"], capture_output=True, text=True, check=True)
    return mark in found.stdout


def appears(mark: str) -> bool:
    """Whether such a process comes up; one that was forked may not have begun yet."""
    until = time.monotonic() + 30
    while not is_alive(mark) and time.monotonic() < until:
        time.sleep(0.02)
    return is_alive(mark)


# What it gives


def test_a_function_gets_arguments_by_name_and_gives_json(module: Callable[..., Module]) -> None:
    with module("def add(a, b=1):\n    print('adding')\n    return {'sum': a + b}", "add") as made:
        assert made.call("add", {"a": 2}) == CallResult(value={"sum": 3}, printed="adding")
        assert made.call("add", {"a": 2, "b": 3}).value == {"sum": 5}


def test_a_module_keeps_its_memory_between_calls(module: Callable[..., Module]) -> None:
    with module("n = 0\ndef count():\n    global n\n    n += 1\n    return n", "count") as made:
        assert [made.call("count", {}).value for _ in range(3)] == [1, 2, 3]


def test_a_pair_is_told_from_a_list(attack: Run) -> None:
    result = attack("def attack():\n    return {'result': 'ok'}, 'Done.'")
    assert (result.value, result.is_tuple) == ([{"result": "ok"}, "Done."], True)


def test_nothing_runs_before_the_first_call(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("raise SystemExit(3)")
    with Module(path, ["run"]) as made:
        assert made.protections == ()
        assert made.call("run", {}).error == (
            "the module cannot be loaded: SystemExit: 3 (line 1 of module.py)"
        )


ERRORS = """
import sys
def divides():
    return 1 / 0
def imports():
    import nothing_such
def needs(x):
    return x
def leaves():
    sys.exit(2)
def recurs():
    return recurs()
def gives_a_set():
    return {1, 2}
def gives_nan():
    return float("nan")
def gives_a_cycle():
    x = []
    x.append(x)
    return x
value = 1
"""


def test_an_error_says_what_and_where(module: Callable[..., Module]) -> None:
    expected = {
        "divides": "ZeroDivisionError: division by zero (line 4 of module0.py)",
        "imports": "ModuleNotFoundError: No module named 'nothing_such' (line 6 of module0.py)"
        " (it is not installed; do without it)",
        "needs": "TypeError: needs() missing 1 required positional argument: 'x'",
        "leaves": "SystemExit: 2 (line 10 of module0.py)",
        "recurs": "RecursionError: maximum recursion depth exceeded (line 12 of module0.py)",
        "gives_a_set": "TypeError: Object of type set is not JSON serializable",
        "gives_nan": "ValueError: Out of range float values are not JSON compliant",
        "gives_a_cycle": "ValueError: Circular reference detected",
        "value": "the module has no function value",
        "missing": "the module has no function missing",
    }
    with module(ERRORS, *expected) as made:
        assert {name: made.call(name, {}).error for name in expected} == expected


def test_a_module_that_is_no_python_says_where(attack: Run) -> None:
    assert attack("def attack()\n    return 1").error == (
        "the module cannot be loaded: SyntaxError: expected ':' (line 1 of module0.py)"
    )


def test_an_error_names_no_folder_of_this_machine(attack: Run, tmp_path: Path) -> None:
    error = attack(f"def attack():\n    open('{tmp_path}/deep/secret.txt')").error
    assert "secret.txt" in error
    assert "(line 2 of module0.py)" in error
    assert str(tmp_path) not in error
    assert "/" not in error


def test_an_error_keeps_urls(attack: Run) -> None:
    url = "https://example.com/a/b?c=d"
    assert url in attack(f"def attack():\n    raise ValueError('no {url}')").error


def test_a_result_for_the_model_has_what_was_printed_and_the_error() -> None:
    assert format_for_model(CallResult(printed="one", error="two")) == "one\ntwo"


def test_a_module_may_read_what_lies_beside_it(attack: Run, tmp_path: Path) -> None:
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests" / "prices.csv").write_text("apple,3")
    source = """
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
def attack():
    return Path(__file__).with_name("prices.csv").read_text()
"""
    assert attack(source).value == "apple,3"


def test_a_module_may_import_what_lies_beside_it_but_not_in_place_of_a_library(
    attack: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "manifests"
    folder.mkdir()
    (folder / "prices_of_mine.py").write_text("APPLE = 3")
    (folder / "csv.py").write_text("raise SystemExit")
    source = "import csv, prices_of_mine\ndef attack():\n    return prices_of_mine.APPLE"
    assert attack(source).value == 3


def test_a_module_has_a_private_folder_that_goes_with_it(module: Callable[..., Module]) -> None:
    source = "import os\ndef where():\n    open('x', 'w').write('1')\n    return os.getcwd()"
    with module(source, "where") as made:
        folder = Path(made.call("where", {}).value)
        assert (folder / "x").read_text() == "1"
        assert folder.stat().st_mode & 0o077 == 0
    assert not folder.exists()


def test_a_module_reads_a_page_where_the_network_is_allowed() -> None:
    """The example of SlashGPT's article: a function that fetches a web page."""
    with page() as url:
        with Module(BROWSER, ["fetch"], ModuleSettings(network="host")) as browser:
            result = browser.call("fetch", {"url": url})
        with Module(BROWSER, ["fetch"]) as browser:
            refused = browser.call("fetch", {"url": url})
    assert result.value == [{"result": "success", "text": "News\nIt rains."}, None]
    assert result.is_tuple
    if holds("no network"):
        assert refused.error.startswith("URLError: ")
        assert refused.error.endswith("(there is no network; --allow-net HOST allows a host)")


# What it refuses


def test_only_declared_names_are_called(module: Callable[..., Module]) -> None:
    source = "import os\ndef shown():\n    return 1\ndef hidden():\n    return 2"
    with module(source, "shown") as made:
        for name in ("hidden", "os", "os.system", "__import__", "print", "", "shown "):
            assert made.call(name, {}).error == f"there is no function {name!r}; there are: shown"
        assert made.protections == (), "no process was started for these"


@pytest.mark.parametrize("name", ["__import__", "_private", "os.system", "a b", "", "import"])
def test_a_name_that_is_no_public_function_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "m.py").touch()
    with pytest.raises(UnusableCode, match="cannot be called"):
        Module(tmp_path / "m.py", [name])


def test_a_path_outside_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "manifests"
    root.mkdir()
    (tmp_path / "outside.py").touch()
    settings = ModuleSettings(roots=(root,))
    for path in (root / "../outside.py", tmp_path / "outside.py"):
        with pytest.raises(UnusableCode, match="outside of the folders of the manifest"):
            Module(path, ["run"], settings)


def test_a_symbolic_link_that_leads_outside_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "manifests"
    root.mkdir()
    (tmp_path / "outside.py").touch()
    (root / "module.py").symlink_to(tmp_path / "outside.py")
    (root / "folder").symlink_to(tmp_path)
    for path, roots in (("module.py", (root,)), ("folder/outside.py", (root,)), ("module.py", ())):
        with pytest.raises(UnusableCode, match="outside of the folders of the manifest"):
            Module(root / path, ["run"], ModuleSettings(roots=roots))


@pytest.mark.parametrize("name", ["missing.py", ".", "no\0path"])
def test_what_is_no_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnusableCode):
        Module(tmp_path / name, ["run"])


@pytest.mark.parametrize("arguments", [{"x": {1}}, {"x": float}, {"x": "a" * 20_000}])
def test_arguments_that_cannot_be_sent_are_an_error(
    attack: Run, arguments: dict[str, object]
) -> None:
    assert attack("def attack(x):\n    return 1", **arguments).error.startswith("the arguments are")


# Limits


def test_a_loop_without_end_is_ended(attack: Run) -> None:
    started = time.monotonic()
    result = attack(
        "def attack():\n    while True:\n        pass", limits=ProcessLimits(seconds=0.5)
    )
    assert (result.stopped, result.value) == ("seconds", None)
    assert result.error == "it took longer than 0.5 seconds and was ended"
    assert time.monotonic() - started < 5


def test_a_loop_while_loading_is_ended(attack: Run) -> None:
    result = attack("while True:\n    pass", limits=ProcessLimits(start_seconds=0.5))
    assert result.stopped == "seconds"


def test_computing_is_limited_over_all_calls(module: Callable[..., Module]) -> None:
    source = """
import time
def work():
    until = time.process_time() + 0.6
    while time.process_time() < until:
        pass
"""
    with module(source, "work", limits=ProcessLimits(cpu_seconds=1)) as made:
        assert made.call("work", {}).stopped == ""
        ended = made.call("work", {})
        assert made.call("work", {}).is_fresh
    assert ended.stopped == "computing"
    assert ended.error == "it computed for more than 1 seconds and was ended"


def test_signals_that_ask_to_end_are_not_enough_to_go_on(attack: Run) -> None:
    source = """
import signal, time
for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGXCPU):
    signal.signal(each, signal.SIG_IGN)
def attack():
    while True:
        time.sleep(1)
"""
    assert attack(source, limits=ProcessLimits(seconds=0.3)).stopped == "seconds"


def test_the_next_call_after_an_end_has_a_new_process_and_says_so(
    module: Callable[..., Module],
) -> None:
    source = """
import os
n = 0
def die():
    os._exit(0)
def count():
    global n
    n += 1
    return n
"""
    with module(source, "die", "count") as made:
        assert made.call("count", {}) == CallResult(value=1)
        died = made.call("die", {})
        assert (died.stopped, died.error) == ("died", "its process ended before it returned")
        assert made.call("count", {}) == CallResult(value=1, is_fresh=True)
        assert made.call("count", {}) == CallResult(value=2)


@linux
def test_a_memory_bomb_is_an_error(attack: Run) -> None:
    result = attack("def attack():\n    return len(bytearray(10**9))")
    assert result.error.startswith("MemoryError")


@linux
def test_memory_that_grows_is_ended_or_an_error(attack: Run) -> None:
    result = attack(
        "def attack():\n    x = []\n    while True:\n        x.append(bytearray(10**6))"
    )
    assert result.error.startswith("MemoryError") or result.stopped == "memory"


@linux
def test_memory_of_all_processes_together_is_limited(attack: Run) -> None:
    source = """
import os, time
def attack():
    for _ in range(4):
        if os.fork() == 0:
            held = bytearray(60 * 2**20)
            time.sleep(60)
    time.sleep(60)
"""
    assert attack(source).stopped == "memory"


@linux
def test_a_fork_bomb_is_bounded(attack: Run) -> None:
    source = "import os\ndef attack():\n    while True:\n        os.fork()"
    result = attack(source)
    assert "more than 8 processes" in result.error or "it started more processes" in result.error


def test_a_file_cannot_grow_over_its_limit(attack: Run) -> None:
    result = attack("def attack():\n    open('x', 'wb').write(b'x' * 2 * 2**20)")
    assert result.error.startswith("OSError: [Errno 27] File too large")


def test_the_folder_cannot_grow_over_its_limit(attack: Run) -> None:
    source = """
import time
def attack():
    for n in range(5):
        open(str(n), 'wb').write(b'x' * 2**20)
    time.sleep(60)
"""
    assert attack(source).stopped == "files"


def test_open_files_are_limited(attack: Run) -> None:
    result = attack("def attack():\n    x = [open(__file__) for _ in range(200)]")
    assert result.error.startswith("OSError: [Errno 24] Too many open files")


def test_what_is_printed_is_cut(attack: Run) -> None:
    result = attack("def attack():\n    print('x' * 1000 + 'end')\n    return 1")
    assert result.value == 1
    assert len(result.printed) < 600
    assert "503 characters left out" in result.printed
    assert result.printed.endswith("end")


def test_a_flood_of_output_is_ended(attack: Run) -> None:
    result = attack("def attack():\n    while True:\n        print('x' * 1000)")
    assert result.stopped == "output"
    assert len(result.printed) < 600


def test_what_is_printed_shows_no_escapes(attack: Run) -> None:
    source = "def attack():\n    print('\\x1b[31mred\\x1b[0m \\x1b]0;title\\x07\\x00 end')"
    assert attack(source).printed == "red  end"


def test_a_huge_result_is_an_error(attack: Run) -> None:
    result = attack("def attack():\n    return 'x' * 100_000")
    assert result.error == "the result has over 10,000 bytes; return less"


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param("b'nonsense\\n'", id="no JSON"),
        pytest.param('b\'{"id": 7, "value": 1}\\n\'', id="another call"),
        pytest.param('b\'{"id": 1, "value": NaN}\\n\'', id="NaN"),
        pytest.param("b'[' * 9_000 + b'\\n'", id="deep"),
        pytest.param("b'{}\\n{}\\n'", id="two lines"),
        pytest.param("b'x' * 2**21", id="no end"),
    ],
)
def test_a_forged_reply_that_is_no_result_is_refused(attack: Run, sent: str) -> None:
    source = f"import os, time\ndef attack():\n    os.write(4, {sent})\n    time.sleep(5)"
    result = attack(source)
    assert (result.value, result.stopped) == (None, "died")
    assert result.error == "it sent what is no result in JSON; its process was ended"


def test_a_module_that_does_not_read_its_requests_cannot_hold_the_caller(
    module: Callable[..., Module],
) -> None:
    source = "import os, time\ndef attack(x=''):\n    os.close(3)\n    return 1"
    with module(source, limits=ProcessLimits(seconds=2)) as made:
        made.call("attack", {})
        assert made.call("attack", {"x": "y" * 500_000}).stopped in ("died", "seconds")


# Attacks


def test_the_environment_is_empty(attack: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary-7261")
    names = attack("import os\ndef attack():\n    return sorted(os.environ)").value
    assert names == ["HOME", "LANG", "PATH", "TMPDIR"]


def test_an_exception_cannot_tell_a_secret_of_the_environment(
    attack: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary-7261")
    source = "import os\ndef attack():\n    raise ValueError(str(dict(os.environ)))"
    result = attack(source)
    assert result.error.startswith("ValueError: {")
    assert "canary" not in repr(result)


@pytest.mark.skipif(not holds("files"), reason="this system has no Landlock")
def test_the_environment_of_other_processes_cannot_be_read(attack: Run) -> None:
    source = f"""
def attack():
    found = []
    for each in ({os.getpid()}, "self", 1):
        try:
            found.append(open(f"/proc/{{each}}/environ").read())
        except OSError as error:
            found.append(error.errno)
    return found
"""
    assert all(isinstance(each, int) for each in attack(source).value)


def test_no_descriptor_is_inherited(attack: Run, tmp_path: Path) -> None:
    with (tmp_path / "open.txt").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        source = """
import os
def attack():
    found = []
    for each in range(1000):
        try:
            os.fstat(each)
            found.append(each)
        except OSError:
            pass
    return found
"""
        assert attack(source).value == [0, 1, 2, 3, 4]


def test_standard_input_is_empty(attack: Run) -> None:
    assert attack("def attack():\n    return input()").error.startswith("EOFError")


@pytest.mark.skipif(not holds("files"), reason="this system has no Landlock")
@pytest.mark.parametrize("what", ["write", "mkdir", "unlink", "rename", "symlink", "truncate"])
def test_nothing_outside_can_be_changed(attack: Run, tmp_path: Path, what: str) -> None:
    kept = tmp_path / "kept.txt"
    kept.write_text("kept")
    source = f"""
import os
DOES = {{
    "write": lambda: open({str(kept)!r}, "w").write("gone"),
    "mkdir": lambda: os.mkdir({str(tmp_path / "new")!r}),
    "unlink": lambda: os.unlink({str(kept)!r}),
    "rename": lambda: os.rename({str(kept)!r}, "mine"),
    "symlink": lambda: (os.symlink({str(kept)!r}, "link"), open("link", "w").write("gone")),
    "truncate": lambda: os.truncate({str(kept)!r}, 0),
}}
def attack():
    DOES[{what!r}]()
"""
    result = attack(source)
    assert "Error" in result.error
    assert kept.read_text() == "kept"
    assert not (tmp_path / "new").exists()


@pytest.mark.skipif(not holds("files"), reason="this system has no Landlock")
def test_files_of_the_user_cannot_be_read(module: Callable[..., Module], home: Path) -> None:
    (home / "key").write_text("canary-7261")
    with module("def attack(path):\n    return open(path).read()") as made:
        for path in (str(home / "key"), "/etc/passwd", "/proc/self/maps", "../key"):
            assert "Error" in made.call("attack", {"path": path}).error


@pytest.mark.skipif(not holds("files"), reason="this system has no Landlock")
def test_a_module_in_the_home_folder_reads_nothing_beside_it(home: Path) -> None:
    (home / "key").write_text("canary-7261")
    path = home / "module.py"
    path.write_text("def attack():\n    return open(__file__.replace('module.py', 'key')).read()")
    with Module(path, ["attack"]) as made:
        assert made.call("attack", {}).error.startswith("PermissionError")


@pytest.mark.skipif(not holds("no network"), reason="this system has no namespaces for networks")
def test_there_is_no_network_not_even_this_machine(attack: Run) -> None:
    source = """
import socket
def attack():
    found = []
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        try:
            socket.socket(socket.AF_INET, kind).connect(("127.0.0.1", 53))
            found.append("connected")
        except OSError as error:
            found.append("refused")
    return found
"""
    assert attack(source).value == ["refused", "refused"]


@pytest.mark.skipif(not holds("no Unix sockets"), reason="no filter for this processor")
def test_no_agent_of_keys_can_be_asked(attack: Run) -> None:
    source = "import socket\ndef attack():\n    socket.socket(socket.AF_UNIX)"
    assert attack(source).error.startswith("OSError: [Errno 97]")


@pytest.mark.skipif(not holds("no Unix sockets"), reason="no filter for this processor")
def test_an_event_loop_works(attack: Run) -> None:
    source = """
import asyncio
async def one():
    return 1
def attack():
    return asyncio.run(one())
"""
    assert attack(source).value == 1


@pytest.mark.skipif(not holds("system calls"), reason="no filter for this processor")
def test_other_processes_cannot_be_traced_and_no_namespace_made(attack: Run) -> None:
    source = f"""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def attack():
    return [libc.ptrace(16, {os.getpid()}, 0, 0), libc.unshare(0x10000000), libc.setns(0, 0)]
"""
    assert attack(source).value == [-1, -1, -1]


@linux
def test_a_grandchild_in_a_session_of_its_own_does_not_survive(
    module: Callable[..., Module],
) -> None:
    mark = f"86400.{os.getpid()}1"
    source = f"""
import os
def attack():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv("/bin/sleep", ["sleep", "{mark}"])
        os._exit(0)
    os.wait()
    return 1
"""
    with module(source) as made:
        assert made.call("attack", {}).value == 1
        assert appears(mark)
    assert not is_alive(mark)


@linux
def test_a_grandchild_does_not_survive_a_module_that_dies(module: Callable[..., Module]) -> None:
    mark = f"86400.{os.getpid()}2"
    source = f"""
import subprocess, os
def attack():
    subprocess.Popen(["/bin/sleep", "{mark}"], start_new_session=True)
    os._exit(1)
"""
    with module(source) as made:
        assert made.call("attack", {}).stopped == "died"
        assert not is_alive(mark)


def test_a_module_that_kills_its_parent_harms_nobody_else(module: Callable[..., Module]) -> None:
    source = """
import os, signal
def attack(target):
    os.kill(target or os.getppid(), signal.SIGKILL)
    return 1
def after():
    return 2
"""
    with module(source, "attack", "after") as made:
        result = made.call("attack", {"target": 0})
        assert result.value is None or result.value == 1
        assert made.call("after", {}).value == 2


@pytest.mark.skipif(not holds("no signals to others"), reason="an older Landlock")
def test_a_module_cannot_signal_this_process(attack: Run) -> None:
    source = "import os\ndef attack():\n    os.kill(TARGET, 0)"
    for target in (os.getpid(), os.getppid()):
        result = attack(source.replace("TARGET", str(target)))
        assert result.error.startswith(("PermissionError", "ProcessLookupError"))


@linux
def test_code_ends_with_the_process_that_called_it(tmp_path: Path) -> None:
    mark = f"86400.{os.getpid()}3"
    (tmp_path / "m.py").write_text(
        f"import subprocess\ndef run():\n    subprocess.run(['/bin/sleep', '{mark}'])"
    )
    caller = f"""
from restwright.manifests.code import Module
Module({str(tmp_path / "m.py")!r}, ["run"]).call("run", {{}})
"""
    folder = tmp_path / "tmp"
    folder.mkdir()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(folder)}
    process = subprocess.Popen([sys.executable, "-c", caller], env=environment)  # noqa: S603
    wait_until(lambda: is_alive(mark))
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_until(lambda: not is_alive(mark))
    wait_until(lambda: not any(folder.iterdir()))


def wait_until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + 10
    while not is_so():
        assert time.monotonic() < until, "it did not come to that"
        time.sleep(0.05)


def test_a_folder_that_code_closed_is_removed(module: Callable[..., Module]) -> None:
    source = """
import os
def attack():
    os.makedirs("a/b")
    open("a/b/c", "w").close()
    os.chmod("a", 0)
    return os.getcwd()
"""
    with module(source) as made:
        folder = Path(made.call("attack", {}).value)
    assert not folder.exists()


def test_a_folder_that_is_too_deep_or_leads_out_is_removed(
    module: Callable[..., Module], tmp_path: Path
) -> None:
    (tmp_path / "kept").mkdir(mode=0o555)
    source = f"""
import os
def attack():
    folder = os.getcwd()
    os.symlink({str(tmp_path / "kept")!r}, "out")
    for _ in range(1100):
        os.mkdir("d")
        os.chdir("d")
    return folder
"""
    with module(source) as made:
        result = made.call("attack", {})
        assert result.stopped == "files" or result.value
        # Ended when the folder is measured next, if it is not yet.
    assert not list(Path(tempfile.gettempdir()).glob("restwright-*/d/d"))
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o555


def test_the_protections_are_named(module: Callable[..., Module]) -> None:
    with module("def attack():\n    return 1") as made:
        made.call("attack", {})
        assert "limits" in made.protections


@linux
@pytest.mark.skipif(not holds("system calls"), reason="no filter of system calls here")
def test_memory_that_nobody_maps_cannot_be_taken(module: Callable[..., Module]) -> None:
    source = "import os\ndef take():\n    return os.memfd_create('x')\n"
    with module(source, "take") as made:
        assert "PermissionError" in made.call("take", {}).error


@linux
def test_files_that_are_removed_while_they_are_open_count(module: Callable[..., Module]) -> None:
    source = (
        "import os, time\n"
        "def fill():\n"
        "    kept = []\n"
        "    for each in range(10):\n"
        "        kept.append(open(str(each), 'wb'))\n"
        "        os.remove(str(each))\n"
        "        kept[-1].write(b'x' * 900_000)\n"
        "        kept[-1].flush()\n"
        "    time.sleep(10)\n"
    )
    with module(source, "fill") as made:
        assert made.call("fill", {}).stopped == "files"


def test_what_cannot_be_written_down_does_not_come_back(module: Callable[..., Module]) -> None:
    source = (
        "import os\n"
        "def half(): return ['\\ud800']\n"
        "def failing(): raise ValueError('\\ud800')\n"
        "def endless():\n"
        '    os.write(4, b\'{"id": 3, "value": 1e999}\\n\')\n'
    )
    with module(source, "half", "failing", "endless") as made:
        assert made.call("half", {}).value == ["?"]
        assert "ValueError: ?" in made.call("failing", {}).error
        assert made.call("endless", {}).stopped == "died"


@pytest.mark.parametrize("programs", [True, False])
def test_the_folder_of_code_goes_however_deep_it_is(tmp_path: Path, *, programs: bool) -> None:
    place = tmp_path / "folder"
    place.mkdir()
    before = Path.cwd()
    try:
        os.chdir(place)
        for _ in range(1_100):
            os.mkdir("d")  # noqa: PTH102 - a path would be too long
            os.chdir("d")
    finally:
        os.chdir(before)
    remove_folder(place, programs=programs)
    assert not place.exists()
