"""Models by name, and providers' models asked over HTTP from a real server on this machine."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from restwright.agents.agent import Agent
from restwright.agents.models.registry import defer_model, model_named
from restwright.agents.models.request_limit import RequestLimit
from restwright.agents.steps import Attachment, Complete, Completion, Conclusion, Message, Steps
from restwright.errors import (
    LimitReached,
    MissingExtra,
    ModelUnavailable,
    UnusableReply,
    WrongType,
)
from restwright.jsontypes import JsonObject
from restwright.net.http.retry import Retry
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.toolset import ToolCall

Answer = Callable[[JsonObject], tuple[Any, ...]]
"""A status, a body, and headers if there are any."""

QUICK = Retry(attempts=4, min_delay_s=0.0, initial_delay_s=0.0)
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"z": {"type": "string"}, "a": {"type": "integer"}},
    "required": ["z", "a"],
    "additionalProperties": False,
}
ASKED = Complete(
    role="planner",
    messages=(
        Message("system", "Be brief."),
        Message("user", "One?"),
        Message("assistant", "1"),
        Message("user", "Two?"),
    ),
    max_tokens=50,
)


def reply(text: str, finish: str = "stop") -> tuple[int, JsonObject]:
    return 200, {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "tiny",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": finish,
            }
        ],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
    }


def refusal(status: int, message: str) -> tuple[int, JsonObject]:
    return status, {"error": {"message": message, "type": "invalid_request_error"}}


@dataclass
class Stub:
    """A server that speaks the chat completions interface of OpenAI."""

    answer: Answer
    bodies: list[JsonObject] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    url: str = ""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        stub: Stub = self.server.stub  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        stub.bodies.append(body)
        stub.keys.append(self.headers["Authorization"])
        known = self.path == "/v1/chat/completions"
        status, answer, *more = stub.answer(body) if known else refusal(404, "no such path")
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, value in more[0].items() if more else ():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


class Server(ThreadingHTTPServer):
    stub: Stub

    def handle_error(self, *_: Any) -> None:
        """A client that gave up is no news."""


@pytest.fixture
def serve() -> Iterator[Callable[[Answer], Stub]]:
    servers: list[tuple[Server, threading.Thread]] = []

    def start(answer: Answer) -> Stub:
        server = Server(("127.0.0.1", 0), Handler)
        server.stub = Stub(answer, url=f"http://127.0.0.1:{server.server_port}/v1")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        servers.append((server, thread))
        return server.stub

    yield start
    for server, thread in servers:
        server.shutdown()
        thread.join()
        server.server_close()


def ask(
    stub: Stub,
    request: Complete = ASKED,
    *,
    name: str = "openai:tiny",
    deadline_s: float = 20.0,
    retry: Retry = QUICK,
) -> Completion:
    model = model_named(name, url=stub.url, retry=retry)
    try:
        return model.complete(request, deadline_s=deadline_s)
    finally:
        model.close()  # type: ignore[attr-defined]


def with_schema(schema: JsonObject = SCHEMA) -> Complete:
    return Complete(role="planner", messages=ASKED.messages, schema=schema)


def test_a_server_at_a_url_is_asked_greedily_with_a_seed_and_a_cap(serve) -> None:
    stub = serve(lambda _: reply("2"))
    completion = ask(stub)
    assert completion == Completion(
        text="2",
        input_tokens=11,
        output_tokens=3,
        elapsed_s=completion.elapsed_s,
        model="tiny",
        id="1",
    )
    assert 0 < completion.elapsed_s < 20
    body = stub.bodies[0]
    assert body.pop("max_completion_tokens", None) or body.pop("max_tokens") == 50
    assert body == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "One?"},
            {"role": "assistant", "content": "1"},
            {"role": "user", "content": "Two?"},
        ],
        "stream": False,
        "temperature": 0.0,
        "seed": 1,
    }


def test_what_a_provider_tells_of_its_tokens_and_itself_is_kept(serve) -> None:
    status, body = reply("2")
    usage = {
        **body["usage"],
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    stub = serve(lambda _: (status, {**body, "model": "tiny-2026", "usage": usage}))
    completion = ask(stub)
    assert (completion.model, completion.id) == ("tiny-2026", "1")
    assert (completion.cache_read_tokens, completion.reasoning_tokens) == (4, 2)
    model = model_named("openai:tiny", url=stub.url)
    assert getattr(model, "server", "").rstrip("/") == stub.url


def test_a_schema_is_given_natively(serve) -> None:
    stub = serve(lambda _: reply('{"z": "x", "a": 1}'))
    assert ask(stub, with_schema()).text == '{"z": "x", "a": 1}'
    given = stub.bodies[0]["response_format"]["json_schema"]["schema"]
    assert given == SCHEMA
    assert list(given["properties"]) == ["z", "a"]


def test_tools_are_given_natively_and_their_calls_come_back_as_written(serve) -> None:
    function = {"name": "shop__get_cart", "arguments": '{"deep": true}'}
    called = [{"id": "c1", "type": "function", "function": function}]

    def answer(_: JsonObject) -> tuple[int, JsonObject]:
        status, said = reply("")
        said["choices"][0] |= {"finish_reason": "tool_calls"}
        said["choices"][0]["message"] = {"role": "assistant", "content": None, "tool_calls": called}
        return status, said

    stub = serve(answer)
    tool = {"name": "shop__get_cart", "description": "The cart.", "parameters": {"type": "object"}}
    model = model_named("openai:tiny", url=stub.url)
    assert getattr(model, "calls_tools", False)
    completion = ask(stub, Complete(role="caller", messages=ASKED.messages, tools=(tool,)))
    assert completion.text == ""
    assert completion.calls == (ToolCall("shop__get_cart", '{"deep": true}'),)
    assert [each["function"]["name"] for each in stub.bodies[0]["tools"]] == ["shop__get_cart"]


def test_a_native_schema_that_is_refused_is_put_in_the_prompt_from_then_on(serve) -> None:
    def answer(body: JsonObject) -> tuple[int, JsonObject]:
        if body.get("response_format", {}).get("type") == "json_schema":
            return refusal(400, "response_format is not supported")
        return reply('```json\n{"z": "x", "a": 1}\n```')

    stub = serve(answer)
    model = model_named("openai:tiny", url=stub.url)
    for _ in range(2):
        assert model.complete(with_schema(), deadline_s=20).text == '{"z": "x", "a": 1}'
    model.close()  # type: ignore[attr-defined]
    assert len(stub.bodies) == 3
    prompt = json.dumps(stub.bodies[-1]["messages"])
    assert "JSON Schema" in prompt
    assert "additionalProperties" in prompt


def test_a_temperature_that_is_refused_is_left_out_from_then_on(serve) -> None:
    def answer(body: JsonObject) -> tuple[int, JsonObject]:
        if "temperature" in body:
            return refusal(400, "Unsupported value: 'temperature' does not support 0")
        return reply("2")

    stub = serve(answer)
    assert ask(stub).text == "2"
    assert [sorted({"temperature", "seed"} & body.keys()) for body in stub.bodies] == [
        ["seed", "temperature"],
        [],
    ]


def test_a_model_that_always_thinks_gets_room_to_think_and_no_temperature(serve) -> None:
    stub = serve(lambda _: reply("2"))
    ask(stub, name="openai:o3")
    assert stub.bodies[0]["max_completion_tokens"] == 50 + 4096
    assert "temperature" not in stub.bodies[0]


def test_a_reply_that_was_cut_off_says_so(serve) -> None:
    assert ask(serve(lambda _: reply("2", "length"))).finish == "length"


def test_several_requests_share_one_loop_and_may_follow_a_close(serve) -> None:
    stub = serve(lambda _: reply("2"))
    model = model_named("openai:tiny", url=stub.url)
    for _ in range(2):
        for _ in range(2):
            assert model.complete(ASKED, deadline_s=20).text == "2"
        model.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("status", "message", "why", "next_move"),
    [
        (
            401,
            "Incorrect API key provided: sk-canary-0123456789abcdef",
            "its key is refused (HTTP 401)",
            "set OPENAI_API_KEY; it is sent over HTTPS, or to this machine",
        ),
        (
            404,
            "model tiny not found",
            "the server does not know it (HTTP 404)",
            "check the name, and that the API begins at URL (it often ends in /v1)",
        ),
        (
            400,
            "wrong: sk-canary-0123456789abcdef",
            "the request is refused (HTTP 400): status_code: 400, model_name: tiny, body: ",
            "check the name, and that the API begins at URL (it often ends in /v1)",
        ),
        (500, "oh", "its server failed (HTTP 500)", "try again later"),
        (429, "slow down", "too many requests (HTTP 429)", "wait a little, then try again"),
    ],
)
def test_a_failure_names_its_reason_and_the_next_move_without_secrets(
    status: int, message: str, why: str, next_move: str, serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789abcdef")
    stub = serve(lambda _: refusal(status, message))
    with pytest.raises(ModelUnavailable) as raised:
        ask(stub)
    assert raised.value.why.startswith(why)
    assert raised.value.next_move == next_move.replace("URL", stub.url)
    assert "canary" not in str(raised.value)


@pytest.mark.parametrize(("status", "attempts"), [(429, 4), (503, 4), (500, 2), (400, 1), (401, 1)])
def test_a_request_that_is_not_served_is_sent_again(status: int, attempts: int, serve) -> None:
    stub = serve(lambda _: refusal(status, "busy"))
    with pytest.raises(ModelUnavailable):
        ask(stub)
    assert len(stub.bodies) == attempts


def test_what_a_provider_asks_to_wait_is_waited(serve) -> None:
    answers = iter([(*refusal(429, "slow down"), {"retry-after-ms": "300"}), reply("2")])
    started = time.monotonic()
    assert ask(serve(lambda _: next(answers))).text == "2"
    assert time.monotonic() - started >= 0.3


def test_no_wait_is_begun_that_outlasts_the_deadline(serve) -> None:
    stub = serve(lambda _: (*refusal(429, "slow down"), {"Retry-After": "90"}))
    with pytest.raises(ModelUnavailable) as raised:
        ask(stub)
    assert raised.value.next_move == "wait 90 s, then try again"
    assert len(stub.bodies) == 1


def test_a_wait_is_cancelled_with_its_run(serve) -> None:
    has_come = threading.Event()

    def answer(_: JsonObject) -> tuple[Any, ...]:
        has_come.set()
        return *refusal(429, "slow down"), {"Retry-After": "15"}

    agent = asking(model_named("openai:tiny", url=serve(answer).url))

    async def asked() -> None:
        first = asyncio.create_task(agent.ask_async("Two?"))
        await asyncio.to_thread(has_come.wait, 20)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first

    started = time.monotonic()
    asyncio.run(asked())
    assert time.monotonic() - started < 12
    agent.model.close()  # type: ignore[attr-defined]


def test_an_image_goes_before_the_words(serve) -> None:
    stub = serve(lambda _: reply("a hat"))
    image = Attachment("image/png", b"\x89PNG")
    ask(stub, Complete(role="planner", messages=(Message("user", "What?", files=(image,)),)))
    (message,) = stub.bodies[0]["messages"]
    assert message["content"] == [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}},
        {"type": "text", "text": "What?"},
    ]


def test_a_file_that_a_model_does_not_take_is_said_and_not_dropped(serve) -> None:
    stub = serve(lambda _: reply("?"))
    video = Attachment("video/mp4", b"0")
    with pytest.raises(ModelUnavailable) as raised:
        ask(stub, Complete(role="planner", messages=(Message("user", "What?", files=(video,)),)))
    assert raised.value == ModelUnavailable(
        "openai:tiny", "it takes no video/mp4", "leave the file out, or choose another model"
    )
    assert stub.bodies == []


def test_a_response_that_makes_no_sense_is_an_unusable_reply(serve) -> None:
    with pytest.raises(UnusableReply) as raised:
        ask(serve(lambda _: (200, {"choices": "none"})))
    assert raised.value == UnusableReply("planner", "the server's answer has another form")


def test_the_deadline_ends_a_request(serve) -> None:
    release = threading.Event()

    def answer(_: JsonObject) -> tuple[int, JsonObject]:
        release.wait(20)
        return reply("2")

    started = time.monotonic()
    with pytest.raises(LimitReached) as raised:
        ask(serve(answer), deadline_s=0.3)
    release.set()
    assert raised.value.limit == "seconds"
    assert time.monotonic() - started < 15


def test_a_server_that_is_not_there_is_said() -> None:
    with pytest.raises(ModelUnavailable) as raised:
        ask(Stub(lambda _: reply(""), url="http://127.0.0.1:1/v1"))
    assert raised.value == ModelUnavailable(
        "openai:tiny",
        "its server cannot be reached",
        "check that a server runs at http://127.0.0.1:1/v1",
    )


def test_the_key_goes_to_a_server_on_this_machine(serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-here")
    stub = serve(lambda _: reply("2"))
    ask(stub)
    assert stub.keys == ["Bearer sk-here"]


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://models.example/v1", True),
        ("http://localhost:8080/v1", True),
        ("http://[::1]:8080/v1", True),
        ("http://models.example/v1", False),
        ("http://127.models.example/v1", False),
        ("http://10.0.0.1/v1", False),
    ],
)
def test_the_key_is_not_given_where_it_could_be_read(
    url: str, sent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-here")
    model: Any = model_named("openai:tiny", url=url)
    assert (model._model.client.api_key == "sk-here") is sent


def test_a_key_in_the_environment_chooses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-here")
    with pytest.raises(ModelUnavailable) as raised:
        model_named(None)
    assert raised.value == ModelUnavailable(
        "local",
        "it is not downloaded",
        "run `restwright model pull` (1,117 MB), or choose another model",
    )


@pytest.mark.parametrize(
    ("name", "url", "why", "next_move"),
    [
        ("openai:gpt-4o", None, "OPENAI_API_KEY is not set", "set OPENAI_API_KEY"),
        (
            "anthropic:claude-sonnet-4-5",
            None,
            "ANTHROPIC_API_KEY is not set",
            "set ANTHROPIC_API_KEY",
        ),
        ("google:gemini-2.5-flash", None, "GOOGLE_API_KEY is not set", "set GOOGLE_API_KEY"),
        (
            "gpt-4o",
            None,
            "no provider has a model of that name",
            "name it `local`, or `provider:model` such as `openai:gpt-4o`",
        ),
        (
            "nobody:x",
            None,
            "no provider has a model of that name",
            "name it `local`, or `provider:model` such as `openai:gpt-4o`",
        ),
        ("local:huge", None, "no local model has that name", "there are: local"),
        (
            "groq:x",
            None,
            "its packages are not installed",
            "pip install 'pydantic-ai-slim[groq]'",
        ),
        (
            "local",
            "http://127.0.0.1:1/v1",
            "a model at a URL is named openai:NAME",
            "name it openai:NAME or ollama:NAME",
        ),
        (
            "openai:tiny",
            "ftp://127.0.0.1/v1",
            "only http and https are spoken",
            "give a URL like http://host:8080/v1",
        ),
    ],
)
def test_a_model_that_cannot_be_had_is_said_when_it_is_named(
    name: str, url: str | None, why: str, next_move: str
) -> None:
    for find in (model_named, defer_model):
        with pytest.raises((ModelUnavailable, MissingExtra)) as raised:
            find(name, url=url)
        assert (raised.value.why, raised.value.next_move) == (why, next_move)


def threads_of(count: int, task: Callable[[], object]) -> list[threading.Thread]:
    threads = [threading.Thread(target=task, daemon=True) for _ in range(count)]
    for each in threads:
        each.start()
    return threads


def test_four_requests_are_under_way_at_the_same_time(serve) -> None:
    """None of them is answered before all four have come."""
    together = threading.Barrier(4)

    def answer(_: JsonObject) -> tuple[int, JsonObject]:
        together.wait(20)
        return reply("2")

    model = model_named("openai:tiny", url=serve(answer).url)
    said: list[str] = []
    threads = threads_of(4, lambda: said.append(model.complete(ASKED, deadline_s=20).text))
    for each in threads:
        each.join(20)
    model.close()  # type: ignore[attr-defined]
    assert said == ["2"] * 4


def test_four_runs_of_one_agent_ask_at_the_same_time(serve) -> None:
    together = threading.Barrier(4)

    def answer(_: JsonObject) -> tuple[int, JsonObject]:
        together.wait(20)
        return reply("2")

    agent = asking(model_named("openai:tiny", url=serve(answer).url))

    async def asked() -> list[str]:
        answers = await asyncio.gather(*(agent.ask_async("Two?") for _ in range(4)))
        return [each.text for each in answers]

    assert asyncio.run(asked()) == ["2"] * 4
    agent.model.close()  # type: ignore[attr-defined]


def count_together() -> tuple[Callable[[JsonObject], tuple[int, JsonObject]], list[int]]:
    """What answers two requests at a time, and the most that were under way at once."""
    lock, going, most = threading.Lock(), [0], [0]
    together = threading.Barrier(2)

    def answer(_: JsonObject) -> tuple[int, JsonObject]:
        with lock:
            going[0] += 1
            most[0] = max(most[0], going[0])
        together.wait(20)
        with lock:
            going[0] -= 1
        return reply("2")

    return answer, most


def test_no_more_requests_are_under_way_than_were_set(serve) -> None:
    answer, most = count_together()
    model = model_named("openai:tiny", url=serve(answer).url, at_once=2)
    for each in threads_of(6, lambda: model.complete(ASKED, deadline_s=20)):
        each.join(20)
    model.close()  # type: ignore[attr-defined]
    assert most == [2]


def test_models_share_a_limit(serve) -> None:
    answer, most = count_together()
    stub, limit = serve(answer), RequestLimit(2)
    models = [model_named(f"openai:{n}", url=stub.url, at_once=limit) for n in ("a", "b", "c")]
    tasks = [lambda model=model: model.complete(ASKED, deadline_s=20) for model in models * 2]
    for thread in [thread for task in tasks for thread in threads_of(1, task)]:
        thread.join(20)
    for model in models:
        model.close()  # type: ignore[attr-defined]
    assert most == [2]


@pytest.mark.parametrize("wrong", [0, -1, True, "2"])
def test_a_limit_is_a_number_of_requests(wrong: Any) -> None:
    with pytest.raises(WrongType):
        model_named("openai:tiny", url="http://127.0.0.1:1/v1", at_once=wrong)


def test_ollama_is_asked_on_this_machine_or_where_it_is_said_to_be(
    serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub = serve(lambda _: reply("2"))
    assert ask(stub, name="ollama:qwen3").text == "2"
    monkeypatch.setenv("OLLAMA_BASE_URL", stub.url)
    found = model_named("ollama:qwen3")
    assert found.complete(ASKED, deadline_s=20).text == "2"
    assert [body["model"] for body in stub.bodies] == ["qwen3"] * 2
    monkeypatch.delenv("OLLAMA_BASE_URL")
    monkeypatch.setenv("OLLAMA_API_KEY", "sk-canary-0123456789abcdef")
    here = model_named("ollama:qwen3")
    assert getattr(here, "server", "") == "http://127.0.0.1:11434/v1/"
    far = model_named("ollama:qwen3", url="http://ollama.test/v1")
    assert "canary" not in far._model.client.api_key  # type: ignore[attr-defined]
    for model in (found, here, far):
        model.close()  # type: ignore[attr-defined]


def test_who_waits_for_a_place_waits_no_longer_than_the_deadline(serve) -> None:
    has_come, release = threading.Event(), threading.Event()

    def answer(_: JsonObject) -> tuple[int, JsonObject]:
        has_come.set()
        release.wait(20)
        return reply("2")

    stub = serve(answer)
    model = model_named("openai:tiny", url=stub.url, at_once=1)
    first = threads_of(1, lambda: model.complete(ASKED, deadline_s=20))[0]
    assert has_come.wait(20)
    with pytest.raises(LimitReached):
        model.complete(ASKED, deadline_s=0.05)
    release.set()
    first.join(20)
    model.close()  # type: ignore[attr-defined]
    assert len(stub.bodies) == 1


def test_a_cancelled_run_gives_its_place_back_at_once(serve) -> None:
    """The first request is never answered: the second one is not held up by that."""
    has_come, release = threading.Event(), threading.Event()

    def answer(_: JsonObject) -> tuple[int, JsonObject]:
        if not has_come.is_set():
            has_come.set()
            release.wait(20)
        return reply("2")

    agent = asking(model_named("openai:tiny", url=serve(answer).url, at_once=1))

    async def asked() -> str:
        first = asyncio.create_task(agent.ask_async("Two?"))
        await asyncio.to_thread(has_come.wait, 20)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        return (await asyncio.wait_for(agent.ask_async("Two?"), 20)).text

    assert asyncio.run(asked()) == "2"
    release.set()
    agent.model.close()  # type: ignore[attr-defined]


def test_a_request_of_a_model_that_is_closed_ends_with_words(serve) -> None:
    has_come, release = threading.Event(), threading.Event()

    def answer(_: JsonObject) -> tuple[int, JsonObject]:
        has_come.set()
        release.wait(20)
        return reply("2")

    model = model_named("openai:tiny", url=serve(answer).url)
    raised: list[Exception] = []

    def ask_it() -> None:
        try:
            model.complete(ASKED, deadline_s=20)
        except ModelUnavailable as error:
            raised.append(error)

    thread = threads_of(1, ask_it)[0]
    assert has_come.wait(20)
    model.close()  # type: ignore[attr-defined]
    thread.join(20)
    release.set()
    assert [str(each.why) for each in raised if isinstance(each, ModelUnavailable)] == [
        "it was closed meanwhile"
    ]


def test_a_model_that_nobody_has_any_more_leaves_no_thread(serve) -> None:
    model = model_named("openai:tiny", url=serve(lambda _: reply("2")).url)
    before = set(threading.enumerate())
    model.complete(ASKED, deadline_s=20)
    own = [
        each
        for each in threading.enumerate()
        if each not in before and each.name == "restwright-model"
    ]
    assert len(own) == 1
    del model
    gc.collect()
    own[0].join(20)
    assert not own[0].is_alive()


def asking(model: Any) -> Agent:
    def loop(agent: Agent, question: str) -> Steps[Conclusion]:
        del agent, question
        completion = yield ASKED
        assert isinstance(completion, Completion)
        return Conclusion(text=completion.text)

    return Agent(catalog(load(document({}), alias="none")), model=model, kind=loop)
