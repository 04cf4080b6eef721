"""Carnet: notes in folders; its document speaks French."""

from __future__ import annotations

from typing import ClassVar

from restwright.jsontypes import JsonObject
from restwright_bench.spaces.store import (
    NOTHING,
    Store,
    changed,
    found,
    grown,
    listed,
    made,
    one,
    removed,
)
from restwright_bench.spaces.tables import Entity, Row, Table, choice, number, text
from restwright_bench.world.exchange import Asked

_FOLDERS = ("Maison", "Recettes", "Travail", "Voyages")
# Title, text, folder, tag.
_NOTES = (
    (
        "Wi-Fi",
        "Code de la box, à ne pas perdre, écrit sous la table du salon : {code}",
        0,
        "maison",
    ),
    ("Assurance habitation", "Insurance: contrat à relire avant le renouvellement.", 0, "papiers"),
    ("Ancien bail", "Old lease of the flat, rendu en mars.", 0, "papiers"),
    ("Garantie du lave-linge", "Garantie de cinq ans, facture dans le tiroir.", 0, "papiers"),
    ("Soupe au potiron", "Potiron, oignon, muscade.", 1, "soupe"),
    ("Gratin de côtes de blettes", "Blettes, crème, gruyère.", 1, "four"),
    ("Compote de rhubarbe", "Rhubarbe, sucre, vanille.", 1, "dessert"),
    ("Compte rendu de janvier", "Réunion : budget voté, embauche reportée.", 2, "reunion"),
    ("Idées pour le site", "Refaire la page d'accueil.", 2, "projet"),
    ("Voyage à Lisbonne", "Train de nuit, puis trois jours à pied.", 3, "portugal"),
    ("Valise", "Liste pour la valise : bottes, lampe, carte.", 3, "liste"),
)


class Notes(Store):
    """Notes with folders and comments."""

    name: ClassVar[str] = "carnet"
    parents: ClassVar = {"folder": "folders", "note": "notes"}

    def fill(self) -> None:
        """Draw ids and the code."""
        folders = [self.add("folders", name=each) for each in _FOLDERS]
        code = f"KAZ{self.draw.randrange(100_000, 999_999)}"
        for title, content, folder, tag in _NOTES:
            self.add(
                "notes",
                title=title,
                content=content.format(code=code),
                folder=folders[folder]["id"],
                tags=[tag],
                status="active",
            )
        trip = self.where("notes", title="Voyage à Lisbonne")
        for author, words in (("Bastien", "Je viens !"), ("Odile", "Pense aux billets.")):
            self.add("comments", note=trip["id"], author=author, text=words)


def _tag(note: JsonObject, asked: Asked) -> None:
    note["tags"] = [*note["tags"], asked.body["tag"]]


