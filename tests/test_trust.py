"""Certificates of the environment, and responses without an end."""

from __future__ import annotations

import socket
import ssl
import threading
import tracemalloc
import zlib
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from restwright.errors import NoResponse, ResponseTooLarge
from restwright.net.message import Request
from restwright.net.transport import Transport


def certificate(folder: Path) -> Path:
    """A certificate for `localhost` that signs itself, with its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path = folder / "own.pem"
    path.write_bytes(pem + signed.public_bytes(serialization.Encoding.PEM))
    return path


def serve(behave: Callable[[socket.socket], None]) -> socket.socket:
    listener = socket.create_server(("127.0.0.1", 0))

    def run() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection, suppress(OSError):
                connection.settimeout(5)
                behave(connection)

    threading.Thread(target=run, daemon=True).start()
    return listener


def test_a_private_authority_is_trusted_where_the_environment_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)

    def behave(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secure:
            secure.recv(65536)
            secure.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    listener = serve(behave)
    request = Request(
        method="GET", url=f"https://localhost:{listener.getsockname()[1]}/", is_named=True
    )
    with Transport(timeout_s=5) as send, pytest.raises(NoResponse, match="certificate"):
        send(request)
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    with Transport(timeout_s=5) as send:
        assert send(request).status == 204
    listener.close()


def test_a_body_of_chunks_without_end_is_stopped_at_the_cap() -> None:
    def behave(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            connection.sendall(b"400\r\n" + b"x" * 1024 + b"\r\n")

    listener = serve(behave)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    with Transport(timeout_s=5, max_bytes=100_000) as send, pytest.raises(ResponseTooLarge):
        send(Request(method="GET", url=url, is_named=True))
    listener.close()


def test_a_bomb_of_200_megabytes_takes_less_than_four_times_the_cap() -> None:
    coder = zlib.compressobj(9, wbits=31)
    zeros = bytes(1_000_000)
    bomb = b"".join([*(coder.compress(zeros) for _ in range(200)), coder.flush()])

    def behave(connection: socket.socket) -> None:
        connection.recv(65536)
        head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(bomb)}\r\n\r\n"
        connection.sendall(head.encode() + bomb)

    listener = serve(behave)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    tracemalloc.start()
    try:
        with Transport(timeout_s=20, max_bytes=1_000_000) as send, pytest.raises(ResponseTooLarge):
            send(Request(method="GET", url=url, is_named=True))
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()
        listener.close()
