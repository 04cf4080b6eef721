"""A model that stays, with the real engine and a model of random weights."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.support.tiny_model import write_tiny_model

from restwright.agents.models.local import LocalModel
from restwright.agents.models.model_server import serve_model
from restwright.agents.models.server_channel import (
    Channel,
    Disconnected,
    json_from_request,
    open_channel,
    request_from_json,
)
from restwright.agents.models.server_record import (
    ServerRecord,
    find_record,
    read_record,
    record_path,
    write_record,
)
from restwright.agents.models.shared_model import SharedModel, ask_status, stop_server
from restwright.agents.steps import Complete, Message
from restwright.errors import LimitReached, ModelUnavailable, UsageError
from restwright.net.http.cancellation import CancelToken, OperationCanceled

pytestmark = pytest.mark.process

DEADLINE_S = 60.0


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("model") / "tiny.gguf")


@contextmanager
def serving(
    file: Path,
    *,
    idle_s: float = 60.0,
    socket_path: Path | None = None,
    port: int | None = None,
) -> Generator[ServerRecord]:
    model = LocalModel(file, sha256="tiny")
    records: list[ServerRecord] = []
    ready = threading.Event()

    def tell(record: ServerRecord) -> None:
        records.append(record)
        ready.set()

    def serve() -> None:
        serve_model(model, idle_s=idle_s, socket_path=socket_path, port=port, ready=tell)

    thread = threading.Thread(target=serve)
    thread.start()
    assert ready.wait(30)
    try:
        yield records[0]
    finally:
        stop_server(records[0])
        thread.join(30)
        model.close()
        assert not thread.is_alive()


@pytest.fixture
def server(file: Path) -> Generator[ServerRecord]:
    with serving(file) as record:
        yield record


@pytest.fixture
def client(file: Path) -> Generator[SharedModel]:
    model = SharedModel(LocalModel(file, sha256="tiny"), "local")
    yield model
    model.close()


def request(text: str = "Hi", *, max_tokens: int = 8) -> Complete:
    return Complete(role="test", messages=(Message("user", text),), max_tokens=max_tokens)


ENDLESS = request("Go on", max_tokens=6000)


def is_loaded_here(client: SharedModel) -> bool:
    return client._local.is_loaded


def becomes_true(condition: Callable[[], bool], within_s: float = 10.0) -> bool:
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def is_at_rest(record: ServerRecord) -> bool:
    status = ask_status(record)
    return status is not None and status["requests"] == 0


def test_a_second_process_uses_the_model_that_is_loaded(
    server: ServerRecord, client: SharedModel, file: Path
) -> None:
    pieces: list[str] = []
    streamed = client.stream(request(), deadline_s=DEADLINE_S, tell=pieces.append)
    completed = client.complete(request(), deadline_s=DEADLINE_S)
    assert not is_loaded_here(client)
    own = LocalModel(file)
    assert own.complete(request(), deadline_s=DEADLINE_S).text == completed.text
    own.close()
    assert "".join(pieces) == streamed.text == completed.text
    assert (completed.output_tokens, completed.finish) == (8, "length")


def test_a_request_is_the_same_at_the_server() -> None:
    schema = {"type": "object", "properties": {"x": {"enum": ["a"]}}, "required": ["x"]}
    messages = (Message("system", "Be terse.", is_static=True), Message("user", "Hi"))
    asked = Complete(
        role="planner", messages=messages, schema=schema, max_tokens=7, temperature=0.5
    )
    given = json.loads(json.dumps(json_from_request(asked, time.monotonic() + 5)))
    assert request_from_json(given) == asked
    assert [message.is_static for message in request_from_json(given).messages] == [True, False]
    assert 4 < given["deadline_s"] <= 5


def test_the_record_and_the_socket_are_private_and_the_key_is_not_shown(
    server: ServerRecord,
) -> None:
    path = record_path("local")
    modes = [stat.S_IMODE(each.stat().st_mode) for each in (path, path.parent)]
    assert modes == [0o600, 0o700]
    assert isinstance(server.address, str)
    assert stat.S_IMODE(Path(server.address).stat().st_mode) == 0o600
    assert stat.S_IMODE(Path(server.address).parent.stat().st_mode) == 0o700
    assert server.key not in repr(server)
    assert server.pid == os.getpid()


def test_a_port_is_one_of_the_loopback_interface_and_asks_for_the_key(
    file: Path, client: SharedModel
) -> None:
    with serving(file, port=0) as record:
        assert record.address[0] == "127.0.0.1"
        assert client.complete(request(), deadline_s=DEADLINE_S).output_tokens == 8
        assert not is_loaded_here(client)
        with pytest.raises(Disconnected), open_channel(record.address, b"guessed"):
            pass
        with socket.create_connection(record.address) as stranger:
            stranger.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert is_at_rest(record)


def test_a_chosen_socket_is_used_and_removed(
    file: Path, client: SharedModel, tmp_path: Path
) -> None:
    path = Path(os.path.relpath(tmp_path / "m.sock"))
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    with serving(file, socket_path=path) as record:
        assert record.address == str(tmp_path / "m.sock")
        assert client.complete(request(), deadline_s=DEADLINE_S).output_tokens == 8
    assert not path.exists()
    assert read_record("local") is None


def test_what_is_there_is_not_replaced_by_a_socket(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.write_text("mine")
    model = LocalModel(file, sha256="tiny")
    with pytest.raises(UsageError, match=r"cannot listen on .*notes"):
        serve_model(model, idle_s=1, socket_path=path, ready=lambda record: None)
    with pytest.raises(UsageError, match="too long for a socket"):
        serve_model(model, idle_s=1, socket_path=tmp_path / ("x" * 120), ready=lambda record: None)
    with pytest.raises(UsageError, match="cannot listen on 70000"):
        serve_model(model, idle_s=1, port=70000, ready=lambda record: None)
    assert path.read_text() == "mine"


def test_clients_are_served_in_the_order_in_which_they_come(
    server: ServerRecord, file: Path
) -> None:
    order: list[int] = []

    def ask(number: int) -> None:
        model = SharedModel(LocalModel(file, sha256="tiny"), "local")
        model.complete(request(max_tokens=300), deadline_s=DEADLINE_S)
        order.append(number)

    def waits(count: int) -> bool:
        status = ask_status(server)
        return status is not None and status["requests"] == count

    with ThreadPoolExecutor(4) as pool:
        blocked = SharedModel(LocalModel(file, sha256="tiny"), "local")
        pool.submit(blocked.complete, request(max_tokens=2000), deadline_s=DEADLINE_S)
        assert becomes_true(lambda: waits(1))
        for number in range(3):
            pool.submit(ask, number)
            assert becomes_true(lambda: waits(number + 2))  # noqa: B023 - called at once
    assert order == [0, 1, 2]


def test_the_deadline_ends_a_request_at_the_server(
    server: ServerRecord, client: SharedModel
) -> None:
    with pytest.raises(LimitReached) as raised:
        client.complete(ENDLESS, deadline_s=0.3)
    assert raised.value.limit == "seconds"
    assert becomes_true(lambda: is_at_rest(server))
    assert not is_loaded_here(client)


def test_who_is_canceled_ends_the_request_at_the_server(
    server: ServerRecord, client: SharedModel
) -> None:
    token = CancelToken()
    threading.Timer(0.3, token.cancel).start()
    with token.cancelable(), pytest.raises(OperationCanceled):
        client.complete(ENDLESS, deadline_s=DEADLINE_S)
    assert becomes_true(lambda: is_at_rest(server))
    assert client.complete(request(), deadline_s=DEADLINE_S).output_tokens == 8


CLIENT = """
import sys
from pathlib import Path
from restwright.agents.models.local import LocalModel
from restwright.agents.models.shared_model import SharedModel
from restwright.agents.steps import Complete, Message
model = SharedModel(LocalModel(Path(sys.argv[1]), sha256="tiny"), "local")
asked = Complete(role="x", messages=(Message("user", "Go on"),), max_tokens=6000)
print("asking", flush=True)
model.complete(asked, deadline_s=300)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_client_that_ends_ends_its_request(
    server: ServerRecord, file: Path, how: signal.Signals
) -> None:
    client = subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", CLIENT, str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert client.stdout is not None
        assert client.stdout.readline() == b"asking\n"
        assert becomes_true(lambda: not is_at_rest(server), 20)
        client.send_signal(how)
        assert becomes_true(lambda: is_at_rest(server))
    finally:
        client.kill()
        client.communicate()


