"""A server on loopback that lets nobody in but by HTTP digest, and checks it on its own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unicodedata import normalize
from urllib.parse import unquote
from urllib.request import parse_http_list, parse_keqv_list

from tests.support.net.handlers import JSONHandler, serve_handler

REALM = "things@example.test"
HASHES = {"MD5": "md5", "SHA-256": "sha256", "SHA-512-256": "sha512_256"}


@dataclass
class DigestServer:
    """
    Answers 200 with `{"seen": BODY}`, or 401 with a challenge.

    Args:
        challenge: Members that are added to each challenge, as they are written.
        uses: How often a nonce is good; the next use is stale.
        is_stale_said: Whether it says so of a nonce that is good no more.
        requests: `(method, path, Authorization, body)`.
        nonces: `{nonce: the last count}`.
    """

    user: str = "ada"
    password: str = "canary-4f2a9c71"
    algorithm: str = ""
    challenge: str = ', qop="auth"'
    uses: int = 99
    is_stale_said: bool = True
    is_user_hashed: bool = False
    before: tuple[str, ...] = ()
    echo: str = ""
    requests: list[tuple[str, str, str, bytes]] = field(default_factory=list)
    nonces: dict[str, int] = field(default_factory=dict)
    url: str = ""

    def answer(self, method: str, path: str, authorization: str) -> tuple[int, list[str]]:
        given = parse_members(authorization)
        if given and self.is_right(given, method, path):
            if not self.is_fresh(given):
                return 401, self.challenges(is_stale=self.is_stale_said)
            return 200, []
        return 401, self.challenges()

    def challenges(self, *, is_stale: bool = False) -> list[str]:
        nonce = f"nonce/{len(self.nonces)}=="
        self.nonces[nonce] = 0
        algorithm = f", algorithm={self.algorithm}" if self.algorithm else ""
        stale = ", stale=TRUE" if is_stale else ""
        own = f'Digest realm="{REALM}", nonce="{nonce}"{algorithm}{self.challenge}{stale}'
        return [*self.before, own]

    def is_fresh(self, given: dict[str, str]) -> bool:
        last = self.nonces[given["nonce"]]
        if "nc" in given and int(given["nc"], 16) != last + 1:
            return False
        self.nonces[given["nonce"]] = last + 1
        return last < self.uses

    def is_right(self, given: dict[str, str], method: str, path: str) -> bool:
        def hashed(*parts: str) -> str:
            name = HASHES[(self.algorithm or "MD5").removesuffix("-sess")]
            return hashlib.new(name, ":".join(parts).encode()).hexdigest()

        user = normalize("NFC", self.user)
        shown = hashed(user, REALM) if self.is_user_hashed else user
        key = hashed(user, REALM, normalize("NFC", self.password))
        if self.algorithm.endswith("-sess"):
            key = hashed(key, given["nonce"], given["cnonce"])
        middle = [given["nc"], given["cnonce"], given["qop"]] if "qop" in given else []
        response = hashed(key, given["nonce"], *middle, hashed(method, path))
        named = given.get("username") or unquote(given["username*"].removeprefix("UTF-8''"))
        return (
            (named, given["uri"], given["response"]) == (shown, path, response)
            and given["nonce"] in self.nonces
            and given.get("realm") == REALM
            and ("qop" in given) == ("qop" in self.challenge)
        )


def parse_members(authorization: str) -> dict[str, str]:
    """The members of an `Authorization` for Digest; none where it is none."""
    scheme, _, rest = authorization.partition(" ")
    return parse_keqv_list(parse_http_list(rest)) if scheme == "Digest" else {}


@contextmanager
def digest_server(**options: Any) -> Iterator[DigestServer]:
    """Run one until the block ends."""
    state = DigestServer(**options)

    class Handler(JSONHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = self.read_body()
            authorization = self.headers.get("Authorization") or ""
            state.requests.append((self.command, self.path, authorization, body))
            status, challenges = state.answer(self.command, self.path, authorization)
            said = authorization if state.echo == "header" else state.echo
            text = said.encode() or b"{}"
            self.send_response(status)
            for challenge in challenges:
                self.send_header("WWW-Authenticate", challenge)
            self.send_header("Content-Type", "text/plain" if said else "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_POST = do_GET

    with serve_handler(Handler) as state.url:
        yield state
