"""The tasks: eight for each API, and four that take two of them."""

from __future__ import annotations

from restwright.jsontypes import JsonObject
from restwright_bench.queries.query import Answered, Expected
from restwright_bench.spaces.question import Do, Question, Script, added, became
from restwright_bench.spaces.space import Stores
from restwright_bench.spaces.ways import (
    a_photo,
    acting,
    became_so,
    field_of,
    fields_of,
    first_of,
    reading,
    reading_each,
    said_of,
    writing,
)

PHOTOS = "lumo__search"
NOTES = "carnet__search"
TASKS = "tandem__search"


def questions() -> tuple[Question, ...]:
    """All of them, in an order that stays."""
    return (*_IMAGES, *_NOTES, *_TASKS, *_CROSSING)


def question_named(name: str) -> Question:
    """
    One of them.

    Raises:
        KeyError: There is none of that name.
    """
    return {each.name: each for each in questions()}[name]


def _popular(stores: Stores) -> Expected:
    best, *others = sorted(stores["lumo"].all("photos"), key=lambda each: -each["likes"])
    return Answered(all_of=(said_of(best),), none_of=tuple(each["title"] for each in others))


def _liked(stores: Stores) -> Expected:
    fox = _fox(stores)
    return became("lumo", "photos", fox["id"], likes=fox["likes"] + 1)


def _fox(stores: Stores) -> JsonObject:
    return stores["lumo"].where("photos", title="Renard roux aux aguets")


_IMAGES = (
    Question(
        name="greenery",
        text="Montre-moi une image de verdure.",
        uses=(PHOTOS,),
        script=reading(PHOTOS, {"q": "verdure"}, "title", "url"),
        expected=a_photo("verdure"),
    ),
    Question(
        name="mountain",
        text="Trouve une photo de montagne au format portrait.",
        uses=(PHOTOS,),
        script=reading(PHOTOS, {"q": "montagne", "orientation": "portrait"}, "title"),
        expected=a_photo("montagne", orientation="portrait"),
    ),
    Question(
        name="sunset",
        text="Find me a picture of the sea at sunset.",
        uses=(PHOTOS,),
        script=reading(PHOTOS, {"q": "sea sunset"}, "title"),
        expected=a_photo("sea", "sunset"),
    ),
    Question(
        name="popular",
        text="Quelle est la photo la plus populaire ?",
        uses=("lumo__popular",),
        accepts=("lumo__list",),
        script=reading("lumo__popular", {"limit": 1}, "title"),
        expected=_popular,
    ),
    Question(
        name="lighthouse",
        text="Who took the picture of the red lighthouse?",
        uses=(PHOTOS,),
        script=reading(PHOTOS, {"q": "red lighthouse"}, "photographer"),
        expected=field_of("lumo", "photos", "photographer", title="Phare rouge"),
    ),
    Question(
        name="collections",
        text="Quelles collections de photos existent ?",
        uses=("lumo__listCollections",),
        script=reading_each("lumo__listCollections", "title"),
        expected=fields_of("lumo", "collections", "title"),
    ),
    Question(
        name="fox",
        text="Combien de j'aime a la photo du renard roux ?",
        uses=(PHOTOS,),
        script=reading(PHOTOS, {"q": "renard roux"}, "likes"),
        expected=field_of("lumo", "photos", "likes", title="Renard roux aux aguets"),
    ),
    Question(
        name="like",
        text="Ajoute un j'aime à la photo du renard roux.",
        uses=(PHOTOS, "lumo__like"),
        script=acting(PHOTOS, "renard roux", "lumo__like"),
        expected=_liked,
    ),
)


def _wifi() -> Script:
    note = first_of((yield Do(NOTES, {"q": "Wi-Fi code"})))
    whole = yield Do("carnet__get", {"id": note["id"]})
    return str(whole["content"])


def _wifi_code(stores: Stores) -> Expected:
    code = stores["carnet"].where("notes", title="Wi-Fi")["content"].rpartition(" ")[2]
    return Answered(all_of=((code,),))


def _recipes() -> Script:
    folders = yield Do("carnet__listFolders")
    folder = next(each for each in folders["items"] if each["name"] == "Recettes")
    value = yield Do("carnet__list", {"folder": folder["id"]})
    return f"{value['total']} notes"


def _comments() -> Script:
    note = first_of((yield Do(NOTES, {"q": "voyage Lisbonne"})))
    value = yield Do("carnet__listComments", {"note": note["id"]})
    return ", ".join(each["author"] for each in value["items"])


