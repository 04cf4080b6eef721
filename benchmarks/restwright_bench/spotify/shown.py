"""How things of the world look in answers: the objects of the document."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from restwright.jsontypes import JsonObject
from restwright_bench.spotify.catalogue import Album, Artist, Catalogue, Track, User
from restwright_bench.spotify.pages import PREFIX, page_of
from restwright_bench.spotify.state import Device, Item, Played, Playlist, SpotifyState

SITE = "https://open.example"
IMAGES = "https://images.example"
MARKETS = ("DE", "FR", "GB", "JP", "SE", "US")
# How many tracks an album or a playlist shows within itself.
SHOWN_WITHIN = 100


def moment(at: datetime) -> str:
    """`2026-01-15T12:00:00Z`."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def artist_shown(artist: Artist) -> JsonObject:
    """An ArtistObject."""
    return {
        **artist_named(artist),
        "followers": {"href": None, "total": artist.followers},
        "genres": list(artist.genres),
        "images": _images(artist.id),
        "popularity": artist.popularity,
    }


def artist_named(artist: Artist) -> JsonObject:
    """A SimplifiedArtistObject."""
    return {**_links("artist", artist.id), "name": artist.name}


def album_listed(catalogue: Catalogue, album: Album) -> JsonObject:
    """A SimplifiedAlbumObject."""
    return {
        **_links("album", album.id),
        "album_type": album.kind,
        "artists": [artist_named(catalogue.artists[each]) for each in album.artist_ids],
        "available_markets": list(MARKETS),
        "images": _images(album.id),
        "name": album.name,
        "release_date": album.release_date,
        "release_date_precision": "day",
        "total_tracks": len(album.track_ids),
    }


def album_shown(catalogue: Catalogue, album: Album) -> JsonObject:
    """An AlbumObject, with its tracks."""
    tracks = [track_listed(catalogue, catalogue.tracks[each]) for each in album.track_ids]
    return {
        **album_listed(catalogue, album),
        "artists": [artist_shown(catalogue.artists[each]) for each in album.artist_ids],
        "copyrights": [{"text": f"{album.release_date[:4]} {album.label}", "type": "C"}],
        "external_ids": {"upc": album.upc},
        "genres": [],
        "label": album.label,
        "popularity": album.popularity,
        "tracks": _within(tracks, f"/albums/{album.id}/tracks", len(tracks)),
    }


def track_listed(catalogue: Catalogue, track: Track) -> JsonObject:
    """A SimplifiedTrackObject."""
    return {
        **_links("track", track.id),
        "artists": [artist_named(catalogue.artists[each]) for each in track.artist_ids],
        "available_markets": list(MARKETS),
        "disc_number": 1,
        "duration_ms": track.duration_ms,
        "explicit": track.explicit,
        "is_local": False,
        "name": track.name,
        "preview_url": f"{IMAGES}/previews/{track.id}",
        "track_number": track.number,
    }


def track_shown(catalogue: Catalogue, track: Track) -> JsonObject:
    """A TrackObject, with its album and artists."""
    return {
        **track_listed(catalogue, track),
        "album": album_listed(catalogue, catalogue.albums[track.album_id]),
        "artists": [artist_shown(catalogue.artists[each]) for each in track.artist_ids],
        "external_ids": {"isrc": track.isrc},
        "popularity": track.popularity,
    }


def tracks_shown(catalogue: Catalogue, ids: Iterable[str]) -> list[JsonObject]:
    """TrackObjects."""
    return [track_shown(catalogue, catalogue.tracks[each]) for each in ids]


def user_shown(user: User) -> JsonObject:
    """A PlaylistOwnerObject."""
    return {
        **_links("user", user.id),
        "display_name": user.name,
        "followers": {"href": None, "total": user.followers},
    }


def me_shown(user: User) -> JsonObject:
    """A PrivateUserObject."""
    return {
        **user_shown(user),
        "country": "SE",
        "email": f"{user.id}@mail.example",
        "explicit_content": {"filter_enabled": False, "filter_locked": False},
        "images": _images(user.id),
        "product": "premium",
    }


