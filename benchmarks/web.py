"""
Measures the page in the browser; writes results/web.json.

    python benchmarks/web.py [DOCUMENT]

- start: from the command to its address and to the first page, of the demo and of a document whose
  index is on disk, and time of the processor. Modules are compiled, as after an installation.
- words: from the model's first word to the text of the page in Debian's Chromium, where the stream
  waits for it and where the model answers at once.
"""

from __future__ import annotations

import http.client
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.support.browser import open_browser, serve_site  # noqa: E402
from tests.support.web_chat import LOOK, TalkingModel, open_chat  # noqa: E402

from restwright.agents.steps import Complete, Completion  # noqa: E402
from restwright.demo.server import running  # noqa: E402

GITHUB = ROOT.parent / "shared" / "data" / "specs" / "github__v3.json"
RESULTS = Path(__file__).parent / "results" / "web.json"
STARTS, MESSAGES = 5, 8
WATCH = """
window.seen = {};
document.addEventListener('DOMContentLoaded', () => {
  const look = () => document.querySelectorAll('.answer').forEach((answer) => {
    if (answer.textContent.includes('The')) window.seen[answer.id] ??= Date.now();
  });
  new MutationObserver(look).observe(document.body, {childList: true, subtree: true});
});
"""


@dataclass(slots=True)
class TimedModel(TalkingModel):
    """A model that notes when its first word was said."""

    before_s: float = 0.0
    first: list[float] = field(default_factory=list[float])

    def stream(
        self, request: Complete, *, deadline_s: float, tell: Callable[[str], None]
    ) -> Completion:
        """Wait, then say it piece by piece."""
        time.sleep(self.before_s)
        self.first.append(time.time())
        return TalkingModel.stream(self, request, deadline_s=deadline_s, tell=tell)


def measure_start(arguments: tuple[str, ...], environment: Mapping[str, str]) -> tuple[float, ...]:
    """Milliseconds to the address, to the first page, and of the processor until then."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "restwright", *arguments]
    with Popen(command, env=environment, stdout=PIPE, stderr=DEVNULL, text=True) as started:
        assert started.stdout is not None
        line: str = started.stdout.readline()
        address = urlsplit(line.strip())
        said = time.perf_counter() - began
        connection = http.client.HTTPConnection(address.netloc)
        connection.request("GET", f"/?{address.query}")
        answered = connection.getresponse()
        answered.read()
        cookie = (answered.getheader("set-cookie") or "").partition(";")[0]
        connection.request("GET", "/", headers={"cookie": cookie})
        assert connection.getresponse().status == 200
        shown = time.perf_counter() - began
        numbers = Path(f"/proc/{started.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        processor = (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")
        started.terminate()
    return said * 1000, shown * 1000, processor * 1000


def measure_starts(document: Path, folder: str) -> dict[str, Any]:
    """The least and the middle of each command, one after another in turns."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    places = ("PYTHONPYCACHEPREFIX", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")
    environment = kept | {name: f"{folder}/{name}" for name in places}
    commands: dict[str, tuple[str, ...]] = {"demo --web": ("demo", "--web")}
    if document.is_file():
        commands[f"web {document.name}"] = ("web", str(document))
    taken: dict[str, list[tuple[float, ...]]] = {name: [] for name in commands}
    for turn in range(STARTS + 1):
        for name, arguments in commands.items():
            found = measure_start(arguments, environment)
            if turn:
                taken[name].append(found)
    names = ("address_ms", "page_ms", "cpu_ms")
    return {
        name: {
            key: {"least": round(min(values)), "middle": round(statistics.median(values))}
            for key, values in zip(names, zip(*runs, strict=True), strict=True)
        }
        for name, runs in taken.items()
    }


def measure_words(folder: str) -> dict[str, list[int]]:
    """Milliseconds from the model's first word to the page, of each message of a chat."""
    model = TimedModel(pause_s=0.02)
    found: dict[str, list[int]] = {}
    with (
        running() as shop,
        open_chat(shop, Path(folder), model) as place,
        serve_site(place.site) as address,
        open_browser() as browser,
    ):
        page = browser.new_page()
        page.add_init_script(WATCH)
        page.goto(address)
        for name, model.before_s in (("stream waits", 0.5), ("model answers at once", 0.0)):
            page.goto(f"{address.partition('?')[0]}chat")
            found[name] = []
            for number in range(1, MESSAGES + 1):
                model.first.clear()
                page.locator("#text").fill(LOOK)
                page.locator("#text").press("Enter")
                ended = page.locator(f"#state-t{number}").filter(has_text="Answered")
                ended.wait_for(timeout=120_000)
                seen = page.evaluate(f"window.seen['answer-t{number}']")
                found[name].append(round(seen - model.first[0] * 1000))
    return found


def main() -> None:
    """Measure, print, and write what was found."""
    document = Path(sys.argv[1]) if len(sys.argv) > 1 else GITHUB
    with tempfile.TemporaryDirectory() as folder:
        starts = measure_starts(document, folder)
        words = measure_words(folder)
    told = {"python": platform.python_version(), "start": starts, "words_ms": words}
    text = json.dumps(told, indent=2)
    print(text)
    RESULTS.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
