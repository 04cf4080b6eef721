"""All manifests that come with SlashGPT do the same once they are converted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.support.manifests.equal import differences, run_both

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "slashgpt"
FILES = sorted(
    path
    for folder in (*DATA.glob("manifests/*"), DATA / "samples" / "manifests" / "sample")
    if folder.is_dir()
    for path in folder.iterdir()
    if path.suffix in {".json", ".yml"}
)
NAMES = [f"{path.parent.name}/{path.name.partition('.')[0]}" for path in FILES]

DIFFERENT: Mapping[str, str] = {
    "main/definitive": "the OpenAPI document of its prompt is an API of its own now",
    "roles1/aiticker": "the OpenAPI document of its prompt is an API of its own now",
    "roles1/drone": "the OpenAPI document of its prompt is an API of its own now",
    "roles1/home": "the OpenAPI document of its prompt is an API of its own now",
    **dict.fromkeys(
        ("main/browser", "roles1/products", "roles1/web3", "ss/blip2"),
        "its Python file is not there, which SlashGPT's form tells the model by name",
    ),
    "roles1/obachan": "its words come in a random order",
}
"""What is not the same, and why."""
pytestmark = pytest.mark.corpus
KEYS = (
    "OPENWEATHER_API_KEY",
    "WOLFRAM_API_KEY",
    "WEBPILOT_UID",
    "NOTEABLE_API_KEY",
    "GITHUB_TOKEN",
)


@pytest.mark.skipif(not FILES, reason="the manifests of SlashGPT are not here")
@pytest.mark.parametrize(("name", "file"), [*zip(NAMES, FILES, strict=True)], ids=NAMES)
def test_a_converted_manifest_does_the_same(
    name: str, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in KEYS:
        monkeypatch.setenv(f"SLASH_GPT_ENV_{key}", "key-of-a-test")
    theirs, ours = run_both(file, tmp_path)
    found = differences(theirs, ours)
    assert bool(found) == (name in DIFFERENT), found
