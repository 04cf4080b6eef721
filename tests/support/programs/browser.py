"""A module of a manifest that reads web pages, as SlashGPT's article describes one."""

from __future__ import annotations

import urllib.request
from html.parser import HTMLParser


class Texts(HTMLParser):
    """Gathers what is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._hidden += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._hidden and data.strip():
            self.parts.append(data.strip())


def fetch(url: str) -> tuple[dict[str, str], None]:
    with urllib.request.urlopen(url, timeout=10) as response:  # noqa: S310 - the user allowed it
        page = response.read(1_000_000).decode(errors="replace")
    texts = Texts()
    texts.feed(page)
    return {"result": "success", "text": "\n".join(texts.parts)}, None
