"""Documents that are spread over files. What may not be read is watched in the operating system."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from restwright.errors import DocumentUnavailable, UnreadableDocument
from restwright.openapi.api import load
from restwright.openapi.document import Document
from restwright.openapi.load.bundle import bundle_document
from restwright.openapi.load.loader import load_document
from restwright.testing import document, never

KEY = "x-restwright-files"
WATCHING: list[list[str]] = []


def note_opened(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and WATCHING and isinstance(arguments[0], str | bytes):
        WATCHING[-1].append(os.fsdecode(arguments[0]))


# A hook cannot be taken away again; without a watcher it does nothing.
sys.addaudithook(note_opened)

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write files, given as `{path: content}`, and return the folder."""

    def write(files: dict[str, object]) -> Path:
        folder = tmp_path / "api"
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps(content) if name.endswith(".json") else yaml.safe_dump(content)
            path.write_text(content if isinstance(content, str) else text)
        return folder

    return write


@pytest.fixture
def opened() -> Iterator[list[str]]:
    """Give the names of the files that are opened from now on."""
    WATCHING.append([])
    yield WATCHING[-1]
    WATCHING.clear()


def loaded(folder: Path, name: str = "openapi.yaml") -> Document:
    return load_document(folder / name, retrieve=never, allow_refs=folder)


def why_left(document: Document) -> list[tuple[str, str]]:
    return [(each.pointer, each.what) for each in document.problems]


def test_files_stand_under_a_key_of_the_root(write: Write) -> None:
    folder = write(
        {
            "openapi.yaml": {"paths": {"/a": {"$ref": "paths/a.yaml#/item"}}},
            "paths/a.yaml": {
                "item": {"get": {"$ref": "../schemas.json"}},
                "own": {"$ref": "#/x~1y"},
            },
            "schemas.json": {"A": {"$ref": "openapi.yaml#/paths"}, "B": {"$ref": "openapi.yaml"}},
        }
    )

    assert loaded(folder).content == {
        "paths": {"/a": {"$ref": f"#/{KEY}/paths~1a.yaml/item"}},
        KEY: {
            "paths/a.yaml": {
                "item": {"get": {"$ref": f"#/{KEY}/schemas.json"}},
                "own": {"$ref": f"#/{KEY}/paths~1a.yaml/x~1y"},
            },
            "schemas.json": {"A": {"$ref": "#/paths"}, "B": {"$ref": "#"}},
        },
    }
    assert why_left(loaded(folder)) == [
        (
            f"/{KEY}/paths~1a.yaml/own/$ref",
            "the reference '#/x~1y' leads nowhere: there is no 'x/y' on the way",
        )
    ]


def test_a_reference_that_leads_nowhere_is_told_once_as_written(write: Write) -> None:
    content = {"text/plain": {"schema": {"$ref": "p.yaml#/s"}}}
    operation = {
        "operationId": "a",
        "summary": "A",
        "parameters": [{"$ref": "p.yaml#/no"}, {"$ref": "../p.yaml"}],
        "responses": {"200": {"description": "ok", "content": content}},
    }
    whole = document({"/a": {"get": operation}})
    folder = write({"openapi.yaml": whole, "p.yaml": {"P": {"name": "p", "in": "query"}}})

    problems = load(folder / "openapi.yaml", retrieve=never, allow_refs=folder).problems
    assert sorted((each.what, each.action) for each in problems) == [
        (
            "the reference '../p.yaml' is not followed: it leads out of the folder of "
            "--allow-refs DIR",
            "left out",
        ),
        ("the reference 'p.yaml#/no' leads nowhere: there is no 'no' on the way", "left out"),
        (
            "the reference 'p.yaml#/s' leads nowhere: there is no 's' on the way",
            "any value is accepted there",
        ),
    ]


