"""A model whose replies are drawn at random from what it is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

import orjson

from restwright.agents.steps import Complete, Completion
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.tools.toolset.meta_tools import ToolCall
from restwright_bench.any.models.sample import Sampler

_WORD = re.compile(r"[^\W_][\w.@:-]*")
_MOST_WORDS = 300
CODES = (
    "def parse(data):\n    return data",
    "def parse(data):\n    return len(data)",
    "def parse(data):\n    return list(data)[0]",
    "def parse(data):\n    return None",
)
_CALL_SHARE = 0.8


@dataclass(slots=True)
class RandomModel:
    """
    Replies with anything that fits the schema, or calls any of the tools.

    Args:
        seed: Draws the replies; the same for the same run.
        calls_tools: As of `Model`.
        is_small: Likewise.
    """

    seed: str
    name: str = "random"
    calls_tools: bool = False
    is_small: bool = True
    rng: Random = field(init=False)

    def __post_init__(self) -> None:
        self.rng = Random(self.seed)

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """Draw a reply."""
        del deadline_s
        words = _words(request)
        if request.tools and self.rng.random() < _CALL_SHARE:
            count = self.rng.randint(1, 3)
            calls = tuple(self._call(request, words, number) for number in range(count))
            return _completion(request, "", calls)
        if request.schema is not None:
            drawn = self.sampler(request.schema, words).draw(request.schema)
            if request.role == "planner" and is_object(drawn) and "steps" in drawn:
                drawn = {**drawn, "steps": put_in_order(drawn["steps"])}
            return _completion(request, orjson.dumps(drawn).decode())
        return _completion(request, self.text(request, words))

    def _call(self, request: Complete, words: Sequence[str], number: int) -> ToolCall:
        tool = self.choose([*request.tools])
        drawn = self.sampler(tool["parameters"], words).draw(tool["parameters"])
        return ToolCall(tool["name"], drawn, f"call-{number}")

    def sampler(self, schema: JsonObject, words: Sequence[str]) -> Sampler:
        """What draws values of a schema; texts are taken from `words`."""
        return Sampler(schema, self.rng, self.choose, words)

    def choose(self, several: Sequence[Json]) -> Json:
        """Take one of several."""
        return self.rng.choice(several)

    def text(self, request: Complete, words: Sequence[str]) -> str:
        """Say something where no schema is asked for."""
        if request.role == "parser":
            return self.rng.choice(CODES)
        return " ".join(self.rng.choice(words or ["word"]) for _ in range(6))


def put_in_order(steps: Sequence[JsonObject]) -> list[JsonObject]:
    """
    Make a plan of drawn steps that can be taken: else its planner alone is measured.

    Steps are numbered, and speak of earlier ones alone; a condition is of one that finds one thing.
    """
    ordered: list[JsonObject] = []
    for number, step in enumerate(steps, 1):
        # What it leaves out would have to be named in the message.
        taken = {name: step[name] for name in step if name not in {"condition", "except"}}
        taken |= {"id": number} if "id" in step else {}
        taken |= {"of": list(range(1, number))} if "of" in step else {}
        finding = [
            one["id"]
            for one in ordered
            if (one.get("kind"), one.get("quantity")) == ("find", "one")
        ]
        if step.get("condition") and finding:
            holds = step["condition"].get("holds", True)
            taken["condition"] = {"step": finding[-1], "holds": holds}
        ordered.append(taken)
    return ordered


def _words(request: Complete) -> list[str]:
    """Words of the prompt, the last ones: among them are ids that were found."""
    text = "\n".join(message.text for message in request.messages if message.speaker != "system")
    return _WORD.findall(text)[-_MOST_WORDS:]


def _completion(request: Complete, text: str, calls: tuple[ToolCall, ...] = ()) -> Completion:
    prompt = sum(len(message.text) for message in request.messages) // 4
    return Completion(
        text=text, calls=calls, input_tokens=prompt, output_tokens=len(text) // 4, elapsed_s=0.0
    )
