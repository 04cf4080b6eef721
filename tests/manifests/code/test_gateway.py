"""What code of a manifest is allowed by name: files under the paths as written, and hosts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.support.manifests.stub import serving

from restwright.manifests.code import Module, ModuleSettings
from restwright.net.policy.hosts import AllowedHost

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps a network apart")

CODE = """
import socket, urllib.request

def read(path):
    return open(path).read()

def write(path, text):
    with open(path, "w") as file:
        file.write(text)
    return read(path)

def fetch(url):
    try:
        return urllib.request.urlopen(url, timeout=10).read().decode()
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.read().decode()}"

def connect(port):
    socket.create_connection(("127.0.0.1", port), timeout=5)
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "beside"
    place.mkdir()
    (place / "code.py").write_text(CODE, "utf-8")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "cars.csv").write_text("a,b\n", "utf-8")
    (tmp_path / "data" / "out.txt").write_text("old", "utf-8")
    monkeypatch.chdir(tmp_path)
    return place / "code.py"


def test_files_stand_under_the_paths_that_were_written(path: Path) -> None:
    settings = ModuleSettings(reads=(Path("data/cars.csv"),), writes=(Path("data/out.txt"),))
    with Module(path, ["read", "write"], settings) as module:
        if "files" not in (module.call("read", {"path": "code.py"}), module.protections)[1]:
            pytest.skip("nothing keeps code from files here")
        assert module.call("read", {"path": "./data/cars.csv"}).value == "a,b\n"
        assert module.call("read", {"path": str(Path("data/cars.csv").resolve())}).value == "a,b\n"
        assert module.call("write", {"path": "data/out.txt", "text": "new"}).value == "new"
        refused = module.call("write", {"path": "data/cars.csv", "text": "x"})
        assert "--allow-file PATH[:rw]" in refused.error or "Read-only" in refused.error
    assert Path("data/out.txt").read_text("utf-8") == "new"
    assert Path("data/cars.csv").read_text("utf-8") == "a,b\n"


def test_code_asks_the_hosts_that_are_named_and_no_others(path: Path) -> None:
    with serving(lambda asked: (200, f"{asked.method} {asked.path}")) as stub:
        port = int(stub.url.rpartition(":")[2])
        settings = ModuleSettings(hosts=(AllowedHost("127.0.0.1", port),))
        with Module(path, ["fetch", "connect"], settings) as module:
            first = module.call("fetch", {"url": f"{stub.url}/page?a=b"})
            if "own processes" not in module.protections:
                pytest.skip("there are no networks of their own here")
            assert first.value == "GET /page?a=b"
            other = module.call("fetch", {"url": "http://127.0.0.1:1/"}).value
            assert str(other).startswith("403 127.0.0.1:1 is no host that this code may ask")
            past = module.call("connect", {"port": port})
            assert "ConnectionRefused" in past.error
    assert [each.path for each in stub.received] == ["/page?a=b"]


@pytest.mark.parametrize("text", ["", "http://a.example", "a:b", "a:70000", "a b"])
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="HOST or HOST:PORT"):
        AllowedHost.parse(text)


def test_a_host_without_a_port_means_all_of_them() -> None:
    assert AllowedHost.parse("Example.com").allows("example.com", 443)
    assert not AllowedHost.parse("example.com:80").allows("example.com", 443)
    assert str(AllowedHost.parse("[::1]:80")) == "[::1]:80"
