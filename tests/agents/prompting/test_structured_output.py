"""One reply of a model under a JSON Schema."""

from __future__ import annotations

from tests.support.planned import planned, query, select, worded

from restwright.agents.agent import Agent
from restwright.agents.prompting.structured_output import briefly
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import catalog


def test_only_the_least_length_of_a_schema_is_lowered() -> None:
    schema = {"items": {"minLength": 3, "maxLength": 9}, "anyOf": [{"minLength": 0}], "maxItems": 2}
    assert briefly(schema) == {
        "items": {"minLength": 1, "maxLength": 9},
        "anyOf": [{"minLength": 0}],
        "maxItems": 2,
    }


def test_a_task_of_one_character_is_one() -> None:
    paths = {"/weather": {"get": {"operationId": "get_weather", "responses": {}}}}
    script = [
        planned("find 晴"),
        select("get_weather"),
        query(),
        worded("晴。"),
    ]
    model = ScriptedModel(script)
    send = RecordingTransport(lambda request: reply(200, ["晴"]))
    answer = Agent(catalog(load(document(paths))), model=model, send=send).ask("今天天气怎么样?")
    assert (answer.text, answer.stopped, model.left) == ("晴。", "answered", ())
    # What the model is asked under stays as it was.
    assert '"minLength": 2' in str(model.asked[0].schema).replace("'", '"')
