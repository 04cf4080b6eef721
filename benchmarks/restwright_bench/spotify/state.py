"""What calls can change: the player, the library, whom the user follows, and playlists."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from random import Random

from restwright.jsontypes import Json, JsonObject
from restwright_bench.spotify import core
from restwright_bench.spotify.catalogue import (
    Catalogue,
    Track,
    User,
    added_at,
    catalogue_of,
    new_id,
)

NOW = datetime.fromisoformat("2026-01-15T12:00:00+00:00")
REPEATS = ("off", "context", "track")
HISTORY_SIZE = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A track in a list of the user, and since when."""

    id: str
    added_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Playlist:
    """
    A playlist of anybody.

    Args:
        revision: Goes up with every change of its items.
    """

    id: str
    name: str
    owner_id: str
    description: str = ""
    is_public: bool = True
    is_collaborative: bool = False
    items: tuple[Item, ...] = ()
    followers: int = 0
    revision: int = 1

    @property
    def uri(self) -> str:
        """As players take it."""
        return f"spotify:playlist:{self.id}"

    @property
    def snapshot_id(self) -> str:
        """Names this revision."""
        return f"{self.revision:04}{self.id}"

    @property
    def track_ids(self) -> tuple[str, ...]:
        """In its order."""
        return tuple(each.id for each in self.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """Something that plays."""

    id: str
    name: str
    type: str


@dataclass(slots=True, kw_only=True)
class Player:
    """
    What is being played, and where.

    Args:
        running: What plays on when the queue is empty; the tracks of `context_uri` if there is one.
        place: How far `running` has come. An item of the queue does not move it.
        queue: What was put before the rest of `running`.
    """

    device: Device
    volumes: dict[str, int]
    item: str
    running: tuple[str, ...]
    place: int
    context_uri: str
    queue: list[str]
    is_playing: bool = True
    repeat: str = "off"
    progress_ms: int = 42_000

    @property
    def volume(self) -> int:
        """In percent, of the device that plays."""
        return self.volumes[self.device.id]


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A track that was played, and when."""

    track_id: str
    played_at: datetime


@dataclass(slots=True, kw_only=True)
class Library:
    """What the user saved and follows; saved things latest first, followed ones in their order."""

    tracks: list[Item]
    albums: list[Item]
    artists: list[str]
    users: list[str] = field(default_factory=list[str])


class SpotifyState:
    """
    One account in one world. Everything else is in `catalogue`.

    Args:
        seed: What ids and all free facts are drawn by.
    """

    def __init__(self, seed: int) -> None:
        self.catalogue: Catalogue = catalogue_of(seed)
        self._draw = Random(f"spotify-account-{seed}")
        self._ticks = 0
        self.devices = tuple(
            Device(id=f"{self._draw.getrandbits(160):040x}", name=name, type=kind)
            for name, kind in core.DEVICES
        )
        self.library = self._first_library()
        self.playlists = {
            each.id: Playlist(
                id=each.id,
                name=each.name,
                description=each.description,
                owner_id=each.owner_id,
                items=tuple(Item(id=track, added_at=added) for track, added in each.items),
                followers=each.followers,
            )
            for each in self.catalogue.playlists.values()
        }
        own = self._first_playlists()
        self.playlists.update((each.id, each) for each in own)
        self.my_playlists: list[str] = [each.id for each in own]
        self.player = self._first_player()
        self.history = self._first_history()
        self.activity: list[JsonObject] = []

    @property
    def me(self) -> User:
        """Whose account it is."""
        return self.catalogue.me

    def snapshot(self) -> JsonObject:
        """
        Everything that calls can change.

        `activity` tells what was done in order, even where that changed nothing: pausing and
        resuming leave the player as it was.
        """
        return {
            "player": self._player_shown(),
            "history": [[each.track_id, each.played_at.isoformat()] for each in self.history],
            "library": {
                "tracks": [[each.id, each.added_at] for each in self.library.tracks],
                "albums": [[each.id, each.added_at] for each in self.library.albums],
            },
            "following": {
                "artists": list(self.library.artists),
                "users": list(self.library.users),
            },
            "playlists": {
                each: _playlist_shown(self.playlists[each]) for each in self.my_playlists
            },
            "playlist_order": list(self.my_playlists),
            "activity": list(self.activity),
        }

    def did(self, what: str, **details: Json) -> None:
        """Keep that something was done."""
        self.activity.append({"did": what, **details})

    def now(self) -> datetime:
        """The moment of a change: each is a second after the one before."""
        self._ticks += 1
        return NOW + timedelta(seconds=self._ticks)

    def new_id(self) -> str:
        """An id that nothing has yet."""
        return new_id(self._draw)

    def my_playlist(self, name: str) -> Playlist:
        """The user's own playlist of that name."""
        own = (self.playlists[each] for each in self.my_playlists)
        return next(each for each in own if each.name == name)

    def first_playlist(self) -> Playlist:
        """The one that is listed first."""
        return self.playlists[self.my_playlists[0]]

    def playing(self) -> Track:
        """The item of the player."""
        return self.catalogue.tracks[self.player.item]

    def put(self, playlist: Playlist) -> None:
        """Keep a changed playlist."""
        self.playlists[playlist.id] = playlist

    def put_items(self, playlist: Playlist, items: Iterable[Item]) -> Playlist:
        """Keep a playlist with other items, as its next revision."""
        changed = replace(playlist, items=tuple(items), revision=playlist.revision + 1)
        self.put(changed)
        return changed

    def _player_shown(self) -> JsonObject:
        player = self.player
        return {
            "device": player.device.id,
            "volumes": dict(player.volumes),
            "item": player.item,
            "context": player.context_uri,
            "running": list(player.running),
            "place": player.place,
            "queue": list(player.queue),
            "is_playing": player.is_playing,
            "repeat": player.repeat,
            "progress_ms": player.progress_ms,
        }

    def _tracks_by(self, name: str) -> list[str]:
        """The artist's own tracks that are no duets; nobody knows their order beforehand."""
        artist_id = self.catalogue.artist(name).id
        found = self.catalogue.tracks_by_artist[artist_id]
        own = [each.id for each in found if each.artist_ids == (artist_id,)]
        newest = self.catalogue.newest_album(artist_id)
        left = [each for each in own if each not in newest.track_ids]
        self._draw.shuffle(left)
        return left

    def _first_library(self) -> Library:
        catalogue = self.catalogue
        asked = catalogue.track("Summertime Sadness").id
        tracks = [
            each
            for name in core.SAVED_BY
            for each in [one for one in self._tracks_by(name) if one != asked][:3]
        ]
        albums = [catalogue.album(each).id for each in core.SAVED_ALBUMS]
        artists = [catalogue.artist(each).id for each in core.FOLLOWED]
        for each in (tracks, albums, artists):
            self._draw.shuffle(each)
        return Library(
            tracks=self._items(tracks), albums=self._items(albums), artists=artists, users=[]
        )

    def _items(self, ids: list[str]) -> list[Item]:
        moments = added_at(self._draw, len(ids))
        return [Item(id=one, added_at=at) for one, at in zip(ids, moments, strict=True)]

    def _first_playlists(self) -> list[Playlist]:
        made = [
            Playlist(
                id=self.new_id(),
                name=name,
                owner_id=self.me.id,
                items=tuple(reversed(self._items([self._tracks_by(each)[0] for each in artists]))),
            )
            for name, artists in core.MY_PLAYLISTS.items()
        ]
        self._draw.shuffle(made)
        return made

    def _first_player(self) -> Player:
        album = self.catalogue.album(core.NOW_PLAYING)
        saved = {each.id for each in self.library.tracks}
        # Neither the first nor the last, so that there is a track before and one behind.
        places = [
            place
            for place, each in enumerate(album.track_ids)
            if 0 < place < len(album.track_ids) - 1 and each not in saved
        ]
        place = self._draw.choice(places)
        return Player(
            device=self.devices[0],
            volumes={each.id: 50 for each in self.devices},
            item=album.track_ids[place],
            running=album.track_ids,
            place=place,
            context_uri=f"spotify:album:{album.id}",
            queue=[self._tracks_by(each)[0] for each in core.QUEUED_BY],
        )

    def _first_history(self) -> list[Played]:
        """Latest first; that is by somebody whom the user does not follow."""
        followed = set(self.library.artists)
        tracks = self._draw.sample(list(self.catalogue.tracks.values()), HISTORY_SIZE + 20)
        tracks.sort(key=lambda each: bool(followed.intersection(each.artist_ids)))
        moment, found = NOW, list[Played]()
        for each in tracks[:HISTORY_SIZE]:
            moment -= timedelta(seconds=self._draw.randrange(200, 9_000))
            found.append(Played(track_id=each.id, played_at=moment))
        return found


def _playlist_shown(playlist: Playlist) -> JsonObject:
    return {
        "name": playlist.name,
        "description": playlist.description,
        "public": playlist.is_public,
        "collaborative": playlist.is_collaborative,
        "revision": playlist.revision,
        "items": [[each.id, each.added_at] for each in playlist.items],
    }
