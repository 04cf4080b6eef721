"""An agent of a manifest that greets, and another one that it hands over to."""

from __future__ import annotations

from pathlib import Path

from tests.support.manifests.stub import calling, saying

from restwright.testing import Reply

DESK = """\
title: Desk
prompt: Be brief.
agent: calling
functions:
  - name: greet
    description: Greet somebody.
    parameters: {type: object, properties: {who: {type: string}}, required: [who]}
actions:
  greet: {type: message_template, message: 'Hello {who}.'}
agents:
  billing: billing.yaml
samples:
  - name: hello
    text: Greet Ana.
"""
HELLO: list[Reply] = [calling("greet", {"who": "Ana"}), saying("Hello Ana.")]


def write_desk(folder: Path) -> Path:
    """Write both manifests; gives the first."""
    path = folder / "desk.yaml"
    path.write_text(DESK, "utf-8")
    (folder / "billing.yaml").write_text("title: Billing\nprompt: Bills.\n", "utf-8")
    return path