_FIELDS = {
    "id": text("Identifiant"),
    "note": text("Identifiant de la note"),
    "folder": text("Identifiant du classeur"),
    "q": text("Mots cherchés"),
    "limit": number("Nombre de résultats", minimum=1, maximum=20),
    "title": text("Titre", minLength=1),
    "content": text("Texte de la note"),
    "name": text("Nom", minLength=1),
    "tag": text("Étiquette", minLength=1),
    "text": text("Texte", minLength=1),
    "email": text("Adresse"),
    "format": choice("Format", "pdf", "markdown"),
    "theme": choice("Thème", "clair", "sombre"),
    "version": number("Numéro de version", minimum=1),
}
_ENTITIES = (
    Entity(
        name="Note",
        fields={
            "id": text("Identifiant de la note"),
            "title": text(),
            "content": text(),
            "excerpt": text(),
            "folder": {"type": ["string", "null"], "description": "Identifiant du classeur"},
            "tags": {"type": "array", "items": text()},
            "status": text(),
        },
    ),
    Entity(name="Folder", fields={"id": text("Identifiant du classeur"), "name": text()}),
    Entity(
        name="Comment",
        fields={"id": text(), "note": text(), "author": text(), "text": text()},
    ),
)
_NEW = {"folder": None, "content": "", "tags": [], "status": "active"}
_ROWS = (
    Row(
        "search",
        "GET /notes/search",
        found("notes", "Note", ("title", "content", "tags")),
        "Recherche dans les notes",
        "q! limit",
    ),
    Row(
        "list",
        "GET /notes",
        listed("notes", "Note", "folder"),
        "Liste les notes, celles d'un classeur ou toutes",
        "folder limit",
    ),
    Row(
        "get",
        "GET /notes/{id}",
        one("notes", "Note"),
        "Récupère une note par identifiant, texte entier",
    ),
    Row(
        "create",
        "POST /notes",
        made("notes", "Note", **_NEW),
        "Crée une nouvelle note",
        "title! content folder",
    ),
    Row(
        "update",
        "PATCH /notes/{id}",
        changed("notes", "Note"),
        "Modifie le titre ou le texte d'une note",
        "title content",
    ),
    Row("delete", "DELETE /notes/{id}", removed("notes"), "Supprime une note"),
    Row(
        "archive",
        "POST /notes/{id}/archive",
        changed("notes", "Note", status="archived"),
        "Archive une note",
    ),
    Row(
        "restore",
        "POST /notes/{id}/restore",
        changed("notes", "Note", status="active"),
        "Restaure une note archivée",
    ),
    Row("duplicate", "POST /notes/{id}/duplicate", NOTHING, "Duplique une note"),
    Row(
        "move",
        "POST /notes/{id}/move",
        changed("notes", "Note"),
        "Déplace une note dans un classeur",
        "folder!",
    ),
    Row("share", "POST /notes/{id}/share", NOTHING, "Partage une note par courriel", "email!"),
    Row("export", "GET /notes/{id}/export", NOTHING, "Exporte une note", "format"),
    Row("recent", "GET /notes/recent", listed("notes", "Note"), "Liste les notes récentes"),
    Row("listTags", "GET /tags", NOTHING, "Liste les étiquettes des notes"),
    Row(
        "addTag",
        "POST /notes/{id}/tags",
        grown("notes", "Note", _tag),
        "Ajoute une étiquette à une note",
        "tag!",
    ),
    Row("removeTag", "DELETE /notes/{id}/tags/{tag}", NOTHING, "Retire une étiquette d'une note"),
    Row(
        "listComments",
        "GET /notes/{note}/comments",
        listed("comments", "Comment", "note"),
        "Liste les commentaires d'une note",
    ),
    Row(
        "addComment",
        "POST /notes/{note}/comments",
        made("comments", "Comment", author="moi"),
        "Commente une note",
        "text!",
    ),
    Row("listVersions", "GET /notes/{id}/versions", NOTHING, "Liste les versions d'une note"),
    Row(
        "restoreVersion",
        "POST /notes/{id}/versions/{version}/restore",
        NOTHING,
        "Rétablit une version d'une note",
    ),
    Row("listFolders", "GET /folders", listed("folders", "Folder"), "Liste les classeurs de notes"),
    Row("getFolder", "GET /folders/{id}", one("folders", "Folder"), "Récupère un classeur"),
    Row("createFolder", "POST /folders", made("folders", "Folder"), "Crée un classeur", "name!"),
    Row(
        "updateFolder",
        "PATCH /folders/{id}",
        changed("folders", "Folder"),
        "Renomme un classeur",
        "name!",
    ),
    Row("deleteFolder", "DELETE /folders/{id}", removed("folders"), "Supprime un classeur"),
    Row("listTemplates", "GET /templates", NOTHING, "Liste les modèles de notes"),
    Row("getProfile", "GET /me", NOTHING, "Récupère le profil de l'utilisateur"),
    Row("getStats", "GET /stats", NOTHING, "Récupère les statistiques du compte"),
    Row("getSettings", "GET /settings", NOTHING, "Récupère les réglages"),
    Row("updateSettings", "PATCH /settings", NOTHING, "Modifie les réglages", "theme"),
    Row("listActivity", "GET /activity", NOTHING, "Liste l'activité récente du compte"),
)
TABLE = Table(
    name="carnet",
    title="Carnet",
    description="Notes rangées dans des classeurs.",
    fields=_FIELDS,
    entities=_ENTITIES,
    rows=_ROWS,
)
