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

# Things, each group in the words of many kinds of APIs; the most common first. What only one API
# calls so has no place here.
SYNONYM_GROUPS: tuple[str, ...] = (
    "picture photo image photograph", "movie film", "song track music", "tv show series television",
    "person people human", "user account member", "company organisation organization firm",
    "mail email", "telephone phone", "cart basket", "invoice bill", "purchase order",
    "customer client", "product item article", "price cost", "ticket issue", "bug issue defect",
    "repository repo", "directory folder", "document file", "comment reply remark",
    "review rating opinion", "latest recent newest last", "popular trending hot",
    "top best highest", "similar related alike", "recommend suggest",
    "actor actress cast star credit role", "team group", "place location venue", "address location",
    "town city", "country nation", "holiday vacation", "hotel accommodation lodging",
    "flight plane", "weather forecast", "currency money", "stock share quote", "payment charge",
    "refund reimbursement", "subscription plan", "job task", "meeting event appointment",
    "calendar schedule agenda", "message chat", "conversation thread", "post article", "tag label",
    "category genre kind type", "keyword term", "language locale", "translate translation",
    "picture avatar portrait", "setting preference option configuration",
    "permission access right role", "key token secret credential", "login sign authenticate",
    "log audit history", "alert alarm", "notification alert", "vm virtual machine instance server",
    "container pod", "disk volume", "vehicle car", "restaurant food", "recipe dish meal",
    "book novel", "author writer", "news headline article", "video clip",
    "artist singer musician band", "album record", "follow subscribe",
    "like favorite favourite save", "worker employee staff", "salary pay wage", "project workspace",
    "board kanban", "biography bio", "birthday birth born", "length duration runtime",
    "release publish", "season series", "director directed crew credit", "homepage website site",
    "channel broadcaster", "poster cover artwork picture image", "logo icon image",
    "celebrity person actor", "plot synopsis overview summary", "description detail about",
    "information detail info", "theater theatre cinema", "air broadcast", "resume continue",
    "pause stop halt", "skip next forward", "back previous", "volume loudness sound", "repeat loop",
    "shuffle random", "unfollow unsubscribe", "private public visibility", "rename change",
    "append add", "cancel remove", "clear remove", "buyer customer", "checkout purchase",
    "bookmark favorite save", "spelling definition dictionary word", "saying quote",
    "distance route direction", "map geocode coordinate", "match game fixture", "player athlete",
    "club team", "league competition", "temperature weather", "airline flight", "lodging hotel",
    "teacher instructor", "student pupil", "course class lesson", "apartment house property",
    "doctor physician", "medicine drug",
)  # fmt: skip

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
