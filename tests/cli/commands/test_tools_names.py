"""What tools are called on the command line."""

from __future__ import annotations

import json

import pytest

SERVER = "https://api.rakuten.co.jp"


@pytest.fixture
def document(tmp_path):
    def write(name: str, server: str = SERVER, version: str = "1") -> str:
        path = tmp_path / name
        operation = {"operationId": "find_" + "x" * 60, "responses": {}}
        whole = {
            "openapi": "3.1.0",
            "info": {"title": "Shop", "version": version},
            "servers": [{"url": server}],
            "paths": {"/items": {"get": operation}},
        }
        path.write_text(json.dumps(whole), encoding="utf-8")
        return str(path)

    return write


@pytest.mark.parametrize(
    ("server", "sound", "url"),
    [
        (SERVER, "rakuten", "co"),
        ("http://localhost:8080", "shop", "local"),
        ("https://256.256.256.256", "shop", "unknown"),
    ],
)
def test_a_namespace_is_sound_or_that_of_the_url(restwright, document, server, sound, url):
    path = document("shop.json", server)

    assert list(restwright("index", path, "--json").json["namespaces"]) == [sound]
    styled = restwright("index", path, "--namespace-style", "url", "--json").json
    assert list(styled["namespaces"]) == [url]


def test_names_are_as_short_as_is_asked_for(restwright, document):
    path = document("shop.json")
    names = [
        restwright("tools", path, "--json", *more).json["tools"][0]["name"]
        for more in ((), ("--name-length", "45"))
    ]
    assert [len(name) for name in names] == [64, 45]
    assert all(name.startswith("rakuten__find_x") for name in names)
    assert restwright("show", path, names[1], "--name-length", "45", "--json").code == 0
    assert restwright("tools", path, "--name-length", "31").code == 2


def test_a_collision_of_namespaces_is_a_problem_of_each(restwright, document):
    paths = document("a.json"), document("b.json", version="2")
    shown = restwright("tools", *paths, "--json").json

    assert list(shown["index"]) == ["rakuten_v1", "rakuten_v2"]
    said = [
        (each["document"], each["action"])
        for each in shown["problems"]
        if "namespace" in each["what"]
    ]
    assert said == [
        (path, f"named '{name}' after its version; an alias would choose a name")
        for path, name in zip(paths, ("rakuten_v1", "rakuten_v2"), strict=True)
    ]


def test_the_same_document_given_twice_counts_once(restwright, document):
    path = document("shop.json")
    shown = restwright("tools", path, path, "--json").json

    assert len(shown["tools"]) == 1
    assert "its tools are there once" in [each["action"] for each in shown["problems"]]
