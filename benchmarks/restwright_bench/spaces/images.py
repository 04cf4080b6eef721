"""Lumo: photos, collections and photographers; its document speaks French."""

from __future__ import annotations

from typing import ClassVar

from restwright.jsontypes import JsonObject
from restwright_bench.spaces.store import NOTHING, Does, Store, found, grown, listed, made, one
from restwright_bench.spaces.tables import Entity, Row, Table, choice, number, text
from restwright_bench.world.exchange import Answer, Asked

# Title, what is on it, photographer, orientation, colour.
_PHOTOS = (
    ("Sous-bois au printemps", "verdure forêt mousse greenery forest", "Maëlle Corbin", 0, "vert"),
    ("Collines d'herbe haute", "verdure prairie greenery meadow", "Oskar Lind", 0, "vert"),
    ("Mur de lierre", "verdure feuilles greenery ivy", "Tiago Ramos", 1, "vert"),
    ("Aiguille enneigée", "montagne neige mountain snow", "Oskar Lind", 1, "blanc"),
    ("Crête au petit jour", "montagne brume mountain mist", "Maëlle Corbin", 0, "bleu"),
    ("Refuge sous l'orage", "montagne orage mountain storm", "Ines Haddad", 0, "gris"),
    ("Marée du soir", "mer coucher soleil sea sunset", "Ines Haddad", 0, "orange"),
    ("Barques à midi", "mer port sea harbour", "Tiago Ramos", 0, "bleu"),
    ("Phare rouge", "phare rouge jetée lighthouse red", "Tiago Ramos", 1, "rouge"),
    ("Renard roux aux aguets", "renard roux animal fox", "Ines Haddad", 0, "orange"),
    ("Chat sur un toit", "chat toit animal cat roof", "Oskar Lind", 1, "gris"),
    ("Ruelle sous la pluie", "rue pluie ville street rain city", "Maëlle Corbin", 1, "gris"),
    ("Gare à l'aube", "gare train ville station city", "Oskar Lind", 0, "bleu"),
    ("Tarte aux prunes", "cuisine tarte dessert food pie", "Maëlle Corbin", 2, "violet"),
    ("Bouquet de pivoines", "fleurs pivoine flowers peony", "Ines Haddad", 2, "rose"),
    ("Pont suspendu", "pont rivière bridge river", "Tiago Ramos", 0, "gris"),
)
_SHAPES = ("landscape", "portrait", "square")
_COLLECTIONS = ("Matins calmes", "Bords de mer", "Bêtes curieuses")
COLOURS = ("vert", "blanc", "bleu", "gris", "orange", "rouge", "violet", "rose")


class Images(Store):
    """Photos with who took them, and what is liked."""

    name: ClassVar[str] = "lumo"
    parents: ClassVar = {"photo": "photos", "collection": "collections"}

    def fill(self) -> None:
        """Draw ids and likes; no two photos have as many."""
        likes = self.draw.sample(range(12, 900), len(_PHOTOS))
        for name in dict.fromkeys(each[2] for each in _PHOTOS):
            self.add("photographers", name=name, city=self.draw.choice(("Brest", "Oslo", "Porto")))
        for (title, tags, who, shape, colour), count in zip(_PHOTOS, likes, strict=True):
            photo = self.add("photos", title=title, tags=tags, photographer=who, likes=count)
            photo.update(orientation=_SHAPES[shape], color=colour)
            photo["url"] = f"https://img.lumo.example/{photo['id']}.jpg"
        for title in _COLLECTIONS:
            self.add("collections", title=title)


def _like(photo: JsonObject, _asked: Asked) -> None:
    photo["likes"] += 1


def _random(state: Images, _asked: Asked) -> Answer:
    # The same each time, as everything here.
    return Answer(body=dict(state.all("photos")[0]))


_FIELDS = {
    "id": text("Identifiant"),
    "q": text("Mots cherchés"),
    "orientation": choice("Format", *_SHAPES),
    "color": choice("Couleur dominante", *COLOURS),
    "limit": number("Nombre de résultats", minimum=1, maximum=20),
    "title": text("Titre", minLength=1),
    "collection": text("Identifiant de la collection"),
    "photo": text("Identifiant de la photo"),
    "text": text("Texte", minLength=1),
}
_ENTITIES = (
    Entity(
        name="Photo",
        fields={
            "id": text("Identifiant de la photo"),
            "title": text(),
            "tags": text(),
            "photographer": text(),
            "likes": number(),
            "orientation": text(),
            "color": text(),
            "url": text(),
        },
    ),
    Entity(name="Collection", fields={"id": text(), "title": text()}),
    Entity(name="Photographer", fields={"id": text(), "name": text(), "city": text()}),
)
_SOUGHT = ("title", "tags")
_ROWS = (
    Row(
        "search",
        "GET /photos/search",
        found("photos", "Photo", _SOUGHT, "orientation", "color"),
        "Recherche des photos et images correspondant aux mots donnés",
        "q! orientation color limit",
    ),
    Row("list", "GET /photos", listed("photos", "Photo"), "Liste les photos récentes", "limit"),
    Row("get", "GET /photos/{id}", one("photos", "Photo"), "Récupère une photo par identifiant"),
    Row(
        "popular",
        "GET /photos/popular",
        listed("photos", "Photo", order="likes"),
        "Récupère les photos les plus populaires",
        "limit",
    ),
    Row(
        "curated",
        "GET /photos/curated",
        listed("photos", "Photo", only={"color": "bleu"}),
        "Récupère les photos choisies par la rédaction",
        "limit",
    ),
    Row(
        "random",
        "GET /photos/random",
        Does(handler=_random, gives="Photo"),
        "Récupère une photo au hasard",
    ),
    Row("similar", "GET /photos/{id}/similar", NOTHING, "Trouve des photos semblables"),
    Row("download", "GET /photos/{id}/download", NOTHING, "Donne le lien de téléchargement"),
    Row(
        "like",
        "POST /photos/{id}/like",
        grown("photos", "Photo", _like),
        "Ajoute un j'aime à une photo",
    ),
    Row("listTags", "GET /tags", NOTHING, "Liste les étiquettes des photos"),
    Row("listComments", "GET /photos/{id}/comments", NOTHING, "Liste les commentaires d'une photo"),
    Row(
        "addComment",
        "POST /photos/{photo}/comments",
        NOTHING,
        "Commente une photo",
        "text!",
    ),
    Row(
        "listCollections",
        "GET /collections",
        listed("collections", "Collection"),
        "Liste les collections de photos",
    ),
    Row(
        "getCollection",
        "GET /collections/{id}",
        one("collections", "Collection"),
        "Récupère une collection de photos",
    ),
    Row(
        "createCollection",
        "POST /collections",
        made("collections", "Collection"),
        "Crée une collection de photos",
        "title!",
    ),
    Row(
        "addToCollection",
        "POST /collections/{collection}/photos",
        NOTHING,
        "Ajoute une photo à une collection",
        "photo!",
    ),
    Row(
        "listPhotographers",
        "GET /photographers",
        listed("photographers", "Photographer"),
        "Liste les photographes",
    ),
    Row("getProfile", "GET /me", NOTHING, "Récupère le profil de l'utilisateur"),
    Row("getStats", "GET /stats", NOTHING, "Récupère les statistiques du compte"),
)
TABLE = Table(
    name="lumo",
    title="Lumo Photos",
    description="Photos et images libres de droits.",
    fields=_FIELDS,
    entities=_ENTITIES,
    rows=_ROWS,
)
