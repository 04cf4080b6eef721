"""The prompts that agents ask with, and those of a user in their place."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.planned import planned, worded

from restwright.agents.agent import Agent
from restwright.agents.prompting.templates import names, prompts_from, render, schema, with_prompts
from restwright.agents.steps import Complete, Completion, Conclusion, Message, Steps
from restwright.calls.arguments.check import check_value, find_broken_keywords
from restwright.errors import LimitReached
from restwright.openapi.api import load
from restwright.testing import ScriptedModel, document
from restwright.tools.catalog.catalog import catalog

FOLDER = Path(__file__).parents[3] / "src" / "restwright" / "agents" / "prompts"
OWN = "# system\nBe terse.\n# user\n{{question}}"
PETS = document({"/pets": {"get": {"operationId": "pets", "responses": {"200": {}}}}})


@pytest.mark.parametrize("name", names())
def test_a_prompt_is_short(name: str) -> None:
    # A plan has more kinds of steps than any other reply: each has an example.
    most = 100 if name == "rest_planner" else 60
    assert len((FOLDER / f"{name}.md").read_text("utf-8").splitlines()) < most


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.schema.json")), ids=lambda path: path.stem)
def test_a_contract_stands_beside_its_prompt_and_can_be_checked(path: Path) -> None:
    name = path.name.removesuffix(".schema.json")
    assert name in names()
    assert not find_broken_keywords(schema(name))


def test_the_examples_of_a_prompt_keep_its_contract() -> None:
    for path in FOLDER.glob("*.schema.json"):
        name = path.name.removesuffix(".schema.json")
        text = (FOLDER / f"{name}.md").read_text("utf-8")
        for reply in re.findall(r"^# assistant\n(\{.*\})$", text, re.MULTILINE):
            assert check_value(schema(name), json.loads(reply)) == (), (name, reply)


def test_a_role_can_be_replaced() -> None:
    model = ScriptedModel([planned(), worded("Pets.")])
    agent = Agent(catalog(load(PETS)), model=model, prompts={"rest_planner": OWN})
    assert agent.ask("What can you do?").text == "Pets."
    assert model.asked[0].messages == (
        Message("system", "Be terse."),
        Message("user", "What can you do?"),
    )
    assert model.asked[1].messages[0].text != "Be terse."


def test_a_folder_replaces_the_prompts_that_it_has(tmp_path: Path) -> None:
    (tmp_path / "rest_planner.md").write_text(OWN, "utf-8")
    assert prompts_from(tmp_path) == {"rest_planner": OWN}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"planer": OWN}, "there is no prompt 'planer'; there are calling_caller, "),
        ({"rest_planner": "Be terse."}, "no line `# system`"),
        ({"rest_planner": OWN + "{{secret}}"}, "cannot have secret, only now, question"),
    ],
)
def test_a_prompt_that_cannot_serve_is_refused(given: dict[str, str], why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        prompts_from(given)


def test_replaced_prompts_hold_for_their_steps_alone() -> None:
    def steps() -> Steps[Conclusion]:
        for _ in range(2):
            yield Complete(
                role="planner", messages=render("rest_planner", question="Hello?", now="")
            )
        return Conclusion(text="x")

    going = with_prompts(steps(), {"rest_planner": OWN})
    first = next(going)
    assert isinstance(first, Complete)
    assert first.messages[0].text == "Be terse."
    assert render("rest_planner", question="Hello?", now="")[0].text != "Be terse."
    second = going.send(Completion(text=""))
    assert second == first
    with pytest.raises(StopIteration) as end:
        going.send(Completion(text=""))
    assert end.value.value == Conclusion(text="x")


def test_a_limit_reaches_the_steps_through_replaced_prompts() -> None:
    def steps() -> Generator[Complete, Completion, str]:
        try:
            yield Complete(role="planner", messages=())
        except LimitReached as limit:
            return limit.message
        return ""

    going = with_prompts(steps(), {})  # type: ignore[arg-type]
    next(going)
    with pytest.raises(StopIteration) as end:
        going.throw(LimitReached("seconds", 1))
    assert "seconds" in end.value.value


def test_the_page_on_agents_says_of_each_prompt_where_its_contract_is() -> None:
    page = (FOLDER.parents[3] / "docs" / "agents.md").read_text("utf-8")
    rows = [line.split("|") for line in page.splitlines() if line.startswith("| `")]
    where = {
        name: row[3].strip()
        for row in rows
        if len(row) == 5
        for name in re.findall(r"`(\w+)`", row[1])
    }
    contracts = {path.name.removesuffix(".schema.json") for path in FOLDER.glob("*.schema.json")}
    assert {*where} >= {*names()}
    assert {name for name in names() if where[name] == "file"} == contracts


def test_the_python_of_the_page_on_agents_runs() -> None:
    page = (FOLDER.parents[3] / "docs" / "agents.md").read_text("utf-8")
    known: dict[str, Any] = {
        "catalog": catalog(load(PETS)),
        "model": ScriptedModel([]),
        "my_text": "# user\n{{question}} {{history}}",
    }
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(code, "agents.md", "exec"), known)  # noqa: S102
        model = ScriptedModel([{"tools": [], "answer": "I can list pets."}])
        assert (
            replace(known["agent"], model=model).ask("What can you do?").text == "I can list pets."
        )
