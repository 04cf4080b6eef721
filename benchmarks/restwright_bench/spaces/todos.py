"""Tandem: tasks in projects, with members; its document speaks English."""

from __future__ import annotations

from typing import ClassVar

from restwright.jsontypes import JsonObject
from restwright_bench.spaces.store import (
    NOTHING,
    TODAY,
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

_PROJECTS = ("Garden", "Moving", "Website", "Choir")
_MEMBERS = ("Nadia", "Pavel", "Rosa", "Theo")
# Title, details, project, member, due, status.
_TASKS = (
    ("Water the plants", "Every second day.", 0, 1, TODAY, "open"),
    ("Order tulip bulbs", "Fifty, mixed.", 0, 2, "2026-02-01", "open"),
    ("Repair the fence", "Two boards are loose.", 0, 1, "2026-03-10", "open"),
    ("Sharpen the spade", "Before spring.", 0, 3, "2025-12-12", "done"),
    ("Renew the passport", "Photos are in the drawer.", 1, 2, "2026-01-30", "open"),
    ("Return the keys", "To the agency.", 1, 3, TODAY, "open"),
    ("Cancel the insurance", "In writing.", 1, 2, "2026-01-22", "open"),
    ("Get a quote for the roof", "Three roofers at least.", 1, 3, "2026-02-14", "open"),
    ("Renew the domain", "It ends in February.", 2, 3, "2026-02-03", "open"),
    ("Fix the contact page", "The form loses accents.", 2, 1, "2026-01-19", "open"),
    ("Write the launch post", "Short.", 2, 2, "2026-01-09", "done"),
)


class Todos(Store):
    """Tasks with projects and members."""

    name: ClassVar[str] = "tandem"
    parents: ClassVar = {"project": "projects", "task": "tasks", "member": "members"}

    def fill(self) -> None:
        """Draw ids, and who has which task."""
        projects = [self.add("projects", name=each, status="active") for each in _PROJECTS]
        members = [self.add("members", name=each) for each in _MEMBERS]
        turn = self.draw.randrange(3)
        for title, details, project, member, due, status in _TASKS:
            # Nadia has none: a task is given to her.
            who = members[1 + (member + turn) % 3]
            self.add(
                "tasks",
                title=title,
                details=details,
                project=projects[project]["id"],
                member=who["id"],
                due=due,
                status=status,
                tags=[],
            )

    def settle(self, record: JsonObject) -> None:
        """Say who has a task by name, too."""
        if "member" in record:
            member = record["member"]
            record["assignee"] = member and self.one("members", member)["name"]


def _tag(task: JsonObject, asked: Asked) -> None:
    task["tags"] = [*task["tags"], asked.body["tag"]]


_FIELDS = {
    "id": text("Identifier"),
    "task": text("Identifier of the task"),
    "project": text("Identifier of the project"),
    "member": text("Identifier of the member"),
    "q": text("Words to look for"),
    "limit": number("How many at most", minimum=1, maximum=20),
    "status": choice("Status", "open", "done", "archived"),
    "title": text("Title", minLength=1),
    "details": text("More about it"),
    "due": text("Day, such as 2026-01-31", pattern=r"^\d{4}-\d{2}-\d{2}$"),
    "name": text("Name", minLength=1),
    "tag": text("Label", minLength=1),
    "text": text("Text", minLength=1),
    "at": text("When", minLength=1),
    "theme": choice("Theme", "light", "dark"),
}
_ENTITIES = (
    Entity(
        name="Task",
        fields={
            "id": text("Identifier of the task"),
            "title": text(),
            "details": text(),
            "project": {"type": ["string", "null"], "description": "Identifier of the project"},
            "member": {"type": ["string", "null"], "description": "Identifier of the member"},
            "assignee": {"type": ["string", "null"]},
            "due": {"type": ["string", "null"]},
            "status": text(),
            "tags": {"type": "array", "items": text()},
        },
    ),
    Entity(
        name="Project",
        fields={"id": text("Identifier of the project"), "name": text(), "status": text()},
    ),
    Entity(name="Member", fields={"id": text("Identifier of the member"), "name": text()}),
    Entity(name="Comment", fields={"id": text(), "task": text(), "text": text()}),
)
_NEW = {
    "project": None,
    "member": None,
    "due": None,
    "details": "",
    "status": "open",
    "tags": [],
}
_ROWS = (
    Row(
        "search",
        "GET /tasks/search",
        found("tasks", "Task", ("title", "details"), "status"),
        "Search tasks",
        "q! status limit",
    ),
    Row(
        "list",
        "GET /tasks",
        listed("tasks", "Task", "project", "status"),
        "List tasks, all or those of a project",
        "project status limit",
    ),
    Row("get", "GET /tasks/{id}", one("tasks", "Task"), "Get a task by its identifier"),
    Row(
        "create",
        "POST /tasks",
        made("tasks", "Task", **_NEW),
        "Create a task",
        "title! details due project",
    ),
    Row(
        "update",
        "PATCH /tasks/{id}",
        changed("tasks", "Task"),
        "Change the title, details or due date of a task",
        "title details due",
    ),
    Row("delete", "DELETE /tasks/{id}", removed("tasks"), "Delete a task"),
    Row(
        "complete",
        "POST /tasks/{id}/complete",
        changed("tasks", "Task", status="done"),
        "Mark a task as done",
    ),
    Row(
        "reopen",
        "POST /tasks/{id}/reopen",
        changed("tasks", "Task", status="open"),
        "Open a task again that was done",
    ),
    Row(
        "archive",
        "POST /tasks/{id}/archive",
        changed("tasks", "Task", status="archived"),
        "Archive a task",
    ),
    Row(
        "restore",
        "POST /tasks/{id}/restore",
        changed("tasks", "Task", status="open"),
        "Restore an archived task",
    ),
    Row("duplicate", "POST /tasks/{id}/duplicate", NOTHING, "Duplicate a task"),
    Row(
        "move",
        "POST /tasks/{id}/move",
        changed("tasks", "Task"),
        "Move a task to another project",
        "project!",
    ),
    Row(
        "assign",
        "POST /tasks/{id}/assign",
        changed("tasks", "Task"),
        "Assign a task to a member",
        "member!",
    ),
    Row(
        "today",
        "GET /tasks/today",
        listed("tasks", "Task", only={"due": TODAY, "status": "open"}),
        "List the tasks that are due today",
    ),
    Row("recent", "GET /tasks/recent", listed("tasks", "Task"), "List recently changed tasks"),
    Row("listTags", "GET /tags", NOTHING, "List the labels of tasks"),
    Row(
        "addTag",
        "POST /tasks/{id}/tags",
        grown("tasks", "Task", _tag),
        "Add a label to a task",
        "tag!",
    ),
    Row("removeTag", "DELETE /tasks/{id}/tags/{tag}", NOTHING, "Remove a label from a task"),
    Row(
        "listComments",
        "GET /tasks/{task}/comments",
        listed("comments", "Comment", "task"),
        "List the comments on a task",
    ),
    Row(
        "addComment",
        "POST /tasks/{task}/comments",
        made("comments", "Comment"),
        "Add a comment to a task",
        "text!",
    ),
    Row("listReminders", "GET /tasks/{id}/reminders", NOTHING, "List the reminders of a task"),
    Row("addReminder", "POST /tasks/{id}/reminders", NOTHING, "Remind of a task", "at!"),
    Row("listProjects", "GET /projects", listed("projects", "Project"), "List the projects"),
    Row("getProject", "GET /projects/{id}", one("projects", "Project"), "Get a project"),
    Row(
        "createProject",
        "POST /projects",
        made("projects", "Project", status="active"),
        "Create a project",
        "name!",
    ),
    Row(
        "updateProject",
        "PATCH /projects/{id}",
        changed("projects", "Project"),
        "Rename a project",
        "name!",
    ),
    Row("deleteProject", "DELETE /projects/{id}", removed("projects"), "Delete a project"),
    Row("listMembers", "GET /members", listed("members", "Member"), "List the members of the team"),
    Row("getProfile", "GET /me", NOTHING, "Get the profile of the user"),
    Row("getStats", "GET /stats", NOTHING, "Get figures of the account"),
    Row("getSettings", "GET /settings", NOTHING, "Get the settings"),
    Row("updateSettings", "PATCH /settings", NOTHING, "Change the settings", "theme"),
    Row("listActivity", "GET /activity", NOTHING, "List what happened lately"),
)
TABLE = Table(
    name="tandem",
    title="Tandem",
    description="Tasks of a team, in projects.",
    fields=_FIELDS,
    entities=_ENTITIES,
    rows=_ROWS,
)
