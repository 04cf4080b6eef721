"""What a run may use, and what it cost."""

from __future__ import annotations

import math
import time

import pytest

from restwright.agents.agent import Agent
from restwright.agents.memory.turn import total
from restwright.agents.runtime.budget import Budget, Limits, find_price
from restwright.agents.runtime.performer import Performer
from restwright.agents.steps import (
    Call,
    Complete,
    Completion,
    Conclusion,
    Gather,
    Message,
    Question,
    RoleUsage,
    Say,
    Steps,
    Usage,
)
from restwright.agents.steps import Event as Told
from restwright.calls.approval.policy import ALLOW, CONFIRM, Policy
from restwright.errors import LimitReached
from restwright.net.http.cancellation import wait_limit
from restwright.net.messages import Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, ScriptedModel, document, never, reply
from restwright.tools.catalog.catalog import catalog

READ = {"get": {"operationId": "read"}, "post": {"operationId": "write"}}
TOOLS = catalog(
    load(document({"/a": READ}), alias="one"), load(document({"/a": READ}), alias="two")
)
REPLY = Completion(text="x", input_tokens=100, output_tokens=10, elapsed_s=0.5)
PROMPT = Complete(role="planner", messages=(Message("user", "?"),))


class Clock:
    def __init__(self) -> None:
        self.s = 0.0

    def __call__(self) -> float:
        return self.s


def performer(limits: Limits, *, policy: Policy = CONFIRM, **budget: object) -> Performer:
    return Performer(
        policy=policy,
        catalog=TOOLS,
        model=ScriptedModel([REPLY] * 9),
        send=RecordingTransport(lambda _: reply(200, 1)),
        approve=never,
        connections={},
        budget=Budget(limits=limits, **budget),  # type: ignore[arg-type]
    )


def call(api: str = "one") -> Call:
    return Call(tool=f"{api}__read", arguments={})


