"""Reading operations of the music service: every answer fits the document."""

from __future__ import annotations

import pytest
from tests.support.bench.spotify_client import Client, client_of, needs_restbench

from restwright_bench.spotify import NO_SCOPES, TOKEN, let_in
from restwright_bench.world.exchange import Received

pytestmark = [pytest.mark.corpus, needs_restbench]


@pytest.fixture
def client() -> Client:
    return client_of(0)


def names(items):
    return [each["name"] for each in items]


def test_every_operation_of_the_document_has_a_handler(client):
    api = client.running.api
    assert {(each.method, each.template) for each in api.routes} == set(api.handlers)


def test_a_search_finds_the_very_name_first(client):
    found = client("GET", "/search", q="mojito", type="album").body["albums"]["items"]
    assert names(found) == ["Mojito", "Mojito Sunrise"]


def test_a_search_passes_over_words_that_lead_nowhere_and_possessives(client):
    for q in ("songs by Mariah Carey", "the best of Mariah Carey", "mariah CAREY's"):
        found = client("GET", "/search", q=q, type="track").body["tracks"]["items"]
        assert all("Mariah Carey" in names(each["artists"]) for each in found)
        assert len(found) == 20
    found = client("GET", "/search", q="The Beatle's", type="artist").body["artists"]
    assert names(found["items"])[0] == "The Beatles"


def test_a_search_ranks_by_popularity_behind_names(client):
    found = client("GET", "/search", q="Taylor Swift", type="track").body["tracks"]["items"]
    ranks = [each["popularity"] for each in found]
    assert ranks == sorted(ranks, reverse=True)


def test_a_search_for_several_types_has_a_page_of_each(client):
    body = client("GET", "/search", q="quiet", type="track,playlist,artist,show,episode").body
    assert list(body) == ["tracks", "playlists", "artists", "shows", "episodes"]
    assert names(body["playlists"]["items"])[0] == "Quiet Songs"
    assert body["shows"]["items"] == []


@pytest.mark.parametrize(
    ("q", "kind"),
    [
        ("genre:pop", "track"),
        ('genre:"dream pop"', "artist"),
        ("artist:Taylor Swift year:1990-2026", "album"),
        ("track:Summertime Sadness artist:Lana Del Rey", "track"),
        ("album:reputation", "track"),
        ("tag:new", "album"),
        ("tag:hipster", "track"),
    ],
)
def test_a_search_takes_the_filters_of_the_document(client, q, kind):
    page = client("GET", "/search", q=q, type=kind).body[f"{kind}s"]
    if q != "tag:new":
        assert page["items"]


def test_a_filter_by_genre_is_exact(client):
    found = client("GET", "/search", q="genre:pop", type="artist", limit=50).body["artists"]
    assert found["items"]
    assert all("pop" in each["genres"] for each in found["items"])


def test_pages_lead_to_each_other(client):
    first = client("GET", "/search", q="Jay Chou", type="track", limit=7).body["tracks"]
    assert first["previous"] is None
    assert first["next"].startswith("/spotify/v1/search?")
    assert "offset=7&limit=7" in first["next"]
    last = client(
        "GET", "/search", q="Jay Chou", type="track", limit=7, offset=first["total"] - 2
    ).body["tracks"]
    assert last["next"] is None
    assert len(last["items"]) == 2
    assert last["previous"]


def test_a_page_behind_the_end_is_empty(client):
    body = client("GET", "/me/tracks", offset=500).body
    assert (body["items"], body["total"], body["next"]) == ([], 6, None)


def test_an_offset_below_0_is_refused(client):
    assert client("GET", "/me/tracks", offset=-1).status == 400


@pytest.mark.parametrize("kind", ["albums", "artists", "tracks", "playlists"])
def test_an_unknown_id_is_not_found(client, kind):
    answer = client("GET", f"/{kind}/{'x' * 22}")
    assert answer.status == 404


