"""Starting and stopping the shop."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading

import pytest

from restwright.demo.server import running
from restwright.net.http.transport import Transport
from restwright.net.messages import Request

SERVE = """
from restwright.demo.server import serve
try:
    serve(token="t", on_start=lambda shop: print(shop.document_url, flush=True))
except KeyboardInterrupt:
    print("stopped")
"""
WITHOUT_UVICORN = """
import sys
sys.modules["uvicorn"] = None
from restwright.demo.server import running
from restwright.errors import MissingExtra
try:
    with running():
        pass
except MissingExtra as error:
    print(error)
"""
IMPORTED = """
import sys, restwright.demo, restwright.demo.server
print(sorted({"starlette", "uvicorn", "sqlite3"} & set(sys.modules)))
"""


def test_a_token_is_made_up_anew_and_kept_out_of_the_repr() -> None:
    with running() as one, running() as other:
        assert one.token != other.token
        assert one.token not in repr(one)
        assert len(one.token) >= 32


def test_nothing_is_left_when_it_has_stopped() -> None:
    with running() as shop, Transport() as send:
        port = int(shop.url.rpartition(":")[2])
        assert send(Request(method="GET", url=shop.document_url, is_named=True)).status == 200
    assert "demo shop" not in {thread.name for thread in threading.enumerate()}
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


def test_it_stops_when_its_user_fails() -> None:
    def fail() -> None:
        with running():
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    assert "demo shop" not in {thread.name for thread in threading.enumerate()}


def test_a_client_that_leaves_early_disturbs_nothing() -> None:
    with running() as shop, Transport() as send:
        port = int(shop.url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(b"POST /orders HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
        assert send(Request(method="GET", url=shop.document_url, is_named=True)).status == 200


def test_head_is_answered_without_a_body() -> None:
    with running() as shop, Transport() as send:
        response = send(Request(method="HEAD", url=f"{shop.url}/products", is_named=True))
        assert (response.status, response.body) == (200, b"")


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match="Address already in use") as caught, running(port=port):
            pass
        assert caught.value.filename == f"127.0.0.1:{port}"


@pytest.mark.process
def test_ctrl_c_stops_serving() -> None:
    with subprocess.Popen(  # noqa: S603 - our own code
        [sys.executable, "-W", "error", "-c", SERVE],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        url = process.stdout.readline().strip()
        with Transport() as send:
            assert send(Request(method="GET", url=url, is_named=True)).status == 200
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=20) == ("stopped\n", "")


@pytest.mark.process
@pytest.mark.parametrize(
    ("code", "printed"),
    [
        (
            WITHOUT_UVICORN,
            "the demo API needs packages that are not installed; pip install 'restwright[demo]'\n",
        ),
        (IMPORTED, "[]\n"),
    ],
    ids=["without uvicorn", "imports nothing heavy"],
)
def test_import(code: str, printed: str) -> None:
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == printed
