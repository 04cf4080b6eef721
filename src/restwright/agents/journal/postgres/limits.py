"""What machines share by the database of their journal: limits of requests, and tokens of OAuth."""

from __future__ import annotations

from restwright.agents.journal.postgres.pool import Database
from restwright.agents.journal.postgres.tokens import PostgresTokens
from restwright.agents.journal.postgres.traffic import PostgresTraffic
from restwright.agents.journal.sealing import Contents
from restwright.calls.auth.oauth.token_cache import TokenCache
from restwright.net.http.throttle import TransportLimits


class PostgresLimits:
    """
    See `SharedLimits`. Ends with the journal that it is of.

    Args:
        contents: Of the journal. Without a key no token is written to the database: each machine
            has its own, as it has without a shared journal.
    """

    def __init__(self, database: Database, contents: Contents) -> None:
        self._database = database
        self._store = PostgresTokens(database, contents) if contents.has_key else None
        self._tokens = TokenCache() if self._store is None else TokenCache(store=self._store)

    @property
    def tokens(self) -> TokenCache:
        """Tokens of OAuth; shared where the journal has a key."""
        return self._tokens

    @property
    def shares_tokens(self) -> bool:
        """Whether the journal has a key, without which no token is shared."""
        return self._store is not None

    def traffic(self, limits: TransportLimits) -> PostgresTraffic:
        """Return what is asked of every origin by all who share this database and tenant."""
        return PostgresTraffic(self._database, limits)

    def close(self) -> None:
        """Hold nothing more."""
        if self._store is not None:
            self._store.close()
