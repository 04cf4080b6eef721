"""The music of one world, drawn by a seed around the core. No call changes any of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property, lru_cache
from random import Random
from typing import TypeVar

from restwright_bench.spotify import core

BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
EARLIEST, LATEST = date(1990, 1, 1), date(2026, 1, 10)
DEFAULT_SIZE = 5
# Duets beside those of the core: these join in on some tracks of the other invented artists.
GUESTS = ("Calla Winters", "Kofi Brandt", "Rosa Quill", "Axel Mirren", "Harbour Saints")
HOSTS = frozenset(each.name for each in core.INVENTED).difference(GUESTS)
TOP_SIZE = 24

Named = TypeVar("Named", "Artist", "Album", "Track")


@dataclass(frozen=True, slots=True, kw_only=True)
class Artist:
    """Who makes music."""

    id: str
    name: str
    genres: tuple[str, ...]
    popularity: int
    followers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Album:
    """
    A release.

    Args:
        kind: `album`, `single` or `compilation`.
        release_date: `2026-01-15`; no two releases came out on the same day.
    """

    id: str
    name: str
    kind: str
    artist_ids: tuple[str, ...]
    release_date: str
    track_ids: tuple[str, ...]
    popularity: int
    label: str
    upc: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """A song; `artist_ids` begins with the one whose song it is."""

    id: str
    name: str
    album_id: str
    artist_ids: tuple[str, ...]
    number: int
    duration_ms: int
    explicit: bool
    popularity: int
    isrc: str

    @property
    def uri(self) -> str:
        """As players take it."""
        return f"spotify:track:{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """Somebody with an account."""

    id: str
    name: str
    followers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A playlist as it was found: `(track id, added at)` in its order."""

    id: str
    name: str
    description: str
    owner_id: str
    items: tuple[tuple[str, str], ...]
    followers: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Catalogue:
    """All music of a world by its ids, and who listens to it; equal to itself alone."""

    artists: Mapping[str, Artist]
    albums: Mapping[str, Album]
    tracks: Mapping[str, Track]
    users: Mapping[str, User]
    playlists: Mapping[str, Made]
    me: User
    top: Mapping[tuple[str, str], tuple[str, ...]] = field(repr=False)
    """`{("artists", "short_term"): ids}`"""

    @cached_property
    def tracks_by_artist(self) -> Mapping[str, tuple[Track, ...]]:
        """Most popular first."""
        found: dict[str, list[Track]] = {each: [] for each in self.artists}
        for track in sorted(self.tracks.values(), key=lambda each: (-each.popularity, each.id)):
            for artist_id in track.artist_ids:
                found[artist_id].append(track)
        return {each: tuple(tracks) for each, tracks in found.items()}

    @cached_property
    def albums_by_artist(self) -> Mapping[str, tuple[Album, ...]]:
        """Those of the artist alone, in no order that tells anything."""
        found: dict[str, list[Album]] = {each: [] for each in self.artists}
        for album in sorted(self.albums.values(), key=lambda each: each.id):
            for artist_id in album.artist_ids:
                found[artist_id].append(album)
        return {each: tuple(albums) for each, albums in found.items()}

    def artist(self, name: str) -> Artist:
        """The artist of a name; names of artists are unique."""
        return _named(self.artists.values(), name)

    def album(self, name: str) -> Album:
        """The album of a name; those of the core are unique."""
        return _named(self.albums.values(), name)

    def track(self, name: str) -> Track:
        """The track of a name; those of the core are unique."""
        return _named(self.tracks.values(), name)

    def newest_album(self, artist_id: str) -> Album:
        """What the artist brought out last, whatever its kind; it is always an album."""
        return max(self.albums_by_artist[artist_id], key=lambda each: each.release_date)

    def genres_of(self, track: Track) -> frozenset[str]:
        """Those of its artists."""
        return frozenset(genre for each in track.artist_ids for genre in self.artists[each].genres)

    def related(self, artist_id: str) -> tuple[Artist, ...]:
        """Who shares a genre, most shared genres and most popular first."""
        own = frozenset(self.artists[artist_id].genres)
        others = [
            each
            for each in self.artists.values()
            if each.id != artist_id and own.intersection(each.genres)
        ]
        others.sort(key=lambda each: (-len(own.intersection(each.genres)), -each.popularity))
        return tuple(others)


@lru_cache(maxsize=16)
def catalogue_of(seed: int) -> Catalogue:
    """The music of a seed: the same on every machine."""
    return _Drawing(Random(f"spotify-{seed}")).whole()


def new_id(draw: Random) -> str:
    """22 characters of base 62."""
    return "".join(draw.choices(BASE62, k=22))


def added_at(draw: Random, count: int) -> list[str]:
    """Different moments of the past year, latest first."""
    latest = date(2026, 1, 10).toordinal()
    days = sorted(draw.sample(range(latest - 360, latest), count), reverse=True)
    return [f"{date.fromordinal(each)}T{draw.randrange(24):02}:30:00Z" for each in days]


def _named(rows: Iterable[Named], name: str) -> Named:
    return next(each for each in rows if each.name == name)


