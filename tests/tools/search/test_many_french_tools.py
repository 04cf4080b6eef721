"""One search of pictures among 77 tools in French, most of which are about notes."""

from __future__ import annotations

from typing import Any

import pytest

from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.search import search

NOTES = {
    "notes": "note",
    "classeurs": "classeur",
    "dossiers": "dossier",
    "etiquettes": "étiquette",
    "commentaires": "commentaire",
    "modeles": "modèle",
    "partages": "partage",
    "versions": "version",
    "rappels": "rappel",
    "membres": "membre",
    "equipes": "équipe",
    "abonnements": "abonnement",
    "agents": "agent",
    "tableaux": "tableau",
}


def notes() -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for plural, thing in NOTES.items():
        of_list, of_one = paths[f"/{plural}"], paths[f"/{plural}/{{id}}"] = {}, {}
        texts = {
            "list": (of_list, "get", f"Récupère la liste de type {thing} du compte"),
            "create": (of_list, "post", f"Crée un objet de type {thing} pour l'utilisateur"),
            "get": (of_one, "get", f"Récupère un objet de type {thing} par son identifiant"),
            "update": (of_one, "put", f"Modifie le contenu d'un objet de type {thing}"),
            "delete": (of_one, "delete", f"Supprime un objet de type {thing} de son dossier"),
        }
        for verb, (item, method, text) in texts.items():
            item[method] = {"operationId": f"{verb}_{plural}", "summary": text}
    paths["/search"] = {
        "get": {
            "operationId": "searchContent",
            "summary": "Recherche dans les notes et les classeurs de l'utilisateur",
            "parameters": [{"name": "query", "in": "query", "schema": {"type": "string"}}],
        }
    }
    return document(paths, info={"title": "Carnet", "version": "2"})


def photos() -> dict[str, Any]:
    paths = {
        "/search/photos": {
            "get": {
                "operationId": "searchPhotos",
                "summary": "Recherche des photos qui correspondent au terme, avec des filtres",
                "parameters": [
                    {"name": "query", "in": "query", "required": True, "schema": {}},
                    {"name": "orientation", "in": "query", "schema": {}},
                ],
                "tags": ["Photos"],
            }
        },
        "/photos/{id}": {
            "get": {
                "operationId": "getPhoto",
                "summary": "Récupère une photo par son identifiant",
                "tags": ["Photos"],
            }
        },
        "/photos/{id}/statistics": {
            "get": {
                "operationId": "getStatistics",
                "summary": "Donne le nombre de vues et de téléchargements",
            }
        },
        "/users/{name}": {
            "get": {"operationId": "getUser", "summary": "Récupère le profil d'un auteur"}
        },
    }
    tags = [{"name": "Photos", "description": "Des images libres de droits. Sans compte."}]
    return document(paths, info={"title": "Lumo", "version": "1"}, tags=tags)


def weather() -> dict[str, Any]:
    paths = {
        "/previsions": {"get": {"operationId": "forecast", "summary": "Les prévisions du temps"}},
        "/villes": {"get": {"operationId": "towns", "summary": "Cherche une ville par son nom"}},
    }
    return document(paths, info={"title": "Ciel", "version": "1"})


ALL = catalog(
    load(notes(), alias="carnet"), load(photos(), alias="lumo"), load(weather(), alias="ciel")
)


def test_there_are_77_tools() -> None:
    assert len(ALL) == 77


@pytest.mark.parametrize(
    "query",
    [
        "Image de montagne",
        "Images de montagnes",
        "Montre-moi une image de verdure",
        "photo de montagne",
        "cherche des photos de montagne",
        "une belle photo d'un lac",
    ],
)
def test_a_picture_is_searched_where_there_are_pictures(query: str) -> None:
    found = [hit.name for hit in search(query, ALL, k=5)]
    assert found[0] == "lumo__searchPhotos"
