"""
A service that Restate calls, which resumes sessions: `restate_service.py PLACE PORT SHOP`.

It is that of `docs/workers.md`.
"""

from __future__ import annotations

import asyncio
import sys

import restate  # type: ignore[import-not-found]
from hypercorn.asyncio import serve  # type: ignore[import-not-found]
from hypercorn.config import Config  # type: ignore[import-not-found]
from tests.support.programs.working import make_agent

import restwright as rw


def main(place: str, port: str, shop: str) -> None:
    with rw.journal(place) as journal, rw.Transport() as send:
        agent = make_agent(shop, 4, 0.4, send=send)
        runs = restate.Service("runs")

        @runs.handler()
        async def resume(ctx: restate.Context, session: str) -> str:
            async def take_up() -> str:
                return (await agent.ask_async(journal=journal, resume=session)).stopped

            return await ctx.run_typed("resume", take_up)

        config = Config()
        config.bind = [f"127.0.0.1:{port}"]
        asyncio.run(serve(restate.app([runs]), config))


if __name__ == "__main__":
    main(*sys.argv[1:])
