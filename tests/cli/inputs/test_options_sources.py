"""What may be written for DOC and ARGS."""

from __future__ import annotations

import pytest

from restwright.tools.naming.namespace import to_slug
from restwright.workspace.documents import _ALIAS  # pyright: ignore[reportPrivateUsage]

CHANGED = ("a__b", "a_", "_a", "_", "a-b", "Shop", "a" * 21, "a_" + "b" * 19)
KEPT = ("shop", "a", "a1_b2", "n1", "a" * 20)


@pytest.mark.parametrize("alias", CHANGED)
def test_an_alias_that_would_be_changed_is_refused(restwright, things, alias):
    ended = restwright("tools", f"{alias}={things}")
    assert (ended.code, ended.out) == (2, "")
    assert f"{alias}= is no alias: it is made of lower case letters, digits and single" in ended.err
    assert len(ended.err.splitlines()) == 1


@pytest.mark.parametrize("alias", KEPT)
def test_every_other_alias_is_the_namespace(restwright, things, alias):
    assert [*restwright("index", f"{alias}={things}", "--json").json["namespaces"]] == [alias]


@pytest.mark.parametrize("alias", [*CHANGED, *KEPT])
def test_an_alias_is_what_a_namespace_leaves_as_it_is(alias):
    assert bool(_ALIAS.fullmatch(alias)) == (to_slug(alias) == alias)


def test_options_name_a_document_by_the_same_alias(restwright, things, server):
    arguments = ("call", f"my_things={things}", "get_thing", '{"thing_id": 7}')
    assert restwright(*arguments, "--server", f"my_things={server.url}").code == 0
    ended = restwright(*arguments, "--server", f"My_things={server.url}")
    assert ended.code == 2
    assert "--server: no document is named My_things (my_things)" in ended.err


def test_standard_input_is_one_document_at_most(restwright):
    ended = restwright("tools", "-", "b=-", stdin="openapi: 3.1.0")
    assert (ended.code, ended.out) == (2, "")
    assert "standard input can be only one of the documents" in ended.err


@pytest.mark.parametrize(
    ("name", "why"),
    [("nofile", "there is no such file"), ("", "it is a folder"), ("bytes", "it is not UTF-8")],
)
def test_a_file_of_arguments_that_cannot_be_read_is_named(restwright, things, tmp_path, name, why):
    (tmp_path / "bytes").write_bytes(b"\xff")
    path = tmp_path / name
    for command in ("check", "call"):
        ended = restwright(command, things, "get_thing", f"@{path}")
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.startswith(f"error: cannot read {path}: {why}; write them as")
