"""The calling agent over catalogs that are too large to offer whole."""

from __future__ import annotations

import pytest

from restwright.agents.agent import Agent
from restwright.agents.calling.loop import MAX_PART_TOOLS, MAX_PARTS, Calling
from restwright.agents.steps import Answer
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import Catalog, catalog

THINGS = ("planet", "river", "forest", "engine", "bridge", "castle", "garden", "harbor")
OF_THEM = ("size", "age", "weight", "owner", "price", "place", "photo", "ticket", "route", "map")


def large(times: int = 1) -> Catalog:
    paths = {
        f"/{thing}s/{part}{n or ''}": {
            "get": {
                "operationId": f"get_{thing}_{part}{n or ''}",
                "summary": f"Get the {part} of a {thing}",
                "responses": {},
            }
        }
        for n in range(times)
        for thing in THINGS
        for part in OF_THEM
    }
    return catalog(load(document(paths), alias="sights"))


SIGHTS = large()


def chosen(*names: str, answer: str | None = None) -> Reply:
    tools = [{"reason": "needed", "name": f"sights__{name}"} for name in names]
    return ("selector", {"tools": tools} | ({} if answer is None else {"answer": answer}))


def ask(question: str, *script: Reply, over: Catalog = SIGHTS) -> tuple[Answer, ScriptedModel]:
    model = ScriptedModel(script)
    send = RecordingTransport(lambda _: reply(200, {"years": 600}))
    answer = Agent(over, model=model, kind="calling", send=send).ask(question)
    assert model.left == ()
    return answer, model


def test_where_the_question_finds_nothing_the_model_is_asked_about_all_tools_in_parts() -> None:
    answer, model = ask(
        "Wie alt ist die Karlsbrücke?",
        chosen("get_bridge_age"),
        chosen(),
        ("caller", {"calls": [{"tool": "sights__get_bridge_age", "arguments": {}}]}),
        ("caller", {"calls": []}),
        ("describer", {"answer": "600 Jahre."}),
    )
    assert answer.text == "600 Jahre."
    listed = [each.messages[0].text.count("\n- ") for each in model.asked[:2]]
    assert listed == [40, 40]


@pytest.mark.parametrize("question", ["What can you do?", "Que peux-tu faire ?"])
def test_what_can_be_done_is_said_in_the_words_of_the_model(question: str) -> None:
    told = ("answer", {"answer": "I know of sights."})
    answer, model = ask(question, chosen(), chosen(), told)
    assert (answer.text, answer.stopped) == ("I know of sights.", "answered")
    assert "Answer in the language of the message." in model.asked[-1].messages[-1].text


def test_a_catalog_of_too_many_parts_is_not_asked_about_one_by_one() -> None:
    over = large(10)
    assert len(over) > MAX_PART_TOOLS * MAX_PARTS
    answer, _ = ask("Que peux-tu faire ?", ("answer", {"answer": "Je peux."}), over=over)
    assert answer.text == "Je peux."


def test_a_small_catalog_whose_selector_says_nothing_is_spoken_of_too() -> None:
    script = (chosen(answer=""), ("answer", {"answer": "Ich kann Dinge finden."}))
    paths = {"/things": {"get": {"operationId": "list_things", "responses": {}}}}
    small = catalog(load(document(paths), alias="sights"))
    answer, _ = ask("Was kannst du?", *script, over=small)
    assert answer.text == "Ich kann Dinge finden."


def test_parts_without_winners_end_in_what_can_be_done() -> None:
    model = ScriptedModel([*[chosen()] * 2, ("answer", {"answer": "Je peux."})])
    agent = Agent(SIGHTS, model=model, kind=Calling(capacity=40))
    assert agent.ask("Que peux-tu faire ?").text == "Je peux."
