"""An API of a world: it lets a request in, checks it, has it handled, and keeps a log of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from restwright.jsontypes import Json, JsonObject
from restwright_bench.world.checking import Fault, Unfit, asked_of
from restwright_bench.world.document import Route, prepared, routes_of
from restwright_bench.world.exchange import Answer, Handlers, Received, Refused, State
from restwright_bench.world.faults import NO_FAULTS, FaultPlan
from restwright_bench.world.made_up import made_up

SAFE = frozenset(("GET", "HEAD"))
"""Methods whose handlers change no state."""

GuardOf = Callable[[Received, Route], Refused | None]
"""Why a request is not let in (401 or 403); None where it is."""

FailureOf = Callable[[int, str, tuple[Fault, ...]], Json]
"""`(status, reason, faults) -> body` in the API's own shape."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """
    One request in the log.

    Args:
        template: The route that it took; empty for none.
        handled: `handler`; `schema` for an answer made up from the document; `failed` for a handler
            with a mistake in it; `""` where it did not come to that.
    """

    number: int
    api: str
    method: str
    template: str
    path: str
    status: int
    handled: str = ""
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Api:
    """
    What is served under one prefix; the same for every seed.

    Args:
        name: Such as `tmdb`.
        prefix: Of its paths, such as `/tmdb/3`.
        document: As `read_document()` gives it.
        written: The document before that, which clients are given; None where it is the same.
        make: The state of a seed.
        guard: Whether a request is let in.
        failure: The body of a failure.
    """

    name: str
    prefix: str
    document: JsonObject = field(repr=False)
    handlers: Handlers = field(repr=False)
    make: Callable[[int], State] = field(repr=False)
    guard: GuardOf = field(repr=False)
    failure: FailureOf = field(repr=False)
    written: JsonObject | None = field(default=None, repr=False)

    @cached_property
    def routes(self) -> tuple[Route, ...]:
        """Its operations."""
        return routes_of(self.document)

    @cached_property
    def routes_by_method(self) -> Mapping[str, tuple[Route, ...]]:
        """`{method: routes}`, in the order in which they are tried."""
        methods = dict.fromkeys(each.method for each in self.routes)
        return {
            method: tuple(each for each in self.routes if each.method == method)
            for method in methods
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Handled:
    """What became of a request."""

    answer: Answer
    handled: str = ""
    faults: tuple[Fault, ...] = ()


_FAILED = _Handled(answer=Answer(status=500), handled="failed")


class Running:
    """
    An API with its state. Requests are answered one at a time.

    Args:
        seed: What ids and free facts are drawn by.
        faults: What goes wrong beside what the requests themselves cause.

    `log` says what became of each request of `requests`, `answers` has what each was answered.
    """

    def __init__(self, api: Api, *, seed: int = 0, faults: FaultPlan = NO_FAULTS) -> None:
        self.api, self.seed, self.faults = api, seed, faults.begun()
        self.state = api.make(seed)
        # A state that was only read need not be made again, which takes longer than most queries.
        self._is_written = False
        self.log: list[Logged] = []
        self.requests: list[Received] = []
        self.answers: list[Answer] = []
        prepared(api.routes)

    def reset(self, *, seed: int | None = None, faults: FaultPlan | None = None) -> None:
        """Begin anew, with the same seed and faults unless others are given."""
        is_other = seed is not None and seed != self.seed
        self.seed = self.seed if seed is None else seed
        self.faults = (self.faults if faults is None else faults).begun()
        if is_other or self._is_written:
            self.state = self.api.make(self.seed)
            self._is_written = False
        self.log.clear()
        self.requests.clear()
        self.answers.clear()

    def answer(self, received: Received) -> Answer:
        """
        Answer one request and log it.

        What a handler raises beside `Refused` is a mistake of ours: it is logged as a 500, and
        goes on up.
        """
        route, values = self._route(received)
        self.requests.append(received)
        came = _FAILED
        try:
            came = self._handled(route, values, received)
        finally:
            self._note(received, route, came)
        return came.answer

    def _note(self, received: Received, route: Route | None, came: _Handled) -> None:
        self.answers.append(came.answer)
        self.log.append(
            Logged(
                number=len(self.log),
                api=self.api.name,
                method=received.method,
                template=route.template if route else "",
                path=received.path,
                status=came.answer.status,
                handled=came.handled,
                faults=came.faults,
            )
        )

    def answer_whole(self, path: str, received: Received) -> Answer | None:
        """The answer for a path with the prefix; None where it has another."""
        prefix = self.api.prefix
        if not path.startswith(f"{prefix}/"):
            return None
        return self.answer(replace(received, path=path.removeprefix(prefix)))

    def _handled(
        self, route: Route | None, values: Mapping[str, str], received: Received
    ) -> _Handled:
        try:
            if route is None:
                raise self._not_there(received)
            return self._let_in(route, values, received)
        except Unfit as error:
            body = self.api.failure(400, "the request does not fit the document", error.faults)
            return _Handled(answer=Answer(status=400, body=body), faults=error.faults)
        except Refused as error:
            body = self.api.failure(error.status, error.reason, ())
            answer = Answer(status=error.status, body=body, headers=error.headers)
            return _Handled(answer=answer)

    def _let_in(self, route: Route, values: Mapping[str, str], received: Received) -> _Handled:
        if refusal := self.api.guard(received, route):
            raise refusal
        fault = self.faults.next_for(route.method, route.template)
        if fault is None:
            return self._own(route, values, received)
        if not fault.status:
            own = self._own(route, values, received)
            return replace(own, answer=fault.spoiled(own.answer))
        body = self.api.failure(fault.status, fault.reason, ())
        failed = Answer(status=fault.status, body=body, headers=fault.headers)
        return _Handled(answer=fault.spoiled(failed))

    def _own(self, route: Route, values: Mapping[str, str], received: Received) -> _Handled:
        """What the API answers by itself."""
        asked = asked_of(route, values, received)
        handler = self.api.handlers.get((route.method, route.template))
        if handler is None:
            return _Handled(answer=made_up(route), handled="schema")
        self._is_written = self._is_written or route.method not in SAFE
        return _Handled(answer=handler(self.state, asked), handled="handler")

    def _route(self, received: Received) -> tuple[Route | None, Mapping[str, str]]:
        # A HEAD is answered as the GET whose headers it asks for.
        method = "GET" if received.method == "HEAD" else received.method
        for route in self.api.routes_by_method.get(method, ()):
            values = route.values_in(received.path)
            if values is not None:
                return route, values
        return None, {}

    def _not_there(self, received: Received) -> Refused:
        allowed = dict.fromkeys(
            each.method for each in self.api.routes if each.values_in(received.path) is not None
        )
        if allowed:
            allow = {"Allow": ", ".join(allowed)}
            return Refused(405, "the path does not take this method", allow)
        return Refused(404, "there is no such path")
