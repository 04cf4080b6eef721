"""Row 19: the first list comes soon; of a large document, by the index that is on disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.mcp.test_row_08_exposure import large
from tests.support.mcp.over_stdio import over_stdio


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="it is read from /proc")
def test_the_second_start_reads_the_index_and_not_the_document(tmp_path):
    """In seconds of the processor; the first start writes the index."""
    document = large(tmp_path, 3_000)
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "RESTWRIGHT_CACHE": "on"}
    seconds = []
    for _ in range(2):
        with over_stdio(f"large={document}", "--no-journal", **cache) as spoken:
            spoken.begin()
            spoken.ask("tools/list")
            seconds.append(spoken.cpu_s())
    assert seconds[1] < 0.8 * seconds[0]
