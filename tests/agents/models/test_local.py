"""The local model without its file; what needs the file is in tests/model."""

from __future__ import annotations

from pathlib import Path

import pytest

from restwright.agents.models.local import LocalModel, count_physical_cores
from restwright.agents.steps import Complete, Message
from restwright.errors import LimitReached, ModelUnavailable

ASKED = Complete(role="planner", messages=(Message("user", "Hi"),))


def test_a_missing_file_is_said_at_the_first_request(tmp_path: Path) -> None:
    model = LocalModel(tmp_path / "none.gguf")
    with pytest.raises(ModelUnavailable) as raised:
        model.complete(ASKED, deadline_s=5)
    model.close()
    assert raised.value == ModelUnavailable(
        "local", f"{tmp_path / 'none.gguf'} is missing", "run `restwright model pull`"
    )


def test_a_file_that_is_no_model_is_said_quietly(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.gguf"
    path.write_bytes(b"GGUF" + bytes(100))
    model = LocalModel(path, name="local:bad")
    with pytest.raises(ModelUnavailable) as raised:
        model.complete(ASKED, deadline_s=5)
    model.close()
    assert raised.value == ModelUnavailable(
        "local:bad",
        f"{path} cannot be loaded",
        "run `restwright doctor`, or choose another model",
    )
    assert capfd.readouterr() == ("", "")


def test_who_waits_for_the_engine_waits_no_longer_than_the_deadline(tmp_path: Path) -> None:
    model = LocalModel(tmp_path / "none.gguf")
    with model._exclusive(5), pytest.raises(LimitReached):
        model.complete(ASKED, deadline_s=0.01)


def test_a_model_that_was_never_asked_can_be_closed(tmp_path: Path) -> None:
    LocalModel(tmp_path / "none.gguf").close()


def test_there_is_at_least_one_core() -> None:
    assert count_physical_cores() >= 1