def test_names_of_files_are_escaped_in_pointers(write: Write) -> None:
    folder = write(
        {
            "openapi.yaml": {"a": {"$ref": "a%20b~%25%23.yaml#/%7Bid%7D"}},
            "a b~%#.yaml": {"{id}": 1},
        }
    )

    assert loaded(folder).content == {
        "a": {"$ref": f"#/{KEY}/a%20b~0%25%23.yaml/%7Bid%7D"},
        KEY: {"a b~%#.yaml": {"{id}": 1}},
    }


def test_a_part_that_refers_to_the_whole_as_its_own_is_understood(write: Write) -> None:
    folder = write(
        {
            "openapi.yaml": {"a": {"$ref": "pet.yaml"}, "b": 1, "c": 2},
            "pet.yaml": {"b": 3, "x": [{"$ref": "#/b"}, {"$ref": "#/c"}, {"$ref": "#/d"}]},
        }
    )
    document = loaded(folder)

    assert document.content[KEY]["pet.yaml"]["x"] == [
        {"$ref": f"#/{KEY}/pet.yaml/b"},
        {"$ref": "#/c"},
        {"$ref": f"#/{KEY}/pet.yaml/d"},
    ]
    assert [str(problem) for problem in document.problems] == [
        f"/{KEY}/pet.yaml/x/2/$ref: the reference '#/d' leads nowhere: there is no 'd' on the way"
        " (left as it is)",
        f"/{KEY}/pet.yaml/x/1/$ref: the reference '#/c' leads nowhere in its own file"
        " (looked up in the first file)",
    ]


def test_files_may_refer_to_each_other_in_circles(write: Write) -> None:
    folder = write(
        {
            "openapi.yaml": {"a": {"$ref": "b.yaml"}},
            "b.yaml": {"c": {"$ref": "c.yaml"}, "self": {"$ref": "b.yaml#"}},
            "c.yaml": {"b": {"$ref": "./b.yaml"}},
        }
    )

    assert loaded(folder).content[KEY] == {
        "b.yaml": {"c": {"$ref": f"#/{KEY}/c.yaml"}, "self": {"$ref": f"#/{KEY}/b.yaml"}},
        "c.yaml": {"b": {"$ref": f"#/{KEY}/b.yaml"}},
    }


def test_what_looks_like_a_reference_in_data_is_left_alone(write: Write) -> None:
    data = {"$ref": "missing.yaml"}
    content = {
        "example": data,
        "examples": [data],
        "x-more": data,
        "schema": {"default": data, "enum": [data], "const": data},
        "properties": {"$ref": {"type": "string"}, "example": {"type": "string"}},
    }
    folder = write({"openapi.yaml": content})

    assert (loaded(folder).content, why_left(loaded(folder))) == (content, [])


def test_names_are_no_keywords(write: Write) -> None:
    ref = {"$ref": "a.yaml"}
    new = {"$ref": f"#/{KEY}/a.yaml"}
    names = {"responses": "default", "properties": "example", "schemas": "const", "paths": "x-y"}
    folder = write(
        {"openapi.yaml": {key: {name: ref} for key, name in names.items()}, "a.yaml": {"b": 1}}
    )

    content = loaded(folder).content
    assert {key: content[key] for key in names} == {key: {name: new} for key, name in names.items()}


def test_links_and_discriminators_refer_too(write: Write) -> None:
    folder = write(
        {
            "openapi.yaml": {
                "links": {"a": {"operationRef": "b.yaml#/get"}},
                "discriminator": {
                    "propertyName": "kind",
                    "mapping": {"cat": "Cat", "dog": "b.yaml#/Dog", "ox": "#/Ox"},
                },
            },
            "b.yaml": {"get": {}, "Dog": {}},
        }
    )

    content = loaded(folder).content
    assert content["links"]["a"] == {"operationRef": f"#/{KEY}/b.yaml/get"}
    assert content["discriminator"]["mapping"] == {
        "cat": "Cat",
        "dog": f"#/{KEY}/b.yaml/Dog",
        "ox": "#/Ox",
    }


