"""Writing operations of the music service change what they say, and nothing else."""

from __future__ import annotations

import pytest
from tests.support.bench.spotify_client import Client, client_of, needs_restbench

pytestmark = [pytest.mark.corpus, needs_restbench]


@pytest.fixture
def client() -> Client:
    return client_of(0)


def changed(client, before):
    after = client.state.snapshot()
    return {name for name in after if after[name] != before[name]} - {"activity"}


def uri_of(client, name):
    return client.state.catalogue.track(name).uri


def test_albums_are_saved_first_and_removed(client):
    before = client.state.snapshot()
    own_id = client.state.catalogue.album("Mojito").id
    assert client("PUT", "/me/albums", ids=own_id).status == 200
    assert client("GET", "/me/albums").body["items"][0]["album"]["name"] == "Mojito"
    assert changed(client, before) == {"library"}
    assert client("DELETE", "/me/albums", ids=own_id).status == 200
    assert changed(client, before) == set()


def test_tracks_are_saved_in_their_order(client):
    ids = list(client.state.catalogue.tracks)[:2]
    assert client("PUT", "/me/tracks", ids=",".join(ids)).status == 200
    items = client("GET", "/me/tracks").body["items"]
    assert [each["track"]["id"] for each in items[:2]] == ids
    assert len(items) == 8
    assert client("DELETE", "/me/tracks", ids=ids[0]).status == 200
    assert client("GET", "/me/tracks").body["total"] == 7


def test_the_ids_of_the_query_are_required_and_those_of_the_body_ignored(client):
    own_id, other_id = list(client.state.catalogue.albums)[:2]
    assert client("PUT", "/me/albums", body={"ids": [own_id]}).status == 400
    assert client("PUT", "/me/albums", body={"ids": [own_id]}, ids=other_id).status == 200
    saved = [each.id for each in client.state.library.albums]
    assert other_id in saved
    assert own_id not in saved


@pytest.mark.parametrize(
    ("ids", "status"), [("", 400), ("no id", 400), ("x" * 22, 404), (",".join(["x" * 22]), 404)]
)
def test_ids_that_lead_nowhere_change_nothing(client, ids, status):
    before = client.state.snapshot()
    for path in ("/me/albums", "/me/tracks"):
        assert client("PUT", path, ids=ids).status == status
        assert client("DELETE", path, ids=ids).status == status
    assert client("PUT", "/me/following", type="artist", ids=ids).status == status
    assert client.state.snapshot() == before


def test_no_more_ids_are_taken_than_the_document_says(client):
    ids = list(client.state.catalogue.albums)
    assert client("PUT", "/me/albums", ids=",".join(ids[:21])).status == 400
    assert client("PUT", "/me/albums", ids=",".join(ids[:20])).status == 200


def test_artists_and_users_are_followed(client):
    before = client.state.snapshot()
    artist = client.state.catalogue.artist("Taylor Swift").id
    user = list(client.state.catalogue.users)[1]
    assert client("PUT", "/me/following", type="artist", ids=artist).status == 204
    assert client("PUT", "/me/following", type="user", ids=user).status == 204
    assert client.state.library.artists[-1] == artist
    assert client.state.library.users == [user]
    assert client("DELETE", "/me/following", type="artist", ids=artist).status == 200
    assert client("DELETE", "/me/following", type="user", ids=user).status == 200
    assert changed(client, before) == set()
    assert client("PUT", "/me/following", type="user", ids=artist).status == 404


def test_what_changes_nothing_is_remembered_as_done(client):
    before = client.state.snapshot()
    artist = client.state.library.artists[0]
    assert client("PUT", "/me/following", type="artist", ids=artist).status == 204
    assert client.state.snapshot() != before
    assert changed(client, before) == set()


def test_a_playlist_is_made_filled_changed_and_emptied(client):
    me = client("GET", "/me").body["id"]
    made = client("POST", f"/users/{me}/playlists", body={"name": "New", "public": False})
    assert made.status == 201
    assert (made.body["name"], made.body["public"]) == ("New", False)
    own = f"/playlists/{made.body['id']}"
    assert client("GET", "/me/playlists").body["items"][0]["id"] == made.body["id"]
    one, two = uri_of(client, "Summertime Sadness"), uri_of(client, "When You Believe")
    assert client("POST", f"{own}/tracks", body={"uris": [one]}).status == 201
    last = client("POST", f"{own}/tracks", uris=two, position=0)
    items = client("GET", f"{own}/tracks").body["items"]
    assert [each["track"]["uri"] for each in items] == [two, one]
    assert client("GET", own).body["snapshot_id"] == last.body["snapshot_id"]
    assert client("PUT", own, body={"name": "Other", "description": "x"}).status == 200
    body = {"tracks": [{"uri": one}], "snapshot_id": last.body["snapshot_id"]}
    assert client("DELETE", f"{own}/tracks", body=body).status == 200
    assert client("DELETE", f"{own}/tracks", body=body).status == 400
    assert client("GET", own).body["tracks"]["total"] == 1


