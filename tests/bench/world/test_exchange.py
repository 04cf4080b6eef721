"""A world answers requests as its document says, in process."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.support.bench.shelf import let_in, shelf

from restwright_bench.world.api import Logged, Running
from restwright_bench.world.app import World
from restwright_bench.world.checking import misfits
from restwright_bench.world.document import read_document, routes_of
from restwright_bench.world.exchange import Answer, Received, Refused
from restwright_bench.world.faults import FaultPlan, PlannedFault, fault_plan, too_many
from restwright_bench.world.made_up import made_up


@dataclass
class Client:
    running: Running

    def __call__(
        self, method: str, path: str, *query: tuple[str, str], body: bytes = b""
    ) -> Answer:
        received = Received(method=method, path=path, query=query, body=body)
        return self.running.answer(let_in(received))


@pytest.fixture
def client():
    return Client(Running(shelf()))


def test_a_handler_is_asked_with_the_types_of_the_document(client):
    assert client("GET", "/books/2").body["title"] == "Persuasion"


def test_literal_segments_come_before_parameters(client):
    assert client("GET", "/books/latest").body["title"] == "Mansfield Park"


def test_writes_change_the_state_with_the_status_of_the_document(client):
    added = client("POST", "/books", body=b'{"title": "Sanditon", "pages": 90}')
    assert (added.status, added.body["id"]) == (201, 4)
    assert client("DELETE", "/books/4") == Answer(status=204)
    assert client("GET", "/books/4").status == 404


@pytest.mark.parametrize(
    ("query", "name"),
    [
        (("page", "two"), "page"),
        (("page", "0"), "page"),
        (("page", "9" * 5000), "page"),
        (("page", str(2**64)), "page"),
        (("page", ""), "page"),
        (("ratio", "nan"), "ratio"),
        (("ratio", "1e999"), "ratio"),
        (("is_lent", "yes"), "is_lent"),
    ],
)
def test_a_value_that_does_not_fit_is_told_of_by_name(client, query, name):
    answer = client("GET", "/books", query)
    assert answer.status == 400
    assert [(each["location"], each["name"]) for each in answer.body["faults"]] == [("query", name)]


def test_a_single_value_that_comes_twice_is_told_of(client):
    answer = client("GET", "/books", ("page", "1"), ("page", "2"))
    assert answer.body["faults"][0]["reason"] == "is given more than once"


@pytest.mark.parametrize("query", [(("tags", "a,b"),), (("tags", "a"), ("tags", "b"))])
def test_a_list_is_read_from_one_text_or_several(query):
    running = Running(replace(shelf(), handlers={("GET", "/books"): _echo}))
    assert Client(running)("GET", "/books", *query).body == {"page": 1, "tags": ["a", "b"]}


def _echo(_state, asked):
    return Answer(body=dict(asked.query))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "is required"),
        (b"{", "is not JSON"),
        (b"NaN", "is not JSON"),
        (b"\xff", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"{}", '"title" is a required property'),
        (b"[]", 'is not of type "object"'),
    ],
)
def test_a_body_that_does_not_fit_is_told_of(client, body, reason):
    answer = client("POST", "/books", body=body)
    assert answer.status == 400
    assert reason in answer.body["faults"][0]["reason"]


def test_no_more_than_ten_faults_are_told(client):
    wrong = [(name, "?") for name in ("page", "ratio", "is_lent")] * 8
    assert len(client("GET", "/books", *wrong).body["faults"]) <= 10


def test_a_body_where_none_is_taken_is_told_of(client):
    assert client("GET", "/books/1", body=b"{}").status == 400


def test_what_has_no_handler_is_answered_from_the_schema_and_says_so(client):
    assert client("GET", "/statistics").body == {"books": 3}
    assert client.running.log[-1].handled == "schema"


def test_a_known_path_names_the_methods_it_takes(client):
    answer = client("PATCH", "/books/1")
    assert (answer.status, answer.headers) == (405, {"Allow": "GET, DELETE"})


def test_a_head_is_answered_as_a_get(client):
    assert client("HEAD", "/books/1").status == 200
    assert client.running.log[-1].method == "HEAD"


@pytest.mark.parametrize("path", ["/nowhere", "/books/", "/books/1/", "/books//1", ""])
def test_other_paths_are_not_found(client, path):
    assert client("GET", path).status == 404


def test_who_has_no_key_is_not_let_in_whatever_else_is_wrong():
    running = Running(shelf())
    assert running.answer(Received(method="GET", path="/books/x")).status == 401
    assert not running.log[0].handled


def test_the_log_holds_template_path_status_and_faults(client):
    client("GET", "/books/x")
    assert client.running.log == [
        Logged(
            number=0,
            api="shelf",
            method="GET",
            template="/books/{id}",
            path="/books/x",
            status=400,
            faults=client.running.log[0].faults,
        )
    ]
    assert client.running.log[0].faults[0]["name"] == "id"


def test_a_seed_gives_other_ids_and_always_the_same():
    states = [Running(shelf(), seed=seed).state.snapshot() for seed in (0, 7, 7)]
    assert states[0] != states[1] == states[2]


def test_a_reset_brings_back_state_log_and_faults(client):
    client.running.reset(faults=FaultPlan(too_many(after_s=3)))
    before = client.running.state.snapshot()
    for _ in range(2):
        answers = [client("DELETE", "/books/1") for _ in range(3)]
        assert [each.status for each in answers] == [429, 204, 404]
        assert answers[0].headers == {"Retry-After": "3"}
        client.running.reset()
        assert (client.running.state.snapshot(), client.running.log) == (before, [])


def spoiled(client, **fault):
    client.running.reset(faults=fault_plan([{"template": "/books/{id}", **fault}]))
    return client("GET", "/books/1")


def test_an_answer_can_be_late_and_is_right_then(client):
    late = spoiled(client, latency_s=0.25)
    assert (late.status, late.body["id"], late.delay_s) == (200, 1, 0.25)
    assert client("GET", "/books/1").delay_s == 0


def test_json_can_be_cut_off(client):
    cut = spoiled(client, cut=9)
    assert (cut.status, len(cut.content)) == (200, 9)
    assert client("GET", "/books/1").content.startswith(cut.content)
    with pytest.raises(json.JSONDecodeError):
        json.loads(cut.content)


def test_an_answer_can_be_declared_as_something_else(client):
    assert spoiled(client, media_type="text/html").media_type == "text/html"
    assert client("GET", "/books/1").media_type == "application/json"


def test_a_failure_can_be_late_and_cut_off_too(client):
    failed = spoiled(client, status=502, cut=5, latency_s=0.5, media_type="text/html")
    assert (failed.status, failed.delay_s, failed.media_type) == (502, 0.5, "text/html")
    assert len(failed.content) == 5


def test_a_write_whose_answer_is_cut_off_is_made(client):
    client.running.reset(faults=fault_plan([{"cut": 1}]))
    client("POST", "/books", body=b'{"title": "Sanditon"}')
    assert len(client.running.state.books) == 4


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"status": 99},
        {"status": True},
        {"latency_s": -1},
        {"latency_s": 61},
        {"cut": "all"},
        {"media_type": 1},
        {"status": 500, "every": -1},
        {"status": 500, "headers": []},
        {"status": 429, "when": 1},
        [],
    ],
)
def test_a_plan_that_means_nothing_is_refused(wrong):
    with pytest.raises(ValueError, match="a fault"):
        fault_plan([wrong])


def test_a_fault_comes_every_so_often_and_only_where_it_is_meant(client):
    plan = FaultPlan(PlannedFault(status=503, template="/books/{id}", method="GET", every=3))
    client.running.reset(faults=plan)
    assert client("GET", "/books").status == 200
    statuses = [client("GET", "/books/1").status for _ in range(7)]
    assert statuses == [503, 200, 200, 503, 200, 200, 503]


def test_answers_are_compared_with_the_document():
    route = next(each for each in shelf().routes if each.template == "/books/latest")
    assert misfits(route, Answer(body={"id": 1, "title": "Emma"})) == ()
    assert misfits(route, Answer(body={"id": "1", "title": "Emma"}))[0].startswith("id: ")
    assert misfits(route, Answer(status=201)) == ("201 is not in the document",)
    assert misfits(route, Answer(status=418)) == ()


def test_a_world_finds_the_api_by_its_prefix():
    world = World([shelf()])
    key = (("key", "secret"),)
    found = world.answer("/shelf/1/books/1", Received(method="GET", path="", query=key))
    assert found is not None
    assert found.status == 200
    assert world.answer("/shelf/12/books/1", Received(method="GET", path="")) is None


def test_a_refusal_may_say_more_in_headers():
    def busy(_state, _asked):
        raise Refused(409, "it is lent", {"Retry-After": "60"})

    running = Running(replace(shelf(), handlers={("GET", "/books"): busy}))
    assert Client(running)("GET", "/books").headers == {"Retry-After": "60"}


def test_a_mistake_of_a_handler_is_logged_and_goes_on_up():
    running = Running(replace(shelf(), handlers={("GET", "/books"): lambda _state, _asked: 1 / 0}))
    with pytest.raises(ZeroDivisionError):
        Client(running)("GET", "/books")
    assert [(each.status, each.handled) for each in running.log] == [(500, "failed")]


SPECS = Path(__file__).parents[3].parent / "shared/data/restbench/specs"


@pytest.mark.corpus
@pytest.mark.skipif(not SPECS.exists(), reason="needs ../shared/data/restbench")
@pytest.mark.parametrize("name", ["tmdb", "spotify"])
def test_every_operation_can_be_answered_from_its_schema(name):
    for route in routes_of(read_document(SPECS / f"{name}_oas.json")):
        assert misfits(route, made_up(route)) == (), route.template
        assert made_up(route).status < 300, route.template
