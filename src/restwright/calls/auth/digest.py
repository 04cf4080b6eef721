"""`type: http, scheme: digest`: a user and a password that never leaves (RFC 7616)."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from unicodedata import normalize
from urllib.parse import quote, urlsplit

from restwright.calls.auth.apply import add_secrets, set_header
from restwright.calls.auth.credentials import Basic
from restwright.calls.auth.handler import AuthFlow, CredentialPlacement, SecuritySchemeHandler
from restwright.errors import RefusedRequest
from restwright.net.messages import Request, Response
from restwright.net.policy.origins import parse_origin
from restwright.net.secret import Secret

_UNAUTHORIZED = 401
_MAX_CHALLENGE_CHARS = 4096
_MAX_CHALLENGES = 8
_HASHES = {"md5": "md5", "sha-256": "sha256", "sha-512-256": "sha512_256"}
_SESSION = "-sess"
_NAME = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_ITEM = re.compile(r'(?:[^",]|"(?:[^"\\]|\\.)*+")++')
_MEMBER = re.compile(rf'(?:({_NAME})\s+)?({_NAME})\s*=\s*(?:"(.*)"|([^\s"]*))', re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestChallenge:
    """
    What a server asks for.

    Args:
        algorithm: As the server writes it; empty for MD5.
        qop: Those that it offers; empty where it names none.
        count: Of the requests that its nonce was used for.
    """

    realm: str
    nonce: str
    algorithm: str = ""
    qop: tuple[str, ...] = ()
    opaque: str | None = None
    is_stale: bool = False
    is_user_hashed: bool = False
    count: int = 0

    @property
    def is_session(self) -> bool:
        """Whether the nonces are part of what the password is hashed to."""
        return self.algorithm.lower().endswith(_SESSION)

    @property
    def hash_name(self) -> str:
        """For hashlib; empty where the algorithm is not known."""
        name = (self.algorithm or "MD5").lower().removesuffix(_SESSION)
        found = _HASHES.get(name, "")
        return found if found in hashlib.algorithms_available else ""

    @property
    def is_supported(self) -> bool:
        """Whether it can be answered: `auth-int` alone is not, nor a session without a `qop`."""
        has_way = "auth" in self.qop if self.qop else not self.is_session
        return bool(self.hash_name) and has_way

    def hash_parts(self, *parts: str) -> str:
        """The hash of parts with colons between them, in hexadecimal."""
        text = ":".join(parts).encode("utf-8", "surrogateescape")
        return hashlib.new(self.hash_name, text, usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestAnswer:
    """
    The members of one `Authorization`, and the hashes that give the password away.

    Args:
        members: `{name: value}`; those of `_BARE` stand without quotes.
    """

    members: Mapping[str, str]
    secrets: tuple[Secret, ...] = field(default=())

    def header(self) -> str:
        """The value of the header."""
        return "Digest " + ", ".join(
            f"{name}={value if name in _BARE else _quote(value)}"
            for name, value in self.members.items()
        )


_BARE = frozenset({"algorithm", "nc", "qop", "userhash", "username*"})


def _quote(text: str) -> str:
    escaped = re.sub(r'(["\\])', r"\\\1", text)
    return f'"{escaped}"'


def answer_challenge(
    challenge: DigestChallenge, *, user: str, password: Secret, method: str, uri: str, cnonce: str
) -> DigestAnswer:
    """
    Answer one challenge for one request.

    Source: RFC 7616, "The Authorization Header Field"; without `qop` RFC 2069.

    Args:
        uri: The path and the query, as they are sent.
        cnonce: Made by the client, once.
    """
    # RFC 7616, "Charset Considerations": what is hashed is UTF-8 in form NFC.
    user, word = normalize("NFC", user), normalize("NFC", password.reveal())
    base = key = challenge.hash_parts(user, challenge.realm, word)
    if challenge.is_session:
        key = challenge.hash_parts(base, challenge.nonce, cnonce)
    count = f"{challenge.count:08x}"
    middle = (count, cnonce, "auth") if challenge.qop else ()
    target = challenge.hash_parts(method, uri)
    response = challenge.hash_parts(key, challenge.nonce, *middle, target)
    members = {
        **_user_members(challenge, user),
        "realm": challenge.realm,
        "uri": uri,
        "nonce": challenge.nonce,
        "response": response,
    }
    if challenge.algorithm:
        members["algorithm"] = challenge.algorithm
    if challenge.qop:
        members |= {"qop": "auth", "nc": count, "cnonce": cnonce}
    if challenge.opaque is not None:
        members["opaque"] = challenge.opaque
    return DigestAnswer(members=members, secrets=(Secret(response), Secret(base), Secret(key)))


def _user_members(challenge: DigestChallenge, user: str) -> dict[str, str]:
    """Source: RFC 7616, "Username Hashing"; of other letters RFC 8187."""
    if challenge.is_user_hashed:
        return {"username": challenge.hash_parts(user, challenge.realm), "userhash": "true"}
    if user.isascii():
        return {"username": user}
    return {"username*": f"UTF-8''{quote(user, safe='')}"}


def parse_challenges(value: str) -> Iterator[DigestChallenge]:
    """Yield the challenges of one `WWW-Authenticate` that are for Digest, in its order."""
    if len(value) > _MAX_CHALLENGE_CHARS:
        return
    scheme, members = "", dict[str, str]()
    for item in (found.strip() for found in _ITEM.findall(value)):
        match = _MEMBER.fullmatch(item)
        if match is None or match[1]:
            yield from _challenge_from_members(scheme, members)
            scheme, members = (match[1] if match else item), {}
        if match:
            text = match[4] if match[3] is None else re.sub(r"\\(.)", r"\1", match[3])
            members.setdefault(match[2].lower(), text)
    yield from _challenge_from_members(scheme, members)


def _challenge_from_members(scheme: str, given: Mapping[str, str]) -> Iterator[DigestChallenge]:
    if scheme.lower() != "digest" or "realm" not in given or "nonce" not in given:
        return
    yield DigestChallenge(
        realm=given["realm"],
        nonce=given["nonce"],
        algorithm=given.get("algorithm", ""),
        qop=tuple(re.findall(r"[^\s,]+", given.get("qop", "").lower())),
        opaque=given.get("opaque"),
        is_stale=given.get("stale", "").lower() == "true",
        is_user_hashed=given.get("userhash", "").lower() == "true",
    )


def _find_challenge(request: Request, response: Response) -> DigestChallenge | None:
    """The first challenge that can be answered, as the server prefers them; None for none."""
    values = [value for name, value in response.headers if name == "www-authenticate"]
    values = values[:_MAX_CHALLENGES]
    challenges = [found for value in values for found in parse_challenges(value)]
    spoken = next((found for found in challenges if found.is_supported), None)
    if challenges and spoken is None:
        why = "it asks for Digest in a way that is not spoken here (auth-int, or another algorithm)"
        raise RefusedRequest(str(parse_origin(request.url)), why)
    return spoken


def _apply_digest(request: Request, placing: CredentialPlacement) -> Request:
    """Hides the password; the answer itself stands in no request before the server has asked."""
    pair = placing.resolve()
    return add_secrets(request, Secret(pair.reveal().partition(":")[2]), pair)


def _answer_refusals(request: Request, placing: CredentialPlacement) -> AuthFlow:
    """
    Send the request with the nonce of an earlier one, else bare; answer one challenge at most.

    A body goes out again only where 401 was the answer to it. That this server asks who is there
    says that it did nothing, as no challenge was answered or its nonce is stale.
    """
    key = ("digest", placing.scheme.name, parse_origin(request.url))
    used = placing.memory.update(key, _count_use)
    response = yield request if used is None else _with_answer(request, placing, used)
    if response.status != _UNAUTHORIZED:
        return
    asked = _find_challenge(request, response)
    # Another answer with the same password to the same realm would be refused as well.
    is_refused = used is not None and asked is not None and not _is_renewal(asked, used)
    if asked is None or is_refused:
        placing.memory.update(key, lambda _: None)
        return
    first = replace(asked, count=1)
    # What no header can hold is refused here, before it is kept.
    answered = _with_answer(request, placing, first)
    placing.memory.update(key, lambda _: first)
    response = yield answered
    if response.status == _UNAUTHORIZED:
        placing.memory.update(key, lambda _: None)


def _count_use(challenge: DigestChallenge | None) -> DigestChallenge | None:
    return challenge and replace(challenge, count=challenge.count + 1)


def _is_renewal(challenge: DigestChallenge, used: DigestChallenge) -> bool:
    return challenge.is_stale or challenge.realm != used.realm


def _with_answer(
    request: Request, placing: CredentialPlacement, challenge: DigestChallenge
) -> Request:
    auth = placing.credential.auth
    if not isinstance(auth, Basic):
        return request
    parts = urlsplit(request.url)
    answer = answer_challenge(
        challenge,
        user=auth.user,
        password=placing.resolve_reference(auth.password),
        method=request.method,
        uri=f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}",
        cnonce=secrets.token_hex(16),
    )
    hidden = add_secrets(request, *answer.secrets)
    value = Secret(answer.header())
    return set_header(hidden, "Authorization", value, parse_origin(request.url))


DIGEST = SecuritySchemeHandler(
    matches=lambda scheme: scheme.type == "http" and scheme.scheme == "digest",
    accepts=lambda auth: isinstance(auth, Basic),
    apply=_apply_digest,
    auth_flow=_answer_refusals,
    example="USER:env:PASSWORD",
)
