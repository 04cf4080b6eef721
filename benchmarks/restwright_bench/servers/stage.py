"""A real server as tasks meet it: filled, with its document as tools, and as it was for each."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from restwright.calls.auth.connection import Connection
from restwright.net.http.transport import Transport
from restwright.net.messages import Request, Response
from restwright.net.secret import Secret
from restwright.openapi.api import load
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright_bench.servers.client import Client, RefusedByServer
from restwright_bench.servers.process import serving
from restwright_bench.servers.server import Place, Server, State
from restwright_bench.servers.tasks import Exam


class Stage:
    """
    A server that runs and is filled; `send` carries requests to it and keeps what came of them.

    Raises:
        ServerDidNotStart: It did not answer in time.
    """

    def __init__(self, server: Server, installed: Path, exam: Exam, transport: Transport) -> None:
        self.server, self.exam = server, exam
        self.log: list[tuple[str, int]] = []
        self._installed, self._transport = installed, transport
        self._running = ExitStack()
        self._catalog: Catalog | None = None
        self._start()

    def reset(self) -> None:
        """Bring the state back: a server whose state has changed is emptied, or replaced."""
        self.log.clear()
        if self.state() != self.filled and not self._refill():
            self.close()
            self._start()

    def close(self) -> None:
        """End the process and remove its folder."""
        self._running.close()

    def state(self) -> State:
        """How things are now."""
        return self.server.read(self._client)

    @property
    def tools(self) -> Catalog:
        """Those of the document that the server gives of itself."""
        if self._catalog is None:
            file = self._place.run / "openapi.document"
            file.write_text(self.server.document(self._client, self._place), encoding="utf-8")
            self._catalog = catalog(load(str(file)))
        return self._catalog

    @property
    def connections(self) -> Mapping[str, Connection]:
        """How agents reach it."""
        server = self.server
        credential: Any = Secret(server.key) if server.key else "none"
        connection = Connection(
            server=f"{self._client.origin}{server.prefix}", headers=server.headers, auth=credential
        )
        return dict.fromkeys(self.tools.apis, connection)

    def send(self, request: Request) -> Response:
        """Carry a request."""
        response = self._transport(request)
        self.log.append((f"{request.method} {request.url}", response.status))
        return response

    def _refill(self) -> bool:
        """Whether the server could be emptied and filled again, with as many things as before."""
        if self.server.empty is None:
            return False
        sizes = _sizes(self.filled)
        try:
            self.server.empty(self._client)
            self.server.fill(self._client, self.exam.things)
            self.filled = self.state()
        except RefusedByServer:
            return False
        return _sizes(self.filled) == sizes

    def _start(self) -> None:
        running = serving(self.server, self._installed)
        self._client: Client
        self._place: Place
        self._client, self._place = self._running.enter_context(running)
        self.server.fill(self._client, self.exam.things)
        self.filled = self.state()


def _sizes(state: State) -> dict[str, int]:
    return {name: len(table) for name, table in state.items()}


@contextmanager
def staged(server: Server, installed: Path, exam: Exam) -> Generator[Stage]:
    """Run a server until the block ends."""
    with Transport() as transport:
        stage = Stage(server, installed, exam, transport)
        try:
            yield stage
        finally:
            stage.close()
