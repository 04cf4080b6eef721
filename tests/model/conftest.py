"""The local model, loaded once for each module of tests."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from restwright.agents.models.local import LocalModel
from restwright.agents.models.model_files import find_model_file


@pytest.fixture(scope="module")
def model() -> Generator[LocalModel]:
    path = find_model_file("local")
    if path is None:
        pytest.skip("the model file is missing: restwright model pull")
    local = LocalModel(path)
    yield local
    local.close()
