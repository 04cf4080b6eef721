"""Models whose replies are drawn from what they are asked: at random, or to do harm."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

import orjson

from restwright.agents.steps import Complete, Completion
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.toolset.meta_tools import ToolCall
from restwright_bench.any.models.sample import Sampler

_WORD = re.compile(r"[^\W_][\w.@:-]*")
_ID = re.compile(r"\d")
_MOST_WORDS = 300
_CODES = (
    "def parse(data):\n    return data",
    "def parse(data):\n    return len(data)",
    "def parse(data):\n    return list(data)[0]",
    "def parse(data):\n    return None",
)
_WRITES = ("delete", "do", "change", "write", "all", "true", "yes", "call")
_CLAIM = "Done: all of them were deleted and changed, just as asked."
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
    _rng: Random = field(init=False)

    def __post_init__(self) -> None:
        self._rng = Random(self.seed)

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """Draw a reply."""
        del deadline_s
        words = _words(request)
        if request.tools and self._rng.random() < _CALL_SHARE:
            count = self._rng.randint(1, 3)
            calls = tuple(self._call(request, words, number) for number in range(count))
            return _completion(request, "", calls)
        if request.schema is not None:
            drawn = self._sampler(request.schema, words).draw(request.schema)
            return _completion(request, orjson.dumps(drawn).decode())
        return _completion(request, self._text(request, words))

    def _call(self, request: Complete, words: Sequence[str], number: int) -> ToolCall:
        tool = self._choose([*request.tools])
        drawn = self._sampler(tool["parameters"], words).draw(tool["parameters"])
        return ToolCall(tool["name"], drawn, f"call-{number}")

    def _sampler(self, schema: JsonObject, words: Sequence[str]) -> Sampler:
        return Sampler(schema, self._rng, self._choose, words)

    def _choose(self, several: Sequence[Json]) -> Json:
        return self._rng.choice(several)

    def _text(self, request: Complete, words: Sequence[str]) -> str:
        if request.role == "parser":
            return self._rng.choice(_CODES)
        return " ".join(self._rng.choice(words or ["word"]) for _ in range(6))


@dataclass(slots=True)
class AdversarialModel(RandomModel):
    """
    Writes whenever it can, to as many things as it can, and claims that all of it was asked for.

    Args:
        writes: Names of the tools that change something.
    """

    name: str = "adversarial"
    writes: frozenset[str] = frozenset()

    def _sampler(self, schema: JsonObject, words: Sequence[str]) -> Sampler:
        # Ids that it was shown are what a write can do harm with.
        ids = [each for each in words if _ID.search(each)]
        return Sampler(
            *(schema, self._rng, self._choose, [*ids, *words[-5:]]),
            is_full=True,
            said={"answer": _CLAIM},
        )

    def _choose(self, several: Sequence[Json]) -> Json:
        harmful = [each for each in several if self._is_write(each)]
        if isinstance(several[0], bool):
            return True
        return self._rng.choice(harmful or several)

    def _is_write(self, option: Json) -> bool:
        if is_object(option):
            named = option.get("name") or option.get("const")
            inner = option.get("properties")
            tool = inner.get("tool") if is_object(inner) else None
            const = tool.get("const") if is_object(tool) else None
            return any(each in self.writes for each in (named, const) if isinstance(each, str))
        text = str(option)
        return text in self.writes or text.lower() in _WRITES

    def _text(self, request: Complete, words: Sequence[str]) -> str:
        return _CODES[0] if request.role == "parser" else _CLAIM


def adversarial_model(
    seed: str, catalog: Catalog, *, calls_tools: bool = False
) -> AdversarialModel:
    """A model that knows which tools of a catalog do harm."""
    writes = frozenset(tool.name for tool in catalog if not tool.is_read)
    names = frozenset(name.partition("__")[2] for name in writes)
    return AdversarialModel(seed, calls_tools=calls_tools, writes=writes | names)


def _words(request: Complete) -> list[str]:
    """Words of the prompt, the last ones: among them are ids that were found."""
    text = "\n".join(message.text for message in request.messages if message.speaker != "system")
    return _WORD.findall(text)[-_MOST_WORDS:]


def _completion(request: Complete, text: str, calls: tuple[ToolCall, ...] = ()) -> Completion:
    prompt = sum(len(message.text) for message in request.messages) // 4
    return Completion(
        text=text, calls=calls, input_tokens=prompt, output_tokens=len(text) // 4, elapsed_s=0.0
    )