def test_an_artists_albums_come_by_groups(client):
    artist = client.state.catalogue.artist("Mariah Carey").id
    items = client("GET", f"/artists/{artist}/albums", limit=50).body["items"]
    groups = [each["album_group"] for each in items]
    assert groups == [*["album"] * 11, *["single"] * 7, *["compilation"] * 2, "appears_on"]
    only = client("GET", f"/artists/{artist}/albums", include_groups="single,appears_on").body
    assert only["total"] == 8
    assert client("GET", f"/artists/{artist}/albums", include_groups="tape").status == 400


def test_everything_about_an_artist(client):
    artist = client.state.catalogue.artist("BIGBANG")
    body = client("GET", f"/artists/{artist.id}").body
    assert (body["name"], body["genres"]) == ("BIGBANG", ["k-pop", "hip hop"])
    top = client("GET", f"/artists/{artist.id}/top-tracks", market="SE").body["tracks"]
    assert len(top) == 10
    ranks = [each["popularity"] for each in top]
    assert ranks == sorted(ranks, reverse=True)
    related = client("GET", f"/artists/{artist.id}/related-artists").body["artists"]
    assert all({"k-pop", "hip hop"} & set(each["genres"]) for each in related)
    assert artist.name not in names(related)


def test_an_album_and_its_tracks(client):
    album = client.state.catalogue.album("Born To Die")
    body = client("GET", f"/albums/{album.id}").body
    tracks = client("GET", f"/albums/{album.id}/tracks").body["items"]
    assert body["tracks"]["items"] == tracks
    assert "Summertime Sadness" in names(tracks)
    track = client("GET", f"/tracks/{tracks[0]['id']}").body
    assert track["album"]["name"] == "Born To Die"
    assert track["artists"][0]["genres"] == ["dream pop", "baroque pop"]


def test_new_releases_begin_with_the_latest(client):
    page = client("GET", "/browse/new-releases", country="SE").body["albums"]
    days = [each["release_date"] for each in page["items"]]
    assert days == sorted(days, reverse=True)
    assert page["total"] > 20


def test_recommendations_share_a_genre_with_a_seed(client):
    track = client.state.playing().id
    body = client(
        "GET", "/recommendations", seed_artists="", seed_genres="jazz", seed_tracks=track, limit=40
    ).body
    assert len(body["tracks"]) == 40
    wanted = {"jazz", "dream pop", "baroque pop"}
    for each in body["tracks"]:
        assert wanted & {genre for artist in each["artists"] for genre in artist["genres"]}
    assert [each["type"] for each in body["seeds"]] == ["track", "genre"]


def test_recommendations_take_1_to_5_seeds(client):
    for genres in ("", "a,b,c,d,e,f"):
        answer = client(
            "GET", "/recommendations", seed_artists="", seed_genres=genres, seed_tracks=""
        )
        assert answer.status == 400


def test_the_users_profile_and_favourites(client):
    me = client("GET", "/me").body
    assert me["display_name"] == client.state.me.name
    for kind in ("artists", "tracks"):
        firsts = {
            client("GET", f"/me/top/{kind}", time_range=span).body["items"][0]["id"]
            for span in ("short_term", "medium_term", "long_term")
        }
        assert len(firsts) == 1
        assert client("GET", f"/me/top/{kind}").body["total"] == 24
    assert client("GET", "/me/top/artists", time_range="week").status == 400
    assert client("GET", "/me/top/albums").status == 400


def test_the_library(client):
    albums = client("GET", "/me/albums").body["items"]
    assert {each["album"]["name"] for each in albums} == {"Born To Die", "reputation"}
    moments = [each["added_at"] for each in client("GET", "/me/tracks").body["items"]]
    assert moments == sorted(moments, reverse=True)


def test_followed_artists_are_paged_by_the_last_id(client):
    first = client("GET", "/me/following", type="artist", limit=2).body["artists"]
    assert first["total"] == 3
    assert "next" in first
    last = client(
        "GET", "/me/following", type="artist", limit=2, after=first["cursors"]["after"]
    ).body["artists"]
    assert "next" not in last
    assert {each["name"] for each in (*first["items"], *last["items"])} == {
        *("Lana Del Rey", "Whitney Houston", "Ida Lindqvist")
    }
    assert client("GET", "/me/following", type="artist", after="x").status == 400


