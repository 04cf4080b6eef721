"""
Tokens of OAuth that machines share, sealed: who asks for one has a lease on its key meanwhile.

A refresh token is marked before it is sent. Where its sender is gone before the answer was kept,
nobody sends it again: a server that changes refresh tokens takes that for theft.
"""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from restwright.agents.journal.postgres.leases import Heartbeat
from restwright.agents.journal.postgres.pool import Database
from restwright.agents.journal.sealing import Contents, SealedContent
from restwright.calls.auth.oauth.token_cache import (
    AccessToken,
    TokenKey,
    UnreachableStore,
    token_from_json,
    token_to_json,
)
from restwright.net.secret import Secret

LEASE_S = 15.0
"""Seconds after which another process may ask for a token in the place of one that is gone."""
_POLL_S = 0.1
_NOWHERE = "the database in which tokens are shared does not answer"

_CLAIM = """
insert into restwright.tokens as kept (tenant, key, holder, until)
values (%(tenant)s, %(key)s, %(holder)s, clock_timestamp() + make_interval(secs => %(lease_s)s))
on conflict (tenant, key) do update set holder = excluded.holder, until = excluded.until
where kept.until < clock_timestamp() or kept.holder = excluded.holder
"""
_RENEW = """
update restwright.tokens t set until = clock_timestamp() + make_interval(secs => %(lease_s)s)
from unnest(%(keys)s::text[], %(holders)s::text[]) held (key, holder)
where t.tenant = %(tenant)s and t.key = held.key and t.holder = held.holder
    and t.until > '-infinity'
"""
_FREE = """
update restwright.tokens set until = '-infinity'
where tenant = %(tenant)s and key = %(key)s and holder = %(holder)s
"""
_SPEND = """
update restwright.tokens set is_spent = %(is_spent)s
where tenant = %(tenant)s and key = %(key)s and holder = %(holder)s and until > '-infinity'
"""
_LOAD = """
select contents, is_spent from restwright.tokens where tenant = %(tenant)s and key = %(key)s
"""
_SAVE = """
insert into restwright.tokens as kept (tenant, key, contents, is_spent)
values (%(tenant)s, %(key)s, %(contents)s, %(is_spent)s)
on conflict (tenant, key) do update
set contents = excluded.contents, is_spent = excluded.is_spent, changed = now()
"""


class PostgresTokens:
    """
    See `TokenStore`. To be closed.

    Args:
        contents: Seals what is kept; has a key.
        lease_s: How long a key is not had by others whose holder is gone.
    """

    def __init__(self, database: Database, contents: Contents, *, lease_s: float = LEASE_S) -> None:
        self._database, self._contents, self._lease_s = database, contents, lease_s
        self._heartbeat = Heartbeat(self._renew, lease_s / 3)
        self._holders: dict[str, str] = {}
        self._unsaved: dict[str, AccessToken] = {}

    def close(self) -> None:
        """Renew nothing more."""
        self._heartbeat.stop()

    @contextmanager
    def lock(self, key: TokenKey) -> Generator[None]:
        """Wait until nobody else asks for this token, and keep others from it."""
        holder = secrets.token_hex(8)
        while not self._change(_CLAIM, key, holder=holder, lease_s=self._lease_s):
            time.sleep(_POLL_S * (0.5 + random.random()))  # noqa: S311 - no secret
        self._heartbeat.add(key.text, holder)
        self._holders[key.text] = holder
        try:
            yield
        finally:
            self._heartbeat.remove(key.text, holder)
            del self._holders[key.text]
            # Where that cannot be told others may have it when the lease has run out.
            with suppress(UnreachableStore):
                self._change(_FREE, key, holder=holder)

    def load(self, key: TokenKey) -> AccessToken | None:
        """Return what was saved last, without a refresh token that may have been used."""
        if (unsaved := self._unsaved.get(key.text)) is not None:
            self.save(key, unsaved)
            return unsaved
        with _translate_errors():
            rows = self._database.rows(_LOAD, self._values(key))
        contents, is_spent = rows[0] if rows else ("", False)
        found = token_from_json(self._unseal(key, contents)) if contents else None
        if not is_spent or (found is not None and found.keeps_refresh_token):
            return found
        gone = AccessToken(access_token=Secret(""), expires_at=0.0)
        return replace(found or gone, refresh_token=None, is_spent=True)

    def save(self, key: TokenKey, token: AccessToken) -> None:
        """Keep a token; one that cannot be kept now is kept the next time that it is loaded."""
        sealed = self._contents.seal(_session(key), "token", token_to_json(token))
        self._unsaved[key.text] = token
        self._change(_SAVE, key, contents=sealed, is_spent=token.is_spent)
        self._unsaved.pop(key.text, None)

    def mark_spent(self, key: TokenKey, *, is_spent: bool) -> None:
        """Keep that the refresh token goes out now, or that it was not used after all."""
        held = {"holder": self._holders.get(key.text, ""), "is_spent": is_spent}
        if not self._change(_SPEND, key, **held) and is_spent:
            raise UnreachableStore("another process asks for it since")

    def _renew(self, held: Mapping[str, str]) -> None:
        keys, holders = list(held), list(held.values())
        tenant = self._database.address.tenant
        values = {"keys": keys, "holders": holders, "tenant": tenant, "lease_s": self._lease_s}
        self._database.change(_RENEW, values)

    def _unseal(self, key: TokenKey, contents: str) -> str:
        try:
            return self._contents.unseal(_session(key), "token", contents)
        except SealedContent:
            why = "it is sealed with another key; give all the same --journal-key"
            raise UnreachableStore(why) from None
        except ValueError:
            raise UnreachableStore("it is damaged where it is kept") from None

    def _change(self, query: str, key: TokenKey, **values: Any) -> int:
        with _translate_errors():
            return self._database.change(query, self._values(key) | values)

    def _values(self, key: TokenKey) -> dict[str, Any]:
        return {"tenant": self._database.address.tenant, "key": key.text}


def _session(key: TokenKey) -> str:
    return f"token:{key.text}"


@contextmanager
def _translate_errors() -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise UnreachableStore(_NOWHERE) from error
