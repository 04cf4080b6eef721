"""The local model with its real file: contract, schemas, prefix cache, and how it is stopped."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from restwright.agents.models.local import LocalModel
from restwright.agents.steps import Complete, Completion, Message
from restwright.errors import LimitReached
from restwright.jsontypes import JsonObject

pytestmark = pytest.mark.model

PRICES = "\n".join(f"Item {number} costs {number * 7 % 17} euros." for number in range(60))
ENDLESS = "Count from 1 to 1000, one number a line, and nothing else."


def ask(
    model: LocalModel,
    text: str,
    *,
    system: str = "You are brief.",
    schema: JsonObject | None = None,
    max_tokens: int = 60,
    deadline_s: float = 300.0,
) -> Completion:
    messages = (Message("system", system), Message("user", text))
    request = Complete(role="test", messages=messages, schema=schema, max_tokens=max_tokens)
    return model.complete(request, deadline_s=deadline_s)


def test_a_completion_counts_its_tokens(model: LocalModel) -> None:
    completion = ask(model, "What is the capital of France? One word.")
    assert "Paris" in completion.text
    assert completion.finish == "stop"
    assert 10 < completion.input_tokens < 60
    assert 1 <= completion.output_tokens < 10
    assert completion.elapsed_s > 0


def test_the_cap_cuts_a_reply_off(model: LocalModel) -> None:
    completion = ask(model, ENDLESS, max_tokens=5)
    assert (completion.finish, completion.output_tokens) == ("length", 5)


def test_the_same_prompt_gets_the_same_reply_from_the_same_state(model: LocalModel) -> None:
    """A cached prompt is computed in other batches than a new one, which rounds differently."""
    ask(model, "Name three rivers.")
    first, second = (ask(model, "Name three rivers.").text for _ in range(2))
    assert first == second


SCHEMAS: dict[str, JsonObject] = {
    "order, optional keys in their place": {
        "type": "object",
        "properties": {
            "z_thought": {"type": "string", "maxLength": 80},
            "b_choice": {"enum": ["call", "answer"]},
            "a_count": {"type": "integer", "minimum": 1, "maximum": 9},
        },
        "required": ["z_thought", "a_count", "b_choice"],
        "additionalProperties": False,
    },
    "definitions": {
        "type": "object",
        "properties": {
            "size": {"$ref": "#/$defs/Size"},
            "all": {"type": "array", "items": {"$ref": "#/$defs/Size"}, "maxItems": 2},
        },
        "required": ["size", "all"],
        "additionalProperties": False,
        "$defs": {"Size": {"enum": ["s", "m", "l"]}},
    },
    "what a grammar cannot express": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 20, "format": "uuid"},
            "lucky": {"anyOf": [{"type": "integer"}, {"type": "null"}], "not": {"const": 3}},
        },
        "required": ["name"],
        "additionalProperties": False,
        "x-extra": True,
    },
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_reply_is_json_under_its_schema(model: LocalModel, name: str) -> None:
    schema = SCHEMAS[name]
    completion = ask(model, "Reply in JSON about a shirt.", schema=schema, max_tokens=120)
    reply = json.loads(completion.text)
    assert jsonschema_rs.is_valid(schema, reply)
    assert list(reply) == [key for key in schema["properties"] if key in reply]
    assert completion.text == json.dumps(reply, ensure_ascii=False)


def test_a_shared_prefix_is_not_processed_again(model: LocalModel) -> None:
    """Also when another prompt came in between: two roles of an agent take turns."""
    processed = Timings(model)
    other = "Something else. " + PRICES
    ask(model, "What does item 3 cost?", system=PRICES)
    ask(model, "What does item 3 cost?", system=other)
    processed.seen.clear()
    first = ask(model, "Which item is the cheapest of all, and why?", system=PRICES)
    ask(model, "Which item is the cheapest of all, and why?", system=other)
    assert first.input_tokens > 500
    assert max(processed.seen) < 60
    processed.detach()


def test_what_prompts_begin_with_is_read_from_disk_by_the_next_process(model: LocalModel) -> None:
    """The reply is that of a process which read the beginning itself."""
    began = (Message("system", PRICES, is_static=True),)
    request = Complete(
        role="x", messages=(*began, Message("user", "What does item 3 cost?")), max_tokens=12
    )
    made, restored = (LocalModel(model._path, sha256="a hash of this test alone") for _ in range(2))
    first = made.complete(request, deadline_s=600)
    made.close()
    started = time.monotonic()
    restored.load(deadline_s=600)
    loaded_s = time.monotonic() - started
    second = restored.complete(request, deadline_s=600)
    restored.close()
    print(f"{first.elapsed_s:.1f} s, from disk {second.elapsed_s:.1f} s, loaded in {loaded_s:.1f}")
    assert second.text == first.text
    assert second.input_tokens - second.cache_read_tokens < 40
    assert second.elapsed_s < first.elapsed_s / 2


class Timings:
    """Reads how many prompt tokens the engine really processed, off its own last chunk."""

    def __init__(self, model: LocalModel) -> None:
        ask(model, "Hi", max_tokens=1)
        self.seen: list[int] = []
        self._model, self._server = model, model._server
        model._server = self

    def handle_chat_completions(self, body: JsonObject, take: Any) -> None:
        def seen(chunk: JsonObject) -> bool:
            if "timings" in chunk:
                self.seen.append(chunk["timings"]["prompt_n"])
            return take(chunk)

        self._server.handle_chat_completions(body, seen)

    def detach(self) -> None:
        self._model._server = self._server


def test_the_deadline_ends_a_generation(model: LocalModel) -> None:
    with pytest.raises(LimitReached) as raised:
        ask(model, ENDLESS, max_tokens=4000, deadline_s=1.0)
    assert raised.value.limit == "seconds"
    assert 1.0 <= raised.value.used < 2.0
    is_idle_soon(model)


def test_the_deadline_ends_a_prompt_before_its_first_token(model: LocalModel) -> None:
    long = "Never seen before. " + PRICES * 5
    with pytest.raises(LimitReached) as raised:
        ask(model, "Hi", system=long, deadline_s=0.5)
    assert raised.value.used < 1.5
    is_idle_soon(model)


def test_ctrl_c_ends_a_generation(model: LocalModel) -> None:
    ask(model, "Hi", max_tokens=1)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        ask(model, ENDLESS, max_tokens=4000)
    assert time.monotonic() - started < 5
    is_idle_soon(model)


def is_idle_soon(model: LocalModel) -> None:
    """What was stopped must not go on in the background."""
    started = time.monotonic()
    model._end_running()
    assert time.monotonic() - started < 10


def test_a_prompt_longer_than_the_context_is_a_limit(model: LocalModel) -> None:
    with pytest.raises(LimitReached) as raised:
        ask(model, "Hi", system=PRICES * 20)
    assert raised.value.limit == "tokens of one prompt"
    assert raised.value.used > 8192


def test_no_port_is_opened_and_the_socket_is_private(model: LocalModel) -> None:
    ask(model, "Hi", max_tokens=1)
    address = model._server.listening_address
    assert address.startswith("unix://")
    folder = Path(address.removeprefix("unix://")).parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(folder / "s.sock"))
        client.sendall(b"POST /completion HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}")
        assert client.recv(100).startswith(b"HTTP/1.1 401")


SCRIPT = """
import os, signal, sys, threading
from pathlib import Path
from restwright.agents.models.local import LocalModel
from restwright.agents.steps import Complete, Message
model = LocalModel(Path(sys.argv[1]))
def ask(text, tokens):
    messages = (Message("user", text),)
    return model.complete(Complete(role="x", messages=messages, max_tokens=tokens), deadline_s=300)
ask("Hi", 1)
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    ask(sys.argv[2], 4000)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_a_process_that_is_interrupted_ends_quietly(model: LocalModel, tmp_path: Path) -> None:
    """Without `close()`: nothing on standard error, and its folder is gone."""
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-W", "error", "-c", SCRIPT, str(model._path), ENDLESS],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        timeout=300,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("interrupted\n", "", 0)
    assert not list(tmp_path.glob("restwright-*"))
