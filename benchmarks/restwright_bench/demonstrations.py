"""
The two demonstrations of RestGPT (figure 3) on the world: what an agent plans, calls and says.

Each has an oracle, so that a run also says whether it did what was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from restwright.agents.events import Event, combine_listeners
from restwright.agents.models.registry import model_named
from restwright.agents.steps import Model
from restwright.cli.render.output import Output, counted
from restwright.cli.screen.screen import progress
from restwright.net.http.transport import Transport
from restwright_bench.errors import UnusableChoice
from restwright_bench.policies.agent import LIMITS, AgentPolicy, line_of
from restwright_bench.policies.run import Credentials, Ran, whole_run
from restwright_bench.policies.tools import tools_of
from restwright_bench.queries.query import GoldCall, Oracle, Query
from restwright_bench.suites import api_of
from restwright_bench.world.api import Api
from restwright_bench.world.app import World
from restwright_bench.world.serving import serving

DONE, FAILED = 0, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Demonstration:
    """
    One of them.

    Args:
        what: In a line.
        path: The calls that it takes at least, in this order.
        oracle: Made when it is needed; worlds take a while to import.
    """

    name: str
    what: str
    api: str
    question: str
    path: tuple[str, ...]
    oracle: Callable[[], Oracle] = field(repr=False)

    @property
    def query(self) -> Query:
        """As policies are asked it."""
        calls = tuple(GoldCall(*each.split(" ")) for each in self.path)
        return Query(api=self.api, index=0, text=self.question, gold=calls)


def _similar() -> Oracle:
    from restwright_bench.queries.tmdb import facts, steps
    from restwright_bench.queries.tmdb.reach import oracle
    from restwright_bench.queries.tmdb.subjects import movie

    about = movie("Titanic").then(steps.FIRST_SIMILAR, steps.MOVIE_COMPANY)
    return oracle(0, about, facts.NAME)


def _playlist() -> Oracle:
    from restwright_bench.queries.spotify.arranging import by, has_some_by, make
    from restwright_bench.queries.spotify.paths import ADD, CREATE, ME, any_order, paths

    name, artist = "Love Lana", "Lana Del Rey"
    return Oracle(
        index=0,
        expected=lambda state: has_some_by(state, name, artist, 1),
        script=lambda _state: make(name, lambda: by(artist, 1)),
        alternatives=paths(any_order("GET /search", (ME, CREATE)), ADD),
    )


DEMONSTRATIONS: Mapping[str, Demonstration] = {
    each.name: each
    for each in (
        Demonstration(
            name="similar-films",
            what="a film like another, and who made it: search, similar films, details",
            api="tmdb",
            question="I like the film Titanic. Which film is the first that is similar to it, and"
            " which company made that one?",
            path=(
                "GET /search/movie",
                "GET /movie/{movie_id}/similar",
                "GET /movie/{movie_id}",
            ),
            oracle=_similar,
        ),
        Demonstration(
            name="new-playlist",
            what="a playlist with a song in it, for which the user's id must be asked first",
            api="spotify",
            question='Create a playlist named "Love Lana" and add a song by Lana Del Rey to it.',
            path=(
                "GET /me",
                "POST /users/{user_id}/playlists",
                "GET /search",
                "POST /playlists/{playlist_id}/tracks",
            ),
            oracle=_playlist,
        ),
    )
}


def named(name: str) -> Demonstration:
    """
    The demonstration of this name.

    Raises:
        UnusableChoice: There is none.
    """
    if name not in DEMONSTRATIONS:
        raise UnusableChoice("EXAMPLE", f"there is {' and '.join(DEMONSTRATIONS)}, no {name}")
    return DEMONSTRATIONS[name]


def listed() -> str:
    """All of them, one a line."""
    return "\n".join(f"{each.name:<15}{each.what}" for each in DEMONSTRATIONS.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A run with what happened in it."""

    one: Demonstration
    ran: Ran
    events: Sequence[Event]

    def text(self) -> str:
        """What was asked, planned, called and said."""
        score = self.ran.score
        calls = _folded(f"{each.method} {each.path} -> {each.status}" for each in self.ran.log)
        plan = _new(each.text for each in self.events if each.kind == "plan")
        way = "went the way of the paper" if score.path_accepted else "went another way"
        end = "what was asked for" if score.success else "not what was asked for"
        tokens = f"{score.input_tokens:,} tokens read, {score.output_tokens:,} written"
        requests = counted(score.model_calls, "request")
        parts = {
            "Question": [self.one.question],
            "Plan": plan or ["(none)"],
            "Calls": calls or ["(none)"],
            "Answer": (self.ran.said.answer or f"(none: {self.ran.said.reason})").splitlines(),
            "Judged": [
                f"{way}; {end}",
                f"{requests} to the model, {tokens}, {score.seconds:.1f} s",
            ],
        }
        lines = [
            f"{title}\n" + "\n".join(f"  {each}" for each in of) for title, of in parts.items()
        ]
        return "\n\n".join(lines)


def _folded(lines: Iterable[str]) -> list[str]:
    """Lines with those that follow each other alike, such as pages of a list, as one."""
    counts = [(line, len([*alike])) for line, alike in groupby(lines)]
    return [line if count == 1 else f"{line} ({count} times)" for line, count in counts]


def _new(lines: Iterable[str]) -> list[str]:
    """Lines without those that say again what one before them ends with."""
    found: list[str] = []
    for line in lines:
        if not any(each.endswith(line) for each in found):
            found.append(line)
    return found


def demonstrate(
    one: Demonstration,
    data: Path,
    *,
    model: str,
    url: str | None,
    kind: str,
    seed: int,
    out: Output,
) -> int:
    """
    Let an agent do it, and show how.

    Raises:
        MissingData: The documents of RestBench are not in the folder.
        ModelUnavailable, MissingExtra: There is no such model.
    """
    api, let_in = api_of(one.api, data)
    opened: Any = model_named(model, url=url)
    with closing(opened) as asked:
        shown = run(one, api, let_in, model=asked, kind=kind, seed=seed, on_event=progress(out))
    if out.json:
        out.value(line_of(shown.ran, seed=seed, model=model, kind=kind))
    else:
        out.text(shown.text())
    return DONE if shown.ran.score.success else FAILED


def run(
    one: Demonstration,
    api: Api,
    let_in: Credentials,
    *,
    model: Model,
    kind: str = "rest",
    seed: int = 0,
    on_event: Callable[[Event], None] | None = None,
) -> Shown:
    """Let an agent do it over HTTP, in a world of its own."""
    events: list[Event] = []
    world = World([api], seed=seed)
    with serving(world) as url, Transport() as transport:
        policy = AgentPolicy(
            model=model,
            tools=tools_of(api, let_in, origin=url),
            send=transport,
            kind=kind,
            limits=LIMITS,
            on_event=combine_listeners(events.append, on_event),
        )
        ran = whole_run(policy, one.query, one.oracle(), world.running[api.name], let_in)
    return Shown(one=one, ran=ran, events=tuple(events))