def test_the_player_tells_of_itself(client):
    body = client("GET", "/me/player").body
    assert (body["device"]["name"], body["device"]["volume_percent"]) == ("My PC", 50)
    assert body["item"]["album"]["name"] == "Born To Die"
    assert body["context"]["type"] == "album"
    assert client("GET", "/me/player/currently-playing").body == body
    devices = client("GET", "/me/player/devices").body["devices"]
    assert [each["is_active"] for each in devices] == [True, False, False]
    queue = client("GET", "/me/player/queue").body
    assert queue["currently_playing"] == body["item"]
    assert len(queue["queue"]) == 3


def test_history_goes_back_from_the_latest_by_cursors(client):
    first = client("GET", "/me/player/recently-played", limit=10).body
    older = client(
        "GET", "/me/player/recently-played", limit=50, before=first["cursors"]["before"]
    ).body
    moments = [each["played_at"] for each in (*first["items"], *older["items"])]
    assert len(moments) == 24
    assert moments == sorted(moments, reverse=True)
    again = client(
        "GET", "/me/player/recently-played", limit=10, after=older["cursors"]["after"]
    ).body
    assert again["items"] == first["items"]
    answer = client("GET", "/me/player/recently-played", after=1, before=2)
    assert answer.status == 400


def test_playlists_and_their_items(client):
    listed = client("GET", "/me/playlists").body["items"]
    assert {each["name"] for each in listed} == {"My R&B", "My Rock"}
    own_id = listed[0]["id"]
    whole = client("GET", f"/playlists/{own_id}").body
    items = client("GET", f"/playlists/{own_id}/tracks").body["items"]
    assert whole["tracks"]["items"] == items
    assert len(items) == listed[0]["tracks"]["total"] == 3


def test_fields_leave_only_what_they_name(client):
    own_id = client.state.my_playlists[0]
    body = client(
        "GET", f"/playlists/{own_id}", fields="name,owner.id,tracks.items(track(uri))"
    ).body
    assert list(body) == ["name", "owner", "tracks"]
    assert list(body["owner"]) == ["id"]
    assert [list(each["track"]) for each in body["tracks"]["items"]] == [["uri"]] * 3
    page = client(
        "GET", f"/playlists/{own_id}/tracks", fields="items(track(name,album(name)))"
    ).body
    assert page["total"] == 3
    assert list(page["items"][0]["track"]) == ["name", "album"]
    most = client("GET", f"/playlists/{own_id}", fields="!tracks").body
    assert "tracks" not in most
    assert "name" in most


@pytest.mark.parametrize("fields", ["name(", "name)", "a;b", "(" * 20])
def test_fields_that_cannot_be_understood_are_refused(client, fields):
    own_id = client.state.my_playlists[0]
    assert client("GET", f"/playlists/{own_id}", fields=fields).status == 400


def asked_with(token: str) -> Received:
    headers = {"authorization": token} if token else {}
    return Received(method="GET", path="/me", headers=headers)


@pytest.mark.parametrize(
    ("token", "status"),
    [
        ("", 401),
        ("Bearer nobody", 401),
        (f"Basic {TOKEN}", 401),
        (f"Bearer {NO_SCOPES}", 403),
        (f"bearer {TOKEN}", 200),
    ],
)
def test_a_token_lets_in(client, token, status):
    answer = client.running.answer(asked_with(token))
    assert answer.status == status
    if status >= 400:
        assert answer.body["error"]["status"] == status


def test_a_token_without_scopes_reads_the_music(client):
    artist = client.state.catalogue.artist("BIGBANG").id
    headers = {"authorization": f"Bearer {NO_SCOPES}"}
    received = Received(method="GET", path=f"/artists/{artist}", headers=headers)
    assert client.running.answer(received).status == 200


def test_credentials_of_its_own_are_left_to_a_request():
    assert let_in(asked_with("Bearer other")).headers["authorization"] == "Bearer other"