def test_the_own_id_of_a_file_gives_way_to_its_place(write: Write) -> None:
    folder = write(
        {
            "openapi.yaml": {"a": {"$ref": "pet.json"}},
            "pet.json": {"$id": "https://x.test/pet.json", "items": {"$ref": "#/$defs/A"}},
        }
    )

    assert loaded(folder).content[KEY]["pet.json"] == {
        "items": {"$ref": f"#/{KEY}/pet.json/$defs/A"}
    }


def test_references_below_an_id_are_relative_to_that(write: Write) -> None:
    content = {"a": {"$id": "https://x.test/a", "items": {"$ref": "missing.yaml"}}}
    folder = write({"openapi.yaml": content})

    assert loaded(folder).content == content


def test_a_whole_map_in_a_file_is_put_in_place(write: Write) -> None:
    folder = write(
        {
            "openapi.yaml": {"info": {"$ref": "i.yaml"}, "paths": {"$ref": "p.yaml", "/b": {}}},
            "i.yaml": {"title": "Shop"},
            "p.yaml": {"/a": {"$ref": "i.yaml"}, "/b": {"x": 1}},
        }
    )

    content = loaded(folder).content
    assert content["info"] == {"title": "Shop"}
    assert content["paths"] == {"/b": {}, "/a": {"$ref": f"#/{KEY}/i.yaml"}}


def test_a_shared_alias_is_rewritten_once(write: Write) -> None:
    text = "a: &a {$ref: '#/x'}\nb: *a\nx: 1\n"
    folder = write({"openapi.yaml": {"a": {"$ref": "b.yaml"}}, "b.yaml": text})

    new = {"$ref": f"#/{KEY}/b.yaml/x"}
    assert loaded(folder).content[KEY]["b.yaml"] == {"a": new, "b": new, "x": 1}


def test_a_key_of_the_document_is_not_overwritten(write: Write) -> None:
    folder = write({"openapi.yaml": {KEY: 1, "a": {"$ref": "b.yaml"}}, "b.yaml": {}})

    assert loaded(folder).content == {
        KEY: 1,
        "a": {"$ref": f"#/{KEY}-/b.yaml"},
        f"{KEY}-": {"b.yaml": {}},
    }


OUTSIDE = {
    "/etc/hostname": "only relative paths",
    "//host/share.yaml": "only relative paths",
    "\\\\host\\share.yaml": "only relative paths",
    "..\\secret.yaml": "only relative paths",
    "%2e%2e%2fsecret.yaml": "out of the folder",
    "..%5csecret.yaml": "only relative paths",
    "C:/secret.yaml": "only relative paths",
    "file:///etc/hostname": "only relative paths",
    "http://127.0.0.1:1/a.yaml": "only relative paths",
    "ftp://x.test/a.yaml": "only relative paths",
    "data:text/yaml,a": "only relative paths",
    "../secret.yaml": "out of the folder",
    "a/../../secret.yaml": "out of the folder",
    "link.yaml": "out of the folder",
    "linked/secret.yaml": "out of the folder",
    "a%00b.yaml": "only relative paths",
    "pipe.yaml": "no file",
    "missing.yaml": "No such file",
    ".": "no file",
    "b.yaml#anchor": "anchors of other files",
    "broken.yaml": "line 1",
}


@pytest.mark.parametrize("ref", OUTSIDE)
def test_nothing_but_files_of_the_folder_is_read(write: Write, opened: list[str], ref: str) -> None:
    folder = write({"openapi.yaml": {"a": {"$ref": ref}}, "b.yaml": {}, "broken.yaml": "a: b: c"})
    (folder.parent / "secret.yaml").write_text("a: 1")
    (folder / "link.yaml").symlink_to(folder.parent / "secret.yaml")
    (folder / "linked").symlink_to(folder.parent)
    os.mkfifo(folder / "pipe.yaml")
    opened.clear()

    document = loaded(folder)

    read = [Path(name).name for name in opened if str(folder.parent) in name or "etc" in name]
    assert set(read) <= {
        "openapi.yaml",
        "b.yaml",
        "broken.yaml",
        "missing.yaml",
        "pipe.yaml",
        "api",
    }
    assert document.content["a"] == {"$ref": ref}
    [(pointer, what)] = why_left(document)
    assert pointer == "/a/$ref"
    assert repr(ref) in what
    assert OUTSIDE[ref] in what


