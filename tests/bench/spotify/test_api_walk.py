"""Whatever is asked of the music service in whatever order, answers fit; reads change nothing."""

from __future__ import annotations

from random import Random

import pytest
from tests.support.bench.spotify_client import Client, client_of, needs_restbench

from restwright.jsontypes import Json
from restwright_bench.world.document import Route

pytestmark = [pytest.mark.corpus, needs_restbench]

WORDS = ("love", "the", "Mojito", "genre:pop", "year:2000-2010", "quiet", "zzz")
TYPES = ("track", "album,artist", "playlist,track,show")


class Walk:
    """Draws requests whose ids lead somewhere, for each operation alike."""

    def __init__(self, seed: int) -> None:
        self.client: Client = client_of(seed)
        self.draw = Random(seed)  # noqa: S311 - draws requests

    def step(self) -> None:
        route = self.draw.choice(self.client.running.api.routes)
        before = self.client.state.snapshot()
        query = {
            each.name: value
            for each in route.parameters
            if each.location == "query" and (each.required or self.draw.random() < 0.3)
            if (value := self.value(each.name, route)) is not None
        }
        answer = self.client(route.method, self.path(route), self.body(route), **query)
        assert answer.status < 500
        if route.method == "GET" or answer.status >= 400:
            assert self.client.state.snapshot() == before

    def own_id(self, kind: str) -> str:
        return self.draw.choice(list(getattr(self.client.state.catalogue, f"{kind}s")))

    def uri(self, kind: str = "track") -> str:
        return f"spotify:{kind}:{self.own_id(kind)}"

    def playlist(self) -> str:
        state = self.client.state
        is_any = self.draw.random() < 0.3
        return self.draw.choice(list(state.playlists) if is_any else state.my_playlists)

    def path(self, route: Route) -> str:
        kind = next(
            (each for each in ("album", "artist") if f"/{each}s/{{" in route.template), "track"
        )
        values = {
            "id": self.own_id(kind),
            "playlist_id": self.playlist(),
            "type": self.draw.choice(("artists", "tracks")),
            "user_id": self.client.state.me.id,
        }
        return route.template.format(**values)

    def value(self, name: str, route: Route) -> Json:
        is_following = route.template == "/me/following"
        kind = "artist" if is_following else "album" if "albums" in route.template else "track"
        followed = self.client.state.library.artists
        return {
            "ids": ",".join(self.own_id(kind) for _ in range(self.draw.randint(1, 5))),
            "type": "artist" if is_following else self.draw.choice(TYPES),
            "uri": self.uri(),
            "uris": f"{self.uri()},{self.uri()}",
            "state": self.draw.choice(("off", "context", "track")),
            "volume_percent": self.draw.randint(0, 100),
            "q": self.draw.choice(WORDS),
            "limit": self.draw.randint(1, 50),
            "offset": self.draw.randint(0, 60),
            "position": 0,
            "seed_artists": self.own_id("artist"),
            "seed_genres": "pop",
            "seed_tracks": self.own_id("track"),
            "fields": "items(track(name,album))",
            "after": followed[0] if is_following and followed else None,
            "before": 1_768_478_400_000,
        }.get(name)

    def body(self, route: Route) -> Json:
        to_play = (
            {"uris": [self.uri(), self.uri()]},
            {"context_uri": self.uri("album"), "offset": {"position": 0}},
            {"context_uri": self.uri("artist")},
            {"context_uri": f"spotify:playlist:{self.playlist()}"},
            None,
        )
        return {
            ("PUT", "/me/player/play"): self.draw.choice(to_play),
            ("POST", "/playlists/{playlist_id}/tracks"): {"uris": [self.uri()]},
            ("DELETE", "/playlists/{playlist_id}/tracks"): {"tracks": [{"uri": self.uri()}]},
            ("PUT", "/playlists/{playlist_id}"): {"name": "New", "public": True},
            ("POST", "/users/{user_id}/playlists"): {"name": "New", "public": False},
        }.get((route.method, route.template))


@pytest.mark.parametrize("seed", range(3))
def test_a_walk_through_all_operations(seed):
    walk = Walk(seed)
    for _ in range(300):
        walk.step()
    reached = {
        (each.method, each.template) for each in walk.client.running.log if each.status < 400
    }
    assert len(reached) >= 38
    assert 400 not in {each.status for each in walk.client.running.log if each.method == "GET"}