def test_uris_of_the_query_go_before_those_of_the_body(client):
    own = f"/playlists/{client.state.my_playlists[0]}"
    one, two = uri_of(client, "Summertime Sadness"), uri_of(client, "When You Believe")
    client("POST", f"{own}/tracks", body={"uris": [one]}, uris=two)
    uris = [each["track"]["uri"] for each in client("GET", f"{own}/tracks").body["items"]]
    assert two in uris
    assert one not in uris


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"uris": []}, 400),
        ({"uris": ["summertime"]}, 400),
        ({"uris": ["spotify:album:" + "x" * 22]}, 400),
        ({"uris": ["spotify:track:" + "x" * 22]}, 404),
        ({"uris": ["spotify:episode:" + "x" * 22]}, 404),
        ({"uris": ["spotify:track:" + "x" * 22] * 101}, 400),
    ],
)
def test_uris_that_lead_nowhere_are_refused(client, body, status):
    before = client.state.snapshot()
    assert client(
        "POST", f"/playlists/{client.state.my_playlists[0]}/tracks", body=body
    ).status == (status)
    assert client.state.snapshot() == before


def test_a_position_is_within_the_playlist(client):
    path = f"/playlists/{client.state.my_playlists[0]}/tracks"
    uri = uri_of(client, "When You Believe")
    assert client("POST", path, uris=uri, position=4).status == 400
    assert client("POST", path, uris=uri, position=-1).status == 400
    assert client("POST", path, body={"uris": [uri], "position": 3}).status == 201


def test_playlists_of_others_are_theirs(client):
    other = next(iter(client.state.catalogue.playlists))
    uri = uri_of(client, "When You Believe")
    assert client("PUT", f"/playlists/{other}", body={"name": "Mine"}).status == 403
    assert client("POST", f"/playlists/{other}/tracks", uris=uri).status == 403
    user = list(client.state.catalogue.users)[1]
    assert client("POST", f"/users/{user}/playlists", body={"name": "x"}).status == 403
    assert client("POST", "/users/nobody/playlists", body={"name": "x"}).status == 404


def test_details_that_do_not_go_together_are_refused(client):
    own = f"/playlists/{client.state.my_playlists[0]}"
    assert client("PUT", own, body={"collaborative": True}).status == 400
    assert client("PUT", own, body={"collaborative": True, "public": False}).status == 200
    assert client("PUT", own).status == 400
    assert client("PUT", own, body={"name": "\ud800"}).status == 400
    assert client("DELETE", f"{own}/tracks").status == 400
    me = client.state.me.id
    assert client("POST", f"/users/{me}/playlists", body={"name": ""}).status == 400


def test_playback_is_paused_once_and_resumed_once(client):
    before = client.state.snapshot()
    assert client("PUT", "/me/player/play").body["error"]["reason"] == "NOT_PAUSED"
    assert client("PUT", "/me/player/pause").status == 204
    assert client("GET", "/me/player").body["is_playing"] is False
    again = client("PUT", "/me/player/pause")
    assert (again.status, again.body["error"]["reason"]) == (403, "ALREADY_PAUSED")
    assert client("PUT", "/me/player/play").status == 204
    assert changed(client, before) == set()
    assert [each["did"] for each in client.state.activity] == ["paused", "resumed"]


def test_the_next_track_is_that_of_the_queue_then_of_the_album(client):
    player = client.state.player
    queued, place = list(player.queue), player.place
    for each in queued:
        assert client("POST", "/me/player/next").status == 204
        assert player.item == each
    assert client("POST", "/me/player/next").status == 204
    assert player.item == player.running[place + 1]
    played = client("GET", "/me/player/recently-played", limit=1).body["items"][0]["track"]["id"]
    assert played == queued[-1]


