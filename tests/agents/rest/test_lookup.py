"""Ids that nobody said, obtained from the operations that supply them."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from tests.support.planned import FittingModel, filled, planned, select, worded

from restwright.agents.agent import Agent
from restwright.agents.steps import Answer
from restwright.calls.approval.approval import approve_all
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, document, reply
from restwright.tools.catalog.catalog import catalog

TEXT: JsonObject = {"type": "string"}
SHIP: JsonObject = {
    "type": "object",
    "properties": {"id": TEXT, "name": TEXT, "built": TEXT, "home_port": TEXT},
}
OWNER: JsonObject = {"type": "object", "properties": {"id": TEXT, "name": TEXT}}
SAILOR: JsonObject = {"type": "object", "properties": {"name": TEXT, "rank": TEXT}}
SHIPS: list[JsonObject] = [
    {"id": "s-1", "name": "Tern", "built": "2001-04-01", "home_port": "Elba"},
    {"id": "s-2", "name": "Aurora", "built": "2019-07-12"},
]
OWNERS: list[JsonObject] = [{"id": "o-1", "name": "Ode Brix"}, {"id": "o-2", "name": "Pim Lund"}]
CREW: list[JsonObject] = [{"name": "Mara Dahl", "rank": "captain"}]


def read(name: str, schema: JsonObject, *needed: str, place: str = "path") -> JsonObject:
    content = {"application/json": {"schema": {"type": "array", "items": schema}}}
    return {
        "operationId": name,
        "parameters": [
            {"name": one, "in": place, "required": True, "schema": TEXT} for one in needed
        ],
        "responses": {"200": {"description": "", "content": content}},
    }


PATHS: JsonObject = {
    "/news": {"get": read("list_news", OWNER)},
    "/search/ships": {"get": read("search_ships", SHIP, "q", place="query")},
    "/search/owners": {"get": read("search_owners", OWNER, "q", place="query")},
    "/owners/{owner_id}/ships": {"get": read("list_ships_of_owner", SHIP, "owner_id")},
    "/ships/{ship_id}/crew": {"get": read("list_crew", SAILOR, "ship_id")},
    "/ships/{ship_id}": {
        "delete": {**read("delete_ship", SHIP, "ship_id"), "responses": {"204": {}}}
    },
}


def serve(request: Request) -> Response:
    address = urlsplit(request.url)
    words = parse_qs(address.query).get("q", [""])[0].casefold()
    found: dict[str, Json] = {
        "/news": [{"id": "n-1", "name": "Soap"}],
        "/search/ships": [one for one in SHIPS if one["name"].casefold() in words],
        "/search/owners": [one for one in OWNERS if words in one["name"].casefold()],
        "/owners/o-1/ships": [*SHIPS],
        "/ships/s-2/crew": [*CREW],
    }
    if request.method == "DELETE":
        return reply(204)
    return reply(200, found[address.path]) if address.path in found else reply(404, {})


def ask(question: str, *script: Reply) -> tuple[Answer, list[str]]:
    """The answer of a small model, and what was sent."""
    send = RecordingTransport(serve)
    agent = Agent(
        catalog(load(document(PATHS), alias="port")),
        model=FittingModel(script, is_small=True),
        send=send,
        approve=approve_all,
        kind="rest",
    )
    answer = agent.ask(question)
    sent = [urlsplit(one.url) for one in send.sent]
    return answer, [f"{one.path}?{one.query}".rstrip("?") for one in sent]


def found(what: str) -> Reply:
    return planned({"id": 1, "kind": "find", "what": what, "of": [], "quantity": "one"})


def thing(kind: str, which: str, name: str | None = None) -> Reply:
    return ("lookup", {"kind": kind, "which": which, "name": name})


def read_out(**parts: Any) -> Reply:
    whole = {"things": "things", "give": "things", "fields": ["name"], "sort": None}
    return ("reader", {**whole, "take": None, "where": [], **parts})


NEWEST = read_out(sort={"by": "built", "first": "highest"}, take=1)


def test_a_name_is_searched_for_without_asking_for_arguments() -> None:
    answer, sent = ask(
        "Who sails Aurora?",
        found("the captain of Aurora"),
        select("list_crew"),
        filled(ship_id=None),
        thing("ship", "the ship Aurora", "Aurora"),
        read_out(),
        worded("Mara Dahl sails her."),
    )
    assert sent == ["/search/ships?q=Aurora", "/ships/s-2/crew"]
    assert answer.text == "Mara Dahl sails her."


def test_what_a_call_was_made_for_is_true_of_all_that_it_gives() -> None:
    answer, _ = ask(
        "Who sails Aurora?",
        found("the captain of Aurora"),
        select("list_crew"),
        filled(ship_id=None),
        thing("ship", "the ship Aurora", "Aurora"),
        # Nobody said the ship's id, and no sailor has it.
        read_out(where=[{"field": "rank", "is": "=", "value": "s-2"}]),
        worded("Mara Dahl sails her."),
    )
    assert answer.text == "Mara Dahl sails her."


def test_what_has_nothing_of_a_thing_that_was_looked_up_does_not_answer_for_it() -> None:
    answer, _ = ask(
        "Who sails on the Tern?",
        found("the crew of the Tern"),
        select("list_crew", second="list_news"),
        filled(ship_id=None),
        thing("ship", "the Tern", "Tern"),
        select("none"),
        worded("It was not found."),
    )
    assert answer.stopped == "error"
    assert "list_news says nothing of 'Tern'" in answer.text
    assert "Soap" not in answer.text


def test_what_is_only_described_is_found_by_the_operation_that_the_model_takes() -> None:
    which = "the newest ship of Ode Brix"
    answer, sent = ask(
        "Who sails the newest ship of Ode Brix?",
        found("the captain of the newest ship of Ode Brix"),
        select("list_crew"),
        filled(ship_id=None),
        thing("ship", which),
        select("list_ships_of_owner"),
        filled(owner_id=None),
        thing("owner", "Ode Brix", "Ode Brix"),
        NEWEST,
        read_out(),
        worded("Mara Dahl sails her."),
    )
    assert sent == [
        f"/search/ships?q={quote(which)}",
        "/search/owners?q=Ode%20Brix",
        "/owners/o-1/ships",
        "/ships/s-2/crew",
    ]
    assert answer.stopped == "answered"


def test_what_a_look_up_found_is_what_the_step_asks_for() -> None:
    which = "the oldest ship of Ode Brix"
    oldest = read_out(sort={"by": "built", "first": "lowest"}, take=1)
    answer, sent = ask(
        "Which is the oldest ship of Ode Brix?",
        found(which),
        select("list_crew"),
        filled(ship_id=None),
        thing("ship", which),
        select("list_ships_of_owner"),
        filled(owner_id=None),
        thing("owner", "Ode Brix", "Ode Brix"),
        oldest,
        filled(owner_id="o-1"),
        worded("It is Tern."),
    )
    assert sent[-2:] == ["/owners/o-1/ships", "/ships/s-1/crew"]
    assert (answer.text, answer.stopped) == (
        "It is Tern.\n(the lowest built is taken for it)",
        "answered",
    )


def test_things_that_a_look_up_could_not_choose_among_may_be_what_the_step_asks_for() -> None:
    which = "the ships of Ode Brix"
    answer, sent = ask(
        "Which ships of Ode Brix are there?",
        planned({"kind": "find", "what": "ships of Ode Brix", "quantity": "some"}),
        select("list_crew"),
        filled(ship_id=None),
        thing("ship", which),
        select("list_ships_of_owner"),
        filled(owner_id=None),
        thing("owner", "Ode Brix", "Ode Brix"),
        # Several ships are no ship whose crew could be read.
        read_out(),
        filled(owner_id="o-1"),
        read_out(),
        worded("Tern and Aurora."),
    )
    assert sent[-1] == "/owners/o-1/ships"
    assert answer.stopped == "answered"


def test_the_thing_that_a_look_up_read_may_have_the_field_that_is_asked_for() -> None:
    answer, sent = ask(
        "What is the home port of Tern?",
        found("the home port of Tern"),
        select("list_crew"),
        filled(ship_id="Tern"),
        # There is no crew of it; and the search that gave its id has its home port.
        filled(q="Tern"),
        read_out(fields=["home_port"]),
        worded("It is Elba."),
    )
    assert sent == ["/ships/Tern/crew", "/search/ships?q=Tern", "/ships/s-1/crew"]
    assert answer.text == "It is Elba."


def test_a_thing_that_a_look_up_read_without_the_field_answers_nothing() -> None:
    answer, sent = ask(
        "What is the crew size of Tern?",
        found("the crew size of Tern"),
        select("list_crew"),
        filled(ship_id="Tern"),
        select("none"),
        worded("It was not found."),
    )
    assert sent[-1] == "/ships/s-1/crew"
    assert answer.stopped == "error"


def test_a_name_that_nobody_said_is_not_looked_for() -> None:
    _, sent = ask(
        "Who sails the newest ship?",
        found("the captain of the newest ship"),
        select("list_crew"),
        filled(ship_id=None),
        thing("ship", "the newest ship", "Tern"),
        select("search_ships"),
        filled(q="newest"),
        select("none"),
        worded("It was not found."),
    )
    assert not [one for one in sent if "Tern" in one]


def test_a_change_takes_only_what_is_called_just_so() -> None:
    answer, sent = ask(
        "Delete the ship Auro.",
        planned(
            {"id": 1, "kind": "change", "what": "delete the ship Auro", "of": [], "quantity": "one"}
            | {"effect": "delete"}
        ),
        select("delete_ship"),
        filled(ship_id=None),
        thing("ship", "the ship Auro", "Auro"),
        filled(owner_id=None),
        # By the ship itself its owner is not found.
        thing("owner", "the owner of Auro"),
        worded("It was not deleted."),
    )
    assert "/ships/s-2" not in sent
    assert answer.stopped == "error"


def test_what_was_made_has_the_id_that_its_response_gave() -> None:
    named: JsonObject = {"type": "object", "properties": {"name": TEXT}, "required": ["name"]}
    taken = {"requestBody": {"content": {"application/json": {"schema": named}}, "required": True}}
    made = {"201": {"description": "", "content": {"application/json": {"schema": SHIP}}}}
    paths: JsonObject = {
        **PATHS,
        "/ships": {"post": {"operationId": "create_ship", "responses": made, **taken}},
        "/ships/{ship_id}/crew": {
            "post": {**read("hire_sailor", SAILOR, "ship_id"), "responses": {"204": {}}, **taken}
        },
    }
    script = [
        planned(
            change(1, "create the ship Kite", "create"),
            change(2, "hire the sailor Pim for #1", "create", 1),
        ),
        select("create_ship"),
        filled(name="Kite"),
        select("hire_sailor"),
        filled(name="Pim"),
        worded("Done."),
    ]
    new: JsonObject = {"id": "s-9", "name": "Kite", "built": "2026-11-24"}
    send = RecordingTransport(
        lambda one: reply(201, new) if urlsplit(one.url).path == "/ships" else reply(204)
    )
    Agent(
        catalog(load(document(paths), alias="port")),
        model=FittingModel(script, is_small=True),
        send=send,
        approve=approve_all,
        kind="rest",
    ).ask("Create the ship Kite and hire the sailor Pim for it.")
    assert [urlsplit(one.url).path for one in send.sent] == ["/ships", "/ships/s-9/crew"]


def change(number: int, what: str, effect: str, *of: int) -> JsonObject:
    step: JsonObject = {"id": number, "kind": "change", "what": what, "of": [*of]}
    return {**step, "quantity": "one", "effect": effect}
