"""What must hold for the worlds of both APIs, over the shared documents and queries."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from dataclasses import replace
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from restwright_bench.policies.run import whole_run
from restwright_bench.policies.scripted import OraclePolicy
from restwright_bench.results import DATA
from restwright_bench.serve import fuzzed_all, requests_a_second
from restwright_bench.suites import api_of, suite_of
from restwright_bench.world.api import Running
from restwright_bench.world.app import World
from restwright_bench.world.checking import misfits
from restwright_bench.world.exchange import Received
from restwright_bench.world.serving import serving

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data/restbench"),
]
APIS = ("tmdb", "spotify")
# A read of each that needs no argument.
READS: Mapping[str, str] = {"tmdb": "/movie/popular", "spotify": "/me"}


class Checked(Running):
    """Keeps what of its answers does not fit the document."""

    def __init__(self, *given: object, **named: object) -> None:
        super().__init__(*given, **named)
        self.misfits: list[str] = []

    def _handled(self, route, values, received):
        came = super()._handled(route, values, received)
        if route is not None:
            self.misfits += [f"{route.template} {each}" for each in misfits(route, came.answer)]
        return came


@pytest.mark.parametrize("name", APIS)
@pytest.mark.parametrize("seed", [0, 9])
def test_every_answer_to_a_query_fits_its_schema(name, seed):
    suite = suite_of(name, DATA)
    running = Checked(suite.api, seed=seed)
    for query, oracle in suite.queries:
        whole_run(OraclePolicy(), query, oracle, running, suite.let_in)
        assert {each.handled for each in running.log} == {"handler"}, query.index
    assert running.misfits == []


@pytest.mark.parametrize("name", APIS)
def test_every_operation_has_a_handler(name):
    api, _ = api_of(name, DATA)
    assert {(each.method, each.template) for each in api.routes} == set(api.handlers)


@pytest.mark.parametrize("name", APIS)
def test_a_seed_gives_another_world_and_always_the_same(name):
    api, let_in = api_of(name, DATA)
    ask = let_in(Received(method="GET", path=READS[name]))
    first, again, other = (Running(api, seed=seed).answer(ask).body for seed in (0, 0, 3))
    assert first == again
    assert first != other


def test_three_hundred_requests_a_second_are_answered_on_one_core():
    rates = requests_a_second([api_of(name, DATA) for name in APIS])
    assert min(rates.values()) > 300


@pytest.mark.skipif(
    importlib.util.find_spec("schemathesis") is None, reason="schemathesis is not installed"
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_requests_made_of_the_documents_are_never_answered_by_a_fault_of_the_server():
    found = fuzzed_all([api_of(name, DATA) for name in APIS], 3)
    assert {name: each["failed"] for name, each in found.items()} == {name: [] for name in APIS}
    assert min(each["requests"] for each in found.values()) > 100


@pytest.mark.parametrize("name", APIS)
@pytest.mark.parametrize("status", [401, 404, 429, 500, 503])
def test_planned_faults_come_over_http_in_the_shape_of_the_api(name, status):
    api, let_in = api_of(name, DATA)
    opened = let_in(Received(method="GET", path="/"))
    with serving(World([replace(api, written=None)])) as url:
        client = HTTPConnection(urlsplit(url).netloc)
        fault = {"status": status, "reason": "on purpose", "headers": {"Retry-After": "1"}}
        client.request("POST", "/_world/reset", json.dumps({"faults": [fault]}))
        assert client.getresponse().read()
        answers = []
        for _ in range(2):
            client.request("GET", f"{api.prefix}{READS[name]}", headers=dict(opened.headers))
            response = client.getresponse()
            answers.append((response.status, response.getheader("Retry-After")))
            text = response.read().decode()
            assert ("on purpose" in text) == (response.status == status)
        client.close()
    assert answers == [(status, "1"), (200, None)]
