"""Operations that read the music: albums, artists, tracks, search and recommendations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from typing import TypeVar

from restwright.jsontypes import JsonObject
from restwright_bench.spotify.catalogue import Album, Artist, Track
from restwright_bench.spotify.pages import paged
from restwright_bench.spotify.searching import Found, found_in
from restwright_bench.spotify.shown import (
    album_listed,
    album_shown,
    artist_shown,
    playlist_listed,
    track_listed,
    track_shown,
    tracks_shown,
)
from restwright_bench.spotify.state import Playlist, SpotifyState
from restwright_bench.world.exchange import Answer, Asked, Handlers, Refused

TOP_TRACKS = 10
RELATED = 20
MOST_SEEDS = 5
NEW_FOR_DAYS = 5 * 365
GROUPS = ("album", "single", "compilation", "appears_on")

Row = TypeVar("Row")


def known(table: Mapping[str, Row], own_id: str, kind: str) -> Row:
    """The row of an id, or 404."""
    if own_id not in table:
        raise Refused(404, f"there is no {kind} with the id {own_id!r}")
    return table[own_id]


def album(state: SpotifyState, asked: Asked) -> Answer:
    """One album, with its tracks."""
    found = known(state.catalogue.albums, asked.path["id"], "album")
    return Answer(body=album_shown(state.catalogue, found))


def album_tracks(state: SpotifyState, asked: Asked) -> Answer:
    """A page of the tracks of an album, in their order."""
    catalogue = state.catalogue
    found = known(catalogue.albums, asked.path["id"], "album")
    rows = [catalogue.tracks[each] for each in found.track_ids]
    show = partial(track_listed, catalogue)
    return Answer(body=paged(rows, asked, f"/albums/{found.id}/tracks", show))


def artist(state: SpotifyState, asked: Asked) -> Answer:
    """One artist."""
    return Answer(body=artist_shown(known(state.catalogue.artists, asked.path["id"], "artist")))


def artist_albums(state: SpotifyState, asked: Asked) -> Answer:
    """A page of releases by groups; their order within a group tells nothing."""
    catalogue = state.catalogue
    found = known(catalogue.artists, asked.path["id"], "artist")
    groups = str(asked.query.get("include_groups") or ",".join(GROUPS)).split(",")
    if unknown := [each for each in groups if each.strip() not in GROUPS]:
        raise Refused(400, f"include_groups has no group {unknown[0]!r}")
    wanted = {each.strip() for each in groups}
    rows = [each for each in _releases(state, found) if each[0] in wanted]

    def show(row: tuple[str, Album]) -> JsonObject:
        return {**album_listed(catalogue, row[1]), "album_group": row[0]}

    return Answer(body=paged(rows, asked, f"/artists/{found.id}/albums", show))


def related_artists(state: SpotifyState, asked: Asked) -> Answer:
    """Who shares a genre with an artist."""
    found = known(state.catalogue.artists, asked.path["id"], "artist")
    related = state.catalogue.related(found.id)[:RELATED]
    return Answer(body={"artists": [artist_shown(each) for each in related]})


def top_tracks(state: SpotifyState, asked: Asked) -> Answer:
    """The ten most popular tracks of an artist."""
    found = known(state.catalogue.artists, asked.path["id"], "artist")
    return Answer(body={"tracks": tracks_shown(state.catalogue, top_of(state, found.id))})


def top_of(state: SpotifyState, artist_id: str) -> list[str]:
    """Ids of an artist's most popular tracks."""
    return [each.id for each in state.catalogue.tracks_by_artist[artist_id][:TOP_TRACKS]]


def new_releases(state: SpotifyState, asked: Asked) -> Answer:
    """A page of the albums of late, latest first."""
    since = date.fromordinal(date(2026, 1, 15).toordinal() - NEW_FOR_DAYS).isoformat()
    rows = [each for each in state.catalogue.albums.values() if each.release_date >= since]
    rows.sort(key=lambda each: each.release_date, reverse=True)
    show = partial(album_listed, state.catalogue)
    return Answer(body={"albums": paged(rows, asked, "/browse/new-releases", show)})


def track(state: SpotifyState, asked: Asked) -> Answer:
    """One track."""
    found = known(state.catalogue.tracks, asked.path["id"], "track")
    return Answer(body=track_shown(state.catalogue, found))


