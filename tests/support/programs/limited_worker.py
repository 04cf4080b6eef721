"""
A worker whose limits are shared by a database.

`limited_worker.py DATABASE SERVER REQUESTS THREADS LIMITS` sends GETs, LIMITS a JSON object of
`TransportLimits`; it says `ready`, and begins when it is sent a line.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor

from restwright.agents.journal.postgres.journal import PostgresJournal
from restwright.net.http.throttle import TransportLimits
from restwright.net.http.transport import Transport
from restwright.net.messages import Request
from restwright.net.policy.origins import OriginRules, parse_origin


def main() -> None:
    database, server, requests, threads, limits = sys.argv[1:]
    rules = OriginRules(named=frozenset({parse_origin(server)}))
    with (
        PostgresJournal(database) as journal,
        Transport(
            rules=rules,
            limits=TransportLimits(**json.loads(limits)),
            shared=journal.shared_limits(),
        ) as send,
        ThreadPoolExecutor(int(threads)) as pool,
    ):
        print("ready", flush=True)  # noqa: T201
        sys.stdin.readline()
        wanted = [Request(method="GET", url=server)] * int(requests)
        print(sum(answer.status == 200 for answer in pool.map(send, wanted)), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
