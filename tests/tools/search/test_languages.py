from __future__ import annotations

from typing import Any

import pytest

from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.search import search
from restwright.tools.search.analysis import plain_words, tokenize_text
from restwright.tools.search.languages import detect_language, language_named

OPERATIONS = {
    "french": {
        "searchImages": ("/images", "Rechercher des images libres de droits dans la galerie"),
        "sendMessage": ("/messages", "Envoyer un message aux abonnés de la liste de diffusion"),
        "listEvents": ("/evenements", "Lister les événements à venir dans une ville"),
        "publishArticle": ("/articles", "Publier un article sur le site pour les lecteurs"),
    },
    "japanese": {
        "getForecast": ("/forecast", "指定した都市の天気予報を取得する"),
        "listShops": ("/shops", "近くの店舗の一覧を表示します"),
        "cancelReservation": ("/reservations", "レストランの予約をキャンセルする"),
        "createAccount": ("/accounts", "新しいアカウントを登録する"),
    },
    "german": {
        "listInvoices": ("/rechnungen", "Die Rechnungen des Kunden für den Monat auflisten"),
        "bookRoom": ("/zimmer", "Ein Zimmer in einem der Häuser für die Gäste buchen"),
    },
}


def api(language: str) -> Any:
    paths: dict[str, Any] = {
        path: {"get": {"operationId": name, "summary": summary}}
        for name, (path, summary) in OPERATIONS[language].items()
    }
    return load(document(paths), alias=language)


ALL = catalog(*(api(language) for language in OPERATIONS))
ALONE = {language: catalog(api(language)) for language in OPERATIONS}


def first(query: str, where: Catalog) -> str:
    return next((each.tool.operation_name for each in search(query, where, k=1)), "")


FRENCH = [
    ("trouve une image", "searchImages"),
    ("cherche une photo de la galerie", "searchImages"),
    ("quels evenements a Lyon ?", "listEvents"),
    ("Y a-t-il un ÉVÉNEMENT demain ?", "listEvents"),
    ("envoie le message à mes abonnes", "sendMessage"),
    ("publie mon nouvel article", "publishArticle"),
]
JAPANESE = [
    ("明日の天気は", "getForecast"),
    ("東京の天気予報を教えて", "getForecast"),
    ("予約をキャンセルしたい", "cancelReservation"),
    ("近くの店を探して", "listShops"),
    ("ｱｶｳﾝﾄを登録", "createAccount"),
]


@pytest.mark.parametrize(("query", "operation"), FRENCH)
def test_a_french_query_finds_french_operations(query: str, operation: str) -> None:
    assert first(query, ALONE["french"]) == operation
    assert first(query, ALL) == operation


@pytest.mark.parametrize(("query", "operation"), JAPANESE)
def test_a_japanese_query_finds_japanese_summaries(query: str, operation: str) -> None:
    assert first(query, ALONE["japanese"]) == operation
    assert first(query, ALL) == operation


def test_words_are_stemmed_by_the_rules_of_the_documents_language() -> None:
    assert first("Rechnung", ALL) == "listInvoices"
    assert first("Gast", ALL) == "bookRoom"
    assert first("buchst du Zimmern", ALL) == "bookRoom"


@pytest.mark.parametrize(
    ("language", "one", "several"),
    [
        ("french", "photo", "photos"),
        ("french", "image", "images"),
        ("french", "menu", "menus"),
        ("french", "numéro", "numéros"),
        ("french", "canal", "canaux"),
        ("german", "Bild", "Bilder"),
        ("german", "Haus", "Häuser"),
        ("german", "Auto", "Autos"),
        ("dutch", "foto", "foto's"),
        ("german", "Preis", "Preise"),
        ("german", "kostenlos", "kostenlose"),
        ("english", "photo", "photos"),
    ],
)
def test_a_plural_has_the_stem_of_the_singular(language: str, one: str, several: str) -> None:
    assert tokenize_text(several, language)[0] == tokenize_text(one, language)[0]


def test_an_s_that_no_plural_has_stays() -> None:
    assert tokenize_text("cas express Haus", "french")[:2] == ("cas", "express")
    assert tokenize_text("english bus status", "english")[1:] == ("bus", "status")


def test_a_document_may_name_its_language() -> None:
    paths = {"/x": {"get": {"operationId": "x", "summary": "canaux"}}}
    said = document(paths) | {"x-language": "fr"}
    (found,) = search("canal", catalog(load(said)), k=1)
    assert found.tool.operation_name == "x"
    assert search("canal", catalog(load(document(paths))), k=1) == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("listOrdersV2", ["list", "orders", "v2"]),
        ("get_user-by.ID", ["get", "user", "by", "id"]),
        ("HTTPServer", ["http", "server"]),
        ("userIDs", ["user", "ids"]),
        ("Événements à Zürich", ["evenements", "a", "zurich"]),
        ("it's the user\u2019s", ["it", "s", "the", "user", "s"]),
        ("天気予報API", ["天気", "気予", "予報", "api"]),
        ("店", ["店"]),
        ("й и", ["й", "и"]),
        ("がか", ["がか"]),
        ("a" * 65, []),
    ],
)
def test_words_are_split_where_they_are_joined(text: str, words: list[str]) -> None:
    assert list(plain_words(text)) == words


def test_tokens_are_the_same_for_a_text_and_for_its_words() -> None:
    text = "Get the user's playlists, followedArtists and (saved_albums); 天気予報 in Zürich"
    assert list(tokenize_text(text)) == [
        token for word in text.split() for token in tokenize_text(word)
    ]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("List all the users that are in a group", "english"),
        ("Lister les membres du groupe dans la ville", "french"),
        ("Die Liste der Kunden und der Rechnungen", "german"),
        ("Lista de los clientes de la tienda", "spanish"),
        ("ユーザーの一覧を取得する", "japanese"),
        ("获取用户列表", "chinese"),
        ("사용자 목록을 가져옵니다", "korean"),
        ("Получить список пользователей", "russian"),
        ("", "english"),
        ("users get post", "english"),
    ],
)
def test_a_language_is_told_by_letters_and_common_words(text: str, language: str) -> None:
    assert detect_language([text]) == language


@pytest.mark.parametrize(
    ("tag", "language"),
    [("fr", "french"), ("pt-BR", "portuguese"), ("Japanese", "japanese"), ("tlh", None)],
)
def test_a_language_has_tags_and_names(tag: str, language: str | None) -> None:
    assert language_named(tag) == language
