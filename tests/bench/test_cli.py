"""`restwright-bench` in this process; what needs the shared data is marked."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from restwright_bench.cli import main
from restwright_bench.commands import seeds_of
from restwright_bench.errors import UnusableChoice
from restwright_bench.results import DATA

needs_data = [
    pytest.mark.corpus,
    pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data/restbench"),
]


@pytest.mark.parametrize(
    ("text", "seeds"), [("0-3", (0, 1, 2, 3)), ("7", (7,)), ("0,3,7-8,3", (0, 3, 7, 8))]
)
def test_seeds_are_numbers_and_ranges(text, seeds):
    assert seeds_of(text) == seeds


@pytest.mark.parametrize("text", ["", "x", "3-1", "1-", "-1"])
def test_other_seeds_are_refused(text):
    with pytest.raises(UnusableChoice, match="--seeds"):
        seeds_of(text)


@pytest.mark.parametrize("command", ["world", "run", "mutations", "fuzz", "board", "page"])
def test_every_command_explains_itself(command, capsys):
    assert main([command, "--help"]) == 0
    assert "Usage: restwright-bench" in capsys.readouterr().out


@pytest.mark.parametrize(
    "argv", [["run", "oracle"], ["run", "replay"], ["world"], ["mutations"], ["fuzz"]]
)
def test_a_folder_without_the_data_is_named_with_the_next_move(argv, tmp_path, capsys):
    assert main([*argv, "--data", str(tmp_path)]) == 1
    assert capsys.readouterr().err == (
        f"error: {tmp_path} does not hold specs/tmdb_oas.json; name the place by --data FOLDER\n"
    )


def test_an_api_that_there_is_not_is_told_of(capsys):
    assert main(["world", "--api", "films"]) == 1
    assert "there is tmdb and spotify, no films" in capsys.readouterr().err


class TestOverTheData:
    pytestmark = needs_data

    def test_a_port_that_is_taken_is_told_of(self, capsys):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = str(taken.getsockname()[1])
            assert main(["world", "--serve", "--port", port]) == 1
        assert capsys.readouterr().err.startswith(f"error: --port: {port} cannot be used")

    def test_a_policy_that_there_is_not_is_told_of(self, capsys):
        assert main(["run", "magic", "--api", "tmdb"]) == 1
        assert "no magic" in capsys.readouterr().err

    def test_the_oracle_reaches_success_on_every_query(self, tmp_path, capsys):
        result = tmp_path / "oracle.json"
        assert main(["run", "oracle", "--seeds", "0-9", "--out", str(result)]) == 0
        found = json.loads(result.read_text())
        for each in found["apis"].values():
            assert (each["summary"]["success"], each["failed"]) == (100.0, [])
        assert found["seconds"] < 120
        assert {"date", "machine", "python"} <= set(found)

    @pytest.mark.parametrize("policy", ["nothing", "wrong"])
    def test_who_does_nothing_or_the_wrong_thing_scores_nothing(self, policy, tmp_path):
        result = tmp_path / "result.json"
        assert main(["run", policy, "--seeds", "0,5", "--out", str(result)]) == 0
        found = json.loads(result.read_text())
        assert {each["summary"]["success"] for each in found["apis"].values()} == {0.0}

    def test_a_replay_scores_as_what_was_recorded(self, tmp_path):
        kept = ["--transcripts", str(tmp_path / "kept.jsonl"), "--every", "10"]
        first, again = tmp_path / "first.json", tmp_path / "again.json"
        assert main(["run", "lexical", *kept, "--out", str(first)]) == 0
        assert main(["run", "replay", *kept, "--out", str(again)]) == 0
        apis = [json.loads(each.read_text())["apis"] for each in (first, again)]
        assert apis[0] == apis[1]

    def test_the_world_is_served_until_it_is_interrupted(self):
        command = (sys.executable, "-m", "restwright_bench.cli", "world", "--serve", "--json")
        with subprocess.Popen(  # noqa: S603 - our own command
            command, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            text = ""
            while not text.endswith("}\n") or text.count("{") != text.count("}"):
                text += process.stdout.readline()
            told = json.loads(text)
            url = urlsplit(told["apis"]["tmdb"]["document"])
            connection = HTTPConnection(url.netloc)
            connection.request("GET", url.path)
            served = json.loads(connection.getresponse().read())
            connection.close()
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 0
        written = json.loads((DATA / "specs/tmdb_oas.json").read_text())
        assert served == {**written, "servers": [{"url": told["apis"]["tmdb"]["url"]}]}


def test_the_page_is_made_of_what_there_is(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    assert main(["page", "--results", str(tmp_path / "none"), "--to", str(tmp_path)]) == 0
    assert Path(capsys.readouterr().out.strip()).read_text().startswith("# Benchmarks\n")