class _Drawing:
    """Draws a world, one table after the other."""

    def __init__(self, draw: Random) -> None:
        self.draw = draw
        self.titles = self._titles()
        self.days = self._days()
        self.artists: dict[str, Artist] = {}
        self.albums: dict[str, Album] = {}
        self.tracks: dict[str, Track] = {}
        self.by_name: dict[str, Artist] = {}

    def whole(self) -> Catalogue:
        self._draw_artists()
        for each in (*core.ASKED_FOR, *core.INVENTED):
            self._draw_releases(each)
        users = {each.id: each for each in self._users()}
        me, *others = users.values()
        return Catalogue(
            artists=self.artists,
            albums=self.albums,
            tracks=self.tracks,
            users=users,
            playlists={each.id: each for each in self._playlists(others)},
            me=me,
            top=self._top(),
        )

    def _titles(self) -> Iterator[str]:
        pairs = [f"{first} {last}" for first in core.FIRST_WORDS for last in core.LAST_WORDS]
        self.draw.shuffle(pairs)
        return iter(pairs)

    def _days(self) -> Iterator[int]:
        days = range(EARLIEST.toordinal(), LATEST.toordinal())
        return iter(self.draw.sample(days, 1000))

    def _draw_artists(self) -> None:
        asked, invented = len(core.ASKED_FOR), len(core.INVENTED)
        ranks = self.draw.sample(range(80, 100), asked) + self.draw.sample(range(20, 78), invented)
        for each, popularity in zip((*core.ASKED_FOR, *core.INVENTED), ranks, strict=True):
            artist = Artist(
                id=new_id(self.draw),
                name=each.name,
                genres=each.genres,
                popularity=popularity,
                followers=popularity * 10_000 + self.draw.randrange(9_999),
            )
            self.artists[artist.id] = self.by_name[each.name] = artist

    def _draw_releases(self, each: core.ArtistCore) -> None:
        """Albums with their tracks; the latest day goes to one of kind `album`."""
        given = [album for album in core.ALBUMS if album.artist == each.name]
        albums, singles, compilations = each.releases
        kinds = ["album"] * albums + ["single"] * singles + ["compilation"] * compilations
        days = sorted((next(self.days) for _ in kinds), reverse=True)
        newest = self.draw.randrange(albums)
        rest = days[1:]
        self.draw.shuffle(rest)
        days = [*rest[:newest], days[0], *rest[newest:]]
        sizes = [given[i].size if i < len(given) else DEFAULT_SIZE for i in range(albums)]
        total = sum(sizes) + singles + 4 * compilations
        ranks = iter(self.draw.sample(range(100), total))
        for place, (kind, day) in enumerate(zip(kinds, days, strict=True)):
            fixed = given[place] if place < len(given) else None
            size = {"album": sizes[min(place, albums - 1)], "single": 1}.get(kind, 4)
            name = fixed.name if fixed else next(self.titles)
            names = [*(fixed.tracks if fixed else ())]
            names += [next(self.titles) for _ in range(size - len(names))]
            self.draw.shuffle(names)
            self._draw_album(self.by_name[each.name], kind, name, day, names, ranks)

    def _draw_album(
        self,
        artist: Artist,
        kind: str,
        name: str,
        day: int,
        names: list[str],
        ranks: Iterator[int],
    ) -> None:
        album_id = new_id(self.draw)
        tracks = [
            self._track(artist, album_id, each, number + 1, next(ranks))
            for number, each in enumerate(names)
        ]
        self.tracks.update((each.id, each) for each in tracks)
        self.albums[album_id] = Album(
            id=album_id,
            name=name,
            kind=kind,
            artist_ids=(artist.id,),
            release_date=date.fromordinal(day).isoformat(),
            track_ids=tuple(each.id for each in tracks),
            popularity=min(99, artist.popularity + self.draw.randrange(-15, 1)),
            label=self.draw.choice(core.LABELS),
            upc=str(self.draw.randrange(10**11, 10**12)),
        )

    def _track(
        self, artist: Artist, album_id: str, name: str, number: int, popularity: int
    ) -> Track:
        guest = core.DUETS.get(name)
        if artist.name in HOSTS and not self.draw.randrange(12):
            guest = self.draw.choice(GUESTS)
        with_guest = (self.by_name[guest].id,) if guest else ()
        return Track(
            id=new_id(self.draw),
            name=name,
            album_id=album_id,
            artist_ids=(artist.id, *with_guest),
            number=number,
            duration_ms=self.draw.randrange(120_000, 420_000),
            explicit=self.draw.random() < 0.1,
            popularity=popularity,
            isrc=f"QZ{self.draw.randrange(10**9, 10**10)}",
        )

    def _users(self) -> Iterator[User]:
        names = [f"{given} {family}" for given in core.GIVEN_NAMES for family in core.FAMILY_NAMES]
        for name in self.draw.sample(names, 12):
            user_id = "".join(self.draw.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=25))
            yield User(id=user_id, name=name, followers=self.draw.randrange(500))

    def _playlists(self, owners: list[User]) -> Iterator[Made]:
        for name, description, genre in core.PUBLIC_PLAYLISTS:
            fitting = [
                each.id
                for each in self.tracks.values()
                if genre in self.artists[each.artist_ids[0]].genres
            ]
            chosen = self.draw.sample(fitting, min(len(fitting), 24))
            yield Made(
                id=new_id(self.draw),
                name=name,
                description=description,
                owner_id=self.draw.choice(owners).id,
                items=tuple(zip(chosen, added_at(self.draw, len(chosen)), strict=True)),
                followers=self.draw.randrange(100, 100_000),
            )

    def _top(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """The favourites are the same over any time; what follows them is not."""
        found: dict[tuple[str, str], tuple[str, ...]] = {}
        for kind, table in (("artists", self.artists), ("tracks", self.tracks)):
            first, *others = self.draw.sample(list(table), TOP_SIZE + 6)
            for span in ("short_term", "medium_term", "long_term"):
                found[kind, span] = (first, *self.draw.sample(others, TOP_SIZE - 1))
        return found