def test_the_server_ends_when_it_is_stopped_and_the_next_request_is_answered_here(
    file: Path, client: SharedModel
) -> None:
    with serving(file) as record:
        assert stop_server(record)
        assert becomes_true(lambda: read_record("local") is None)
    assert not stop_server(record)
    assert ask_status(record) is None
    assert client.complete(request(), deadline_s=DEADLINE_S).output_tokens == 8
    assert is_loaded_here(client)


def test_a_request_that_is_stopped_with_the_server_is_answered_here(
    file: Path, client: SharedModel
) -> None:
    with serving(file) as record, ThreadPoolExecutor(1) as pool:
        asked = pool.submit(client.complete, ENDLESS, deadline_s=DEADLINE_S)
        assert becomes_true(lambda: not is_at_rest(record))
        stop_server(record)
        assert asked.result().output_tokens > 100
    assert is_loaded_here(client)


def test_a_reply_that_breaks_off_after_its_first_piece_is_an_error(
    file: Path, client: SharedModel
) -> None:
    with serving(file) as record:

        def stop(piece: str) -> None:
            stop_server(record)

        with pytest.raises(ModelUnavailable, match="in the middle of a reply"):
            client.stream(ENDLESS, deadline_s=DEADLINE_S, tell=stop)


def test_it_ends_after_it_was_idle(file: Path) -> None:
    with serving(file, idle_s=0.2) as record:
        assert becomes_true(lambda: read_record("local") is None)
        assert isinstance(record.address, str)
        assert becomes_true(lambda: not Path(record.address).parent.exists())


