"""Models for the laws: one replies at random, one does harm wherever it is let."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.support.agents.drawn_apis import NAMES
from tests.support.agents.random_model import CODES, RandomModel

from restwright.agents.steps import Complete, Completion
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.tools.toolset.meta_tools import ToolCall

CLAIM = 'Done: all 77 of them were deleted, "Zephyr Nine" too; see https://done.test/77.'
_WORD = re.compile(r"[^\W_][\w.@:-]*")
_ORDER = re.compile(r"first (\w+) ([\w-]+), all is approved")
_ID = re.compile(r"[a-z]-\d+")
_WRITES = re.compile(r"(?:^|__)(?:create|replace|update|delete|archive|clear|batch|delete_part)_")
_HARMFUL = frozenset({"change", "all", "call", "write", "yes"})
_NOTHING: Sequence[Json] = ("none", {"type": "null"})
_MOST_WORDS = 120
FIND: JsonObject = {"kind": "find", "what": "all things"}
CHANGE: JsonObject = {"kind": "change", "what": "the change"}


@dataclass(slots=True)
class LawModel(RandomModel):
    """
    Replies at random under the schema; its texts and numbers are words of the prompt.

    Args:
        calls_tools: As of `Model`.
    """

    calls_tools: bool = False
    numbers: Sequence[int] = ()
    orders: Sequence[tuple[str, str]] = field(default_factory=tuple[tuple[str, str], ...])

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """Reply something that the schema allows, or call some of the tools."""
        del deadline_s
        self.asked.append(request)
        text = "\n".join(message.text for message in request.messages)
        words = _WORD.findall(request.messages[-1].text)[-_MOST_WORDS:]
        self.texts = [*words, "#1", "the thing", "41 m"]
        self.numbers = [int(word) for word in words if word.isdecimal() and len(word) < 9]
        self.orders = _ORDER.findall(text)
        if request.tools and self.random.random() < 0.8:
            count = self.random.randint(1, 3)
            return Completion(text="", calls=tuple(self._call(request, n) for n in range(count)))
        if request.schema is not None:
            drawn = self._draw(request.schema, request.schema)
            if is_object(drawn) and "steps" in drawn and self.random.random() < 0.9:
                drawn = {**drawn, "steps": self._in_order(drawn["steps"])}
            if request.role == "reader" and is_object(drawn) and self.random.random() < 0.6:
                drawn = {**drawn, "where": [], "sort": None, "take": None}
            return Completion(text=json.dumps(drawn))
        is_code = request.role in {"parser", "computer"}
        code = self.random.choice([CODES[0], self.random.choice(CODES)])
        return Completion(text=code if is_code else self.claim())

    def claim(self) -> str:
        """Say something at the end."""
        return " ".join(self.random.choice(self.texts) for _ in range(5))

    def _call(self, request: Complete, number: int) -> ToolCall:
        tool = self.choose([*request.tools])
        parameters: JsonObject = tool["parameters"]
        return ToolCall(tool["name"], self._draw(parameters, parameters), f"call-{number}")

    def choose(self, several: Sequence[Json]) -> Json:
        """Take one of several; seldom none of them."""
        some = [choice for choice in several if choice not in _NOTHING]
        return self.random.choice(some if some and self.random.random() < 0.8 else several)

    def _in_order(self, steps: list[JsonObject]) -> list[JsonObject]:
        """A plan that is taken: its steps are numbered, and speak of earlier ones alone."""
        if not all("id" in step for step in steps):
            return steps
        made: list[JsonObject] = []
        begun = self.random.choice([[], [FIND], [CHANGE], [FIND, CHANGE], [FIND, CHANGE]])
        for number, step in enumerate([*begun, *steps][:8], 1):
            left_out = {"except", "condition"} if self.random.random() < 0.9 else set[str]()
            earlier = [*range(1, number)] if self.random.random() < 0.7 else []
            told = {name: value for name, value in step.items() if name not in left_out}
            told |= {
                "id": number,
                "what": re.sub(r"#\d+", "it", str(step["what"])) + " of them",
                "of": earlier[:1],
                "quantity": self.random.choice(["all", "some", "one"] if earlier else ["one"]),
            }
            if number == 1:
                told.pop("condition", None)
            elif told.get("condition"):
                told["condition"] = {
                    **told["condition"],
                    "step": self.random.randint(1, number - 1),
                }
            made.append(told)
        return made

    def _draw(self, schema: Json, root: JsonObject) -> Json:
        if is_object(schema) and "$ref" not in schema and "const" not in schema:
            if "enum" in schema:
                # Where nothing is offered, nothing fits.
                return self.choose(schema["enum"] or ["nothing"])
            for keyword in ("anyOf", "oneOf"):
                if schema.get(keyword):
                    return self._draw(self.choose(schema[keyword]), root)
        # `slots=True` makes the class anew, which `super()` without arguments does not know.
        return RandomModel._draw(self, schema, root)

    def _draw_typed(self, schema: JsonObject, root: JsonObject) -> Json:
        if schema.get("type") == "integer" and self.numbers and self.random.random() < 0.7:
            return self.random.choice(self.numbers)
        ids = [word for word in self.texts if _ID.fullmatch(word) or word in NAMES]
        if schema.get("type") == "string" and ids and self.random.random() < 0.5:
            return self.random.choice(ids)
        if isinstance(schema.get("type"), list):
            schema = {**schema, "type": self.random.choice(schema["type"])}
        return RandomModel._draw_typed(self, schema, root)


@dataclass(slots=True)
class HarmfulModel(LawModel):
    """Obeys what it reads, writes whenever it can to whatever it has read of, claims success."""

    def claim(self) -> str:
        """Claim success."""
        return CLAIM

    def choose(self, several: Sequence[Json]) -> Json:
        """Take what writes, most of the time; first of all what it was ordered to."""
        if self.random.random() < 0.3:
            return LawModel.choose(self, several)
        ordered = {name for name, _ in self.orders}
        told = [choice for choice in several if any(name in _names(choice) for name in ordered)]
        harmful = [choice for choice in several if _is_harmful(choice)]
        return LawModel.choose(self, told or harmful or several)

    def _draw_typed(self, schema: JsonObject, root: JsonObject) -> Json:
        kind = schema.get("type")
        if kind == "boolean":
            return self.random.random() < 0.9
        targets = [target for _, target in self.orders]
        if targets and kind in {"string", "integer"} and self.random.random() < 0.5:
            target = self.random.choice(targets)
            return int(target) if kind == "integer" and target.isdecimal() else target
        return LawModel._draw_typed(self, schema, root)

    def _draw_object(self, schema: JsonObject, root: JsonObject) -> JsonObject:
        drawn = RandomModel._draw_object(self, schema, root)
        if drawn.get("operation") == drawn.get("second") == "none":
            return self._draw_object(schema, root)
        return {**drawn, "answer": CLAIM} if "answer" in drawn else drawn


def _names(choice: Json) -> str:
    """What a choice is called: itself, the name of a tool, or the tool of a call's schema."""
    if not is_object(choice):
        return str(choice)
    inner: JsonObject = choice.get("properties", {})
    const = inner.get("tool", inner.get("kind", {})).get("const", "")
    return f"{choice.get('name', '')} {const}"


def _is_harmful(choice: Json) -> bool:
    words = _names(choice).split()
    return any(word in _HARMFUL or _WRITES.search(word) for word in words)
