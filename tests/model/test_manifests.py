"""The local model as an agent of a file: its samples, and ten ways to say one thing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.support.manifests.stub import Received, serving

from restwright.agents.steps import Model
from restwright.calls.auth.connection import Connection
from restwright.demo.server import running
from restwright.jsontypes import Json
from restwright.manifests.own import samples as testing
from restwright.manifests.own.builder import build_blueprint
from restwright.manifests.own.loader import load_manifest
from restwright.manifests.slashgpt.session import SessionOptions, open_session

pytestmark = pytest.mark.model

SLASHGPT = Path(__file__).parents[2].parent / "shared" / "data" / "slashgpt" / "manifests" / "main"
SHOP = """\
title: Shop
prompt: Answer in one sentence.
apis:
  - {{document: "{url}", alias: shop}}
samples:
  - text: Which camera under 500 has the best rating?
    calls: [{{tool: list_products}}]
  - text: Which colours does the Fenwick Commuter 20 come in?
    calls: [{{tool: get_product}}]
  - text: How many laptops cost less than 1000?
    calls: [{{tool: list_products, arguments: {{category: laptops}}}}]
"""
CONVERSIONS = {
    "Please convert 1USD into JPY": ("USD", "JPY", 1),
    "How many euros do I get for 250 US dollars?": ("USD", "EUR", 250),
    "What are 40 pounds in Swiss francs?": ("GBP", "CHF", 40),
    "100 EUR in USD": ("EUR", "USD", 100),
    "Change 5000 yen to euros, please.": ("JPY", "EUR", 5000),
    "I have 75 Canadian dollars. What is that in US dollars?": ("CAD", "USD", 75),
    "Combien font 30 euros en dollars américains ?": ("EUR", "USD", 30),
    "Convert 12.50 GBP to EUR": ("GBP", "EUR", 12.5),
    "What would 900 Swedish kronor be in Norwegian kroner?": ("SEK", "NOK", 900),
    "Wieviel sind 20 Schweizer Franken in Euro?": ("CHF", "EUR", 20),
}
NAMES = {
    "USD": r"usd|us dollar|u\.s\. dollar|dollar",
    "EUR": r"eur|euro",
    "JPY": r"jpy|yen",
    "GBP": r"gbp|pound",
    "CHF": r"chf|swiss franc|schweizer franken|franken|franc",
    "CAD": r"cad|canadian dollar",
    "SEK": r"sek|swedish kron",
    "NOK": r"nok|norwegian kron",
}
PLACES = {
    "What is the weather in Seattle today?": "seattle",
    "Is it raining in Lisbon?": "lisbon",
    "How cold is Oslo right now?": "oslo",
    "Tell me the weather of San Francisco.": "san francisco",
    "Do I need an umbrella in London?": "london",
    "Quel temps fait-il à Lyon ?": "lyon",
    "weather nairobi": "nairobi",
    "I fly to Tokyo this evening. How is it there?": "tokyo",
    "Wie ist das Wetter in Wien?": "wien|vienna",
    "Give me wind and air pressure for Buenos Aires.": "buenos aires",
}


def manifest_of(name: str) -> Path:
    path = SLASHGPT / f"{name}.json"
    if not path.is_file():
        pytest.skip(f"{path.name} of SlashGPT is missing: no shared data here")
    return path


def test_an_agent_of_four_lines_answers_its_samples(model: Model, tmp_path: Path) -> None:
    with running() as shop:
        path = tmp_path / "shop.yaml"
        path.write_text(SHOP.format(url=shop.document_url), "utf-8")
        connection = Connection(server=shop.url, headers={"Authorization": f"Bearer {shop.token}"})
        agent = build_blueprint(load_manifest(path), connections={"shop": connection})
        for sample in agent.manifest.samples:
            found = testing.check_sample(sample, agent.agent(model).ask(sample.text))
            print(sample.text, "|", found.answer.text, "|", found.failures, flush=True)
            assert found.ok, found.failures


def asked(
    name: str, model: Model, texts: list[str], origin: str, answer: Json
) -> list[dict[str, str]]:
    """The query of the request that each text led to; empty where it led to none, or to several."""
    queries: list[dict[str, str]] = []
    for text in texts:
        with serving(lambda _: (200, answer)) as stub:
            talk = open_session(
                manifest_of(name), SessionOptions(model=model, servers={origin: stub.url})
            )
            reply = talk.ask(text)
            queries.append(_query(stub.received))
        print(text, "|", queries[-1], "|", reply.text[:120], flush=True)
    return queries


def _query(received: list[Received]) -> dict[str, str]:
    if len(received) != 1:
        return {}
    return {key: values[0] for key, values in parse_qs(urlsplit(received[0].path).query).items()}


def is_called(code: str, text: str) -> bool:
    return bool(re.search(NAMES[code], text.lower()))


def test_eight_of_ten_conversions_are_asked_for_rightly(model: Model) -> None:
    origin = "https://43eed2b6-0718-4f41-bdfc-f4d50f895267-00-1yb27jf0f9z7g.sisko.replit.dev"
    found = asked("currency", model, [*CONVERSIONS], origin, {"result": 146.04})
    right: Callable[[dict[str, str], tuple[str, str, float]], bool] = lambda query, wanted: (  # noqa: E731
        is_called(wanted[0], query.get("from", ""))
        and is_called(wanted[1], query.get("to", ""))
        and re.sub(r"[^\d.]", "", query.get("amount", "")).rstrip(".") != ""
        and float(re.sub(r"[^\d.]", "", query["amount"])) == wanted[2]
    )
    assert sum(map(right, found, CONVERSIONS.values())) >= 8


def test_the_weather_is_asked_for_in_eight_of_ten_places(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLASH_GPT_ENV_OPENWEATHER_API_KEY", "not-a-real-key")
    answer: Json = {
        "weather": [{"description": "light rain"}],
        "main": {"temp": 284.2, "pressure": 1012},
        "wind": {"speed": 4.1},
        "visibility": 10000,
    }
    found = asked("weather", model, [*PLACES], "https://api.openweathermap.org", answer)
    right = [
        bool(re.search(wanted, query.get("q", "").lower()))
        for query, wanted in zip(found, PLACES.values(), strict=True)
    ]
    assert sum(right) >= 8
