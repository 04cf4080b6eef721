"""Small SlashGPT folders of our own."""

from __future__ import annotations

import json
from pathlib import Path

from restwright.jsontypes import Json, JsonObject

CURRENCY: JsonObject = {
    "title": "Currency",
    "description": "Converts currency",
    "temperature": 0,
    "prompt": ["You convert currency values.", "Current time is {now}."],
    "sample": "How many yen is a dollar?",
    "functions": [
        {
            "name": "convert",
            "description": "Convert one currency to another",
            "parameters": {
                "type": "object",
                "properties": {
                    "from": {"type": "string"},
                    "to": {"type": "string"},
                    "amount": {"type": "string"},
                },
                "required": ["from", "to", "amount"],
            },
        }
    ],
    "actions": {
        "convert": {
            "type": "rest",
            "url": "https://rates.example.test/converter?from={from}&to={to}&amount={amount}",
        }
    },
}
TEXT = {"type": "string"}
CALENDAR: JsonObject = {
    "title": "Calendar",
    "description": "Schedules events",
    "functions": "./resources/functions/calendar.json",
    "actions": {
        "make_event": {
            "type": "data_url",
            "template": "./resources/event.ics",
            "mime_type": "text/calendar",
            "message": "{{ 'result':'Success', 'invitation_link': '{url}' }}",
        },
        "send_invitation": {
            "type": "message_template",
            "message": "Success. The invitation was sent to {recipients}",
        },
    },
    "intro": ["Which event?"],
    "sample": "Meet Tim",
    "prompt": ["Time is UTC."],
}
CALENDAR_FUNCTIONS: Json = [
    {
        "name": "make_event",
        "parameters": {
            "type": "object",
            "properties": {
                "SUMMARY": TEXT,
                "DTSTART": {"type": "string", "format": "date-time"},
            },
            "required": ["SUMMARY", "DTSTART"],
        },
    },
    {
        "name": "send_invitation",
        "parameters": {
            "type": "object",
            "properties": {"recipients": {"type": "array", "items": TEXT}},
            "required": ["recipients"],
        },
    },
]
EVENT = "BEGIN:VEVENT\nDTSTART:{DTSTART}\nSUMMARY:{SUMMARY}\nEND:VEVENT"
DISPATCHER: JsonObject = {
    "title": "Dispatcher",
    "agents": ["currency", "cal"],
    "prompt": ["Choose one.", "{agents}"],
    "functions": [
        {
            "name": "categorize",
            "parameters": {
                "type": "object",
                "properties": {"question": TEXT, "category": {"type": "string", "enum": ["old"]}},
                "required": ["question", "category"],
            },
        }
    ],
    "actions": {
        "categorize": {
            "type": "emit",
            "emit_method": "switch_session",
            "emit_data": {"message": "{question}", "agent": "{category}"},
        }
    },
    "sample": "How many yen is a dollar?",
}
SPACE: JsonObject = {
    "title": "Rockets",
    "prompt": ["Here is the schema:", "{resource}"],
    "resource": "./resources/schema.json",
    "functions": [
        {
            "name": "call_graphQL",
            "parameters": {
                "type": "object",
                "properties": {"query": TEXT, "variables": {"type": "object"}},
                "required": ["query"],
            },
        }
    ],
    "actions": {"call_graphQL": {"type": "graphQL", "url": "https://rockets.example.test/graphql"}},
}


def folder(root: Path, **manifests: JsonObject) -> Path:
    """Write manifests as `root/manifests/main/NAME.json`, and return that folder."""
    main = root / "manifests" / "main"
    main.mkdir(parents=True)
    for name, each in manifests.items():
        (main / f"{name}.json").write_text(json.dumps(each, ensure_ascii=False), "utf-8")
    return main


def resource(root: Path, name: str, content: Json) -> None:
    path = root / "resources" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
