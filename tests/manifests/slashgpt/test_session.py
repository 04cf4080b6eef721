"""SlashGPT manifests in a session: the examples of its articles, against stubs."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

import pytest
from graphql import build_schema, graphql_sync, introspection_from_schema
from tests.support.manifests.fixtures import (
    CALENDAR,
    CALENDAR_FUNCTIONS,
    CURRENCY,
    DISPATCHER,
    EVENT,
    SPACE,
    folder,
    resource,
)
from tests.support.manifests.stub import Received, calling, saying, serving

from restwright.agents.steps import Completion
from restwright.calls.approval.approval import approve_all
from restwright.errors import DocumentUnavailable, UnreadableDocument
from restwright.jsontypes import Json, JsonObject
from restwright.manifests.functions.code_calls import CodeAnswer, CodeCall
from restwright.manifests.session.session import ManifestSession
from restwright.manifests.slashgpt.session import (
    SessionOptions,
    load_manifest_collection,
    load_slash_manifests,
    open_session,
)
from restwright.net.http.retry import Retry
from restwright.net.http.transport import Transport
from restwright.testing import Reply, ScriptedModel
from restwright.tools.toolset.meta_tools import ToolCall

SDL = """
type Query { company: Company! }
type Company { ceo: String! founded: Int! }
type Mutation { rename(ceo: String!): Company! }
"""
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def talk(place: Path, *replies: Reply, **more: object) -> tuple[ManifestSession, ScriptedModel]:
    model = ScriptedModel(replies)
    agent = str(more.pop("agent", ""))
    terms = SessionOptions(model=model, now=lambda: NOON, **more)  # type: ignore[arg-type]
    return open_session(place, terms, agent=agent), model


def heard(of: ManifestSession) -> list[str]:
    return [each.text for each in of.history if each.speaker == "tool"]


def test_currency_asks_the_converter_and_answers(tmp_path: Path) -> None:
    place = folder(tmp_path, currency=CURRENCY)
    with serving(lambda _: (200, {"result": 146.04})) as stub:
        at, model = talk(
            place / "currency.json",
            calling("convert", {"from": "USD", "to": "JPY", "amount": 1}),
            saying("1 USD is 146.04 JPY."),
            servers={"https://rates.example.test": stub.url},
        )
        reply = at.ask("How many yen is a dollar?")
    assert stub.received == [Received("GET", "/converter?from=USD&to=JPY&amount=1", {})]
    assert reply.text == "1 USD is 146.04 JPY."
    assert "146.04" in heard(at)[0]
    assert "Current time is 20260101T120000Z." in model.asked[0].messages[0].text


def test_a_calendar_makes_a_data_url_and_sends_the_invitation(tmp_path: Path) -> None:
    place = folder(tmp_path, cal=CALENDAR)
    resource(tmp_path, "functions/calendar.json", CALENDAR_FUNCTIONS)
    resource(tmp_path, "event.ics", EVENT)
    at, _ = talk(
        place / "cal.json",
        calling("make_event", {"SUMMARY": "Tim & me", "DTSTART": "20230704T20:00:00Z"}),
        calling("send_invitation", {"recipients": ["tim@apple.com"]}),
        saying("Sent."),
    )
    assert at.greet() == "Which event?"
    assert at.ask("Meet Tim").text == "Sent."
    made, sent = heard(at)
    assert sent == "Success. The invitation was sent to ['tim@apple.com']"
    head = "{ 'result':'Success', 'invitation_link': 'data:text/calendar;charset=utf-8,"
    assert made.startswith(head)
    assert "Tim%20%26%20me" in made
    event = unquote(made.removeprefix(head).removesuffix("' }"))
    assert event == EVENT.format(SUMMARY="Tim & me", DTSTART="20230704T20:00:00Z")


def test_rockets_are_asked_about_in_graphql_under_a_real_schema(tmp_path: Path) -> None:
    schema = build_schema(SDL)
    place = folder(tmp_path, space=SPACE)
    resource(tmp_path, "schema.json", dict(introspection_from_schema(schema)))
    root: JsonObject = {"company": {"ceo": "Elon Musk", "founded": 2002}}

    def answer(asked: Received) -> tuple[int, Json]:
        done = graphql_sync(schema, asked.json["query"], root)
        return 200, done.formatted

    with serving(answer) as stub:
        at, _ = talk(
            place / "space.json",
            calling("call_graphQL", {"query": "{ company { cto } }"}),
            calling("call_graphQL", {"query": "{ company { ceo } }"}),
            calling("call_graphQL", {"query": 'mutation { rename(ceo: "me") { ceo } }'}),
            saying("Elon Musk."),
            servers={"https://rockets.example.test": stub.url},
        )
        assert at.ask("Who is the CEO?").text == "Elon Musk."
    assert [each.json for each in stub.received] == [{"query": "query { company { ceo } }"}]
    wrong, right, refused = heard(at)
    assert "Did you mean 'ceo'?" in wrong
    assert "Elon Musk" in right
    assert "not allowed" in refused


def test_a_mutation_is_sent_once_it_is_allowed(tmp_path: Path) -> None:
    place = folder(tmp_path, space=SPACE | {"resource": "./resources/schema.graphql"})
    resource(tmp_path, "schema.graphql", SDL)
    with serving(lambda _: (200, {"data": {}})) as stub:
        at, _ = talk(
            place / "space.json",
            calling("call_graphQL", {"query": "mutation { a }", "variables": {"x": 1}}),
            saying("Done."),
            servers={"https://rockets.example.test": stub.url},
            approve=approve_all,
        )
        at.ask("Do it")
    assert stub.received[0].json == {"query": "mutation { a }", "variables": {"x": 1}}


def test_a_dispatcher_hands_over_and_is_told_of_agents_that_there_are_not(tmp_path: Path) -> None:
    place = folder(tmp_path, dispatcher=DISPATCHER, currency=CURRENCY, cal=CALENDAR)
    resource(tmp_path, "functions/calendar.json", CALENDAR_FUNCTIONS)
    resource(tmp_path, "event.ics", EVENT)
    at, model = talk(
        place,
        calling("categorize", {"question": "q", "category": "stocks"}),
        calling("categorize", {"question": "yen?", "category": "currency"}),
        saying("146"),
        agent="dispatcher",
    )
    reply = at.ask("How many yen is a dollar?")
    assert (reply.agent, reply.text, at.current) == ("currency", "146", "currency")
    system = model.asked[0].messages[0].text
    assert "currency: Converts currency\ncal: Schedules events" in system
    assert '"enum":["currency","cal"]' in system
    assert "expected" in model.asked[1].messages[-1].text
    assert model.asked[2].messages[-1].text == "yen?"


def test_a_retired_key_of_a_switch_still_hands_over(tmp_path: Path) -> None:
    old = {"metafile": "{category}", "chained_msg": "{question}"}
    place = folder(
        tmp_path, d=DISPATCHER | {"actions": {"categorize": old}}, currency=CURRENCY, cal=CURRENCY
    )
    at, _ = talk(
        place,
        calling("categorize", {"question": "yen?", "category": "cal"}),
        saying("146"),
        agent="d",
    )
    assert at.ask("x").agent == "cal"


def test_one_request_more_for_a_host_that_was_not_named_is_refused(tmp_path: Path) -> None:
    url = "http://127.0.0.1:9/converter?from={from}"
    place = folder(tmp_path, c=CURRENCY | {"actions": {"convert": {"type": "rest", "url": url}}})
    call = calling("convert", {"from": "USD", "to": "JPY", "amount": "1"})
    at, _ = talk(place, call, saying("No."))
    assert at.ask("x").text == "No."
    assert "127.0.0.1" in heard(at)[0]


def test_a_secret_reaches_the_server_and_neither_model_nor_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    action = {
        "type": "rest",
        "url": "https://rates.example.test/c?from={from}&key={appkey}",
        "appkey": "RATES",
        "headers": {"Authorization": "Bearer {appkey}"},
    }
    place = folder(tmp_path, c=CURRENCY | {"actions": {"convert": action}})
    monkeypatch.setenv("SLASH_GPT_ENV_RATES", "s3cr3t-value")
    call = calling("convert", {"from": "USD", "to": "JPY", "amount": "1"})
    events: list[str] = []
    with serving(lambda each: (404, f"no such key: {each.headers['authorization']}")) as stub:
        at, model = talk(
            place,
            call,
            saying("No."),
            servers={"https://rates.example.test": stub.url},
            on_event=lambda event: events.append(json.dumps(event.record())),
        )
        at.ask("x")
    assert stub.received[0].path == "/c?from=USD&key=s3cr3t-value"
    assert stub.received[0].headers["authorization"] == "Bearer s3cr3t-value"
    shown = [*heard(at), *events, *(each.messages[-1].text for each in model.asked)]
    assert not [each for each in shown if "s3cr3t" in each]


@pytest.mark.parametrize("status", [201, 204, 302, 400, 401, 429, 500])
def test_any_status_leaves_the_conversation_alive(tmp_path: Path, status: int) -> None:
    place = folder(tmp_path, currency=CURRENCY)
    call = calling("convert", {"from": "USD", "to": "JPY", "amount": "1"})
    with serving(lambda _: (status, "" if status == 204 else {"is": status})) as stub:
        servers = {"https://rates.example.test": stub.url}
        at, _ = talk(place, call, saying("So."), servers=servers, send=once())
        assert at.ask("x").text == "So."
    assert (str(status) in heard(at)[0]) is (status != 204)


def once() -> Transport:
    """A transport that repeats nothing."""
    return Transport(retry=Retry(attempts=1))


def test_a_missing_secret_is_what_the_call_gave(tmp_path: Path) -> None:
    action = {"type": "rest", "url": "https://rates.example.test/{appkey}", "appkey": "RATES"}
    place = folder(tmp_path, c=CURRENCY | {"actions": {"convert": action}})
    call = calling("convert", {"from": "USD", "to": "JPY", "amount": "1"})
    at, _ = talk(place, call, saying("No."))
    at.ask("x")
    assert "SLASH_GPT_ENV_RATES" in heard(at)[0]


def test_a_write_is_asked_about(tmp_path: Path) -> None:
    action = {"type": "rest", "method": "post", "url": "https://rates.example.test/c"}
    place = folder(tmp_path, c=CURRENCY | {"actions": {"convert": action}})
    call = calling("convert", {"from": "USD", "to": "JPY", "amount": "1"})
    with serving() as stub:
        servers = {"https://rates.example.test": stub.url}
        at, _ = talk(place, call, saying("No."), servers=servers)
        at.ask("x")
        assert (stub.received, "not allowed" in heard(at)[0]) == ([], True)
        at, _ = talk(place, call, saying("Yes."), servers=servers, approve=approve_all)
        at.ask("x")
    assert stub.received[0].json == {"from": "USD", "to": "JPY", "amount": "1"}
    assert stub.received[0].headers["content-type"] == "application/json"


CODE: JsonObject = {
    "title": "Code",
    "notebook": True,
    "prompt": ["Run code."],
    "result_form": "Here is the result: {result}",
    "functions": [
        {
            "name": "run_python_code",
            "parameters": {
                "type": "object",
                "properties": {"code": {"type": "array", "items": {"type": "string"}}},
                "required": ["code"],
            },
        }
    ],
}


def test_code_is_off_until_it_is_turned_on(tmp_path: Path) -> None:
    place = folder(tmp_path, code=CODE)
    at, _ = talk(place, calling("run_python_code", {"code": ["1+1"]}), saying("Off."))
    assert at.ask("x").text == "Off."
    assert "--allow-code turns it on" in heard(at)[0]


def test_a_notebook_runs_what_is_called_and_what_is_only_written(tmp_path: Path) -> None:
    ran: list[CodeCall] = []

    def run(call: CodeCall) -> CodeAnswer:
        ran.append(call)
        return CodeAnswer(text="2", data=({"image/png": "..."},))

    place = folder(tmp_path, code=CODE, old=CODE | {"skip_function_result": True})
    at, _ = talk(
        place,
        calling("run_python_code", {"code": ["a = 1\n", "a + 1"]}),
        saying("Two."),
        run=run,
        agent="code",
    )
    reply = at.ask("one and one?")
    assert ran[0].arguments["code"] == "a = 1\na + 1"
    assert "Here is the result: 2" in heard(at)[0]
    assert reply.turns[0].turn.data == ({"image/png": "..."},)
    at, _ = talk(place, saying("```python\n1+1\n```"), run=run, agent="old")
    assert at.ask("one and one?").text.endswith("Here is the result: 2")
    assert ran[1].arguments["code"] == "1+1"


def test_a_module_that_is_not_there_says_so(tmp_path: Path) -> None:
    manifest = {"title": "M", "module": "./resources/module/db.py", "functions": [{"name": "q"}]}
    at, _ = talk(folder(tmp_path, m=manifest), calling("q", {}), saying("Gone."))
    assert at.ask("x").text == "Gone."
    assert "not there" in heard(at)[0]


def test_a_function_that_nothing_carries_out_says_so(tmp_path: Path) -> None:
    at, _ = talk(
        folder(tmp_path, m={"title": "M", "functions": [{"name": "fly"}]}),
        calling("fly", {}),
        saying("I cannot."),
    )
    assert at.ask("x").text == "I cannot."
    assert "Nothing carries out fly here" in heard(at)[0]


def test_articles_come_from_a_folder(tmp_path: Path) -> None:
    place = folder(tmp_path, m={"prompt": ["Use:", "{articles}"], "embeddings": {"name": "x"}})
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a.txt").write_text("Gold went to Hirano.\n\nThe sky is blue.", "utf-8")
    at, model = talk(place, "Hirano.", articles=texts)
    at.ask("Who won gold?")
    assert model.asked[0].messages[0].text == "Use:\nGold went to Hirano."


def test_memory_and_resources_are_put_in_as_they_are(tmp_path: Path) -> None:
    prompt = ["{resource}", "{memory}", "{agents} {unknown} {now}"]
    manifest = {"prompt": prompt, "resource": "./resources/r.txt"}
    place = folder(tmp_path, m=manifest)
    resource(tmp_path, "r.txt", r"\d \1 {memory} {now}")
    at, model = talk(place, "ok")
    at.memory = {"名": r"\x"}
    at.ask("x")
    assert model.asked[0].messages[0].text == (
        "\\d \\1 {memory} {now}\n" + '{"名": "\\\\x"}' + "\n{agents} {unknown} 20260101T120000Z"
    )


def test_a_form_is_put_around_what_the_user_says_unless_a_backtick_says_no(tmp_path: Path) -> None:
    place = folder(tmp_path, m={"prompt": "p", "form": "Write code to {question}!"})
    at, model = talk(place, "a", "b")
    at.ask("sum {x}")
    at.ask("`plain")
    said = [each.messages[-1].text for each in model.asked]
    assert said == ["Write code to sum {x}!", "plain"]


def test_a_manifest_without_a_prompt_has_no_system_message(tmp_path: Path) -> None:
    at, model = talk(folder(tmp_path, m={"title": "Plain", "temperature": "0.5"}), "hi")
    at.ask("x")
    assert [each.speaker for each in model.asked[0].messages] == ["user"]
    assert model.asked[0].temperature == 0.5


def test_a_native_model_is_given_tools_under_their_own_names(tmp_path: Path) -> None:
    place = folder(tmp_path, currency=CURRENCY)
    call = ToolCall("convert", '{"from":"USD","to":"JPY","amount":"1"}')
    model = ScriptedModel([Completion(text="", calls=(call,)), "146"], calls_tools=True)
    with serving() as stub:
        terms = SessionOptions(model=model, servers={"https://rates.example.test": stub.url})
        assert open_session(place, terms).ask("x").text == "146"
    assert [each["name"] for each in model.asked[0].tools] == ["convert"]
    assert [each.speaker for each in model.asked[1].messages][-2:] == ["assistant", "tool"]


def test_a_broken_file_costs_that_agent_alone(tmp_path: Path) -> None:
    place = folder(tmp_path, a=CURRENCY, b={"title": 3, "promt": "x"})
    (place / "c.json").write_text("{", "utf-8")
    (place / "d.yml").write_text("- a\n- b\n", "utf-8")
    loaded = load_manifest_collection(place)
    assert list(loaded.manifests) == ["a", "b"]
    said = [str(each) for each in loaded.notes]
    assert any("c.json" in each for each in said)
    assert any("d.yml" in each and "a manifest is an object" in each for each in said)
    assert any("did you mean `prompt`?" in each for each in said)
    assert any("title: a text is expected, not a number" in each for each in said)


def test_what_cannot_be_read_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{", "utf-8")
    with pytest.raises(UnreadableDocument):
        load_slash_manifests(tmp_path / "a.json")
    with pytest.raises(DocumentUnavailable):
        load_slash_manifests(tmp_path / "none.json")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DocumentUnavailable, match="no manifest"):
        load_slash_manifests(tmp_path / "empty")


def test_a_set_is_chosen_by_its_name(tmp_path: Path) -> None:
    main = folder(tmp_path, a=CURRENCY)
    other = tmp_path / "manifests" / "other"
    other.mkdir()
    (other / "b.yml").write_text("title: B\nprompt: be\n", "utf-8")
    sets = {
        "main": {"manifests_dir": "manifests/main", "default_agent_name": "a"},
        "other": {"manifests_dir": "manifests/other", "default_agent_name": None},
        "out": {"manifests_dir": "../..", "default_agent_name": None},
    }
    (tmp_path / "manifests" / "manifests.json").write_text(json.dumps(sets), "utf-8")
    assert [each.name for each in load_slash_manifests(tmp_path)] == ["a"]
    assert list(load_manifest_collection(tmp_path / "manifests", set_name="other").manifests) == [
        "b"
    ]
    assert list(load_manifest_collection(main).sets) == ["main", "other"]
    with pytest.raises(DocumentUnavailable, match="no set 'out'"):
        load_manifest_collection(tmp_path, set_name="out")


def test_a_key_of_ours_that_is_misspelt_is_named(tmp_path: Path) -> None:
    place = folder(tmp_path, a={"title": "Shop", "prompt": "x", "api": ["shop.yaml"]})
    (note,) = load_manifest_collection(place).notes
    assert "api: no such key is known" in str(note)
    assert "did you mean `apis`?" in str(note)
