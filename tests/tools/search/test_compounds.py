from __future__ import annotations

import pytest

from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.search import search
from restwright.tools.search.compounds import may_begin_compound, split_compound

GERMAN = {
    "/galerie": ("galerie", "Die Bildersuche der Galerie für alle Besucher"),
    "/rechnungen": ("rechnungen", "Die Rechnungen des Kunden für den Monat auflisten"),
    "/lager": ("lager", "Der Lagerbestand der Artikel in den Filialen"),
    "/termine": ("termine", "Die Termine des Monats mit den Autos der Gäste"),
}
TOOLS = catalog(
    load(
        document(
            {
                path: {"get": {"operationId": name, "summary": summary}}
                for path, (name, summary) in GERMAN.items()
            }
        )
    )
)
ENGLISH = catalog(
    load(document({"/x": {"get": {"operationId": "x", "summary": "Send the newsletter"}}}))
)


@pytest.mark.parametrize(
    ("query", "operation"),
    [
        ("Bild", "galerie"),
        ("ein Bild von einem Berg", "galerie"),
        ("Bilder", "galerie"),
        ("welche Rechnungsnummer hat der Auftrag", "rechnungen"),
        ("Lager", "lager"),
        ("Verkaufsartikel", "lager"),
        ("Auto", "termine"),
        ("Kundenrechnung", "rechnungen"),
    ],
)
def test_a_german_word_is_found_in_compounds_and_by_its_parts(query: str, operation: str) -> None:
    assert [hit.tool.operation_name for hit in search(query, TOOLS, k=1)] == [operation]


def test_what_stands_alone_is_not_looked_for_in_compounds() -> None:
    paths = {
        "/a": {"get": {"operationId": "a", "summary": "Die Bildersuche ist das, was hier steht"}},
        "/b": {"get": {"operationId": "b", "summary": "Das Bild ist das, was hier auch steht"}},
    }
    names = [hit.tool.operation_name for hit in search("Bild", catalog(load(document(paths))), k=2)]
    assert names == ["b"]


def test_english_words_are_not_taken_apart() -> None:
    assert search("letter", ENGLISH, k=1) == ()


def test_the_longest_parts_that_are_known_are_taken() -> None:
    known = {"rech", "rechnung", "nummer", "mer"}
    assert list(split_compound("rechnungsnummer", known.__contains__)) == ["rechnung", "nummer"]
    assert list(split_compound("rechnung", known.__contains__)) == ["rech"]
    assert list(split_compound("a1", known.__contains__)) == []


def test_short_words_and_numbers_begin_no_compound() -> None:
    assert not may_begin_compound("hut")
    assert not may_begin_compound("2024x")
    assert may_begin_compound("bild")
