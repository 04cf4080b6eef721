"""What a write is to change, piece by piece, so that the rest can be held to be as before."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from restwright.jsontypes import Json, JsonObject
from restwright_bench.queries.query import Changed

# Tells only in which order things were done.
IGNORED = frozenset(("activity",))
GROUPS = ("player", "library", "following")
OF_PLAYING = (
    *("player.item", "player.context", "player.running", "player.place", "player.progress_ms"),
    *("player.is_playing", "history"),
)

Test = Callable[[JsonObject, JsonObject], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """
    One thing that is to change.

    Args:
        touches: What of a snapshot may differ for it, such as `player.queue`.
        holds: `(before, after) -> bool`.
    """

    what: str
    touches: tuple[str, ...]
    holds: Test


def changed(*parts: Part) -> Changed:
    """That all parts hold, and that nothing that they do not touch is another."""
    touched = IGNORED.union(*(each.touches for each in parts))

    def is_met(before: JsonObject, after: JsonObject) -> bool:
        if _rest(before, touched) != _rest(after, touched):
            return False
        return all(each.holds(before, after) for each in parts)

    return Changed(is_met=is_met, what=", ".join(each.what for each in parts))


def did(before: JsonObject, after: JsonObject) -> list[JsonObject]:
    """What was done since, in order."""
    return after["activity"][len(before["activity"]) :]


def _rest(snapshot: JsonObject, touched: Collection[str]) -> JsonObject:
    flat: JsonObject = {}
    for name, value in snapshot.items():
        if name in GROUPS:
            flat |= {f"{name}.{inner}": each for inner, each in value.items()}
        else:
            flat[name] = value
    return {name: value for name, value in flat.items() if name not in touched}


# The player


def volume(what: str, is_right: Callable[[int], bool]) -> Part:
    """That the playing device is as loud as wanted, and the others as they were."""

    def holds(before: JsonObject, after: JsonObject) -> bool:
        device = after["player"]["device"]
        had, has = before["player"]["volumes"], after["player"]["volumes"]
        return is_right(has[device]) and {**had, device: 0} == {**has, device: 0}

    return Part(what=what, touches=("player.volumes",), holds=holds)


def repeating(mode: str) -> Part:
    """That the repeat mode is this one."""
    return Part(
        what=f"repeats the {mode}",
        touches=("player.repeat",),
        holds=lambda _before, after: after["player"]["repeat"] == mode,
    )


def paused() -> Part:
    """That nothing plays any more."""
    return Part(
        what="is paused",
        touches=("player.is_playing",),
        holds=lambda _before, after: after["player"]["is_playing"] is False,
    )


def paused_and_resumed() -> Part:
    """That the same track plays again, having been paused in between."""

    def holds(before: JsonObject, after: JsonObject) -> bool:
        done = [each["did"] for each in did(before, after)]
        again = [place for place, each in enumerate(done) if each in {"resumed", "played"}]
        return (
            "paused" in done
            and any(place > done.index("paused") for place in again)
            and after["player"]["is_playing"]
            and after["player"]["item"] == before["player"]["item"]
        )

    return Part(what="was paused and plays on", touches=OF_PLAYING, holds=holds)


def skipped() -> Part:
    """That the first of the queue is on; whether it plays is as it was."""

    def holds(before: JsonObject, after: JsonObject) -> bool:
        first, *rest = before["player"]["queue"]
        return after["player"]["item"] == first and after["player"]["queue"] == rest

    touches = tuple(each for each in OF_PLAYING if each != "player.is_playing")
    return Part(what="is at the next track", touches=(*touches, "player.queue"), holds=holds)


def playing(what: str, is_right: Callable[[JsonObject], bool]) -> Part:
    """That something was put on which is right by the player's state."""

    def holds(before: JsonObject, after: JsonObject) -> bool:
        was_told = any(each["did"] == "played" for each in did(before, after))
        return was_told and after["player"]["is_playing"] and is_right(after["player"])

    return Part(what=what, touches=OF_PLAYING, holds=holds)


def playing_context(what: str, uri: str, tracks: Sequence[str]) -> Part:
    """That a context plays: itself, or all of its tracks by their URIs."""
    return playing(
        what,
        lambda player: player["context"] == uri or sorted(player["running"]) == sorted(tracks),
    )


def queued(what: str, ids: Sequence[str]) -> Part:
    """That these tracks are behind what was in the queue."""
    return Part(
        what=what,
        touches=("player.queue",),
        holds=lambda before, after: after["player"]["queue"] == before["player"]["queue"] + [*ids],
    )


# The library, and who is followed