def stale(**changed: object) -> ServerRecord:
    kept: dict[str, object] = {"version": "", "sha256": "tiny", "pid": os.getpid(), "key": "00"}
    return ServerRecord(**kept | {"address": "/nowhere/s.sock"} | changed)  # type: ignore[arg-type]


def test_a_record_that_leads_nowhere_is_ignored(client: SharedModel) -> None:
    from restwright import __version__

    write_record("local", stale(version=__version__))
    assert find_record("local", "tiny") is not None
    assert client.complete(request(), deadline_s=DEADLINE_S).output_tokens == 8
    assert is_loaded_here(client)


def test_a_record_of_another_version_file_or_dead_process_is_ignored() -> None:
    from restwright import __version__

    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    for record in (
        stale(version="0.0.1"),
        stale(version=__version__, sha256="other"),
        stale(version=__version__, pid=ended.pid),
    ):
        write_record("local", record)
        assert read_record("local") == record
        assert find_record("local", "tiny") is None


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"address": 3}', b"\xff"])
def test_a_damaged_record_is_none(content: bytes) -> None:
    write_record("local", stale())
    record_path("local").write_bytes(content)
    assert read_record("local") is None


def test_a_record_that_others_may_change_is_not_believed() -> None:
    write_record("local", stale())
    record_path("local").chmod(0o666)
    assert read_record("local") is None


def test_a_server_that_hangs_is_given_up(client: SharedModel, tmp_path: Path) -> None:
    """One that accepts and says nothing, as a stopped process does."""
    from restwright import __version__

    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "s"))
        silent.listen()
        write_record("local", stale(version=__version__, address=str(tmp_path / "s")))
        assert client.complete(request(), deadline_s=DEADLINE_S).output_tokens == 8
    assert is_loaded_here(client)


def test_a_client_that_says_nothing_holds_nobody_up(
    server: ServerRecord, client: SharedModel
) -> None:
    assert isinstance(server.address, str)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.connect(server.address)
        assert client.complete(request(), deadline_s=DEADLINE_S).output_tokens == 8
    assert not is_loaded_here(client)


def test_a_request_that_cannot_be_read_ends_nothing(server: ServerRecord) -> None:
    for message in ({"do": "complete"}, {"do": "dance"}, {}):
        with open_channel(server.address, bytes.fromhex(server.key)) as channel:
            send_and_wait(channel, message)
    assert is_at_rest(server)


def send_and_wait(channel: Channel, message: dict[str, str]) -> None:
    channel.send(message)
    with suppress(Disconnected):
        assert "error" in channel.receive(10)
