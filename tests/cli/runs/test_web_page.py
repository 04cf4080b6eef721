"""Which models the chats of a page ask."""

from __future__ import annotations

from pathlib import Path

from restwright.cli.inputs.run_options import ModelOptions
from restwright.cli.runs.web_page import WebModels
from restwright.cli.surroundings import Surroundings, surrounded
from restwright.manifests.own.manifest import Manifest
from restwright.testing import ScriptedModel


def find_model(name: str | None, url: str | None) -> ScriptedModel:
    return ScriptedModel((), name=f"{name} {url}")


def test_the_model_of_a_manifest_is_asked_where_nobody_names_another(tmp_path: Path) -> None:
    clerk = Manifest(
        name="clerk", source="clerk", folder=tmp_path, model="own", model_url="http://localhost"
    )
    with surrounded(Surroundings(find_model=find_model)), WebModels(ModelOptions()) as models:
        assert models.find("", clerk).name == "own http://localhost"
        assert models.find("other", clerk).name == "other None"
    named = ModelOptions(model="named")
    with surrounded(Surroundings(find_model=find_model)), WebModels(named) as models:
        assert models.find("", clerk).name == "named None"
        assert models.find("").name == "named None"
