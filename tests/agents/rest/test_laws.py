"""The laws of the agent, for any replies of its model."""

from __future__ import annotations

import json
import re
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agents.rest.test_rest import CREW, DRAFTS, HARBOUR, SHIPS
from tests.support.agents.random_model import RandomModel
from tests.support.properties import examples

from restwright.agents.agent import Agent
from restwright.agents.events import Event
from restwright.agents.rest.rest import run_rest
from restwright.agents.runtime.budget import Limits
from restwright.calls.approval.approval import approve_all
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, reply
from restwright.tools.catalog.catalog import catalog

TOOLS = catalog(load(HARBOUR, alias="port"))
TEXTS = ("Aurora", "s-1", "s-2", "s-99", "#1", "Winter", "all", "delete #1", "the longest ship")
WRITES = frozenset({"delete_ship", "delete_draft", "delete_drafts", "change"})


class Harbour:
    """The harbour with a state: what is deleted is gone, and some deletions fail."""

    def __init__(self, *, failing: bool) -> None:
        self.ships = {ship["id"]: ship for ship in SHIPS}
        self.drafts = {draft["id"]: draft for draft in DRAFTS}
        self.failing = failing
        self.log: list[tuple[str, str, int, str]] = []

    def __call__(self, request: Request) -> Response:
        path = re.sub(r"^https?://[^/]+", "", request.url).partition("?")[0]
        response = self.answer(request.method.upper(), path.strip("/").split("/"))
        self.log.append((request.method.upper(), path, response.status, response.body.decode()))
        return response

    def answer(self, method: str, parts: list[str]) -> Response:
        if method == "DELETE" and self.failing:
            return reply(409, {"detail": "it is locked"})
        kept: dict[str, object] = {
            **{str(key): value for key, value in self.ships.items()},
            **{str(key): value for key, value in self.drafts.items()},
        }
        if len(parts) == 1:
            things = self.ships if parts[0] == "ships" else self.drafts
            return reply(200, list(things.values()))
        if parts[1] not in kept:
            return reply(404, {"detail": "there is none"})
        if method == "DELETE":
            (self.ships if parts[0] == "ships" else self.drafts).pop(
                parts[1] if parts[0] == "ships" else int(parts[1]), None
            )
            return reply(204)
        return reply(200, CREW if parts[-1] == "crew" else kept[parts[1]])


def run(
    seed: int, *, failing: bool, prefers: frozenset[str]
) -> tuple[list[Event], Harbour, RandomModel]:
    model = RandomModel(Random(seed), TEXTS, prefers)  # noqa: S311  (no secret is made of it)
    world, events = Harbour(failing=failing), list[Event]()
    agent = Agent(
        TOOLS,
        model=model,
        send=RecordingTransport(world),
        approve=approve_all,
        limits=Limits(steps=80),
        on_event=events.append,
        kind=lambda agent, asked: run_rest(asked, agent.catalog, policy=agent.policy),
    )
    agent.ask("Which ship is the longest? Delete the draft Winter and ship s-1.")
    return events, world, model


runs = given(
    seed=st.integers(0, 2**32),
    failing=st.booleans(),
    prefers=st.sampled_from([frozenset[str](), WRITES]),
)


@settings(max_examples=examples(300))
@runs
def test_no_write_is_sent_on_a_collection_or_after_a_failure(
    seed: int, failing: bool, prefers: frozenset[str]
) -> None:
    _, world, _ = run(seed, failing=failing, prefers=prefers)
    writes = [(path, status) for method, path, status, _ in world.log if method != "GET"]
    assert "/drafts" not in [path for path, _ in writes]
    failed = [number for number, (_, status) in enumerate(writes) if status >= 400]
    assert failed in ([], [len(writes) - 1])


@settings(max_examples=examples(300))
@runs
def test_the_target_of_a_write_was_read_before(
    seed: int, failing: bool, prefers: frozenset[str]
) -> None:
    _, world, _ = run(seed, failing=failing, prefers=prefers)
    seen = ""
    for method, path, _, body in world.log:
        target = path.rpartition("/")[2]
        if method != "GET":
            assert re.search(rf"(?<!\w){re.escape(target)}(?!\w)", seen), world.log
        seen += body


@settings(max_examples=examples(300))
@runs
def test_writes_are_sent_once_and_only_where_the_plan_has_a_change(
    seed: int, failing: bool, prefers: frozenset[str]
) -> None:
    events, world, _ = run(seed, failing=failing, prefers=prefers)
    writes = [path for method, path, *_ in world.log if method != "GET"]
    kinds = [event.data.get("type") for event in events if event.kind == "plan"]
    assert len(set(writes)) == len(writes)
    assert not writes or "change" in kinds


@settings(max_examples=examples(300))
@runs
def test_no_prompt_is_asked_twice(seed: int, failing: bool, prefers: frozenset[str]) -> None:
    _, _, model = run(seed, failing=failing, prefers=prefers)
    prompts = [
        json.dumps([request.role, *(message.text for message in request.messages)])
        for request in model.asked
    ]
    assert len(set(prompts)) == len(prompts)
