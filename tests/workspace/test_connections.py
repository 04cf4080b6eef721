"""Aliases before documents and connections."""

from __future__ import annotations

import pytest

from restwright.calls.auth.connection import Connection
from restwright.errors import UsageError
from restwright.workspace.connections import build_connections
from restwright.workspace.documents import split_alias

SPLIT = {
    "shop.yaml": (None, "shop.yaml"),
    "shop=shop.yaml": ("shop", "shop.yaml"),
    "shop=http://h/?a=b": ("shop", "http://h/?a=b"),
    "http://h/?a=b": (None, "http://h/?a=b"),
    "./a=b.yaml": (None, "./a=b.yaml"),
    "-": (None, "-"),
    "shop=-": ("shop", "-"),
    "X-Key: a=b": (None, "X-Key: a=b"),
    "=x": (None, "=x"),
    "shop=": (None, "shop="),
}


@pytest.mark.parametrize(("text", "parts"), SPLIT.items())
def test_an_alias_is_a_name_before_the_first_equals_sign(text, parts):
    assert split_alias(text) == parts


def test_values_without_an_alias_are_for_the_only_document():
    found = build_connections(
        ["shop"], server=["http://h"], auth=["env:TOKEN"], header=["A: 1", "B:2: 3"]
    )
    assert found == {"shop": Connection("http://h", {"A": "1", "B": "2: 3"}, "env:TOKEN")}


def test_each_document_has_a_connection_of_its_own():
    found = build_connections(["a", "b"], server=["b=http://b"], auth=["a=env:A"], header=None)
    assert found == {"a": Connection(auth="env:A"), "b": Connection(server="http://b")}


@pytest.mark.parametrize(
    ("server", "text"),
    [
        (["http://h"], "--server needs one of a, b= before its value"),
        (["c=http://h"], "--server: no document is named c (a, b)"),
        (["a=http://h", "a=http://i"], "--server is given 2 times for one document"),
    ],
)
def test_a_server_that_is_nobodys_or_given_twice_is_refused(server, text):
    with pytest.raises(UsageError) as caught:
        build_connections(["a", "b"], server=server, auth=None, header=None)
    assert caught.value.message == text


def test_server_variables_are_for_one_document():
    found = build_connections(
        ["a", "b"],
        server=["a=2"],
        auth=None,
        header=None,
        server_variable=["a=region=us", "b=region=eu", "a=base=v1=x"],
    )
    assert found == {
        "a": Connection("2", server_variables={"region": "us", "base": "v1=x"}),
        "b": Connection(server_variables={"region": "eu"}),
    }


def test_a_server_variable_of_the_only_document_needs_no_alias():
    found = build_connections(
        ["shop"],
        server=None,
        auth=None,
        header=None,
        server_variable=["region=us", "shop=base=v1"],
    )
    assert found["shop"].server_variables == {"region": "us", "base": "v1"}


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (["region"], "--server-variable takes NAME=VALUE, not 'region'"),
        (["=us"], "--server-variable takes NAME=VALUE, not '=us'"),
        (["region=us", "region=eu"], "--server-variable region is given twice for one document"),
    ],
)
def test_a_server_variable_without_a_value_or_given_twice_is_refused(given, text):
    with pytest.raises(UsageError) as caught:
        build_connections(["shop"], server=None, auth=None, header=None, server_variable=given)
    assert caught.value.message == text