def _rename() -> Script:
    folders = yield Do("carnet__listFolders")
    folder = next(each for each in folders["items"] if each["name"] == "Travail")
    yield Do("carnet__updateFolder", {"id": folder["id"], "name": "Bureau"})
    return "C'est fait."


_NOTES = (
    Question(
        name="wifi",
        text="Quel est le code du Wi-Fi d'après ma note ?",
        uses=(NOTES, "carnet__get"),
        accepts=("carnet__list",),
        script=_wifi,
        expected=_wifi_code,
    ),
    Question(
        name="folders",
        text="Quels classeurs ai-je pour mes notes ?",
        uses=("carnet__listFolders",),
        script=reading_each("carnet__listFolders", "name"),
        expected=fields_of("carnet", "folders", "name"),
    ),
    Question(
        name="shopping",
        text='Crée une note intitulée "Liste de courses" avec le texte "lait, farine, sel".',
        uses=("carnet__create",),
        script=writing("carnet__create", title="Liste de courses", content="lait, farine, sel"),
        expected=lambda _: added(
            "carnet", "notes", title="Liste de courses", content="lait, farine, sel"
        ),
    ),
    Question(
        name="recipes",
        text="Combien de notes y a-t-il dans le classeur Recettes ?",
        uses=("carnet__listFolders", "carnet__list"),
        accepts=("carnet__getFolder",),
        script=_recipes,
        expected=lambda _: Answered(all_of=(("3", "trois"),)),
    ),
    Question(
        name="lease",
        text="Archive the note about the old lease.",
        uses=(NOTES, "carnet__archive"),
        accepts=("carnet__get", "carnet__list"),
        script=acting(NOTES, "old lease", "carnet__archive"),
        expected=became_so("carnet", "notes", "Ancien bail", status="archived"),
    ),
    Question(
        name="label",
        text="Ajoute l'étiquette \"urgent\" à ma note sur l'assurance habitation.",
        uses=(NOTES, "carnet__addTag"),
        accepts=("carnet__get", "carnet__list"),
        script=acting(NOTES, "assurance habitation", "carnet__addTag", tag="urgent"),
        expected=became_so("carnet", "notes", "Assurance habitation", tags=["papiers", "urgent"]),
    ),
    Question(
        name="commented",
        text="Qui a commenté ma note sur le voyage à Lisbonne ?",
        uses=(NOTES, "carnet__listComments"),
        accepts=("carnet__get", "carnet__list"),
        script=_comments,
        expected=fields_of("carnet", "comments", "author"),
    ),
    Question(
        name="rename",
        text="Renomme le classeur Travail en Bureau.",
        uses=("carnet__listFolders", "carnet__updateFolder"),
        accepts=("carnet__getFolder",),
        script=_rename,
        expected=lambda stores: became(
            "carnet",
            "folders",
            stores["carnet"].where("folders", name="Travail")["id"],
            name="Bureau",
        ),
    ),
)


def _garden() -> Script:
    projects = yield Do("tandem__listProjects")
    garden = next(each for each in projects["items"] if each["name"] == "Garden")
    value = yield Do("tandem__list", {"project": garden["id"], "status": "open"})
    return f"{value['total']} tasks"


def _assign() -> Script:
    task = first_of((yield Do(TASKS, {"q": "renew domain"})))
    members = yield Do("tandem__listMembers")
    nadia = next(each for each in members["items"] if each["name"] == "Nadia")
    yield Do("tandem__assign", {"id": task["id"], "member": nadia["id"]})
    return "Done."


def _assigned(stores: Stores) -> Expected:
    todos = stores["tandem"]
    task, nadia = (
        todos.where("tasks", title="Renew the domain"),
        todos.where("members", name="Nadia"),
    )
    return became("tandem", "tasks", task["id"], member=nadia["id"], assignee="Nadia")