@pytest.mark.parametrize(
    ("limits", "steps", "limit"),
    [
        (Limits(calls=2), [call(), call(), call()], "HTTP calls"),
        (Limits(model_calls=1), [PROMPT, PROMPT], "model calls"),
        (Limits(tokens=110), [PROMPT, PROMPT], "tokens"),
        (Limits(steps=2), [call(), Question("?"), call()], "steps"),
        (Limits(calls_per_api=1), [call(), call("two"), call()], "HTTP calls to one"),
        (
            Limits(calls_per_api={"two": 1}),
            [call(), call(), call("two"), call("two")],
            "HTTP calls to two",
        ),
        (Limits(cost=0.5), [PROMPT, PROMPT], "cost"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_step_after_a_limit_is_not_performed(limits, steps, limit) -> None:
    doing = performer(limits, price=lambda _: 0.5)
    for each in steps[:-1]:
        doing(each)
    with pytest.raises(LimitReached) as reached:
        doing(steps[-1])
    assert reached.value.limit == limit


def test_calls_that_go_on_together_keep_to_the_limit() -> None:
    doing = performer(Limits(calls=3))
    with pytest.raises(LimitReached):
        doing(Gather((call(), call("two")) * 4))
    assert doing.budget.usage().http_calls == 3


def test_a_call_that_is_not_sent_is_not_counted() -> None:
    doing = performer(Limits(calls=1))
    for _ in range(3):
        doing(Call(tool="one__read", arguments={"x": 1}))
    assert getattr(doing(call()), "kind", "") == "ok"


def test_time_is_a_limit_of_calls_and_of_models() -> None:
    clock = Clock()
    doing = performer(Limits(seconds=5), now=clock)
    clock.s = 6
    for step in (call(), PROMPT):
        with pytest.raises(LimitReached, match=r"seconds \(6 used\)"):
            doing(step)


def test_a_read_is_not_waited_for_beyond_the_time_of_the_run() -> None:
    """A write is: what came of it is worth more."""
    waits: list[float] = []

    def send(_: object) -> Response:
        waits.append(wait_limit() - time.monotonic())
        return reply(200, 1)

    doing = performer(Limits(seconds=5), policy=ALLOW)
    doing.send = send
    doing(call())
    doing(Call(tool="one__write", arguments={}))
    assert 0 < waits[0] <= 5
    assert waits[1] == math.inf


def test_time_before_an_interruption_counts() -> None:
    budget = Budget(limits=Limits(seconds=5), now=Clock())
    budget.add_elapsed(4)
    assert budget.left_s() == 1
    assert budget.usage().elapsed_s == 4


def test_what_is_said_is_no_step_of_the_limit() -> None:
    doing = performer(Limits(steps=1))
    for _ in range(3):
        doing(Say(Told("note", "x")))
    doing(call())


def test_usage_is_counted_by_role_and_by_api() -> None:
    doing = performer(Limits(), now=Clock())
    for step in (PROMPT, call("two"), Complete(role="caller", messages=PROMPT.messages), PROMPT):
        doing(step)
    assert doing.budget.usage() == Usage(
        model_calls=3,
        input_tokens=300,
        output_tokens=30,
        http_calls=1,
        roles={
            "planner": RoleUsage(model_calls=2, input_tokens=200, output_tokens=20, elapsed_s=1.0),
            "caller": RoleUsage(model_calls=1, input_tokens=100, output_tokens=10, elapsed_s=0.5),
        },
        apis={"two": 1},
    )


def test_what_a_cache_had_and_what_thoughts_took_is_counted_too() -> None:
    doing = performer(Limits())
    doing.model = ScriptedModel(
        [
            Completion(text="", input_tokens=100, cache_read_tokens=60, reasoning_tokens=7),
            Completion(text="", input_tokens=100, cache_write_tokens=40),
        ]
    )
    doing(PROMPT)
    doing(PROMPT)
    one = doing.budget.usage()
    both = total([one, one])
    for usage, times in (
        (one, 1),
        (one.roles["planner"], 1),
        (both, 2),
        (both.roles["planner"], 2),
    ):
        counts = (usage.cache_read_tokens, usage.cache_write_tokens, usage.reasoning_tokens)
        assert counts == (60 * times, 40 * times, 7 * times)
        assert usage.input_tokens == 200 * times


def test_a_provider_that_tells_no_tokens_is_held_to_the_limit_all_the_same() -> None:
    doing = performer(Limits(tokens=2_500))
    doing.model = ScriptedModel([Completion(text="y" * 400)] * 9)
    long = Complete(role="planner", messages=(Message("user", "x" * 4_000),))
    doing(long)
    doing(long)
    assert doing.budget.usage().input_tokens == 0
    for _ in range(3):
        doing(PROMPT)
    with pytest.raises(LimitReached, match=r"tokens \(2500 used\)"):
        doing(PROMPT)


def test_a_model_of_unknown_price_is_not_asked_under_a_limit_of_cost() -> None:
    with pytest.raises(LimitReached, match="cost, which is not known of this model"):
        performer(Limits(cost=1.0))(PROMPT)


@pytest.mark.parametrize(
    ("model", "is_known"),
    [("openai:gpt-4o", True), ("openai:no-such-model", False), ("scripted", False)],
)
def test_a_price_is_known_or_none(model: str, is_known: bool) -> None:
    pytest.importorskip("genai_prices")
    price = find_price(model)(Completion(text="", input_tokens=1_000_000))
    assert (price is not None and price > 0) is is_known


def test_what_a_cache_had_costs_less() -> None:
    pytest.importorskip("genai_prices")
    price = find_price("openai:gpt-4o")
    plain = price(Completion(text="", input_tokens=1_000_000))
    cached = price(Completion(text="", input_tokens=1_000_000, cache_read_tokens=900_000))
    assert plain is not None
    assert cached is not None
    assert cached < plain


@pytest.mark.parametrize("model", ["local", "local:larger"])
def test_the_local_model_costs_nothing(model: str) -> None:
    assert find_price(model)(REPLY) == 0


def test_a_limit_ends_a_run_with_a_reason_and_the_best_partial_answer() -> None:
    def loop(agent: Agent, question: str) -> Steps[Conclusion]:
        found = 0
        try:
            while True:
                yield call()
                found += 1
        except LimitReached as limit:
            return Conclusion(text=f"{found} so far", stopped="limit", reason=limit.message)

    agent = Agent(
        TOOLS,
        model=ScriptedModel([]),
        send=RecordingTransport(lambda _: reply(200)),
        kind=loop,
        limits=Limits(calls_per_api=3),
    )
    answer = agent.ask("?")
    assert (answer.text, answer.stopped) == ("3 so far", "limit")
    assert answer.reason == "stopped by the limit on HTTP calls to one (3 used)"
