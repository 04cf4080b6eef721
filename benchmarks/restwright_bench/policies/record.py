"""Keeps what a policy did, and does it again: the same score without the policy, or its model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

from restwright.jsontypes import JsonObject
from restwright_bench.policies.run import Ran, Said, Task
from restwright_bench.queries.scores import Usage
from restwright_bench.world.exchange import Received

Key = tuple[str, int, int]
"""API, index of the query, seed."""


def transcript(ran: Ran, *, seed: int, policy: str) -> JsonObject:
    """
    A run as one JSON line.

    Its requests have the credentials of the world, which are no secret; `completions` are what a
    model was asked and said, as far as the policy has told.
    """
    completions = [each for each in ran.said.trace if each.get("step") == "complete"]
    return {
        "api": ran.score.api,
        "index": ran.score.index,
        "seed": seed,
        "policy": policy,
        "requests": [_written(each) for each in ran.requests],
        "completions": completions,
        "answer": ran.said.answer,
        "stopped": ran.said.stopped,
        "usage": asdict(ran.said.usage) | {"seconds": ran.score.seconds},
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayPolicy:
    """Sends what transcripts hold; a query that none is of is answered by nothing."""

    transcripts: Mapping[Key, JsonObject] = field(repr=False)
    name: str = "replay"

    def answer(self, task: Task) -> Said:
        """Send the requests of the transcript again, and say what was said."""
        key = (task.query.api, task.query.index, task.running.seed)
        kept = self.transcripts.get(key)
        if kept is None:
            return Said(stopped="not recorded")
        for each in kept["requests"]:
            # Not by `task.send`: what was recorded was let in already.
            task.running.answer(_read(each))
        return Said(
            answer=kept["answer"],
            stopped=kept["stopped"],
            usage=Usage(**kept["usage"]),
            trace=tuple(kept["completions"]),
        )


def replay(records: Iterable[JsonObject]) -> ReplayPolicy:
    """A policy of transcripts; of two for one query and seed, the later one holds."""
    kept = {(each["api"], each["index"], each["seed"]): each for each in records}
    return ReplayPolicy(transcripts=kept)


def _written(received: Received) -> JsonObject:
    return {
        "method": received.method,
        "path": received.path,
        "query": [list(each) for each in received.query],
        "headers": {
            name: value
            for name, value in received.headers.items()
            if name in {"authorization", "content-type"}
        },
        "body": received.body.decode("utf-8", "replace"),
    }


def _read(record: JsonObject) -> Received:
    return Received(
        method=record["method"],
        path=record["path"],
        query=tuple((name, text) for name, text in record["query"]),
        headers=record["headers"],
        body=record["body"].encode(),
    )
