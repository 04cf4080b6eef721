"""Row 7: names are unique, leave room for a host's prefix, and stay as they were locked."""

from __future__ import annotations

import json
import re

from tests.support.mcp.serving import serving, serving_api, source_settings

from restwright.workspace.documents import load_apis
from restwright.workspace.lock import update_lock_file

PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,44}")


def listed(served):
    return [*served.built.providers.tools[0].names()]


def test_names_leave_room_for_a_prefix(api, tmp_path):
    names = listed(serving_api(api, tmp_path))
    assert len({*names}) == len(names)
    assert all(PATTERN.fullmatch(name) for name in names)


def test_names_stay_as_they_were_locked(api, tmp_path):
    path = api.write(tmp_path)
    lock = tmp_path / "tools.lock"
    settings = source_settings(path, lock=lock).catalog
    update_lock_file(load_apis([str(path)], settings.documents), settings)
    before = listed(serving(path, lock=lock))

    document = json.loads(path.read_text())
    document["paths"]["/list"]["get"]["operationId"] = "renamedByItsAuthor"
    path.write_text(json.dumps(document))
    assert listed(serving(path, lock=lock)) == before
    assert "tricky__renamedByItsAuthor" in listed(serving(path))
