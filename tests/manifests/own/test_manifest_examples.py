"""The examples of the page about manifests run, as they stand there."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.support.manifests.stub import Received, serving

from restwright.agents.steps import Answer
from restwright.jsontypes import Json, JsonObject
from restwright.manifests.code import ModuleSettings
from restwright.manifests.code.runner import CodeRunner
from restwright.manifests.functions.code_calls import CodeCall, RunCode
from restwright.manifests.own.builder import build_blueprint
from restwright.manifests.own.loader import load_manifest
from restwright.manifests.own.manifest import Manifest
from restwright.manifests.own.samples import check_sample as judged
from restwright.net.http.transport import Transport
from restwright.net.policy.origins import OriginRules
from restwright.testing import Reply, ScriptedModel

pytestmark = pytest.mark.process

PAGE = (Path(__file__).parents[3] / "docs" / "manifests.md").read_text("utf-8")
EXAMPLES = PAGE.partition("\n## Examples\n")[2].partition("\n## ")[0]
FILES: dict[str, str] = dict(
    re.findall(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```$", EXAMPLES, re.DOTALL | re.MULTILINE)
)

not_on_windows = pytest.mark.skipif(sys.platform == "win32", reason="code is refused on Windows")


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A folder with all files of the examples."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def standing_in(page: Path, name: str, origin: str, url: str) -> Manifest:
    """The manifest `name`, whose host is a server of this test."""
    text = FILES[name]
    assert origin in text
    (page / name).write_text(text.replace(origin, url), "utf-8")
    return load_manifest(page / name)


def script(*calls: tuple[str, Json]) -> list[Reply]:
    """What a model says that makes `calls` one after another."""
    made = [{"calls": [{"tool": name, "arguments": given}], "answer": ""} for name, given in calls]
    return [*made, {"calls": [], "answer": "Done."}]


def asked(
    manifest: Manifest, *calls: tuple[str, Json], url: str = "", run: RunCode | None = None
) -> tuple[Answer, list[str]]:
    """The answer, and what the model was told before each of its replies."""
    model = ScriptedModel(script(*calls))
    rules = OriginRules.from_urls(url) if url else None
    with Transport(rules=rules) as send:
        answer = build_blueprint(manifest, run=run).agent(model, send=send).ask("?")
    assert (answer.text, answer.stopped) == ("Done.", "answered"), answer.reason
    return answer, told_by(model)


def told_by(model: ScriptedModel) -> list[str]:
    """What it was told before each of its replies."""
    return ["\n".join(message.text for message in each.messages) for each in model.asked]


def test_all_five_examples_are_on_the_page_and_load_without_a_doubt(page: Path) -> None:
    manifests = [name for name in FILES if name.endswith(".yaml")]
    assert manifests == ["rates.yaml", "planner.yaml", "rockets.yaml", "sales.yaml", "reader.yaml"]
    for name in manifests:
        assert load_manifest(page / name).problems == ()
        assert build_blueprint(load_manifest(page / name)).problems == ()


def test_the_currency_example_asks_for_a_rate(page: Path) -> None:
    given = {"amount": 20, "source": "EUR", "target": "SEK"}
    with serving(lambda _: (200, {"amount": 223.4})) as stub:
        rates = standing_in(page, "rates.yaml", "https://rates.example.com", stub.url)
        answer, told = asked(rates, ("exchange", given), url=stub.url)
    path = "/v1/exchange?base=EUR&to=SEK&amount=20"
    assert stub.received == [Received("GET", path, {})]
    assert "223.4" in told[-1]
    (sample,) = rates.samples
    assert judged(sample, answer).ok


def test_the_calendar_example_makes_a_data_url_and_invites(page: Path) -> None:
    made = {"what": "Tea & talk", "begins": "20270301T090000Z", "ends": "20270301T093000Z"}
    event = (
        "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Planner//EN\nBEGIN:VEVENT\n"
        "UID:20270301T090000Z@planner.example.com\n"
        "DTSTART:20270301T090000Z\nDTEND:20270301T093000Z\nSUMMARY:Tea & talk\n"
        "END:VEVENT\nEND:VCALENDAR\n"
    )
    link = f"data:text/calendar;charset=utf-8,{quote(event, safe='')}"
    people = ["ann@example.com", "bo@example.com"]
    _, told = asked(
        load_manifest(page / "planner.yaml"),
        ("make_appointment", made),
        ("invite", {"people": people, "link": link}),
    )
    assert "Tea%20%26%20talk" in link
    assert f"{{'made': 'Tea & talk', 'link': '{link}'}}" in told[1]
    assert "Invited: ['ann@example.com', 'bo@example.com']." in told[2]


def rockets_of(page: Path) -> Any:
    """A GraphQL server under the schema of the page."""
    graphql = pytest.importorskip("graphql", reason="needs the extra [agent]")
    schema = graphql.build_schema((page / "rockets.graphql").read_text("utf-8"))
    hopper: JsonObject = {"name": "Hopper", "height": 18.0, "active": True}

    def rockets(_: object, active: bool | None = None) -> list[Json]:
        return [] if active is False else [hopper]

    def answer(received: Received) -> tuple[int, Json]:
        asked: Any = received.json
        root = {"rockets": rockets}
        done = graphql.graphql_sync(
            schema, asked["query"], root, variable_values=asked.get("variables")
        )
        return 200, done.formatted

    return answer


def test_the_graphql_example_sends_what_its_schema_allows(page: Path) -> None:
    wrong = {"query": "{ rockets { colour } }"}
    right = {
        "query": "query Flying($active: Boolean) { rockets(active: $active) { name height } }",
        "variables": {"active": True},
    }
    with serving(rockets_of(page)) as stub:
        origin = "https://rockets.example.com"
        rockets = standing_in(page, "rockets.yaml", origin, stub.url)
        _, told = asked(rockets, ("look_up", wrong), ("look_up", right), url=stub.url)
    assert stub.received == [
        Received("POST", "/graphql", {}, json.dumps(right, separators=(",", ":")).encode())
    ]
    assert "colour" in told[1]
    assert "Hopper" in told[2]


@not_on_windows
def test_the_notebook_example_adds_up_its_table(
    page: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for each in ("nbformat", "ipykernel", "zmq", "pandas"):
        pytest.importorskip(each, reason="needs the extra [notebook]")
    cells = (
        "import pandas as pd\nsales = pd.read_csv('sales.csv')",
        "sales.groupby('region').amount.sum().to_dict()",
    )
    calls = [("run_python_code", {"code": each}) for each in cells]
    model = ScriptedModel(script(*calls))
    (code,) = re.findall(r"^```python\n(from .*?)^```$", EXAMPLES, re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(page)
    exec(compile(code, "manifests.md", "exec"), {"model": model})  # noqa: S102
    assert capsys.readouterr().out == "Done.\n"
    assert "{'north': 270, 'south': 175}" in told_by(model)[-1]
    kept = json.loads((page / "sales.ipynb").read_text("utf-8"))
    assert ["".join(each["source"]) for each in kept["cells"]] == [*cells]


NEWS = "<h1>News</h1><script>hidden()</script><p>It rains.</p>"


@not_on_windows
def test_the_module_example_reads_a_page_of_this_machine(page: Path) -> None:
    reader = load_manifest(page / "reader.yaml")
    with (
        serving(lambda _: (200, NEWS)) as stub,
        CodeRunner(modules=ModuleSettings(network="host")) as run,
    ):
        _, told = asked(reader, ("read_page", {"address": f"{stub.url}/news"}), run=run)
        file = {"address": (page / "reader.yaml").as_uri()}
        refused = run(
            CodeCall(
                agent="reader",
                kind="module",
                function="read_page",
                arguments=file,
                path=str(page / "pages.py"),
                names=("read_page",),
            )
        )
    assert stub.received == [Received("GET", "/news", {})]
    assert "News It rains." in told[1]
    assert "hidden" not in told[1]
    assert "the address of a web page is expected" in refused.error


@pytest.mark.parametrize(
    ("name", "function", "given"),
    [
        ("sales.yaml", "run_python_code", {"code": "1 + 1"}),
        ("reader.yaml", "read_page", {"address": "http://127.0.0.1/"}),
    ],
)
def test_the_code_of_the_examples_is_off_unless_it_is_allowed(
    page: Path, name: str, function: str, given: Json
) -> None:
    model = ScriptedModel(script((function, given)))
    build_blueprint(load_manifest(page / name)).agent(model).ask("?")
    assert "code is off; --allow-code turns it on" in told_by(model)[-1]