def search(state: SpotifyState, asked: Asked) -> Answer:
    """A page for each type that is asked for; nobody has shows, episodes and audiobooks."""
    query = str(asked.query["q"])
    if not query.strip():
        raise Refused(400, "q has no words")
    return Answer(
        body={
            f"{kind}s": paged(
                found_in(state, kind, query), asked, "/search", partial(_found_shown, state)
            )
            for kind in asked.query["type"]
        }
    )


def recommendations(state: SpotifyState, asked: Asked) -> Answer:
    """Tracks that share a genre with any seed, most popular first, none of the seeds themselves."""
    seeds = {kind: _seeds(asked, kind) for kind in ("artists", "tracks", "genres")}
    count = sum(map(len, seeds.values()))
    if not 0 < count <= MOST_SEEDS:
        raise Refused(400, f"{count} seeds were given; 1 to {MOST_SEEDS} are taken")
    pools = [
        (kind, seed, _pool(state, kind, seed)) for kind, given in seeds.items() for seed in given
    ]
    chosen = {each.id: each for *_, pool in pools for each in pool}
    best = sorted(chosen.values(), key=lambda each: (-each.popularity, each.id))
    limit = int(asked.query["limit"])
    return Answer(
        body={
            "seeds": [_seed_shown(kind, seed, len(pool)) for kind, seed, pool in pools],
            "tracks": [track_shown(state.catalogue, each) for each in best[:limit]],
        }
    )


def _releases(state: SpotifyState, found: Artist) -> list[tuple[str, Album]]:
    """`(group, album)` of an artist's own releases and of those that it appears on."""
    catalogue = state.catalogue
    own = catalogue.albums_by_artist[found.id]
    ids = {each.album_id for each in catalogue.tracks_by_artist[found.id]}
    others = ids.difference(each.id for each in own)
    rows = [(each.kind, each) for each in own]
    rows += [("appears_on", catalogue.albums[each]) for each in others]
    return sorted(rows, key=lambda row: (GROUPS.index(row[0]), row[1].id))


def _found_shown(state: SpotifyState, found: Found) -> JsonObject:
    if isinstance(found, Playlist):
        return playlist_listed(state, found)
    if isinstance(found, Artist):
        return artist_shown(found)
    if isinstance(found, Album):
        return album_listed(state.catalogue, found)
    return track_shown(state.catalogue, found)


def _seeds(asked: Asked, kind: str) -> list[str]:
    given = str(asked.query.get(f"seed_{kind}") or "")
    return [each.strip() for each in given.split(",") if each.strip()]


def _pool(state: SpotifyState, kind: str, seed: str) -> list[Track]:
    genres = _SEED_GENRES[kind](state, seed)
    return [
        each
        for each in state.catalogue.tracks.values()
        if each.id != seed and genres & state.catalogue.genres_of(each)
    ]


def _artist_genres(state: SpotifyState, seed: str) -> frozenset[str]:
    found = state.catalogue.artists.get(seed)
    return frozenset(found.genres) if found else frozenset()


def _track_genres(state: SpotifyState, seed: str) -> frozenset[str]:
    found = state.catalogue.tracks.get(seed)
    return state.catalogue.genres_of(found) if found else frozenset()


_SEED_GENRES: Mapping[str, Callable[[SpotifyState, str], frozenset[str]]] = {
    "artists": _artist_genres,
    "tracks": _track_genres,
    "genres": lambda _state, seed: frozenset({seed.casefold()}),
}


def _seed_shown(kind: str, seed: str, size: int) -> JsonObject:
    return {
        "afterFilteringSize": size,
        "afterRelinkingSize": size,
        "id": seed,
        "initialPoolSize": size,
        "type": kind.removesuffix("s"),
    }


HANDLERS: Handlers = {
    ("GET", "/albums/{id}"): album,
    ("GET", "/albums/{id}/tracks"): album_tracks,
    ("GET", "/artists/{id}"): artist,
    ("GET", "/artists/{id}/albums"): artist_albums,
    ("GET", "/artists/{id}/related-artists"): related_artists,
    ("GET", "/artists/{id}/top-tracks"): top_tracks,
    ("GET", "/browse/new-releases"): new_releases,
    ("GET", "/recommendations"): recommendations,
    ("GET", "/search"): search,
    ("GET", "/tracks/{id}"): track,
}
