"""Whatever is asked of a world, it answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.bench.any.opened import LIBRARY, PORT, opened

from restwright.calls.approval.approval import approve_all
from restwright.calls.call import call
from restwright_bench.any.models.sample import Sampler
from restwright_bench.any.program import CONNECTION
from restwright_bench.any.world.tables import random_for

KNOWN = {200, 201, 204, 400, 404, 409, 422, 501}


@pytest.mark.parametrize("file", [LIBRARY, PORT], ids=["library", "port"])
@pytest.mark.parametrize("seed", range(4))
def test_calls_drawn_at_random_are_answered_or_refused(file: Path, seed: int):
    document, rng = opened(file), random_for(seed, file.name)
    world = document.world(seed)
    roots = [each.path for each in world.resources.values() if not each.depth]
    ids = [each for path in roots for each in world.state.table(path) or ()]
    for _ in range(60):
        tool = rng.choice([*world.catalog.tools])
        sampler = Sampler(tool.checks, rng, rng.choice, [*ids, "", "name", "-floor", "c3", "%41"])
        arguments = sampler.draw(tool.checks)
        call(tool, arguments, connection=CONNECTION, send=world, approve=approve_all)
    assert {each.status for each in world.log} <= KNOWN
    assert world.unserved == {}
