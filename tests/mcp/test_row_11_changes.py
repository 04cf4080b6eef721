"""Row 11: a document that changes is taken in, and clients are told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.client.subscriptions import ToolsListChanged
from tests.support.mcp.serving import Served, connected, serving, source_settings, until

from restwright.mcp.sources.sources import has_urls, list_files
from restwright.workspace.documents import load_apis
from restwright.workspace.lock import update_lock_file
from restwright.workspace.settings import DocumentSettings

OVERLAY = "overlay: 1.0.0\ninfo: {title: More, version: '1'}\nactions: "


def rename(path, name: str) -> None:
    document = json.loads(path.read_text())
    document["paths"]["/list"]["get"]["operationId"] = name
    path.write_text(json.dumps(document))


async def names(client: Any) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


def test_a_changed_document_is_told_of_to_listeners(api, tmp_path):
    path = api.write(tmp_path)
    served = serving(path, watch=True)

    async def run() -> list[str]:
        async with connected(served, "2026-07-28") as client:
            assert "tricky__listNodes" in await names(client)
            async with client.listen(tools_list_changed=True) as events:
                rename(path, "renamed")
                with anyio.fail_after(30):
                    async for event in events:
                        assert isinstance(event, ToolsListChanged)
                        break
            return await names(client)

    assert "tricky__renamed" in anyio.run(run)


def test_a_changed_document_is_told_of_to_sessions(api, tmp_path):
    path = api.write(tmp_path)
    served = serving(path, watch=True)
    changed = anyio.Event()

    async def notice(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            changed.set()

    async def run() -> list[str]:
        async with connected(served, "legacy", message_handler=notice) as client:
            await names(client)
            rename(path, "renamed")
            with anyio.fail_after(30):
                await changed.wait()
            return await names(client)

    assert "tricky__renamed" in anyio.run(run)


def watch_a_change(served: Served, change) -> tuple[list[str], list[str]]:
    async def run() -> tuple[list[str], list[str]]:
        async with connected(served, "2026-07-28") as client:
            change()
            await until(lambda: served.errors)
            return await names(client), served.errors

    return anyio.run(run)


def test_a_document_that_cannot_be_read_changes_nothing(api, tmp_path):
    path = api.write(tmp_path)
    served = serving(path, watch=True)
    after, errors = watch_a_change(served, lambda: path.write_text("{"))
    assert "tricky__listNodes" in after
    assert "a change is not taken in" in errors[0]


def test_what_drifted_from_its_lock_is_refused(api, tmp_path):
    path, lock = api.write(tmp_path), tmp_path / "tools.lock"
    settings = source_settings(path, lock=lock).catalog
    update_lock_file(load_apis([str(path)], settings.documents), settings)
    served = serving(path, watch=True, lock=lock, locked=True)

    def change() -> None:
        document = json.loads(path.read_text())
        del document["paths"]["/list"]
        path.write_text(json.dumps(document))

    after, errors = watch_a_change(served, change)
    assert "tricky__listNodes" in after
    assert "not taken in" in errors[-1]


def test_every_file_of_a_server_is_looked_at(api, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path, overlay = api.write(tmp_path), tmp_path / "more.yaml"
    changed = "[{target: $.info, update: {version: '2'}}]"
    overlay.write_text(f"{OVERLAY}{changed}\n")
    documents = DocumentSettings(overlay=[str(overlay)])
    settings = source_settings(path, documents=documents)
    assert list_files(settings) == (path, overlay, Path("restwright.lock"))


@pytest.mark.parametrize("which", ["overlay", "lock"])
def test_a_change_of_another_file_is_taken_in(api, tmp_path, which):
    path, overlay, lock = api.write(tmp_path), tmp_path / "more.yaml", tmp_path / "tools.lock"
    overlay.write_text(f"{OVERLAY}[{{target: $.info, update: {{version: '2'}}}}]\n")
    documents = DocumentSettings(overlay=[str(overlay)])
    settings = source_settings(path, lock=lock, documents=documents).catalog
    update_lock_file(load_apis([str(path)], settings.documents), settings)
    served = serving(path, watch=True, lock=lock, documents=documents)

    def change() -> None:
        if which == "overlay":
            removal = json.dumps([{"target": "$.paths['/list']", "remove": True}])
            overlay.write_text(f"{OVERLAY}{removal}\n")
        else:
            lock.write_text(lock.read_text().replace("listNodes", "renamed"))

    async def run() -> list[str]:
        async with connected(served, "2026-07-28") as client:
            assert "tricky__listNodes" in await names(client)
            async with client.listen(tools_list_changed=True) as events:
                change()
                with anyio.fail_after(30):
                    async for _ in events:
                        break
            return await names(client)

    assert "tricky__listNodes" not in anyio.run(run)


def serve_document(api, folder, name: str) -> None:
    """Have the API show its document, with an operation of this name."""
    path = api.write(folder)
    rename(path, name)
    api.fixed["/openapi.json"] = (200, "application/json", path.read_bytes())


def polled(api) -> int:
    return sum(request[1] == "/openapi.json" for request in api.seen)


def test_a_document_that_is_a_url_is_asked_for_again(api, tmp_path):
    serve_document(api, tmp_path, "first")
    served = serving(f"tricky={api.url}/openapi.json", poll_every_s=0.1)
    before = polled(api)

    async def run() -> list[str]:
        async with connected(served, "2026-07-28") as client:
            assert "tricky__first" in await names(client)
            async with client.listen(tools_list_changed=True) as events:
                serve_document(api, tmp_path, "second")
                with anyio.fail_after(30):
                    async for _ in events:
                        break
            return await names(client)

    assert "tricky__second" in anyio.run(run)
    assert polled(api) > before


def test_a_url_that_is_away_changes_nothing_and_is_told_of_once(api, tmp_path):
    serve_document(api, tmp_path, "first")
    served = serving(f"tricky={api.url}/openapi.json", poll_every_s=0.1)
    api.fixed["/openapi.json"] = (503, "text/plain", b"away")

    async def run() -> list[str]:
        async with connected(served, "2026-07-28") as client:
            before = polled(api)
            await until(lambda: polled(api) > before + 2)
            return await names(client)

    assert "tricky__first" in anyio.run(run)
    assert len(served.errors) == 1


def test_an_unchanged_url_changes_nothing(api, tmp_path):
    serve_document(api, tmp_path, "first")
    served = serving(f"tricky={api.url}/openapi.json", poll_every_s=0.1)
    provider: Any = served.built.providers.tools[0]
    first = provider.served()

    async def run() -> None:
        async with connected(served, "2026-07-28") as client:
            before = polled(api)
            await until(lambda: polled(api) > before + 2)
            await names(client)

    anyio.run(run)
    assert provider.served() is first
    assert has_urls(source_settings(f"tricky={api.url}/openapi.json"), first)
    assert not has_urls(source_settings(api.write(tmp_path)), first)
