"""Models whose packages are imported when they are first asked."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from restwright.agents.models.deferred import DeferredModel
from restwright.agents.models.registry import defer_model, model_named
from restwright.agents.steps import Complete, Completion, Message
from restwright.errors import ModelUnavailable

ASKED = Complete(role="planner", messages=(Message("user", "Two?"),))


class Counted:
    """Answers, and counts what is done with it."""

    server, calls_tools = "http://there", True

    def __init__(self) -> None:
        self.done: list[str] = []

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        self.done.append(f"complete {request.role} {deadline_s}")
        return Completion(text="2")

    def stream(self, request: Complete, *, deadline_s: float, tell: Any) -> Completion:
        tell("2")
        return self.complete(request, deadline_s=deadline_s)

    def close(self) -> None:
        self.done.append("close")


def test_it_is_made_once_when_it_is_asked_and_passes_everything_on() -> None:
    made: list[Counted] = []

    def make() -> Any:
        made.append(Counted())
        return made[-1]

    model = DeferredModel("openai:x", make, is_small=True)
    model.close()
    assert (model.name, model.is_small, made) == ("openai:x", True, [])
    told: list[str] = []
    assert model.complete(ASKED, deadline_s=5).text == "2"
    assert model.stream(ASKED, deadline_s=6, tell=told.append).text == "2"
    assert (model.server, model.calls_tools, told) == ("http://there", True, ["2"])
    model.close()
    assert [each.done for each in made] == [["complete planner 5", "complete planner 6", "close"]]


def test_threads_that_ask_at_the_same_time_share_one() -> None:
    made: list[Counted] = []
    together = threading.Barrier(4)

    def make() -> Any:
        made.append(Counted())
        return made[-1]

    model = DeferredModel("openai:x", make, is_small=False)

    def ask() -> None:
        together.wait(20)
        model.complete(ASKED, deadline_s=5)

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert [len(each.done) for each in made] == [4]


def test_what_keeps_it_from_being_made_is_said_each_time() -> None:
    def make() -> Any:
        raise ModelUnavailable("openai:x", "it is away", "wait")

    model = DeferredModel("openai:x", make, is_small=False)
    for _ in range(2):
        with pytest.raises(ModelUnavailable, match="it is away"):
            model.complete(ASKED, deadline_s=5)
    model.close()


@pytest.mark.parametrize("name", ["openai:gpt-4o", "anthropic:claude-sonnet-4-5"])
def test_a_deferred_model_says_of_itself_what_the_model_would(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(key, "sk-none")
    deferred, model = defer_model(name), model_named(name)
    assert isinstance(deferred, DeferredModel)
    for asked in ("name", "is_small", "calls_tools", "server"):
        assert getattr(deferred, asked) == getattr(model, asked)


def test_so_does_one_at_a_url() -> None:
    url = "http://127.0.0.1:9/v1"
    deferred, model = (find("openai:tiny", url=url) for find in (defer_model, model_named))
    assert isinstance(deferred, DeferredModel)
    for asked in ("name", "is_small", "calls_tools", "server"):
        assert getattr(deferred, asked) == getattr(model, asked)
