"""The property that a step asks for, without a model."""

from __future__ import annotations

from typing import Any

import pytest

from restwright.agents.rest.asked_field import read_asked_field

SHIP = {"name": "Tern", "gross_weight": 40, "flag": "NL", "captain": {"name": "Ode", "age": 51}}
SHIPS = [SHIP, {"name": "Aurora", "gross_weight": 90, "flag": "FR"}]
CALL = "get_ship(ship_id='s-1')"


@pytest.mark.parametrize(
    ("what", "call", "body", "is_thing"),
    [
        ("the “gross weight” of the ship “Tern”", CALL, SHIP, True),
        ("the “gross_weight” of the ship “Tern”", CALL, {"data": SHIP}, True),
        ("the “Gross weight” of the ship “tern”", "list_ships()", SHIPS, False),
        ("the “gross weight” of the ship “Tern”", "list_ships()", {"items": SHIPS}, False),
        ("the “gross weight” of the ship “Tern” of this age", CALL, SHIP, True),
    ],
)
def test_a_quoted_property_of_one_thing_is_read(
    what: str, call: str, body: Any, is_thing: bool
) -> None:
    parsed = read_asked_field(what, call, body, is_thing=is_thing)
    assert parsed is not None
    assert (parsed.value, parsed.keys) == ({"name": "Tern", "gross_weight": 40}, {"gross_weight"})
    assert parsed.items == (SHIP,)


@pytest.mark.parametrize(
    ("what", "body", "is_thing"),
    [
        ("the gross weight of the ship “Tern”", SHIP, True),
        ("the “gross weight” and the “flag” of the ship “Tern”", SHIP, True),
        ("the “gross weight” and the flag of the ship “Tern”", SHIP, True),
        ("the “age” of the captain of the ship “Tern”", {**SHIP, "age": 12}, True),
        ("the “captain” of the ship “Tern”", SHIP, True),
        ("the “name” of the captain of the ship “Tern”", {"name": "Tern", "captain_id": 9}, True),
        ("the “name” of the mate of the ship “Tern”", SHIP, True),
        (
            "the “gross weight” of the ship “Tern”",
            {**SHIP, "name": "Aurora", "sister": "Tern"},
            True,
        ),
        ("the “gross weight” of the ship “Kite”", SHIP, True),
        ("the “gross weight” of ship 7", SHIP, True),
        ("the “gross weight” of the ship “Tern”", {**SHIP, "gross_weight": None}, True),
        ("the “gross weight” of the ship “Tern”", [SHIP, SHIP], False),
        ("the “gross weight” of “Tern” and of “Aurora”", SHIPS, False),
        ("the “gross weight” of the ship", SHIPS, False),
        ("the “gross weight” of the ship “Tern”", "a text", True),
    ],
    ids=[
        "it is not quoted",
        "two are",
        "another is named",
        "it may be that of a part",
        "it is a part",
        "it may be that of another thing",
        "it is what the thing is called",
        "only its sister is called so",
        "another thing is named",
        "so is a number",
        "it has no value",
        "two things are called so",
        "two things are named",
        "none is",
        "there is no thing",
    ],
)
def test_what_a_model_has_to_choose_is_not_read(what: str, body: Any, is_thing: bool) -> None:
    assert read_asked_field(what, CALL, body, is_thing=is_thing) is None
