"""A client of the music service, in process: requests in one line, every answer checked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from restwright.jsontypes import Json
from restwright_bench.spotify import SpotifyState, let_in, spotify_api
from restwright_bench.world.api import Running
from restwright_bench.world.exchange import Answer, Received

FOLDER = Path(__file__).parents[3].parent / "shared" / "data" / "restbench"
needs_restbench = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="the data of RestBench is not beside the checkout"
)


@dataclass
class Client:
    """Sends requests with all scopes."""

    running: Running

    @property
    def state(self) -> SpotifyState:
        state = self.running.state
        assert isinstance(state, SpotifyState)
        return state

    def __call__(self, method: str, path: str, body: Json = None, **query: Json) -> Answer:
        received = Received(
            method=method,
            path=path,
            query=tuple((name, str(value)) for name, value in query.items()),
            body=b"" if body is None else json.dumps(body).encode(),
        )
        answer = self.running.answer(let_in(received))
        self.check(answer)
        return answer

    def check(self, answer: Answer) -> None:
        """That the document tells of the status, and that the body fits its schema."""
        line = self.running.log[-1]
        if line.status >= 400:
            assert answer.body["error"]["status"] == line.status
            return
        route = next(
            each
            for each in self.running.api.routes
            if (each.method, each.template) == (line.method, line.template)
        )
        assert line.handled == "handler"
        assert line.status in route.statuses
        checker = route.response_checkers.get(line.status)
        assert (checker is None) == (answer.body is None)
        if checker is not None:
            checker.validate(answer.body)


def client_of(seed: int) -> Client:
    """A client of a world of its own."""
    return Client(Running(spotify_api(FOLDER), seed=seed))
