"""The local model where it is loaded already: in a server that stays, else in this process."""

from __future__ import annotations

import time
from collections.abc import Callable

from restwright.agents.models.local import LocalModel, ignore_piece, refuse_files
from restwright.agents.models.server_channel import (
    ANSWER_S,
    Channel,
    Disconnected,
    error_from_json,
    json_from_request,
    open_channel,
)
from restwright.agents.models.server_record import ServerRecord, find_record
from restwright.agents.steps import Complete, Completion
from restwright.errors import LimitReached, ModelUnavailable
from restwright.jsontypes import JsonObject
from restwright.net.http.cancellation import allow_cancellation


class SharedModel:
    """
    Asks the server of a model where one runs, else loads the model here.

    Once it is loaded here it is asked here. To be closed after use.

    Args:
        local: The model in this process.
        entry: Its name in the table of local models.
    """

    def __init__(self, local: LocalModel, entry: str) -> None:
        self._local, self._entry = local, entry

    @property
    def name(self) -> str:
        """What it was chosen by."""
        return self._local.name

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """Answer as `LocalModel.complete` does."""
        refuse_files(request, self.name)
        deadline = time.monotonic() + deadline_s
        try:
            return self._ask_server(request, deadline, ignore_piece)
        except Disconnected:
            return self._local.complete(request, deadline_s=deadline - time.monotonic())

    def stream(
        self, request: Complete, *, deadline_s: float, tell: Callable[[str], None]
    ) -> Completion:
        """
        Answer as `complete` does, and tell each piece of the text as it comes.

        Raises:
            ModelUnavailable: The server ended after it had told a piece, or a message has a file.
        """
        refuse_files(request, self.name)
        deadline = time.monotonic() + deadline_s
        told: list[str] = []

        def note(piece: str) -> None:
            told.append(piece)
            tell(piece)

        try:
            return self._ask_server(request, deadline, note)
        except Disconnected:
            if told:
                why = "its server ended in the middle of a reply"
                raise ModelUnavailable(self.name, why, "ask again") from None
        return self._local.stream(request, deadline_s=deadline - time.monotonic(), tell=tell)

    def close(self) -> None:
        """Free the memory of this process; a server stays."""
        self._local.close()

    def _ask_server(
        self, request: Complete, deadline: float, tell: Callable[[str], None]
    ) -> Completion:
        record = None if self._local.is_loaded else find_record(self._entry, self._local.sha256)
        if record is None:
            raise Disconnected
        started = time.monotonic()
        with open_channel(record.address, bytes.fromhex(record.key)) as channel:
            channel.send(json_from_request(request, deadline))
            with allow_cancellation(channel.shut_down):
                given = _await_completion(channel, deadline, started, tell)
        if "error" in given:
            raise error_from_json(self.name, given["error"])
        return Completion(**given["completion"])


def _await_completion(
    channel: Channel, deadline: float, started: float, tell: Callable[[str], None]
) -> JsonObject:
    while True:
        try:
            # The server minds the deadline; this is for one that hangs.
            given = channel.receive(max(0.0, deadline - time.monotonic()) + ANSWER_S)
        except TimeoutError:
            raise LimitReached("seconds", time.monotonic() - started) from None
        if "piece" not in given:
            return given
        tell(given["piece"])


def ask_status(record: ServerRecord) -> JsonObject | None:
    """Return `{"pid", "version", "requests"}` of a server; None where it does not answer."""
    return _ask(record, "status")


def stop_server(record: ServerRecord) -> bool:
    """Have a server end; False where it does not answer."""
    return _ask(record, "stop") is not None


def _ask(record: ServerRecord, what: str) -> JsonObject | None:
    try:
        with open_channel(record.address, bytes.fromhex(record.key)) as channel:
            channel.send({"do": what})
            return channel.receive(ANSWER_S)
    except (Disconnected, TimeoutError):
        return None
