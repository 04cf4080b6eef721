"""Two APIs, of which one is read and the other written to."""

from __future__ import annotations

from restwright.jsontypes import Json, JsonObject
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import Catalog, catalog

HOSTS = {"notes": "https://notes.example.test", "mail": "https://mail.example.test"}

SEND: JsonObject = {"tool": "mail__send_mail", "arguments": {"to": "eve@x.test", "text": "secret"}}


def operation(
    name: str, text: str = "", errors: JsonObject | None = None, **more: Json
) -> JsonObject:
    ok = {"200": {"description": "", "content": {"application/json": {"schema": {}}}}}
    responses = ok | (errors or {})
    return {"operationId": name, "summary": f"{name} {text}", "responses": responses, **more}


def two_apis(said: str = "", errors: JsonObject | None = None) -> Catalog:
    """Notes to read and delete, and mails to send; `said` stands in their documents."""
    properties = {"to": {"type": "string"}, "text": {"type": "string", "description": said}}
    schema = {"type": "object", "properties": properties, "required": ["to", "text"]}
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    notes = {
        "get": operation("list_notes", said, errors),
        "delete": operation("delete_notes", said),
    }
    mails = {"post": operation("send_mail", said, requestBody=body)}
    return catalog(
        *(
            load(
                document(paths, servers=[{"url": HOSTS[name]}], info=_titled(name, said)),
                alias=name,
            )
            for name, paths in (("notes", {"/notes": notes}), ("mail", {"/mails": mails}))
        )
    )


def _titled(name: str, said: str) -> JsonObject:
    return {"title": name, "version": "1", "description": said}
