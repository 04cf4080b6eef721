"""A music service with the interface of Spotify and invented contents."""

from restwright_bench.spotify.api import NO_SCOPES, TOKEN, let_in, spotify_api
from restwright_bench.spotify.state import SpotifyState

__all__ = ["NO_SCOPES", "TOKEN", "SpotifyState", "let_in", "spotify_api"]
