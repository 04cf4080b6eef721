"""The tests and examples of the Arazzo specification, over an API that has every operation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from restwright.errors import DocumentError, DocumentUnavailable
from restwright.tools.catalog.catalog import Catalog
from restwright.workflows import load_workflows

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "conformance"
SUITE = DATA / "arazzo" / "tests" / "schema"
EXAMPLES = DATA / "arazzo" / "examples" / "1.0.0"
TRAINS = DATA / "readme-oas-examples" / "3.1" / "yaml" / "train-travel.yaml"

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not SUITE.is_dir(), reason=f"the shared data set {SUITE} is not there"),
]
# The suite tests a schema, and these are wrong in what is not looked at here: messages,
# which are not sent, and what stands twice, where the later one holds, and a
# parameter without a place, which is found by its name.
READ_ALL_THE_SAME = frozenset({
    "async-depends-on-duplicate-values.arazzo.yaml",
    "async-depends-on-empty.arazzo.yaml",
    "async-depends-on-invalid-reference.arazzo.yaml",
    "invalid-openapi-parameter-without-in.arazzo.yaml",
    "invalid-self-fragment.arazzo.yaml",
    "openapi-duplicate-parameters.arazzo.yaml",
    "workflow-duplicate-parameters.arazzo.yaml",
})  # fmt: skip


def opened(path: Path, tmp_path: Path) -> Catalog:
    """A document, whose sources are APIs with every operation that it names."""
    content = yaml.safe_load(path.read_text("utf-8"))
    workflows = content.get("workflows") if isinstance(content, dict) else None
    steps = [step for each in workflows or () for step in each.get("steps", ())]
    paths = dict(operation_of(step) for step in steps if "operationId" in step)
    described = {"openapi": "3.1.0", "info": {"title": "All", "version": "1"}, "paths": paths}
    api = tmp_path / "api.yaml"
    api.write_text(yaml.safe_dump(described))
    sources = content.get("sourceDescriptions", ()) if isinstance(content, dict) else ()
    names = [str(each.get("name")) for each in sources if each.get("type") != "arazzo"]
    return load_workflows(path, sources=dict.fromkeys(names, str(api)))


def operation_of(step: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """A Path Item Object with the operation that a step calls, and its parameters."""
    name = str(step["operationId"]).rpartition(".")[2]
    given = [each for each in step.get("parameters", ()) if "in" in each]
    parameters = [{**each, "required": each["in"] == "path", "schema": {}} for each in given]
    held = "".join(f"/{{{each['name']}}}" for each in given if each["in"] == "path")
    written = {"operationId": name, "parameters": parameters, "responses": {}}
    return f"/{name}{held}", {"get": written}


@pytest.mark.parametrize("path", sorted(SUITE.glob("pass/*.yaml")), ids=lambda path: path.name)
def test_what_the_suite_accepts_is_read_or_said_to_be_about_messages(path, tmp_path):
    if path.name == "async-depends-on-across-document.arazzo.yaml":
        with pytest.raises(DocumentUnavailable, match="--source otherWorkflowDoc="):
            opened(path, tmp_path)
        return
    found = opened(path, tmp_path)
    faults = [str(each) for each in found.problems if each.severity == "error"]
    outside = (
        *("messages", "not evaluated", "describes HTTP", "source", "xpath", "cannot be run"),
        *("$response.headers.Location", "finalizedPaymentPlan"),  # mistakes of an example
    )
    assert [fault for fault in faults if not any(word in fault for word in outside)] == []


@pytest.mark.parametrize("path", sorted(SUITE.glob("fail/*.yaml")), ids=lambda path: path.name)
def test_what_the_suite_refuses_is_refused_or_a_problem(path, tmp_path):
    if path.name in READ_ALL_THE_SAME:
        opened(path, tmp_path)
        return
    try:
        found = opened(path, tmp_path)
    except DocumentError:
        return
    assert [each for each in found.problems if each.severity == "error"] != []


def test_the_examples_are_tools_with_what_is_wrong_in_them_told():
    found = load_workflows(EXAMPLES / "pet-coupons.arazzo.yaml")
    assert [name.partition("__")[2] for name in found] == [
        *("apply-coupon", "buy-available-pet", "place-order"),
    ]
    # The example names parameters that its API does not have.
    assert [str(each).partition(":")[2][:22] for each in found.problems] == [
        *(" parameter 'pet_tags' ", " parameter 'pet_id' in"),
    ]


WORKFLOW = """\
arazzo: 1.0.1
info: {title: Book a train, version: "1"}
sourceDescriptions: [{name: trains, url: ./train-travel.yaml, type: openapi}]
workflows:
  - workflowId: book
    inputs: {type: object, required: [trip_id], properties: {trip_id: {type: string}}}
    steps:
      - stepId: reserve
        operationId: create-booking
        requestBody: {payload: {trip_id: $inputs.trip_id, passenger_name: A, has_dog: false}}
        successCriteria: [{condition: $statusCode == 201}]
        outputs: {id: $response.body.id}
      - stepId: pay
        operationId: create-booking-payment
        parameters: [{name: bookingId, in: query, value: $steps.reserve.outputs.id}]
        requestBody: {payload: {currency: gbp}}
"""


@pytest.mark.skipif(not TRAINS.is_file(), reason="the document of trains is not there")
def test_workflows_over_the_api_of_trains(tmp_path):
    path = tmp_path / "w.arazzo.yaml"
    path.write_text(WORKFLOW, encoding="utf-8")
    found = load_workflows(path, sources={"trains": TRAINS})
    [tool] = found.tools
    assert tool.handler is not None
    assert [part.operation_name for part in tool.handler.parts] == [
        *("create-booking", "create-booking-payment"),
    ]
    # As the public example has it: the parameter is one of the path.
    assert "is in path of create-booking-payment" in str(found.problems[0])