def test_there_is_nothing_behind_the_last_unless_it_repeats(client):
    album = client.state.catalogue.album("Mojito")
    client.state.player.queue.clear()
    body = {"context_uri": f"spotify:album:{album.id}", "offset": {"position": 7}}
    assert client("PUT", "/me/player/play", body=body).status == 204
    answer = client("POST", "/me/player/next")
    assert (answer.status, answer.body["error"]["reason"]) == (403, "NO_NEXT_TRACK")
    assert client("PUT", "/me/player/repeat", state="context").status == 204
    assert client("POST", "/me/player/next").status == 204
    assert client.state.player.item == album.track_ids[0]
    answer = client("POST", "/me/player/previous")
    assert (answer.status, answer.body["error"]["reason"]) == (403, "NO_PREV_TRACK")


def test_from_the_queue_one_goes_back_to_where_it_came_in(client):
    item = client.state.player.item
    client("POST", "/me/player/next")
    assert client("POST", "/me/player/previous").status == 204
    assert client.state.player.item == item


def test_contexts_and_tracks_are_played(client):
    state = client.state
    playlist = state.my_playlist("My Rock")
    for uri in (
        playlist.uri,
        f"spotify:album:{state.catalogue.album('Mojito').id}",
        f"spotify:artist:{state.catalogue.artist('BIGBANG').id}",
    ):
        assert client("PUT", "/me/player/play", body={"context_uri": uri}).status == 204
        assert client("GET", "/me/player").body["context"]["uri"] == uri
        assert state.player.item == state.player.running[0]
    uris = [uri_of(client, "Summertime Sadness"), uri_of(client, "When You Believe")]
    body = {"uris": uris, "offset": {"uri": uris[1]}, "position_ms": 1000}
    assert client("PUT", "/me/player/play", body=body).status == 204
    shown = client("GET", "/me/player").body
    assert (shown["item"]["name"], shown["progress_ms"]) == ("When You Believe", 1000)
    assert "context" not in shown


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"context_uri": "Mojito"}, 400),
        ({"context_uri": "spotify:track:" + "x" * 22}, 400),
        ({"context_uri": "spotify:album:" + "x" * 22}, 404),
        ({"uris": []}, 400),
        ({"uris": ["spotify:track:" + "x" * 22]}, 404),
        ({"uris": ["spotify:track:x"], "context_uri": "spotify:album:x"}, 400),
        ({"position_ms": -1}, 400),
    ],
)
def test_what_cannot_be_played_is_refused(client, body, status):
    before = client.state.snapshot()
    assert client("PUT", "/me/player/play", body=body).status == status
    assert client.state.snapshot() == before


def test_an_offset_is_within_what_plays(client):
    context = f"spotify:album:{client.state.catalogue.album('Mojito').id}"
    for offset in ({"position": 8}, {"position": -1}, {"uri": uri_of(client, "When You Believe")}):
        body = {"context_uri": context, "offset": offset}
        assert client("PUT", "/me/player/play", body=body).status == 400
    artist = f"spotify:artist:{client.state.catalogue.artist('BIGBANG').id}"
    body = {"context_uri": artist, "offset": {"position": 1}}
    assert client("PUT", "/me/player/play", body=body).status == 400


@pytest.mark.parametrize("percent", [-1, 101])
def test_a_volume_is_a_percentage(client, percent):
    assert client("PUT", "/me/player/volume", volume_percent=percent).status == 400
    assert client("PUT", "/me/player/volume", volume_percent=0).status == 204
    assert client("GET", "/me/player").body["device"]["volume_percent"] == 0


def test_a_repeat_mode_is_one_of_three(client):
    assert client("PUT", "/me/player/repeat", state="repeat-track").status == 400
    assert client("PUT", "/me/player/repeat", state="track").status == 204
    assert client("GET", "/me/player").body["repeat_state"] == "track"


def test_tracks_are_queued_behind_the_others(client):
    uri = uri_of(client, "When You Believe")
    assert client("POST", "/me/player/queue", uri=uri).status == 204
    queue = client("GET", "/me/player/queue").body["queue"]
    assert [each["uri"] for each in queue][3:] == [uri]
    assert client("POST", "/me/player/queue", uri="x").status == 400
    assert client("POST", "/me/player/queue", uri=uri, device_id="x").status == 404
    own_id = client.state.devices[1].id
    assert client("POST", "/me/player/queue", uri=uri, device_id=own_id).status == 204


def test_what_does_not_fit_is_told_for_machines(client):
    error = client("PUT", "/me/player/volume", volume_percent="loud").body["error"]
    assert error["status"] == 400
    assert error["errors"][0]["location"] == "query"
    assert error["errors"][0]["name"] == "volume_percent"