_TASKS = (
    Question(
        name="plumber",
        text='Create a task "Call the plumber", due on 2026-01-20.',
        uses=("tandem__create",),
        script=writing("tandem__create", title="Call the plumber", due="2026-01-20"),
        expected=lambda _: added("tandem", "tasks", title="Call the plumber", due="2026-01-20"),
    ),
    Question(
        name="today",
        text="Which tasks are due today?",
        uses=("tandem__today",),
        accepts=("tandem__list",),
        script=reading_each("tandem__today", "title"),
        expected=lambda _: Answered(all_of=(("Water the plants",), ("Return the keys",))),
    ),
    Question(
        name="passport",
        text="Mark the task about the passport as done.",
        uses=(TASKS, "tandem__complete"),
        accepts=("tandem__get", "tandem__list"),
        script=acting(TASKS, "passport", "tandem__complete"),
        expected=became_so("tandem", "tasks", "Renew the passport", status="done"),
    ),
    Question(
        name="plants",
        text='Who is assigned to the task "Water the plants"?',
        uses=(TASKS,),
        accepts=("tandem__get", "tandem__list", "tandem__today", "tandem__listMembers"),
        script=reading(TASKS, {"q": "water plants"}, "assignee"),
        expected=field_of("tandem", "tasks", "assignee", title="Water the plants"),
    ),
    Question(
        name="projects",
        text="What are my projects?",
        uses=("tandem__listProjects",),
        script=reading_each("tandem__listProjects", "name"),
        expected=fields_of("tandem", "projects", "name"),
    ),
    Question(
        name="garden",
        text="How many open tasks does the project Garden have?",
        uses=("tandem__listProjects", "tandem__list"),
        accepts=("tandem__getProject",),
        script=_garden,
        expected=lambda _: Answered(all_of=(("3",),)),
    ),
    Question(
        name="assign",
        text='Assign the task "Renew the domain" to Nadia.',
        uses=(TASKS, "tandem__listMembers", "tandem__assign"),
        accepts=("tandem__get", "tandem__list"),
        script=_assign,
        expected=_assigned,
    ),
    Question(
        name="quote",
        text='Add the comment "Waiting for the quote" to the task about the roof.',
        uses=(TASKS, "tandem__addComment"),
        accepts=("tandem__get", "tandem__list", "tandem__listComments"),
        script=acting(TASKS, "roof", "tandem__addComment", "task", text="Waiting for the quote"),
        expected=lambda stores: added(
            "tandem",
            "comments",
            task=stores["tandem"].where("tasks", title="Get a quote for the roof")["id"],
            text="Waiting for the quote",
        ),
    ),
)


def _warranty() -> Script:
    note = first_of((yield Do(NOTES, {"q": "garantie"})))
    yield Do("tandem__create", {"title": note["title"]})
    return "C'est fait."


def _peonies() -> Script:
    photo = first_of((yield Do(PHOTOS, {"q": "pivoines"})))
    yield Do("carnet__create", {"title": "Fleurs", "content": photo["url"]})
    return "C'est fait."


def _insurance() -> Script:
    notes = yield Do(NOTES, {"q": "insurance"})
    tasks = yield Do(TASKS, {"q": "insurance"})
    return f"{notes['items'][0]['title']}, {tasks['items'][0]['title']}"


def _bridge() -> Script:
    photo = first_of((yield Do(PHOTOS, {"q": "bridge"})))
    yield Do("tandem__create", {"title": "Print the bridge", "details": photo["url"]})
    return "Done."


_CROSSING = (
    Question(
        name="warranty",
        text="Crée une tâche dont le titre est celui de ma note sur la garantie.",
        uses=(NOTES, "tandem__create"),
        accepts=("carnet__get", "carnet__list"),
        script=_warranty,
        expected=lambda _: added("tandem", "tasks", title="Garantie du lave-linge"),
    ),
    Question(
        name="peonies",
        text='Crée une note "Fleurs" dont le texte est l\'URL de la photo de pivoines.',
        uses=(PHOTOS, "carnet__create"),
        accepts=("lumo__get",),
        script=_peonies,
        expected=lambda stores: added(
            "carnet",
            "notes",
            title="Fleurs",
            content=stores["lumo"].where("photos", title="Bouquet de pivoines")["url"],
        ),
    ),
    Question(
        name="insurance",
        text="Which of my notes and which of my tasks are about the insurance?",
        uses=(NOTES, TASKS),
        accepts=("carnet__list", "tandem__list"),
        script=_insurance,
        expected=lambda _: Answered(
            all_of=(("Assurance habitation",), ("Cancel the insurance",)),
        ),
    ),
    Question(
        name="bridge",
        text='Create a task "Print the bridge" with the URL of the photo of a bridge as details.',
        uses=(PHOTOS, "tandem__create"),
        accepts=("lumo__get",),
        script=_bridge,
        expected=lambda stores: added(
            "tandem",
            "tasks",
            title="Print the bridge",
            details=stores["lumo"].where("photos", title="Pont suspendu")["url"],
        ),
    ),
)
