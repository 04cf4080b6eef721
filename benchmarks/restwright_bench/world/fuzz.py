"""Requests that are made from a document, right and wrong ones, and sent to what serves it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from restwright_bench.world.exchange import Received

FIRST_SERVER_ERROR = 500


@dataclass(frozen=True, kw_only=True)
class Fuzzed:
    """
    What a world answered.

    Args:
        statuses: `{status: requests}`.
        failed: Requests that were answered by a status from 500 on; none is hoped for.
    """

    statuses: Counter[int] = field(default_factory=Counter[int])
    failed: list[str] = field(default_factory=list[str])

    @property
    def requests(self) -> int:
        """How many were sent."""
        return sum(self.statuses.values())


def fuzzed(
    document_url: str, let_in: Callable[[Received], Received], *, examples: int = 20
) -> Fuzzed:
    """
    Send `examples` requests that fit, and as many that do not, for each operation.

    Needs `schemathesis`; the same requests each time.
    """
    credentials = credentials_of(let_in)
    found = Fuzzed()
    for cases in _cases(document_url):
        _sent(cases, credentials, found, examples)
    return found


def credentials_of(let_in: Callable[[Received], Received]) -> dict[str, dict[str, str]]:
    """`{params: {name: text}, headers: {name: text}}` that let a request in."""
    opened = let_in(Received(method="GET", path="/"))
    return {"params": dict(opened.query), "headers": dict(opened.headers)}


def _cases(document_url: str) -> Iterator[Any]:
    import schemathesis

    for operation in schemathesis.openapi.from_url(document_url).get_all_operations():
        for mode in schemathesis.GenerationMode:
            yield operation.ok().as_strategy(generation_mode=mode)


def _sent(
    cases: Any, credentials: Mapping[str, Mapping[str, str]], found: Fuzzed, examples: int
) -> None:
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis.errors import Unsatisfiable

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases)
    def send(case: Any) -> None:
        response = case.call(**credentials)
        found.statuses[response.status_code] += 1
        if response.status_code >= FIRST_SERVER_ERROR:
            found.failed.append(case.as_curl_command())

    try:
        send()
    except Unsatisfiable:
        # No wrong request can be made for an operation that takes nothing.
        return
