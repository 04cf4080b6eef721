"""What starts a worker in a container gives it no more than it needs, and names what is there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
CONTAINER = (ROOT / "Containerfile").read_text("utf-8")


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_a_service_may_do_little(name: str) -> None:
    service = COMPOSE["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert any(place.startswith("/tmp") for place in service["tmpfs"])  # noqa: S108
    assert set(service["secrets"]) <= set(COMPOSE["secrets"])
    assert all(key.endswith("_FILE") for key in service.get("environment", {}) if "PASS" in key)


def test_a_worker_is_waited_for_longer_than_its_steps() -> None:
    worker = COMPOSE["services"]["worker"]
    grace = next(re.findall(r"\d+", word)[0] for word in worker["command"] if "--grace" in word)
    assert int(worker["stop_grace_period"].rstrip("s")) > int(grace)


def test_the_files_that_are_copied_or_mounted_are_there() -> None:
    copied = re.search(r"^COPY (pyproject.+) \./$", CONTAINER, re.MULTILINE)
    assert copied is not None
    listed = (ROOT / ".containerignore").read_text("utf-8").splitlines()
    for name in (*copied[1].split(), "src"):
        assert (ROOT / name).exists()
        assert f"!{name}" in listed
    assert (ROOT / "docs/deploy/roles.sh").exists()


def test_the_image_is_not_of_root() -> None:
    assert re.findall(r"^USER (\d+)", CONTAINER, re.MULTILINE) == ["10001"]
    assert CONTAINER.index("USER") > CONTAINER.rindex("FROM")


def test_the_page_shows_the_statements_that_make_the_role() -> None:
    script = (ROOT / "docs/deploy/roles.sh").read_text("utf-8")
    page = (ROOT / "docs/deploy.md").read_text("utf-8")
    for line in re.findall(r"^alter .+$", script, re.MULTILINE):
        assert line in page
    subprocess.run(["/bin/sh", "-n", str(ROOT / "docs/deploy/roles.sh")], check=True)  # noqa: S603