def saved(kind: str, what: str, ids: Collection[str]) -> Part:
    """That these are in the library too; `kind` is `tracks` or `albums`."""
    wanted = frozenset(ids)
    return _in_library(kind, what, lambda had: had | wanted)


def removed(kind: str, what: str, ids: Collection[str]) -> Part:
    """That these are in the library no more."""
    unwanted = frozenset(ids)
    return _in_library(kind, what, lambda had: had - unwanted)


def _in_library(kind: str, what: str, wanted: Callable[[frozenset[str]], frozenset[str]]) -> Part:
    def holds(before: JsonObject, after: JsonObject) -> bool:
        had, has = (frozenset(_ids(each["library"][kind])) for each in (before, after))
        return has == wanted(had)

    return Part(what=what, touches=(f"library.{kind}",), holds=holds)


def either_albums_or_none() -> Part:
    """That the saved albums are all there, or none of them: a music library may mean both."""
    return Part(
        what="albums are all there or none",
        touches=("library.albums",),
        holds=lambda before, after: after["library"]["albums"] in (before["library"]["albums"], []),
    )


def follows(what: str, ids: Collection[str], *, allowed: Collection[str] = ()) -> Part:
    """
    That these artists were followed, also where one of them was so already.

    Args:
        allowed: Who may be followed beside them.
    """
    wanted = frozenset(ids)

    def holds(before: JsonObject, after: JsonObject) -> bool:
        had, has = (set(each["following"]["artists"]) for each in (before, after))
        is_right = had | wanted <= has <= had | wanted.union(allowed)
        return is_right and bool(wanted & _touched(before, after, "followed"))

    return Part(what=what, touches=("following.artists",), holds=holds)


def unfollows(what: str, ids: Collection[str]) -> Part:
    """That these artists are followed no more, and all others still."""
    unwanted = frozenset(ids)

    def holds(before: JsonObject, after: JsonObject) -> bool:
        had, has = (set(each["following"]["artists"]) for each in (before, after))
        return has == had - unwanted

    return Part(what=what, touches=("following.artists",), holds=holds)


def _touched(before: JsonObject, after: JsonObject, what: str) -> set[str]:
    return {one for each in did(before, after) if each["did"] == what for one in each["ids"]}


# Playlists

Tracks = Callable[[Sequence[str]], bool]


def playlist_with(name: str, what: str, is_right: Tracks) -> Part:
    """That there is one more playlist, of this name and with the right tracks."""

    def holds(before: JsonObject, after: JsonObject) -> bool:
        had, has = before["playlists"], after["playlists"]
        new = [each for each in has if each not in had]
        return (
            len(new) == 1
            and has[new[0]]["name"] == name
            and is_right(_ids(has[new[0]]["items"]))
            and {each: value for each, value in has.items() if each != new[0]} == had
        )

    return Part(
        what=f"a new playlist {name!r}: {what}",
        touches=("playlists", "playlist_order"),
        holds=holds,
    )


def playlist_now(
    own_id: str,
    what: str,
    *,
    details: Mapping[str, Json] | None = None,
    tracks: Tracks | None = None,
) -> Part:
    """
    That a playlist has these details and the right tracks, all else of it being as it was.

    Args:
        details: Such as `{"name": "Test"}`.
        tracks: Whether the ids of its tracks are right; None where they are to stay.
    """
    free = {*(details or {}), *(("items", "revision") if tracks else ())}

    def holds(before: JsonObject, after: JsonObject) -> bool:
        had, has = before["playlists"], after["playlists"]
        if {**had, own_id: 0} != {**has, own_id: 0}:
            return False
        one, two = had[own_id], has[own_id]
        if any(one[each] != two[each] for each in one if each not in free):
            return False
        is_named = all(two[name] == value for name, value in (details or {}).items())
        return is_named and (tracks is None or tracks(_ids(two["items"])))

    return Part(what=what, touches=("playlists",), holds=holds)


def exactly(wanted: Iterable[str]) -> Tracks:
    """These tracks, each once, in whatever order."""
    expected = sorted(wanted)
    return lambda ids: sorted(ids) == expected


def in_order(wanted: Iterable[str]) -> Tracks:
    """These tracks in this order."""
    expected = list(wanted)
    return lambda ids: list(ids) == expected


def some_of(valid: Collection[str], count: int) -> Tracks:
    """So many different tracks of a set."""
    return lambda ids: len(ids) == len(set(ids)) == count and set(ids) <= set(valid)


def _ids(items: Iterable[Sequence[str]]) -> list[str]:
    return [each[0] for each in items]
