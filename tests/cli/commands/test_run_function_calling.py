"""The five kinds of function calling, typed as a reader would, in SlashGPT's form and in ours."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.support.manifests.openai import ModelServer, serving_model
from tests.support.manifests.stub import Stub, serving

from restwright.jsontypes import JsonObject

code = pytest.mark.skipif(sys.platform == "win32", reason="code is refused on Windows")
notebook = pytest.mark.skipif(find_spec("ipykernel") is None, reason="needs the extra [notebook]")
BOTH = pytest.mark.parametrize("form", ["slashgpt", "ours"])

TEXT = {"type": "string"}


def function(name: str, *needed: str, **properties: JsonObject) -> JsonObject:
    schema = {"type": "object", "properties": properties or dict.fromkeys(needed, TEXT)}
    return {"name": name, "description": name, "parameters": {**schema, "required": [*needed]}}


@pytest.fixture
def stub() -> Iterator[Stub]:
    with serving(lambda _: (200, {"result": 146.04441})) as running:
        yield running


@pytest.fixture
def asked(
    restwright: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., ModelServer]:
    """Type `restwright run` in a folder with the manifest, to a model that follows a script."""
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    monkeypatch.chdir(tmp_path)

    def run(form: str, raw: JsonObject, *calls: Any, options: Any = (), text: str = "Done.") -> Any:
        if form == "slashgpt":
            name, written = "it.json", json.dumps({**raw, "temperature": 0})
        else:
            kept = {key: raw[key] for key in raw if key not in {"module", "notebook"}}
            code = {key: raw[key] for key in raw if key in {"module", "notebook"}}
            more = {"code": code} if code else {}
            name, written = "it.yaml", yaml.safe_dump({**kept, "agent": "calling", **more})
        Path(name).write_text(written, "utf-8")
        with serving_model(*calls, text=text) as model:
            model_options = ("--model", "openai:scripted", "--model-url", model.url)
            ended = restwright("run", name, "Please.", *model_options, "--no-journal", *options)
        assert (ended.code, ended.out) == (0, f"{text}\n"), ended.err
        assert model.made == len(calls)
        return model

    return run


@BOTH
def test_rest(asked, stub, form):
    raw = {
        "title": "Currency",
        "prompt": "You convert.",
        "functions": [function("convert", "from", "to", "amount")],
        "actions": {
            "convert": {
                "type": "rest",
                "url": f"{stub.url}/currency-converter?from={{from}}&to={{to}}&amount={{amount}}",
            }
        },
    }
    given = {"from": "USD", "to": "JPY", "amount": "1"}
    model = asked(form, raw, ("convert", given), options=("--allow-host", "127.0.0.1"))
    assert [each.path for each in stub.received] == ["/currency-converter?from=USD&to=JPY&amount=1"]
    assert "146.04441" in model.told()


@BOTH
def test_graphql(asked, stub, form):
    raw = {
        "title": "SpaceX",
        "prompt": "You ask.",
        "functions": [function("call_graphQL", "query")],
        "actions": {"call_graphQL": {"type": "graphQL", "url": f"{stub.url}/graphql"}},
    }
    host = stub.url.partition("://")[2]
    call = ("call_graphQL", {"query": "{ company { ceo } }"})
    asked(form, raw, call, options=("--allow-host", host))
    assert stub.received[0].json == {"query": "query { company { ceo } }"}


@BOTH
def test_data_url_and_message_template(asked, tmp_path, form):
    (tmp_path / "calendar.ics").write_text("SUMMARY:{SUMMARY}\n", "utf-8")
    people = function("send", "recipients", recipients={"type": "array", "items": TEXT})
    raw = {
        "title": "Calendar",
        "prompt": "You plan.",
        "functions": [function("make_event", "SUMMARY"), people],
        "actions": {
            "make_event": {
                "type": "data_url",
                "template": "./calendar.ics",
                "mime_type": "text/calendar",
                "message": "{{ 'result':'Success', 'invitation_link': '{url}' }}",
            },
            "send": {"type": "message_template", "message": "Sent to {recipients}"},
        },
    }
    calls = [("make_event", {"SUMMARY": "A b"}), ("send", {"recipients": ["tim@apple.com"]})]
    told = asked(form, raw, *calls).told()
    assert "data:text/calendar;charset=utf-8,SUMMARY%3AA%20b%0A" in told
    assert "Sent to ['tim@apple.com']" in told


@code
@notebook
@BOTH
def test_notebook(asked, tmp_path, form):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "cars.csv").write_text("VIN,tract\n1N4,53\n5YJ,54\n", "utf-8")
    raw = {"title": "Notebook", "prompt": "You calculate.", "notebook": True}
    if form == "slashgpt":
        lines = {"type": "array", "items": TEXT}
        raw["functions"] = [function("run_python_code", "code", code=lines, query=TEXT)]
    cell = ["rows = open('./data/cars.csv').read().split()\n", "print(len(rows), rows[-1])"]
    options = ("--allow-code", "--allow-file", "./data/cars.csv")
    model = asked(form, raw, ("run_python_code", {"code": cell}), options=options)
    assert "3 5YJ,54" in model.told()


@code
@BOTH
def test_module(asked, stub, tmp_path, form):
    (tmp_path / "browser.py").write_text(
        "from urllib.request import urlopen\n\n\n"
        "def fetch(url):\n"
        "    text = urlopen(url, timeout=10).read().decode()\n"
        "    return {'result': 'success', 'text': text}, None\n",
        "utf-8",
    )
    raw = {
        "title": "Browser",
        "prompt": "You read.",
        "functions": [function("fetch", "url")],
        "module": "./browser.py",
    }
    options = ("--allow-code", "--allow-net", stub.url.partition("://")[2])
    told = asked(form, raw, ("fetch", {"url": f"{stub.url}/page"}), options=options).told()
    if stub.received:
        assert "146.04441" in told
    else:
        assert sys.platform != "linux" or "Error" in told
