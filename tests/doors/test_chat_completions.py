"""Chat Completions, asked by the official client over loopback."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx2
import openai
import pytest
from tests.support.doors.serving import (
    KEY,
    SAID,
    WORDS,
    Wire,
    agent_of,
    door,
    film,
    note,
    remove,
    serving,
)

import restwright as rw
from restwright.agents.steps import Completion, Question
from restwright.calls.approval.policy import ALLOW, READ_ONLY
from restwright.doors.access import TokenAccess
from restwright.doors.chat_replies import NOTHING_WAITS
from restwright.doors.refusals import refuse_request
from restwright.doors.runs import RunTable
from restwright.testing import RecordingTransport, ScriptedModel, reply


def client_of(url: str, key: str = KEY) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0, timeout=30)


def say(*texts: str) -> list[Any]:
    roles = ("user", "assistant")
    return [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)]


class Chat:
    """A person with a client that sends the whole chat each time."""

    def __init__(self, url: str, key: str = KEY) -> None:
        self.client = client_of(url, key)
        self.texts: list[str] = []

    def ask(self, text: str) -> str:
        self.texts.append(text)
        ended = self.client.chat.completions.create(model="tv", messages=say(*self.texts))
        self.texts.append(ended.choices[0].message.content or "")
        return self.texts[-1]


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def reading(wire: Wire) -> Iterator[openai.OpenAI]:
    with serving(door(agent_of(film(), WORDS, wire=wire))) as running:
        yield client_of(running.url)


def test_agents_are_models(reading: openai.OpenAI) -> None:
    assert [model.id for model in reading.models.list()] == ["tv"]
    assert reading.models.retrieve("tv").owned_by == "restwright"


def test_a_plain_answer_has_its_trace_and_usage(reading: openai.OpenAI, wire: Wire) -> None:
    ended = reading.chat.completions.create(model="tv", messages=say("Which film is 7?"))
    message: Any = ended.choices[0].message
    assert (message.content, ended.choices[0].finish_reason) == (SAID, "stop")
    assert "call: GET https://api.example.test/films/7" in message.reasoning_content
    assert ended.usage is not None
    assert (ended.usage.prompt_tokens, ended.usage.completion_tokens) == (1, 5)
    assert wire.methods() == ["GET"]


def test_words_come_as_they_are_written_and_usage_at_the_end(reading: openai.OpenAI) -> None:
    stream = reading.chat.completions.create(
        model="tv",
        messages=say("Which film is 7?"),
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = [*stream]
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    pieces = [delta.content for delta in deltas if delta.content]
    assert "".join(pieces) == SAID
    assert len(pieces) > 2
    told = "".join(getattr(delta, "reasoning_content", None) or "" for delta in deltas)
    assert "response: 200" in told
    assert deltas[0].role == "assistant"
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.total_tokens == 6
    assert len({chunk.id for chunk in chunks}) == 1


def test_the_helper_of_the_client_puts_a_stream_together(reading: openai.OpenAI) -> None:
    with reading.chat.completions.stream(model="tv", messages=say("Which film?")) as stream:
        assert stream.get_final_completion().choices[0].message.content == SAID


def test_errors_are_the_exceptions_of_the_client(reading: openai.OpenAI) -> None:
    chat = reading.chat.completions
    with pytest.raises(openai.NotFoundError) as missing:
        chat.create(model="none", messages=say("?"))
    assert missing.value.code == "model_not_found"
    with pytest.raises(openai.AuthenticationError):
        client_of(str(reading.base_url).removesuffix("/v1/"), "wrong").models.list()


@pytest.mark.parametrize(
    ("given", "param"),
    [
        ({"messages": []}, "messages"),
        ({"messages": say("a", "b")}, "messages"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "messages"),
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "tools"),
        ({"n": 2}, "n"),
        ({"messages": say("x" * 100_001)}, "messages"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
    ],
)
def test_what_no_agent_can_do_is_refused(
    reading: openai.OpenAI, wire: Wire, given: dict[str, Any], param: str
) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        reading.chat.completions.create(**{"model": "tv", "messages": say("?"), **given})
    assert refused.value.param == param
    assert wire.methods() == []


def test_a_long_chat_is_refused_by_the_code_that_clients_know(reading: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        reading.chat.completions.create(model="tv", messages=say(*["x"] * 1_001))
    assert refused.value.code == "context_length_exceeded"


def test_what_the_model_raises_is_an_error_in_a_stream_and_out_of_it() -> None:
    class Broken(ScriptedModel):
        def complete(self, request: Any, *, deadline_s: float) -> Completion:
            raise OSError("the secret of a provider")

    with serving(door(agent_of(WORDS, model=Broken([])))) as running:
        chat = client_of(running.url).chat.completions
        with pytest.raises(openai.InternalServerError) as plain:
            chat.create(model="tv", messages=say("?"))
        with pytest.raises(openai.APIError) as streamed:
            list(chat.create(model="tv", messages=say("?"), stream=True))
    for error in (plain.value, streamed.value):
        assert "secret" not in str(error)


def test_what_was_said_before_is_known_to_the_agent() -> None:
    model = ScriptedModel(
        [("selector", {"tools": [], "answer": "It is Solaris."})] * 2, is_small=False
    )
    with serving(door(agent_of(kind="calling", model=model))) as running:
        chat = client_of(running.url).chat.completions
        chat.create(model="tv", messages=say("I like Tarkovsky.", "Noted.", "Which film is his?"))
    prompt = "\n".join(message.text for message in model.asked[0].messages)
    assert "I like Tarkovsky." in prompt
    assert "Noted." in prompt


def test_another_wording_stands_below_the_first_one() -> None:
    model = ScriptedModel(["The first.", "The last."])
    with serving(door(agent_of(WORDS, WORDS, model=model))) as running:
        assert Chat(running.url).ask("?") == "The first.\n\nThe last."


def test_a_limit_is_told_and_is_the_reason_of_the_end(wire: Wire) -> None:
    agent = agent_of(film(), film(8), wire=wire, limits=rw.Limits(calls=1))
    with serving(door(agent)) as running:
        ended = client_of(running.url).chat.completions.create(model="tv", messages=say("?"))
    assert ended.choices[0].finish_reason == "length"
    assert "limit on HTTP calls" in (ended.choices[0].message.content or "")
    assert wire.methods() == ["GET"]


def test_who_closes_the_connection_ends_the_run(wire: Wire) -> None:
    slow = threading.Event()
    held = RecordingTransport(lambda request: (slow.wait(20), reply(200))[1])
    agent = agent_of(film(), note("too late"), send=held, policy=ALLOW)
    with serving(door(agent)) as running:
        chat = client_of(running.url).chat.completions
        stream = chat.create(model="tv", messages=say("?"), stream=True)
        for chunk in stream:
            if getattr(chunk.choices[0].delta, "reasoning_content", None):
                break
        assert running.runs.running == 1
        stream.close()
        _wait_until(lambda: running.runs.running == 0)
        slow.set()
        time.sleep(0.2)
    assert [request.method for request in held.sent] in ([], ["GET"])


def test_a_plain_request_that_is_given_up_ends_the_run() -> None:
    slow = threading.Event()
    held = RecordingTransport(lambda request: (slow.wait(20), reply(200))[1])
    with serving(door(agent_of(film(), note("too late"), send=held, policy=ALLOW))) as running:
        hasty = client_of(running.url).with_options(timeout=0.5)
        with pytest.raises(openai.APITimeoutError):
            hasty.chat.completions.create(model="tv", messages=say("?"))
        _wait_until(lambda: running.runs.running == 0)
        slow.set()
        time.sleep(0.2)
    assert [request.method for request in held.sent] == ["GET"]


def _wait_until(is_so: Any) -> None:
    for _ in range(500):
        if is_so():
            return
        time.sleep(0.02)
    raise AssertionError("it did not happen")


# Writes


@pytest.fixture
def chat(wire: Wire) -> Iterator[Chat]:
    with serving(door(agent_of(remove(), WORDS, wire=wire))) as running:
        yield Chat(running.url)


def test_a_write_is_shown_and_sent_after_yes_once(chat: Chat, wire: Wire) -> None:
    shown = chat.ask("Delete film 7.")
    assert "DELETE https://api.example.test/films/7" in shown
    assert wire.methods() == []
    assert chat.ask("Yes.") == SAID
    assert wire.methods() == ["DELETE"]


def test_a_replay_of_yes_sends_nothing(chat: Chat, wire: Wire) -> None:
    chat.ask("Delete film 7.")
    chat.ask("yes")
    del chat.texts[2:]
    assert chat.ask("yes") == NOTHING_WAITS
    assert wire.methods() == ["DELETE"]


def test_of_two_that_say_yes_at_once_one_is_heard(chat: Chat, wire: Wire) -> None:
    chat.ask("Delete film 7.")
    said: list[str] = []

    def confirm() -> None:
        messages = say(*chat.texts, "yes")
        ended = chat.client.chat.completions.create(model="tv", messages=messages)
        said.append(ended.choices[0].message.content or "")

    threads = [threading.Thread(target=confirm) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said) == sorted([SAID, *[NOTHING_WAITS] * 3])
    assert wire.methods() == ["DELETE"]


def test_no_is_a_no_and_is_told_to_the_agent(chat: Chat, wire: Wire) -> None:
    chat.ask("Delete film 7.")
    assert chat.ask("no") == SAID
    assert wire.methods() == []


def test_another_message_takes_the_place_of_a_yes(chat: Chat, wire: Wire) -> None:
    chat.ask("Delete film 7.")
    assert "DELETE" in chat.ask("No, wait: delete film 8!")
    before = chat.texts[:2]
    chat.texts = before
    assert chat.ask("yes") == NOTHING_WAITS
    assert wire.methods() == []


@pytest.mark.parametrize("changed", [0, 1])
def test_a_changed_chat_sends_nothing(chat: Chat, wire: Wire, changed: int) -> None:
    chat.ask("Delete film 7.")
    chat.texts[changed] = chat.texts[changed].replace("7", "8")
    assert chat.ask("yes") == NOTHING_WAITS
    assert wire.methods() == []


def test_the_yes_of_another_user_sends_nothing(wire: Wire) -> None:
    async def verify(token: str) -> str | None:
        return token if token in {"ann", "bob"} else None

    def guarded(app: Any) -> Any:
        return TokenAccess(app, verify, lambda _: refuse_request(401, "a token is needed"))

    with serving(door(agent_of(remove(), WORDS, wire=wire)), wrap=guarded, is_open=True) as running:
        ann, bob = Chat(running.url, "ann"), Chat(running.url, "bob")
        ann.ask("Delete film 7.")
        bob.texts = [*ann.texts]
        assert bob.ask("yes") == NOTHING_WAITS
        assert wire.methods() == []
        assert ann.ask("yes") == SAID
        with pytest.raises(openai.AuthenticationError):
            Chat(running.url, "eve").ask("Hello")
    assert wire.methods() == ["DELETE"]


def test_a_yes_that_comes_too_late_sends_nothing(wire: Wire) -> None:
    runs = RunTable(lifetime_s=0.2)
    with serving(door(agent_of(remove(), WORDS, wire=wire)), runs=runs) as running:
        chat = Chat(running.url)
        chat.ask("Delete film 7.")
        _wait_until(lambda: running.runs.waiting == 0)
        assert chat.ask("yes") == NOTHING_WAITS
    assert wire.methods() == []


def test_of_many_that_wait_the_oldest_goes(wire: Wire) -> None:
    runs = RunTable(max_waiting=2)
    with serving(door(agent_of(remove(), WORDS, wire=wire)), runs=runs) as running:
        chats = [Chat(running.url) for _ in range(3)]
        for number, chat in enumerate(chats):
            chat.ask(f"Delete film 7, number {number}.")
        assert running.runs.waiting == 2
        assert [chat.ask("yes") for chat in chats] == [NOTHING_WAITS, SAID, SAID]


def test_writes_one_after_another_are_asked_about_one_by_one(wire: Wire) -> None:
    with serving(door(agent_of(note("a"), note("b"), WORDS, wire=wire))) as running:
        chat = Chat(running.url)
        assert '"text": "a"' in chat.ask("Note a and b.")
        assert '"text": "b"' in chat.ask("yes")
        assert wire.methods() == ["POST"]
        assert chat.ask("yes") == SAID
    assert [json.loads(request.body) for request in wire.send.sent] == [
        {"text": "a"},
        {"text": "b"},
    ]


def test_no_text_of_a_request_ends_its_block(wire: Wire) -> None:
    wrong = "```\n\nAll is well. \u202e\n"
    with serving(door(agent_of(note(wrong), wire=wire))) as running:
        shown = Chat(running.url).ask("Note it.")
    assert shown.startswith("````text\n") or "\n````text\n" in shown or "```text" in shown
    assert "\u202e" not in shown
    fence = shown[shown.index("`") : shown.index("text")]
    assert shown.count(f"\n{fence}\n") == 1


@pytest.mark.parametrize(("policy", "methods"), [(ALLOW, ["DELETE"]), (READ_ONLY, [])])
def test_a_policy_answers_for_the_user(wire: Wire, policy: Any, methods: list[str]) -> None:
    agent = agent_of(remove(), WORDS, wire=wire, policy=policy)
    with serving(door(agent)) as running:
        assert Chat(running.url).ask("Delete film 7.") == SAID
    assert wire.methods() == methods


# Questions


def test_a_question_is_answered_by_the_next_message() -> None:
    asked = Question("Which colour?", schema={"enum": ["red", "blue"]})
    with serving(door(agent_of(asked, WORDS))) as running:
        chat = Chat(running.url)
        assert chat.ask("Paint it.") == "Which colour?"
        assert chat.ask("green") == "Which colour?"
        assert chat.ask("blue") == SAID


@pytest.mark.parametrize(
    "asked",
    [
        Question("Your PIN?", name="password"),
        Question("?", schema={"properties": {"pin": {"type": "string"}}}),
    ],
)
def test_what_is_secret_is_not_asked_in_a_chat(asked: Question) -> None:
    with serving(door(agent_of(asked, WORDS))) as running:
        assert Chat(running.url).ask("Pay.") == SAID
        assert running.runs.waiting == 0


# Interfaces

TASK = """### Task:
Generate a concise, 3-5 word title with an emoji summarizing the chat history.
### Output:
JSON format: {{ "{name}": {value} }}
### Chat History:
<chat_history>
USER: Which camera is the cheapest?
ASSISTANT: The Lumora.
</chat_history>"""


@pytest.mark.parametrize(
    ("name", "value", "answer"),
    [
        ("title", '"your title here"', {"title": "Which camera is the cheapest?"}),
        ("tags", '["tag1"]', {"tags": []}),
        ("follow_ups", '["Question 1?"]', {"follow_ups": []}),
        ("queries", '["query1"]', {"queries": []}),
    ],
)
def test_what_an_interface_asks_for_itself_runs_no_agent(
    reading: openai.OpenAI, wire: Wire, name: str, value: str, answer: dict[str, Any]
) -> None:
    text = TASK.format(name=name, value=value)
    ended = reading.chat.completions.create(model="tv", messages=say(text))
    assert json.loads(ended.choices[0].message.content or "") == answer
    assert wire.methods() == []


# Many


def test_fifty_chats_at_once_lose_nothing(wire: Wire) -> None:
    told: list[str] = []

    def ask(client: openai.OpenAI, number: int) -> None:
        stream = client.chat.completions.create(
            model="tv", messages=say(f"Film {number}?"), stream=True
        )
        deltas: list[Any] = [chunk.choices[0].delta for chunk in stream]
        words = "".join(delta.content or "" for delta in deltas)
        trace = "".join(getattr(delta, "reasoning_content", None) or "" for delta in deltas)
        told.append(f"{words}|{trace.count('call: GET')}|{trace.count('response: 200')}")

    with serving(door(agent_of(film(), WORDS, wire=wire))) as running:
        client = client_of(running.url)
        threads = [threading.Thread(target=ask, args=(client, number)) for number in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert running.runs.running == 0
    assert told == [f"{SAID}|1|1"] * 50
    assert len(wire.methods()) == 50


def test_too_many_runs_are_refused_in_the_clients_form() -> None:
    slow = threading.Event()
    held = RecordingTransport(lambda request: (slow.wait(20), reply(200))[1])
    with serving(door(agent_of(film(), send=held)), runs=RunTable(max_runs=1)) as running:
        client = client_of(running.url)
        first = client.chat.completions.create(model="tv", messages=say("?"), stream=True)
        next(first)
        with pytest.raises(openai.RateLimitError):
            client.chat.completions.create(model="tv", messages=say("?"))
        slow.set()
        assert [*first]
        assert client.chat.completions.create(model="tv", messages=say("?"))


def test_a_long_body_is_refused(reading: openai.OpenAI) -> None:
    with pytest.raises(openai.APIStatusError) as refused:
        reading.chat.completions.create(model="tv", messages=say("x" * 5_000_000))
    assert refused.value.status_code in {400, 413}


# Attacks


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"authorization": ""}, 401),
        ({"authorization": f"Basic {KEY}"}, 401),
    ],
)
def test_nobody_else_comes_in(
    reading: openai.OpenAI, wire: Wire, headers: dict[str, str], status: int
) -> None:
    url = f"{reading.base_url}chat/completions"
    given = {"authorization": f"Bearer {KEY}", "content-type": "text/plain", **headers}
    body = json.dumps({"model": "tv", "messages": say("?")})
    assert httpx2.post(url, content=body, headers=given).status_code == status
    assert wire.methods() == []
