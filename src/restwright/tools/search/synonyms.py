"""Words that mean the same to somebody who looks for an operation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Verb = Literal["read", "create", "change", "remove", "count", "send", "run", "stop"]

# What the operation does, in the words of questions and of names, by language where they differ.
VERBS: Mapping[Verb, str] = {
    "read": "list get find show search fetch read retrieve lookup query view display see browse "
    "give tell check discover describe download export load obtain "
    "lister obtenir trouver afficher montrer chercher rechercher voir lire consulter "
    "liste donne affiche montre cherche trouve recherche 検索 取得 一覧 表示 参照 照会 "
    "listar obtener buscar mostrar ver consultar auflisten anzeigen finden suchen zeigen zeige",
    "create": "create add new post make insert register build generate upload import open append "
    "creer ajouter nouveau nouvelle crear anadir agregar nuevo erstellen anlegen hinzufugen neu "
    "criar adicionar creare aggiungere 作成 追加 登録 新規",
    "change": "update change edit modify set rename patch replace adjust alter configure assign "
    "move put modifier changer renommer actualizar cambiar modificar editar andern bearbeiten "
    "aktualisieren atualizar alterar modificare aggiornare 更新 変更 編集",
    "remove": "delete remove drop destroy erase clear unset revoke detach trash "
    "supprimer effacer enlever retirer eliminar borrar quitar loschen entfernen excluir remover "
    "削除",
    "count": "count number total amount many combien nombre cuantos cuantas wieviele anzahl "
    "quantos quanti 件数",
    "send": "send deliver publish notify email message forward share envoyer enviar senden 送信",
    "run": "run start execute launch trigger play begin resume invoke lancer demarrer iniciar "
    "ejecutar starten ausfuhren",
    "stop": "stop cancel abort pause end terminate halt disable suspend archive annuler arreter "
    "cancelar detener stornieren abbrechen stoppen 停止 中止",
}

# Things, in the words of APIs of every kind. A group stands here only where it helps on two or more
# of the sets of questions that `benchmarks/search.py` knows beside RestBench.
SYNONYM_GROUPS: tuple[str, ...] = (
    "user account member",
    "setting preference option configuration",
    "information detail info",
)

# What a question word asks for.
QUESTION_WORDS: Mapping[str, str] = {
    "who": "person people name user",
    "whom": "person people name user",
    "where": "place location address country",
    "when": "date time",
    "qui": "personne nom utilisateur",
    "ou": "lieu adresse",
    "quand": "date heure",
}
