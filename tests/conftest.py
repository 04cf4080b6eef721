"""Every test runs offline, in a home folder of its own."""

from __future__ import annotations

import gc
import itertools
import os
import signal
import socketserver
import sys
from pathlib import Path

import pytest
from tests.support.properties import load_profile

LOOPBACK = ("127.", "::1", "localhost", "0.0.0.0")  # noqa: S104 - only compared with
FOLDERS = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
PREFIXES = ("RESTWRIGHT_", "OPENAI_", "ANTHROPIC_", "GOOGLE_", "GEMINI_")
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


load_profile()

# Thousands of test items stay to the end; looking through them over and over finds nothing.
gc.set_threshold(100_000, 50, 100)


HERE = Path(__file__).parent
MARKED = {HERE / "corpus": "corpus", HERE / "model": "model", HERE / "web" / "browser": "web"}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Pass over folders of which no test is going to run: each process would import them all."""
    marker = MARKED.get(collection_path)
    is_left_out = marker is not None and f"not {marker}" in config.getoption("markexpr")
    return True if is_left_out else None


def pytest_collection_finish() -> None:
    """Leave what was collected out of all that is looked through later."""
    gc.collect()
    gc.freeze()


NUMBERS = itertools.count()


class Outside(RuntimeError):
    """A test tried to reach something that is not this machine."""


def forbid_the_network(event: str, arguments: tuple[object, ...]) -> None:
    """Refuse to connect, or to look up a name, outside the loopback interface."""
    if event == "socket.connect":
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None
    elif event == "socket.getaddrinfo":
        host = arguments[0]
    else:
        return
    host = host.decode() if isinstance(host, bytes) else host
    if isinstance(host, str) and host and not host.startswith(LOOPBACK):
        raise Outside(f"{event} to {host}")


# An audit hook sees every socket of this process, whoever opens it, and cannot be undone by a test.
sys.addaudithook(forbid_the_network)

# A client that gives up is no fault of a server; its thread would say so within some other test.
socketserver.BaseServer.handle_error = lambda *_: None

# A shell that runs the tests in the background has them ignore Ctrl-C, which some of them send.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def home(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path | None:
    """Point the platform's folders to an empty one; tests of the model keep the real cache."""
    for name in list(os.environ):
        if name.upper() in PROXIES or name.startswith(PREFIXES):
            monkeypatch.delenv(name)
    if request.node.get_closest_marker("model"):
        return None
    # Not `tmp_path`, which takes longer to make and to remove than most tests do.
    folder = tmp_path_factory.getbasetemp() / f"home-{next(NUMBERS)}"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in FOLDERS:
        monkeypatch.setenv(name, str(folder / name.lower()))
    return folder
