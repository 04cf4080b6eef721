"""
All manifests that come with SlashGPT: they load, say the same, ask the same and tell the same.

What is expected is written from what SlashGPT does, not from what we do; where it fails, from what
its manifests mean.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

import pytest
import yaml
from tests.support.manifests.stub import calling, saying, serving

from restwright.agents.steps import Complete, Completion
from restwright.calls.approval.approval import approve_all
from restwright.cli import main
from restwright.errors import UnusableManifest
from restwright.jsontypes import Json, JsonObject
from restwright.manifests.functions.code_calls import CodeAnswer, CodeCall
from restwright.manifests.own.builder import build_blueprint
from restwright.manifests.own.loader import load_manifest as load_ours
from restwright.manifests.session.session import ManifestSession, TurnContext
from restwright.manifests.slashgpt.commands import run_slashgpt_command
from restwright.manifests.slashgpt.convert import convert_manifest, extract_document
from restwright.manifests.slashgpt.session import (
    ManifestCollection,
    SessionOptions,
    SlashManifest,
    load_manifest_collection,
    make_slash_agents,
    open_session,
)
from restwright.manifests.slashgpt.speaker import build_system_prompt
from restwright.manifests.slashgpt.stage import open_slash_stage
from restwright.openapi.api import load as load_api
from restwright.testing import Reply, ScriptedModel
from restwright.tools.catalog.catalog import catalog

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "slashgpt"
SETS = ("agents", "doctor", "kgraph", "main", "roles1", "roles2", "rpg1", "ss", "tne", "zoo")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
KEY = "key-of-a-test"

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not DATA.is_dir(), reason="the manifests of SlashGPT are not here"),
]

NOTES: Mapping[str, int] = {
    "appkey": 8,
    "code": 16,
    "database": 3,
    "dead-key": 9,
    "dialect": 1,
    "engine": 4,
    "model": 11,
    "module": 4,
    "placeholder": 2,
    "required": 2,
    "unhandled": 2,
}
"""How often each kind of note is made; none of them is about a file that cannot be read."""

NOTED: Mapping[str, tuple[str, ...]] = {
    "main/browser": ("code", "module"),
    "main/codereview": ("unhandled",),
    "main/kayak": ("dead-key", "required"),
    "main/legacy": ("model",),
    "main/news2": ("appkey", "dialect", "required"),
    "roles1/business": ("dead-key", "placeholder"),
    "roles1/drone3": ("model", "unhandled"),
    "roles1/einstein": ("database",),
    "roles1/mag2": ("database",),
    "roles1/obachan": ("model",),
    "roles1/obachan2": ("dead-key", "model", "placeholder"),
    "roles1/products": ("code", "module"),
    "roles1/web3": ("code", "module"),
    "roles2/olympics": ("database",),
    "ss/blip2": ("code", "module"),
    "tne/embed": ("engine",),
    "tne/flan_t5": ("engine",),
    "tne/llama_nsql": ("engine",),
}
"""The kinds of notes on what needs something that is not there, or was never right."""

# `manifest:function`: arguments, then method, path, header and body of the request.
REQUESTS: Mapping[str, tuple[JsonObject, str, str, tuple[str, str] | None, Json]] = {
    "main/aiagents:aiagent": ({"goal": "a b"}, "GET", "/aiagent?goal=a%20b", None, None),
    "main/currency:convert": (
        {"from": "USD", "to": "JPY", "amount": "1"},
        "GET",
        "/currency-converter?from=USD&to=JPY&amount=1",
        None,
        None,
    ),
    "main/kayak:flight_search": (
        {"origin": "SEA", "destination": "HND"},
        "POST",
        "/sherlock/openai/search/flights",
        None,
        {"origin": "SEA", "destination": "HND"},
    ),
    "main/news2:news": ({"search": "Tesla"}, "GET", "/news?search=Tesla", None, None),
    "main/news2:visit_web": (
        {"link": "https://a.test/", "user_has_request": True},
        "POST",
        "/api/visit-web",
        ("webpilot-friend-uid", KEY),
        {"link": "https://a.test/", "user_has_request": True},
    ),
    "main/noteable:create_project": (
        {"name": "P"},
        "POST",
        "/api/origami/p/",
        ("authorization", f"Bearer {KEY}"),
        {"name": "P"},
    ),
    "main/noteable:create_notebook": (
        {"notebook_name": "a.ipynb", "start_kernel": False},
        "POST",
        "/api/origami/f/",
        ("authorization", f"Bearer {KEY}"),
        {"notebook_name": "a.ipynb", "start_kernel": False},
    ),
    "main/noteable:get_userinfo": (
        {},
        "GET",
        "/gate/api/users/me",
        ("authorization", f"Bearer {KEY}"),
        None,
    ),
    "main/weather:get_current_weather": (
        {"location": "Seattle, WA"},
        "GET",
        f"/data/2.5/weather?q=Seattle%2C%20WA&appid={KEY}",
        None,
        None,
    ),
    "main/webpilot:visit_web": (
        {"link": "https://a.test/", "user_has_request": False},
        "POST",
        "/api/visit-web",
        ("webpilot-friend-uid", KEY),
        {"link": "https://a.test/", "user_has_request": False},
    ),
    "main/wolfram:query": (
        {"input": "2+2"},
        "GET",
        f"/api/v1/llm-api?input=2%2B2&appid={KEY}",
        None,
        None,
    ),
    # The argument is optional, and SlashGPT restarted the chat without it.
    "main/worldnews:news": ({}, "GET", "/news", None, None),
    "tne/currency:convert": (
        {"from": "USD", "to": "JPY", "amount": "1"},
        "GET",
        "/currency-converter?from=USD&to=JPY&amount=1",
        None,
        None,
    ),
    "main/gitm:call_graphQL": (
        {"query": "{ viewer { login } }"},
        "POST",
        "/graphql",
        ("authorization", f"bearer {KEY}"),
        {"query": "query { viewer { login } }"},
    ),
    "main/spacex:call_graphQL": (
        {"query": "{ company { ceo } }"},
        "POST",
        "/graphql",
        None,
        {"query": "query { company { ceo } }"},
    ),
    "sample/spacex:call_graphQL": (
        {"query": "query { company { ceo } }"},
        "POST",
        "/graphql",
        None,
        {"query": "query { company { ceo } }"},
    ),
}

PAPER: JsonObject = {"title": "T", "keywords": "K", "issues": "I", "methods": "M", "results": "R"}
SALT: JsonObject = {"ingredients": [{"ingredient": "salt", "amount": 2}]}
ENJOY = "Do not explain the recepe. Just tell to enjoy."
EVENT: JsonObject = {
    "SUMMARY": "Meeting with Tim Cook",
    "DESCRIPTION": "Discussing new product launch",
    "DTSTART": "20230704T20:00:00Z",
    "DTEND": "20230704T20:30:00Z",
    "LOCATION": "Apple Headquarters",
}
MADE = (
    "{ 'result':'Success', 'invitation_link': 'data:text/calendar;charset=utf-8,"
    "BEGIN%3AVCALENDAR%0AVERSION%3A2.0%0APRODID%3A-%2F%2FMy%20Calendar%2F%2FNONSGML%20v1.0%2F%2FEN"
    "%0ABEGIN%3AVEVENT%0ADTSTART%3A20230704T20%3A00%3A00Z%0ADTEND%3A20230704T20%3A30%3A00Z"
    "%0ASUMMARY%3AMeeting%20with%20Tim%20Cook%0ADESCRIPTION%3ADiscussing%20new%20product%20launch"
    "%0ALOCATION%3AApple%20Headquarters%0AEND%3AVEVENT%0AEND%3AVCALENDAR' }"
)
# `manifest:function`: arguments, and what the model is told.
MESSAGES: Mapping[str, tuple[JsonObject, str]] = {
    # As in the article about it, but for `%20` in the place of `+`, which a data URL has no use of.
    "main/cal:make_event": (EVENT, MADE),
    "main/cal:send_invitation": (
        {"invitation_link": "data:,x", "recipients": ["tim@apple.com"]},
        "Success. The invitation was sent to ['tim@apple.com']",
    ),
    "main/paper:paper_summary": (PAPER, "title: T\nkeywords: K\nissues: I\nmethods: M\nresults: R"),
    "main/cook:chop_vegetable": (
        {"vegetable": "onion", "amount": 100},
        "Success. 100g of chopped onion is ready",
    ),
    "main/cook:grind": (
        {"ingredient": "ginger", "amount": 2.5},
        "Success. 2.5g of ground ginger is ready",
    ),
    "main/cook:grate": (
        {"ingredient": "radish", "amount": 10},
        "Success. 10g of grated radish is ready",
    ),
    "main/cook:slice_meat": (
        {"meat": "pork", "amount": 200},
        "Success. 200g of sliced pork is ready.",
    ),
    "main/cook:make_sauce": (SALT, "Success. The sauce is ready."),
    "main/cook:stir_fly": (SALT, f"Success. Stir fly is ready to eat. {ENJOY}"),
    "main/cook:grill": (SALT, f"Success. Grilled food is ready to eat. {ENJOY}"),
    "main/drone:take_off": ({"height": 1.2}, "Success. Flying."),
    "main/drone:set_height": ({"height": 3}, "Success. The hight is /b3 meters"),
    "main/drone:fly_to": ({"west": 1, "south": -2.5}, "Success. The position is (1, -2.5)."),
    "main/drone:take_back": ({}, "Success. Moved back to the home position."),
    "main/drone:land": ({}, "Success. Landed."),
    "main/home:fill_bath": ({}, "Success. I started filling the bath tab."),
    "main/home:set_temperature": (
        {"temperature": 21, "location": "kitchen"},
        "Success. I set the temperature to 21 for kitchen",
    ),
    "main/home:start_sprinkler": (
        {"location": "lawn"},
        "Success. I started the sprinkler for lawn",
    ),
    "main/home:take_picture": ({"location": "kitchen"}, "Success. I took a picture of kitchen"),
    # The music is optional, and SlashGPT restarted the chat without it.
    "main/home:play_music": (
        {"location": "living room"},
        "Success. I started playing  in living room",
    ),
    "main/home:control_light": (
        {"location": "kitchen", "switch": "on"},
        "Success. The light switch of kitchen is now on.",
    ),
}

PATIENT: JsonObject = {"name": "Joe Smith", "sex": "male", "dob": "1/1/1990"}
NODE: JsonObject = {"id": "1", "label": "Sun", "type": "star", "color": "#ff0"}
GRAPH: JsonObject = {"nodes": [NODE], "edges": []}
# `manifest:function`: arguments, the agent that goes on, what is said to it, and the memory.
SWITCHES: Mapping[str, tuple[JsonObject, str, str, JsonObject | None]] = {
    "main/dispatcher:categorize": (
        {"question": "Weather?", "category": "weather"},
        "weather",
        "Weather?",
        None,
    ),
    # SlashGPT does nothing there, since the key of the agent was renamed.
    "zoo/monkey:categorize": ({"question": "猿?", "category": "saru"}, "saru", "猿?", None),
    "doctor/reception:memorize": (PATIENT, "nurse", "", PATIENT),
    "doctor/nurse:memorize": (
        {"issue": "eye", "severity": "severe", "doctor": "ophthalmologist"},
        "ophthalmologist",
        "",
        {"before": 1, "issue": "eye", "severity": "severe"},
    ),
    "kgraph/knowledge:knowledge_graph": (GRAPH, "code", "", GRAPH),
    "kgraph/kg0:knowledge_graph": (GRAPH, "kg1", "", GRAPH),
    "kgraph/kg1:knowledge_graph": (GRAPH, "kg1", "", GRAPH),
}


@cache
def loaded(name: str) -> ManifestCollection:
    folder = "samples/manifests/sample" if name == "sample" else f"manifests/{name}"
    return load_manifest_collection(DATA / folder)


def manifests() -> dict[str, SlashManifest]:
    return {
        f"{name}/{key}": each
        for name in (*SETS, "sample")
        for key, each in loaded(name).manifests.items()
    }


def still() -> Random:
    return Random(1)  # noqa: S311 - it chooses greetings


def talk(name: str, *replies: Reply, **more: object) -> tuple[ManifestSession, ScriptedModel]:
    """A session with the agent `SET/KEY`."""
    kind, _, agent = name.partition("/")
    model = ScriptedModel(replies)
    terms = SessionOptions(model=model, now=lambda: NOON, random=still(), **more)  # type: ignore[arg-type]
    return open_session(loaded(kind), terms, agent=agent), model


def heard(of: ManifestSession) -> list[str]:
    return [each.text for each in of.history if each.speaker == "tool"]


def first(name: str) -> str:
    """What the model is told of the call of `SET/KEY:FUNCTION` in the tables above."""
    return name.partition(":")[2]


def test_all_119_manifests_load_without_an_error() -> None:
    assert len(manifests()) == 119
    notes = [each for name in (*SETS, "sample") for each in loaded(name).notes]
    assert Counter(each.kind for each in notes) == NOTES
    assert not [each for each in notes if each.kind in {"file", "path", "key", "value", "action"}]


def test_what_is_doubtful_is_said_of_the_manifest() -> None:
    found = {
        name: tuple(sorted(each.kind for each in manifest.notes))
        for name, manifest in manifests().items()
    }
    assert {name: found[name] for name in NOTED} == NOTED
    every_day = {"appkey", "code", "dead-key", "engine", "model"}
    others = {name for name, kinds in found.items() if set(kinds) - every_day}
    assert others <= set(NOTED)


def test_every_manifest_becomes_an_agent_that_answers() -> None:
    for name in manifests():
        has_any = bool(manifests()[name].functions)
        at, _ = talk(name, saying("ok") if has_any else "ok")
        assert at.ask("x").text == "ok", name


@pytest.mark.parametrize("memory", [None, {"name": "Joe", "名": "\\d \\1"}], ids=["no", "memory"])
def test_the_system_prompt_is_literal_replacement(memory: JsonObject | None) -> None:
    for name in (*SETS, "sample"):
        terms = SessionOptions(model=ScriptedModel([]), now=lambda: NOON, random=still())
        own = make_slash_agents(loaded(name), terms)
        agents = {key: each.description or each.title for key, each in own.items()}
        for each in own.values():
            said = build_system_prompt(each, TurnContext(memory=memory, agents=agents), "x")
            assert said == _replaced(each.manifest, each.words, agents, memory)


def _replaced(
    manifest: SlashManifest,
    words: tuple[str, ...],
    agents: Mapping[str, str],
    memory: JsonObject | None,
) -> str | None:
    """The prompt as one would fill it in by hand, from the file as it is written."""
    raw = manifest.raw.get("prompt")
    if raw is None:
        return None
    text = "\n".join(raw) if isinstance(raw, list) else raw
    values = {"now": "20260101T120000Z"}
    if "resource" in manifest.raw:
        root = DATA / "samples" if manifest.file.parent.name == "sample" else DATA
        path = root / manifest.raw["resource"]
        values["resource"] = path.read_text("utf-8")
    if "agents" in manifest.raw:
        values["agents"] = "\n".join(f"{key}: {agents[key]}" for key in manifest.raw["agents"])
    if memory is not None:
        values["memory"] = json.dumps(memory, ensure_ascii=False)
    left = list(words)
    parts = re.split(r"\{(now|random|resource|agents|memory)\}", text)
    done: set[str] = set()
    for place in range(1, len(parts), 2):
        key = parts[place]
        if key == "random" and left:
            parts[place] = left.pop(0)
        elif key in values and key not in done:
            done.add(key)
            parts[place] = values[key]
        else:
            parts[place] = f"{{{key}}}"
    return "".join(parts)


def test_every_action_is_in_one_of_the_tables() -> None:
    kinds = {
        f"{name}:{action.name}": action.kind
        for name, each in manifests().items()
        for action in each.actions.values()
    }
    # The one action that no function belongs to can never be called.
    orphans = {"main/codereview:paper_summary"}
    assert set(kinds) - orphans == {*REQUESTS, *MESSAGES, *SWITCHES}
    counts = Counter(kinds.values())
    assert counts == {
        "rest": 13,  # one of them is written without its type
        "graphQL": 3,
        "data_url": 1,
        "message_template": 21,
        "emit": 7,
    }


@pytest.mark.parametrize("name", REQUESTS)
def test_a_call_sends_the_request_that_its_action_says(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments, method, path, header, body = REQUESTS[name]
    manifest = manifests()[name.partition(":")[0]]
    action = manifest.actions[first(name)]
    if action.appkey:
        monkeypatch.setenv(f"SLASH_GPT_ENV_{action.appkey}", KEY)
    with serving(lambda _: (200, {"is": "ok"})) as stub:
        servers = {str(action.origin): stub.url}
        call = calling(first(name), arguments)
        at, _ = talk(name.partition(":")[0], call, saying("Done."), servers=servers)
        at.ask("x")
        # What only reads is sent at once; anything else is asked about.
        is_read = method == "GET" or action.kind == "graphQL"
        assert len(stub.received) == is_read
        at, _ = talk(
            name.partition(":")[0], call, saying("Done."), servers=servers, approve=approve_all
        )
        assert at.ask("x").text == "Done."
    got = stub.received[-1]
    assert (got.method, got.path, got.json) == (method, path, body)
    if header is not None:
        assert got.headers[header[0]] == header[1]
    assert '{"is":"ok"}' in heard(at)[0]
    assert KEY not in str(at.histories)


@pytest.mark.parametrize("name", MESSAGES)
def test_a_call_tells_the_message_that_its_action_says(name: str) -> None:
    arguments, message = MESSAGES[name]
    agent = name.partition(":")[0]
    at, model = talk(agent, calling(first(name), arguments), saying("Done."))
    text = at.ask("x").text
    assert heard(at) == [message]
    # Some manifests end the turn with what their functions gave.
    skips = manifests()[agent].skips_result
    assert (text, len(model.left)) == ((message, 1) if skips else ("Done.", 0))


@pytest.mark.parametrize("name", SWITCHES)
def test_a_call_hands_over_as_its_action_says(name: str) -> None:
    arguments, agent, message, memory = SWITCHES[name]
    kind = name.partition("/")[0]
    goes_on = saying("Hello.") if loaded(kind).manifests[agent].functions else "Hello."
    at, model = talk(name.partition(":")[0], calling(first(name), arguments), goes_on)
    at.memory = {"before": 1} if "nurse" in name else None
    reply = at.ask("x")
    assert (at.current, at.memory) == (agent, memory)
    if message:
        assert reply.agent == agent
        assert model.asked[-1].messages[-1].text == message


def test_a_hallucinated_category_keeps_the_state() -> None:
    wrong = calling("categorize", {"question": "q", "category": "stocks"})
    at, model = talk("main/dispatcher", wrong, saying("Which one?"))
    assert at.ask("q").text == "Which one?"
    assert at.current == "dispatcher"
    assert "cal" in model.asked[1].messages[-1].text


def ran(call: CodeCall) -> CodeAnswer:
    return CodeAnswer(text=f"{call.kind} {call.function}")


@pytest.mark.parametrize(
    "name",
    [
        *("main/code_llama", "main/code_palm", "main/code_vicuna"),
        *("tne/code_llama", "tne/code_palm2", "tne/code_vicuna"),
    ],
)
def test_code_that_is_only_written_runs(name: str) -> None:
    at, _ = talk(name, "```python\n1 + 1\n```", run=ran)
    assert "notebook run_python_code" in at.ask("sum").text
    at, _ = talk(name, "```python\n1 + 1\n```")
    assert "code is off; --allow-code turns it on" in at.ask("sum").text


@pytest.mark.parametrize("name", ["main/code", "main/code_map", "main/gitm_code", "kgraph/code"])
def test_code_in_markdown_runs_where_it_could_have_been_called(name: str) -> None:
    at, model = talk(name, saying("```python\n1 + 1\n```"), saying("Two."), run=ran)
    assert at.ask("sum").text.endswith("Two.")
    assert "notebook run_python_code" in model.asked[1].messages[-1].text


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("main/browser:fetch", {"url": "https://a.test/"}),
        ("roles1/products:query", {"sql": "select 1"}),
        ("roles1/web3:generate_svg", {"token_id": 1}),
        ("ss/blip2:generated_text_from_image_url", {"url": "https://a.test/a.png"}),
    ],
)
def test_a_module_that_is_missing_says_so(name: str, arguments: JsonObject) -> None:
    at, _ = talk(name.partition(":")[0], calling(first(name), arguments), saying("No."), run=ran)
    assert at.ask("x").text == "No."
    assert "which is not there" in heard(at)[0]


def test_another_module_stands_in_for_one_that_is_missing(tmp_path: Path) -> None:
    asked: list[CodeCall] = []

    def run(call: CodeCall) -> CodeAnswer:
        asked.append(call)
        return CodeAnswer(text="10 customers")

    mine = str(tmp_path / "db.py")
    call = calling("query", {"sql": "select 1"})
    modules = {"./resources/module/db.py": mine}
    at, _ = talk("roles1/products", call, saying("Ten."), run=run, modules=modules)
    assert at.ask("x").text == "Ten."
    assert "10 customers" in heard(at)[0]
    expected = CodeCall(
        agent="products",
        kind="module",
        function="query",
        arguments={"sql": "select 1"},
        path=mine,
        names=("query",),
    )
    assert asked == [expected]


def test_a_function_that_nothing_handles_says_so() -> None:
    call = calling("fly", {"commands": [{"name": "land"}]})
    at, _ = talk("roles1/drone3", call, saying("I cannot fly."))
    assert at.ask("x").text == "I cannot fly."
    assert "Nothing carries out fly here" in heard(at)[0]


@pytest.mark.parametrize("name", ["roles1/einstein", "roles1/mag2", "roles2/olympics"])
def test_articles_of_a_folder_stand_in_for_a_database(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Relativity is about light.", "utf-8")
    at, model = talk(name, "Yes.", articles=tmp_path)
    at.ask("What about light?")
    assert "Relativity is about light." in model.asked[0].messages[0].text


@pytest.mark.parametrize("name", REQUESTS)
def test_a_service_that_is_gone_is_told_to_the_model(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = name.partition(":")[0]
    action = manifests()[agent].actions[first(name)]
    if action.appkey:
        monkeypatch.setenv(f"SLASH_GPT_ENV_{action.appkey}", KEY)
    call = calling(first(name), REQUESTS[name][0])
    with serving(lambda _: (410, "gone")) as stub:
        servers = {str(action.origin): stub.url}
        at, _ = talk(agent, call, saying("It is gone."), servers=servers, approve=approve_all)
        assert at.ask("x").text == "It is gone."
    assert "410" in heard(at)[0]


class Helpful:
    """A model that calls `categorize` with the agent whose sample it hears, and speaks else."""

    name = "helpful"
    calls_tools = False

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        del deadline_s
        last = request.messages[-1].text
        system = request.messages[0].text
        if '"name":"categorize"' in system and " gave:" not in last:
            agents = {each.partition(":")[0] for each in system.splitlines() if ": " in each}
            known = {
                each.text: key
                for name in ("main", "zoo")
                for key, manifest in loaded(name).manifests.items()
                for each in manifest.samples
                if key in agents
            }
            call = calling("categorize", {"question": last, "category": known[last]})
            return Completion(text=json.dumps(call))
        return Completion(text=json.dumps(saying("Here you are.")))


@pytest.mark.parametrize("name", ["default", "memory", "nsql", "zoo"])
def test_the_autotests_of_slashgpt_run_and_assert(name: str) -> None:
    at = open_slash_stage(
        DATA / "manifests", SessionOptions(model=Helpful(), now=lambda: NOON, random=still())
    )
    done = run_slashgpt_command(at, f"/autotest {name}")
    assert done is not None
    assert done.is_ok, done.text
    assert "as expected" in done.text


def test_the_sets_are_those_of_the_index() -> None:
    found = load_manifest_collection(DATA)
    assert sorted(found.sets) == sorted(set(SETS) - {"agents"})
    assert found.default == "dispatcher"


def test_every_manifest_converts() -> None:
    pasted = set[str]()
    for name, each in manifests().items():
        made = convert_manifest(each, into=DATA)
        assert yaml.safe_load(made.text)["title"]
        if extract_document(each) is not None:
            pasted.add(name)
            (text,) = made.files.values()
            tools = catalog(load_api(text.encode(), alias="a"))
            assert len(tools) > 0
            assert "REST calls" not in made.text
    assert pasted == {"roles1/aiticker", "roles1/drone", "roles1/home", "main/definitive"}


# Alone they load only with those beside them that they hand over to.
HANDING_OVER = {
    "doctor/nurse",
    "doctor/reception",
    "kgraph/kg0",
    "kgraph/knowledge",
    "main/dispatcher",
    "zoo/monkey",
}
# Nothing that came with SlashGPT carries out these functions: their Python files are not there.
WITHOUT_MODULE: Mapping[str, str] = {
    "main/browser": "fetch",
    "roles1/drone3": "fly",
    "roles1/products": "query",
    "roles1/web3": "generate_svg",
    "ss/blip2": "generated_text_from_image_url",
}
ENVIRONMENT = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "REPLICATE_API_TOKEN")


def convert(name: str, into: Path) -> Path:
    """What `convert slashgpt` writes of a manifest."""
    path = into / f"{name.partition('/')[2]}.yaml"
    assert main(["convert", "slashgpt", str(manifests()[name].file), "-o", str(path)]) == 0, name
    return path


def load_converted(name: str, path: Path) -> None:
    """Load and build it, and see that nothing is doubtful but what never was there."""
    made = load_ours(path)
    missing = WITHOUT_MODULE.get(name)
    whats = [each.what.partition(": ")[2] for each in made.problems]
    assert whats == ([f"no action carries the function {missing} out"] if missing else []), name
    assert build_blueprint(made).manifest is made


def test_what_is_converted_loads_as_a_manifest_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    actions = (each for one in manifests().values() for each in one.actions.values())
    keys = {f"SLASH_GPT_ENV_{each.appkey}" for each in actions if each.appkey}
    for variable in (*keys, *ENVIRONMENT):
        monkeypatch.setenv(variable, f"{KEY}-{variable}")
    assert len(keys) > 3
    for name in manifests():
        into = tmp_path / name
        into.mkdir(parents=True)
        path = convert(name, into)
        if name in HANDING_OVER:
            with pytest.raises(UnusableManifest, match=r"there is no file \w+\.yaml"):
                load_ours(path)
        else:
            load_converted(name, path)
        assert not [each for each in into.iterdir() if KEY in each.read_text("utf-8")], name
    shown = capsys.readouterr()
    assert KEY not in shown.out + shown.err


@pytest.mark.parametrize("name", sorted(HANDING_OVER))
def test_what_hands_over_loads_beside_those_it_hands_over_to(name: str, tmp_path: Path) -> None:
    left, done = [name], set[str]()
    while left:
        each = left.pop()
        if each in done:
            continue
        done.add(each)
        raw = yaml.safe_load(convert(each, tmp_path).read_text("utf-8"))
        left += [f"{name.partition('/')[0]}/{agent}" for agent in raw.get("agents", {})]
    assert len(done) > 1
    load_converted(name, tmp_path / f"{name.partition('/')[2]}.yaml")


def test_no_request_leads_to_another_path_than_its_action_says() -> None:
    for name, (_, _, path, _, _) in REQUESTS.items():
        action = manifests()[name.partition(":")[0]].actions[first(name)]
        assert urlsplit(action.url).path == urlsplit(path).path
