"""Steps that change several things, each by a call of its own."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Mapping

import pytest
from tests.support.planned import planned

from restwright.agents.agent import Agent
from restwright.agents.executor.identifying import AT_ONCE, MOST_WRITES
from restwright.agents.memory.referring import things_of
from restwright.agents.memory.several import is_many, leaves_out_of, means_all
from restwright.agents.steps import Answer
from restwright.calls.approval.approval import Approve, approve_all
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, Reply, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.tool import Tool

LISTS: list[Json] = [{"id": 3, "name": "Work"}, {"id": 51, "name": "Home"}, {"id": 60, "name": "Z"}]
OPEN = ("parser", "def parse(data):\n    return data['lists']")
DONE = ("answer", {"answer": "They are closed."})


def select(operation: str) -> Reply:
    return ("selector", {"asked": "it", "of": "it", "operation": operation})


MINE = select("my_lists")


def operation(name: str, *parameters: JsonObject, response: JsonObject | None = None) -> JsonObject:
    content = {"application/json": {"schema": response or {"type": "object"}}}
    responses: JsonObject = {"200": {"description": "", "content": content}}
    return {"operationId": name, "parameters": [*parameters], "responses": responses}


def office(*, hides: bool = False) -> Catalog:
    """Lists, which are closed one by one, and hidden all at once."""
    fields = {"id": {"type": "integer"}, "name": {"type": "string"}}
    items = {"type": "array", "items": {"type": "object", "properties": fields}}
    at = {"name": "list_id", "in": "path", "required": True, "schema": {"type": "integer"}}
    ids: JsonObject = {
        "name": "list_ids",
        "in": "query",
        "required": True,
        "schema": {"type": "array", "items": {"type": "integer"}},
    }
    paths: JsonObject = {
        "/me/lists": {
            "get": operation("my_lists", response={"properties": {"lists": items}}),
        },
        "/lists/{list_id}": {"delete": operation("close_list", at)},
        "/lists/{list_id}/note": {"get": operation("get_note", at)},
    }
    if hides:
        paths["/me/lists/hide"] = {"put": operation("hide_lists", ids)}
    return catalog(load(document(paths), alias="office"))


def ask(
    question: str,
    *script: Reply,
    lists: list[Json] = LISTS,
    failing: Mapping[str, int] | None = None,
    approve: Approve = approve_all,
    hides: bool = False,
) -> tuple[Answer, list[str]]:
    """The answer, and the calls that were made."""

    def answered(request: Request) -> Response:
        path = request.url.partition("example.test")[2]
        status = (failing or {}).get(path, 200)
        if path == "/me/lists":
            return reply(status, {"lists": lists})
        return reply(status, {"name": f"of {path}"} if request.method == "GET" else {})

    send = RecordingTransport(answered)
    agent = Agent(office(hides=hides), model=ScriptedModel(script), send=send, approve=approve)
    answer = agent.ask(question)
    return answer, [f"{each.method} {each.url.partition('example.test')[2]}" for each in send.sent]


def closed(calls: list[str]) -> list[str]:
    return [each.removeprefix("DELETE /lists/") for each in calls if each.startswith("DELETE")]


@pytest.mark.parametrize("found", ["data['lists']", "[each['name'] for each in data['lists']]"])
def test_each_of_the_things_that_were_found_is_changed(found: str) -> None:
    answer, calls = ask(
        "Close all my lists",
        planned("find my lists", "do close #1"),
        MINE,
        ("parser", f"def parse(data):\n    return {found}"),
        DONE,
    )
    assert closed(calls) == ["3", "51", "60"]
    assert (answer.stopped, answer.text) == ("answered", "They are closed.")


@pytest.mark.parametrize(
    "found",
    [
        "[each for each in data['lists'] if each['kind'] == 'private']",
        "data['lists']",
        "[each['id'] for each in data['lists'] if each['id'] != 60]",
    ],
)
def test_what_is_left_out_is_not_changed(found: str) -> None:
    kinds = zip(LISTS, ("shared", "private", "shared"), strict=True)
    answer, calls = ask(
        "Close my lists that are not shared",
        planned("find my lists that are not shared", "do close #1"),
        MINE,
        ("parser", f"def parse(data):\n    return {found}"),
        DONE,
        lists=[each | {"kind": kind} for each, kind in kinds],
    )
    assert closed(calls) == ["51"]
    assert answer.stopped == "answered"


def test_each_is_changed_where_the_plan_does_not_find_them_first() -> None:
    answer, calls = ask("Close all my lists", planned("do close all my lists"), OPEN, DONE)
    assert closed(calls) == ["3", "51", "60"]
    assert answer.stopped == "answered"


@pytest.mark.parametrize(
    ("task", "chosen", "hidden"),
    [("hide my lists", (), "3&list_ids=51&list_ids=60"), ("hide a list", (51,), "51")],
)
def test_a_list_of_ids_is_given_all_only_where_all_are_meant(
    task: str, chosen: tuple[int, ...], hidden: str
) -> None:
    choices: list[Reply] = [("caller", {"conditions": [], "list_ids": each}) for each in chosen]
    script = planned(f"do {task}"), select("hide_lists"), OPEN, *choices, DONE
    _, calls = ask(task.capitalize(), *script, hides=True)
    assert calls[-1] == f"PUT /me/lists/hide?list_ids={hidden}"


def test_of_one_that_is_meant_one_is_changed() -> None:
    _, calls = ask(
        "Close my oldest list",
        planned("find my oldest list", "do close #1"),
        MINE,
        ("parser", "def parse(data):\n    return data['lists'][1]"),
        DONE,
    )
    assert closed(calls) == ["51"]


def test_where_one_fails_it_is_told_how_many_were_changed() -> None:
    answer, calls = ask(
        "Close all my lists",
        planned("find my lists", "do close #1"),
        MINE,
        OPEN,
        DONE,
        failing={"/lists/51": 409},
    )
    assert closed(calls)[0] == "3"
    assert "60" not in closed(calls)
    assert "1 of 3 are done" in answer.text
    assert answer.stopped == "error"


def test_each_change_is_asked_about_and_none_is_made_after_one_that_is_refused() -> None:
    asked: list[str] = []

    def once(tool: Tool, request: Request) -> bool:
        asked.append(request.url.rpartition("/")[2])
        return asked[-1] == "3"

    answer, calls = ask(
        "Close all my lists",
        planned("find my lists", "do close #1"),
        MINE,
        OPEN,
        DONE,
        approve=once,
    )
    assert asked == ["3", "51"]
    assert closed(calls) == ["3"]
    assert answer.stopped == "refused"
    assert "1 of 3 are done" in answer.text


def test_of_several_what_a_step_before_changed_is_not_changed_again_and_it_is_said() -> None:
    answer, calls = ask(
        "Close my oldest list, then close all my lists",
        planned("find my oldest list", "do close #1", "find all my lists", "do close #3"),
        MINE,
        ("parser", "def parse(data):\n    return data['lists'][1]"),
        MINE,
        OPEN,
        DONE,
    )
    assert closed(calls) == ["51", "3", "60"]
    assert answer.text.endswith("it is the same as what was done before (2 of 3 are done)")
    assert answer.stopped == "error"


def test_of_very_many_none_is_changed() -> None:
    many: list[Json] = [{"id": n, "name": f"List {n}"} for n in range(MOST_WRITES + 1)]
    answer, calls = ask(
        "Close all my lists", planned("find my lists", "do close #1"), MINE, OPEN, DONE, lists=many
    )
    assert closed(calls) == []
    assert f"at most {MOST_WRITES} things" in answer.text


def test_of_many_a_few_are_read_and_it_is_told() -> None:
    many: list[Json] = [{"id": n, "name": f"List {n}"} for n in range(AT_ONCE + 1)]
    answer, calls = ask(
        "What do my lists say?",
        planned("find my lists", "find the note of #1"),
        MINE,
        OPEN,
        *[("parser", {"fields": ["name"]})] * AT_ONCE,
        DONE,
        lists=many,
    )
    assert sum(each.startswith("GET /lists/") for each in calls) == AT_ONCE
    notes = [str(each["text"]) for each in answer.steps if each["step"] == "note"]
    assert notes == [f"get_note is asked about {AT_ONCE} of {AT_ONCE + 1} things only"]


def test_the_number_of_things_is_the_id_of_none() -> None:
    answer, calls = ask(
        "Close as many lists as I have",
        planned("find how many lists I have", "do close the list #1"),
        ("parser", "def parse(data):\n    return len(data['lists'])"),
        *[("parser", "def parse(data):\n    return None")] * 3,
        ("answer", {"answer": "There are three."}),
    )
    assert closed(calls) == []
    assert "no list matches" in answer.text


@pytest.mark.parametrize(
    ("what", "several"),
    {
        "my lists": True,
        "all of #1": True,
        "both lists": True,
        "each list of #2": True,
        "the first two orders": True,
        "#1's songs": True,
        "the lists that are empty": True,
        "my list": False,
        "the newest album of #1": False,
        "the album of the Beatles": False,
        "the news": False,
        "my series": False,
        "the status of my orders": False,
        "the address": False,
        "the Beatles": False,
        "the album Greatest Hits": False,
        "All Stars": False,
        "the list 'All my lists'": False,
        "my all-hands meeting": False,
        "the 2019 album": False,
        "the 5 star review": False,
        "the 2 most recent": True,
        "the song #1 likes": False,
        "the last song my friend shares": False,
        "my newest list and its songs": False,
        "my lists except Work": True,
    }.items(),
)
def test_one_thing_or_several_are_to_be_found(what: str, several: bool) -> None:
    assert is_many(what) == several


@pytest.mark.parametrize(
    ("what", "thing", "each"),
    [
        ("close all my lists", "list", True),
        ("delete each of my old lists", "list", True),
        ("delete all stories", "story", True),
        ("delete the stories", "story", True),
        ("close my old lists", "list", True),
        ("close one of my lists", "list", False),
        ("close the list", "list", False),
        ("add both songs to my list", "list", False),
        ("remove all the songs from my list", "list", False),
        ("close all", "", False),
        ("close one of all my lists", "list", False),
        ("delete my lists' first item", "list", False),
        ("delete the issues label", "issue", False),
        ("delete all issue labels", "issue", False),
        ("move all cards and the list", "list", False),
        ("give all users the role admin", "role", False),
        ("send all my friends a message", "message", False),
        ("rename my list to All Stars", "star", False),
        ("close the list 'All my lists'", "list", False),
        ("close the list Old Lists", "list", False),
        ("set the status", "status", False),
        ("delete all statuses", "status", True),
        ("cancel my series", "serie", False),
        ("send a message to all my friends", "friend", True),
        ("remove the song from all my lists", "list", True),
        ("delete all keys", "key", True),
    ],
)
def test_a_change_is_for_each_thing_of_a_kind(what: str, thing: str, each: bool) -> None:
    assert means_all(what, thing) == each


@pytest.mark.parametrize(
    ("what", "value", "things"),
    [
        ("how many songs #1 has", 7, None),
        ("the number of lists", 7, None),
        ("the number of lists", [7], [7]),
        ("the id of my list", 7, 7),
        ("how many are open", True, True),
        ("the number of my order", 7, 7),
        ("the account number of #1", 7, 7),
        ("the album with the largest number of songs", 7, 7),
        ("#1's number of lists", 7, None),
        ("the total of my order", 7, None),
    ],
)
def test_a_count_is_no_thing(what: str, value: Json, things: Json) -> None:
    assert things_of(what, value) == things


@pytest.mark.parametrize(
    ("what", "thing", "is_left_out"),
    [
        ("close all my lists except Work", "list", True),
        ("close all lists but the newest", "list", True),
        ("close all but one list", "list", True),
        ("invite all users except Bob to team 5", "team", False),
        ("close the list 'All but not Work'", "list", False),
        ("close all my lists", "list", False),
    ],
)
def test_something_is_left_out_of_all(what: str, thing: str, is_left_out: bool) -> None:
    assert leaves_out_of(what, thing) == is_left_out


def picked(list_id: int) -> Reply:
    return ("caller", {"conditions": [], "list_id": list_id})


def only(*places: int) -> Reply:
    return ("parser", f"def parse(data):\n    return [data['lists'][n] for n in {places}]")


@pytest.mark.parametrize("which", ["one of", "any of", "either of"])
def test_of_things_that_were_found_one_is_changed_where_one_is_meant(which: str) -> None:
    _, calls = ask(
        f"Close {which} my lists",
        planned("find my lists", f"do close {which} #1"),
        MINE,
        OPEN,
        picked(51),
        DONE,
    )
    assert closed(calls) == ["51"]


@pytest.mark.parametrize("change", ["close #1 except Work", "close two of #1", "close most of #1"])
def test_none_is_changed_where_the_plan_does_not_find_those_that_are(change: str) -> None:
    answer, calls = ask(
        "Close those lists of mine", planned("find my lists", f"do {change}"), MINE, OPEN, DONE
    )
    assert closed(calls) == []
    assert "not known which list is left out" in answer.text


@pytest.mark.parametrize(
    ("found", "sent"),
    [
        ("data['products'][:1]", ['{"quantity":2,"product_id":"p1"}']),
        ("data['products']", []),
    ],
)
def test_two_of_one_thing_is_how_much_of_it(found: str, sent: list[str]) -> None:
    text, number = {"type": "string"}, {"type": "integer"}
    product = {"type": "object", "properties": {"product_id": text, "name": text}}
    several = {"properties": {"products": {"type": "array", "items": product}}}
    inputs = {"product_id": text, "quantity": number}
    item: JsonObject = {"type": "object", "required": [*inputs], "properties": inputs}
    body = {"required": True, "content": {"application/json": {"schema": item}}}
    shop = catalog(
        load(
            document(
                {
                    "/products": {"get": operation("list_products", response=several)},
                    "/cart": {"post": {**operation("add_cart_item"), "requestBody": body}},
                }
            ),
            alias="shop",
        )
    )
    products: Json = [{"product_id": f"p{n}", "name": name} for n, name in ((1, "Buds"), (2, "On"))]
    send = RecordingTransport(lambda _: reply(200, {"products": products}))
    model = ScriptedModel(
        [
            planned("find the cheapest headphones", "do put two of #1 in my cart"),
            ("parser", f"def parse(data):\n    return {found}"),
            *([("caller", {"conditions": [], "quantity": 2})] if sent else []),
            ("answer", {"answer": "They are there."}),
        ]
    )
    agent = Agent(shop, model=model, send=send, approve=approve_all)
    agent.ask("Put two of the cheapest headphones in my cart.")
    assert [each.body.decode() for each in send.sent if each.method == "POST"] == sent


def test_what_is_left_out_is_not_the_one_that_is_changed() -> None:
    answer, calls = ask(
        "Close all my lists except work",
        planned("do close all my lists except work"),
        OPEN,
    )
    assert closed(calls) == []
    assert "not known which list is left out" in answer.text


def test_a_plan_that_forgets_what_is_left_out_changes_nothing() -> None:
    answer, calls = ask(
        "Close all my lists except work", planned("find my lists", "do close #1"), MINE, OPEN, DONE
    )
    assert closed(calls) == []
    assert "the plan does not say what is left out" in answer.text


def test_what_is_left_out_in_the_search_stays() -> None:
    _, calls = ask(
        "Close all my lists except work",
        planned("find my lists except work", "do close #1"),
        MINE,
        only(1, 2),
        DONE,
    )
    assert closed(calls) == ["51", "60"]


@pytest.mark.parametrize("places", [(2,), (1, 2)])
def test_ids_elsewhere_in_the_message_are_none_of_those_that_were_found(
    places: tuple[int, ...],
) -> None:
    _, calls = ask(
        "Keep list 3 and list 7 and close my other lists",
        planned("find my other lists", "do close #1"),
        MINE,
        only(*places),
        DONE,
    )
    assert closed(calls) == [str(["3", "51", "60"][place]) for place in places]


def test_ids_elsewhere_in_the_message_are_not_all_that_are_meant() -> None:
    _, calls = ask(
        "Keep list 3 and list 51 and close all my other lists",
        planned("do close all my other lists"),
        only(2),
        DONE,
    )
    assert closed(calls) == ["60"]


def test_all_of_a_kind_are_looked_up_and_not_what_happens_to_be_known() -> None:
    _, calls = ask(
        "Show my lists and close the shared lists",
        planned("find my lists", "do close the shared lists"),
        MINE,
        OPEN,
        only(1, 2),
        DONE,
    )
    assert closed(calls) == ["51", "60"]


def test_one_name_tells_no_more_than_one_of_all() -> None:
    lists: list[Json] = [{"id": 3, "name": "Work"}, {"id": 5, "name": "Work"}, {"id": 7}]
    _, calls = ask(
        "Close all my work lists",
        planned("do close all my work lists"),
        only(0, 1),
        DONE,
        lists=lists,
    )
    assert closed(calls) == ["3", "5"]


def test_a_name_in_the_plural_is_no_word_for_all() -> None:
    _, calls = ask(
        "Close the list Old Lists",
        planned("do close the list #1", named=[("Old Lists", "list")]),
        OPEN,
        picked(60),
        DONE,
    )
    assert closed(calls) == ["60"]


def test_changes_that_are_only_taken_in_are_told_once() -> None:
    answer, _ = ask(
        "Close all my lists",
        planned("find my lists", "do close #1"),
        MINE,
        OPEN,
        DONE,
        failing={"/lists/3": 202, "/lists/51": 202, "/lists/60": 202},
    )
    assert answer.text.count("Accepted") == 1
    assert answer.text.count("close the thing") == 1


def at(name: str) -> JsonObject:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "integer"}}


def listing(key: str) -> JsonObject:
    fields = {each: {"type": "string"} for each in ("name", "uri")} | {"id": {"type": "integer"}}
    items = {"type": "object", "properties": fields}
    return {"properties": {key: {"type": "array", "items": items}}}


def taken(key: str) -> Reply:
    return ("parser", f"def parse(data):\n    return data['{key}']")


def of_posts(question: str, *script: Reply, posts: int) -> tuple[Answer, list[str]]:
    """What is called of posts, each with its first two comments, whose numbers are by post."""
    paths: JsonObject = {
        "/me/posts": {"get": operation("my_posts", response=listing("posts"))},
        "/posts/{post_id}": {"delete": operation("delete_post", at("post_id"))},
        "/posts/{post_id}/comments": {
            "get": operation("list_comments", at("post_id"), response=listing("comments"))
        },
        "/posts/{post_id}/comments/{comment_id}": {
            "delete": operation("delete_comment", at("post_id"), at("comment_id"))
        },
    }

    def answered(request: Request) -> Response:
        path = request.url.partition("example.test")[2]
        if request.method == "DELETE":
            return reply(200, {})
        if path == "/me/posts":
            return reply(200, {"posts": [{"id": n, "name": f"P{n}"} for n in range(1, posts + 1)]})
        post = int(path.split("/")[2])
        comments = [{"id": n, "name": f"C{post}{n}"} for n in (post, post + 1)]
        return reply(200, {"comments": comments})

    send = RecordingTransport(answered)
    board = catalog(load(document(paths), alias="board"))
    answer = Agent(board, model=ScriptedModel(script), send=send, approve=approve_all).ask(question)
    sent = [each.url.partition("example.test")[2] for each in send.sent if each.method != "GET"]
    return answer, sent


def test_what_belongs_to_several_things_is_changed_where_it_was_found() -> None:
    _, sent = of_posts(
        "Delete the comments of my posts",
        planned("find my posts", "find the comments of #1", "do delete #2"),
        select("my_posts"),
        taken("posts"),
        *[taken("comments")] * 2,
        DONE,
        posts=2,
    )
    assert sorted(sent) == [
        "/posts/1/comments/1",
        "/posts/1/comments/2",
        "/posts/2/comments/2",
        "/posts/2/comments/3",
    ]


def test_nothing_is_changed_where_there_may_be_more_than_was_read() -> None:
    answer, sent = of_posts(
        "Delete the comments of my posts",
        planned("find my posts", "find the comments of #1", "do delete #2"),
        select("my_posts"),
        taken("posts"),
        *[taken("comments")] * AT_ONCE,
        DONE,
        posts=AT_ONCE + 1,
    )
    assert sent == []
    assert "there may be more" in answer.text


def queued(question: str, *script: Reply, uris: int = 7) -> list[str]:
    """The addresses that are put in a queue, of seven songs."""
    uri: JsonObject = {
        "name": "uri",
        "in": "query",
        "required": True,
        "schema": {"type": "string"},
    }
    paths: JsonObject = {
        "/me/songs": {"get": operation("my_songs", response=listing("songs"))},
        "/queue": {"post": operation("queue", uri)},
    }
    songs: list[Json] = [{"id": n, "uri": f"s{n % uris}", "name": f"S{n}"} for n in range(7)]
    send = RecordingTransport(
        lambda request: reply(200, {"songs": songs} if request.method == "GET" else {})
    )
    player = catalog(load(document(paths), alias="player"))
    Agent(player, model=ScriptedModel(script), send=send, approve=approve_all).ask(question)
    return [each.url.rpartition("=")[2] for each in send.sent if each.method == "POST"]


@pytest.mark.parametrize(
    ("plan", "is_picked", "uris", "addresses"),
    [
        (("find all my songs", "do queue #1"), False, 7, [f"s{n}" for n in range(7)]),
        (("find all my songs", "do queue #1"), False, 2, ["s0", "s1"]),
        (("find my best song", "do queue #1"), True, 7, ["s3"]),
        (("find my songs", "do queue one of #1"), True, 7, ["s3"]),
    ],
)
def test_each_address_is_given_once_where_each_is_meant(
    plan: tuple[str, ...], is_picked: bool, uris: int, addresses: list[str]
) -> None:
    choice: list[Reply] = [("caller", {"conditions": [], "uri": "s3"})] if is_picked else []
    script = planned(*plan), taken("songs"), *choice, DONE
    assert queued("Queue my songs", *script, uris=uris) == addresses


def test_of_many_things_by_many_others_not_all_calls_are_written_out() -> None:
    paths: JsonObject = {
        "/songs": {"get": operation("all_songs", response=listing("songs"))},
        "/users": {"get": operation("all_users", response=listing("users"))},
        "/songs/{song_id}/heard/{user_id}": {
            "get": operation("heard", at("song_id"), at("user_id"))
        },
    }
    things: list[Json] = [{"id": n, "name": f"T{n}"} for n in range(1_000)]
    send = RecordingTransport(lambda _: reply(200, {"songs": things, "users": things}))
    script = (
        planned("find all songs", "find all users", "find how often #1 were heard by #2"),
        select("all_songs"),
        taken("songs"),
        select("all_users"),
        taken("users"),
        *[("parser", "def parse(data):\n    return len(data['songs'])")] * AT_ONCE,
        ("answer", {"answer": "1000 times."}),
    )
    radio = catalog(load(document(paths), alias="radio"))
    tracemalloc.start()
    try:
        Agent(radio, model=ScriptedModel(script), send=send).ask("How often were they heard?")
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 40_000_000


def test_many_words_are_looked_at_in_bounded_time() -> None:
    began = time.process_time()
    for words in ("a" + " A" * 50_000 + " b", "all " * 25_000, "all " + "-" * 100_000):
        is_many(words)
        means_all(words, "list")
        things_of(words, 7)
    assert time.process_time() - began < 10