def test_a_link_within_the_folder_is_followed(write: Write) -> None:
    folder = write({"openapi.yaml": {"a": {"$ref": "link.yaml"}}, "b.yaml": {"c": 1}})
    (folder / "link.yaml").symlink_to("b.yaml")

    assert loaded(folder).content[KEY] == {"b.yaml": {"c": 1}}


def test_a_document_from_a_url_reads_no_file(write: Write) -> None:
    folder = write({"b.yaml": {}})
    document = load_document(
        "https://x.test/openapi.json",
        retrieve=lambda _: b'{"a": {"$ref": "b.yaml"}}',
        allow_refs=folder,
    )

    assert "a document from a URL reads no file" in why_left(document)[0][1]


def test_a_given_object_is_taken_to_lie_in_the_folder(write: Write) -> None:
    folder = write({"b.yaml": {"c": 1}})
    document = load_document({"a": {"$ref": "b.yaml"}}, retrieve=never, allow_refs=folder)

    assert document.content[KEY] == {"b.yaml": {"c": 1}}


def test_without_permission_references_stay_and_no_file_is_read(
    write: Write, opened: list[str]
) -> None:
    folder = write({"openapi.yaml": {"a": {"$ref": "b.yaml"}}, "b.yaml": {}})
    opened.clear()

    document = load_document(folder / "openapi.yaml", retrieve=never)

    assert document.content == {"a": {"$ref": "b.yaml"}}
    assert not [name for name in opened if name.endswith("b.yaml")]


def test_the_hash_is_of_all_files_wherever_they_lie(write: Write, tmp_path: Path) -> None:
    files = {"openapi.yaml": {"a": {"$ref": "b.yaml"}}, "b.yaml": {"c": 1}}
    folder = write(files)
    alone = load_document(folder / "openapi.yaml", retrieve=never).sha256
    first = loaded(folder).sha256
    folder.rename(tmp_path / "moved")
    moved = loaded(tmp_path / "moved").sha256
    write({**files, "b.yaml": {"c": 2}})

    assert moved == first
    assert len({alone, first, loaded(folder).sha256}) == 3


def test_a_document_of_one_file_keeps_its_hash(write: Write) -> None:
    folder = write({"openapi.yaml": {"a": {"$ref": "#/b"}, "b": 1}})

    assert loaded(folder).sha256 == load_document(folder / "openapi.yaml", retrieve=never).sha256


def test_problems_of_other_files_are_told_with_their_place(write: Write) -> None:
    folder = write({"openapi.yaml": {"a": {"$ref": "b.json"}}, "b.json": '{"c": {"d": 1, "d": 2}}'})

    assert why_left(loaded(folder)) == [(f"/{KEY}/b.json/c", "the key 'd' stands twice")]


@pytest.mark.parametrize(
    ("limit", "why"),
    [("max_files", "more files than the limit of 2"), ("max_total_bytes", "the limit of 2 bytes")],
)
def test_files_and_their_bytes_are_counted(write: Write, limit: str, why: str) -> None:
    refs = [{"$ref": f"f{n}.yaml"} for n in range(3)]
    folder = write({"openapi.yaml": {"a": refs}, **{f"f{n}.yaml": {} for n in range(3)}})

    root = load_document(folder / "openapi.yaml", retrieve=never)
    with pytest.raises(UnreadableDocument, match=why):
        bundle_document(root, folder=folder, **{limit: 2})


def test_a_folder_that_is_none_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(DocumentUnavailable, match="it is no folder"):
        load_document({"a": 1}, retrieve=never, allow_refs=tmp_path / "missing")