def playlist_listed(state: SpotifyState, playlist: Playlist) -> JsonObject:
    """A SimplifiedPlaylistObject: how many tracks it has, not which."""
    return {
        **_links("playlist", playlist.id),
        "collaborative": playlist.is_collaborative,
        "description": playlist.description,
        "images": _images(playlist.id),
        "name": playlist.name,
        "owner": user_shown(state.catalogue.users[playlist.owner_id]),
        "public": playlist.is_public,
        "snapshot_id": playlist.snapshot_id,
        "tracks": {
            "href": f"{PREFIX}/playlists/{playlist.id}/tracks",
            "total": len(playlist.items),
        },
    }


def playlist_shown(state: SpotifyState, playlist: Playlist) -> JsonObject:
    """A PlaylistObject, with its tracks."""
    items = [item_shown(state, playlist, each) for each in playlist.items[:SHOWN_WITHIN]]
    return {
        **playlist_listed(state, playlist),
        "followers": {"href": None, "total": playlist.followers},
        "tracks": _within(items, f"/playlists/{playlist.id}/tracks", len(playlist.items)),
    }


def item_shown(state: SpotifyState, playlist: Playlist, item: Item) -> JsonObject:
    """A PlaylistTrackObject."""
    owner = user_shown(state.catalogue.users[playlist.owner_id])
    return {
        "added_at": item.added_at,
        "added_by": {name: each for name, each in owner.items() if name != "display_name"},
        "is_local": False,
        "track": track_shown(state.catalogue, state.catalogue.tracks[item.id]),
    }


def device_shown(state: SpotifyState, device: Device) -> JsonObject:
    """A DeviceObject."""
    return {
        "id": device.id,
        "is_active": device.id == state.player.device.id,
        "is_private_session": False,
        "is_restricted": False,
        "name": device.name,
        "type": device.type,
        "volume_percent": state.player.volumes[device.id],
    }


def player_shown(state: SpotifyState) -> JsonObject:
    """A CurrentlyPlayingContextObject."""
    player = state.player
    shown: JsonObject = {
        "actions": {"pausing": player.is_playing, "resuming": not player.is_playing},
        "currently_playing_type": "track",
        "device": device_shown(state, player.device),
        "is_playing": player.is_playing,
        "item": track_shown(state.catalogue, state.playing()),
        "progress_ms": player.progress_ms,
        "repeat_state": player.repeat,
        "shuffle_state": False,
        "timestamp": 1_768_478_400_000,
    }
    if player.context_uri:
        shown["context"] = context_shown(player.context_uri)
    return shown


def context_shown(uri: str) -> JsonObject:
    """A ContextObject: the album, artist or playlist of a URI."""
    _, kind, own_id = uri.split(":")
    return {name: each for name, each in _links(kind, own_id).items() if name != "id"}


def played_shown(state: SpotifyState, played: Played) -> JsonObject:
    """A PlayHistoryObject."""
    track = state.catalogue.tracks[played.track_id]
    return {
        "context": context_shown(f"spotify:album:{track.album_id}"),
        "played_at": moment(played.played_at),
        "track": track_shown(state.catalogue, track),
    }


def _links(kind: str, own_id: str) -> JsonObject:
    return {
        "external_urls": {"spotify": f"{SITE}/{kind}/{own_id}"},
        "href": f"{PREFIX}/{kind}s/{own_id}",
        "id": own_id,
        "type": kind,
        "uri": f"spotify:{kind}:{own_id}",
    }


def _within(shown: list[JsonObject], path: str, total: int) -> JsonObject:
    return page_of(shown, path, total=total, limit=SHOWN_WITHIN)


def _images(own_id: str) -> list[JsonObject]:
    return [{"height": 300, "url": f"{IMAGES}/{own_id}.jpg", "width": 300}]
