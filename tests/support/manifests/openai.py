"""A model that follows a script, behind an OpenAI-compatible server on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.support.manifests.stub import Received, serving

from restwright.jsontypes import Json, JsonObject, is_object


@dataclass
class ModelServer:
    """
    Makes `calls`, one a reply, then says `text`.

    Args:
        calls: `(name of the function, its arguments)`.
        asked: The bodies of requests.
    """

    calls: Sequence[tuple[str, JsonObject]]
    text: str
    url: str = ""
    asked: list[JsonObject] = field(default_factory=list[JsonObject])
    made: int = 0

    def told(self) -> str:
        """All messages of the last request, as text."""
        return json.dumps(self.asked[-1]["messages"], ensure_ascii=False)

    def reply(self, received: Received) -> tuple[int, Json]:
        asked = received.json
        assert is_object(asked)
        self.asked.append(asked)
        if (answer := self._under_schema(asked)) is None and asked.get("tools"):
            return 200, self._completion(**self._next_call(asked["tools"]))
        return 200, self._completion(content=answer or self.text)

    def _next_call(self, tools: list[JsonObject]) -> JsonObject:
        if self.made == len(self.calls):
            return {"content": self.text}
        name, arguments = self.calls[self.made]
        self.made += 1
        names = [tool["function"]["name"] for tool in tools]
        offered = next((each for each in names if each.rpartition("__")[2] == name), name)
        function = {"name": offered, "arguments": json.dumps(arguments)}
        call = {"id": f"call_{self.made}", "type": "function", "function": function}
        return {"content": None, "tool_calls": [call]}

    def _under_schema(self, asked: JsonObject) -> str | None:
        """The reply to a request that wants JSON; None where it wants none."""
        wanted = asked.get("response_format", {}).get("json_schema", {}).get("schema")
        if wanted is None:
            return None
        properties = wanted["properties"]
        if "tools" in properties:
            known = json.dumps(asked)
            agent = [word for word in known.replace('"', " ").split() if "__" in word]
            names = {word.strip(":,`\\n") for word in agent}
            used = dict.fromkeys(name for name, _ in self.calls)
            chosen = [n for use in used for n in names if n.rpartition("__")[2] == use]
            return json.dumps(
                {"tools": [{"reason": "r", "name": n} for n in dict.fromkeys(chosen)], "answer": ""}
            )
        return json.dumps({"answer": self.text})

    def _completion(self, **message: Json) -> JsonObject:
        finish = "tool_calls" if message.get("tool_calls") else "stop"
        said = {"role": "assistant", **message}
        choice = {"index": 0, "message": said, "finish_reason": finish}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        whole: JsonObject = {"id": "1", "object": "chat.completion", "created": 1, "model": "s"}
        return {**whole, "choices": [choice], "usage": usage}


@contextmanager
def serving_model(*calls: tuple[str, JsonObject], text: str = "Done.") -> Iterator[ModelServer]:
    """Serve such a model; its `url` is that of `--model-url`."""
    model = ModelServer(calls, text)
    with serving(model.reply) as stub:
        model.url = f"{stub.url}/v1"
        yield model
