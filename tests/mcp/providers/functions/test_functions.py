"""Python functions are served as operations are, in both eras: `mcp serve prices.py:Prices`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.mcp.over_stdio import over_stdio
from tests.support.mcp.serving import Person, call, says, serving, talk, texts

from restwright.calls.approval.policy import READ_ONLY
from restwright.errors import UsageError
from restwright.filters import filter_reads

PRICES = '''
import restwright as rw

class PriceList:
    """Prices."""

    def __init__(self):
        self.kept = {"hat": 2.0}

    @rw.tool(reads=True)
    def find(self, name: str) -> float:
        """
        Find a price.

        Args:
            name: Of what is sold.
        """
        print("to be seen by nobody who reads the protocol")
        if name == "crash":
            raise RuntimeError("/home/ada/secret.txt")
        if name not in self.kept:
            raise rw.Said(f"there is no {name}")
        return self.kept[name]

    async def keep(self, name: str, amount: float) -> dict[str, float]:
        """Keep a price."""
        self.kept[name] = amount
        return self.kept
'''


def listed(served, era):
    async def read(client):
        return {tool.name: tool for tool in (await client.list_tools()).tools}

    return talk(served, era, read)


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "prices.py"
    path.write_text(PRICES)
    return f"{path}:PriceList"


def test_functions_are_listed_and_called(source: str, era: str) -> None:
    served = serving(source)
    tools = listed(served, era)
    assert [*tools] == ["price_list__find", "price_list__keep"]
    find = tools["price_list__find"]
    assert find.description == "Find a price."
    assert find.input_schema["properties"]["name"]["description"] == "Of what is sold."
    assert find.annotations is not None
    assert find.annotations.read_only_hint
    assert texts(call(served, era, "price_list__find", {"name": "hat"})) == ["2.0"]


def test_a_function_that_writes_is_asked_about(source: str, era: str) -> None:
    served = serving(source)
    arguments = {"name": "bag", "amount": 3}
    no = Person(says(yes=False))
    assert call(served, era, "price_list__keep", arguments, no).is_error
    assert "function:price_list__keep" in no.asked[0]
    yes = Person()
    kept = texts(call(served, era, "price_list__keep", arguments, yes))
    assert json.loads(kept[0]) == {"hat": 2.0, "bag": 3.0}
    assert [*listed(serving(source, policy=READ_ONLY, keep=filter_reads), era)] == [
        "price_list__find"
    ]


def test_what_a_function_raises_is_told_by_its_name_unless_it_is_said(
    source: str, era: str
) -> None:
    served = serving(source)
    said = call(served, era, "price_list__find", {"name": "cap"})
    assert said.is_error
    assert "there is no cap" in texts(said)[0]
    crashed = texts(call(served, era, "price_list__find", {"name": "crash"}))
    assert "RuntimeError" in crashed[0]
    assert "secret" not in crashed[0]
    wrong = call(served, era, "price_list__find", {"name": 7, "more": 1})
    assert wrong.is_error
    assert "/more" in texts(wrong)[0]


@pytest.mark.parametrize(("name", "why"), [("Nothing", "has no Nothing"), ("rw", "no public")])
def test_what_cannot_be_served_is_said_before_it_is(source: str, name: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        serving(source.replace("PriceList", name))


@pytest.mark.process
def test_what_functions_print_is_no_line_of_the_protocol(source: str) -> None:
    with over_stdio(source) as spoken:
        spoken.begin()
        told = spoken.ask("tools/call", {"name": "price_list__find", "arguments": {"name": "hat"}})
        assert told["result"]["content"] == [{"type": "text", "text": "2.0"}]
