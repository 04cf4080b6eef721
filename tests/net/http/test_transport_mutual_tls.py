"""Certificates of both sides, in handshakes that really take place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.net.authority import Authority
from tests.support.net.drivers import Driver, both, failure, response
from tests.support.net.servers import Server, http, running

from restwright.calls.approval.approval import approve_all
from restwright.calls.auth.connection import Connection
from restwright.calls.auth.credentials import Certificate
from restwright.calls.call import call
from restwright.errors import NoResponse, RefusedRequest
from restwright.net.http.transport import Transport
from restwright.net.messages import ClientCertificate, Request
from restwright.net.secret import Secret
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority.made(tmp_path)


@pytest.fixture
def server(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """It lets in who shows a certificate of the authority that signed its own, too."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.path))
    server = Server((http(b"welcome"),), authority.server(clients=authority))
    with running(server):
        yield server


def of(paths: tuple[Path, Path], *, password: str = "") -> ClientCertificate:
    secret = Secret(password) if password else None
    return ClientCertificate(path=str(paths[0]), key_path=str(paths[1]), password=secret)


def get(server: Server, shown: ClientCertificate | None = None) -> Request:
    return Request(method="GET", url=server.url(), is_named=True, client_certificate=shown)


@both
@pytest.mark.parametrize("password", ["", "correct horse"])
def test_a_client_with_its_certificate_is_let_in(
    server: Server, authority: Authority, drive: Driver, password: str
) -> None:
    shown = of(authority.issue("client", password=password), password=password)
    (outcome,) = drive(get(server, shown))
    assert response(outcome).body == b"welcome"


@both
def test_a_client_without_a_certificate_gets_no_answer(server: Server, drive: Driver) -> None:
    (outcome,) = drive(get(server))
    assert isinstance(outcome, NoResponse)
    assert not server.requests


@both
def test_a_client_of_another_authority_gets_no_answer(
    server: Server, tmp_path: Path, drive: Driver
) -> None:
    stranger = Authority.made(tmp_path, "stranger")
    (outcome,) = drive(get(server, of(stranger.issue("client"))))
    assert isinstance(outcome, NoResponse)
    assert not server.requests


@both
def test_a_server_that_is_not_trusted_is_shown_nothing(
    server: Server,
    authority: Authority,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    drive: Driver,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(Authority.made(tmp_path, "other").path))
    error = failure(drive(get(server, of(authority.issue("client"))))[0])
    assert isinstance(error, NoResponse)
    assert "certificate verify failed" in error.why
    assert (error.sent, server.requests) == (False, [])


@both
def test_a_server_of_another_name_is_not_asked(
    authority: Authority, monkeypatch: pytest.MonkeyPatch, drive: Driver
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.path))
    server = Server(tls=authority.server("api.test"))
    with running(server):
        error = failure(drive(get(server))[0])
    assert "Hostname mismatch" in str(error)
    assert not server.requests


@both
def test_a_connection_with_a_certificate_carries_no_request_without(
    server: Server, authority: Authority, drive: Driver
) -> None:
    shown = of(authority.issue("client"))
    first, second, third = drive(get(server, shown), get(server), get(server, shown))
    assert response(first).body == response(third).body == b"welcome"
    assert isinstance(second, NoResponse)
    assert len(server.requests) == 2


@both
def test_a_key_that_cannot_be_opened_is_refused_without_its_password(
    server: Server, authority: Authority, drive: Driver
) -> None:
    shown = of(authority.issue("client", password="correct horse"), password="canary-77")
    error = failure(drive(get(server, shown))[0])
    assert isinstance(error, RefusedRequest)
    assert "a certificate for it cannot be read" in error.why
    assert "canary-77" not in f"{error!r}{error}"
    missing = replace(shown, path="/nowhere/client.pem")
    assert isinstance(drive(get(server, missing))[0], RefusedRequest)


def test_a_connection_shows_its_certificate_where_the_document_asks_for_one(
    server: Server, authority: Authority
) -> None:
    paths = authority.issue("client", password="correct horse")
    (tool,) = catalog(
        load(
            document(
                paths={"/x": {"get": {"operationId": "op", "responses": {}}}},
                components={"securitySchemes": {"tls": {"type": "mutualTLS"}}},
                security=[{"tls": []}],
            )
        )
    ).tools
    auth = Certificate(str(paths[0]), str(paths[1]), Secret("correct horse"))
    connection = Connection(server=server.url().rstrip("/"), auth=auth)
    with Transport(timeout_s=5) as send:
        result = call(tool, {}, connection=connection, send=send, approve=approve_all)
    assert (result.status, len(server.requests)) == (200, 1)
