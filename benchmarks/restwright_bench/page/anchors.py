"""What others have published of RestBench, each with its setting: figures and names of sources."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """
    A method on RestBench; shares in percent, None for what is not told.

    Args:
        model: Empty for the baselines of RestGPT's authors, which share its executor.
        tmdb: Success and correct path; `spotify` likewise.
        apart: Why the figures cannot be set beside ours; empty where they can, as far as two
            worlds can be compared.
        extra: Calls more than the published path, of TMDB and of Spotify.
    """

    method: str
    source: str
    model: str = ""
    tmdb: tuple[float | None, float | None] = (None, None)
    spotify: tuple[float | None, float | None] = (None, None)
    apart: str = ""
    extra: tuple[float | None, float | None] = (None, None)


RESTGPT = "RestGPT (2306.06624v2), table 4"
CHAIN = "Chain of Tools (2405.16533v1)"
DRAFT = "DRAFT (2410.08197)"
CODER = "ToolCoder (2502.11404)"
DEEP = "DeepAgent (2510.21618)"
LIVE = "live services, judged by people"
OF_20 = "20 candidate operations are given, the right ones among them"
OF_5 = "5 candidates are given; a path is right in any order"
ENDPOINTS = "success is that each operation of the path was used or looked up; answers are not read"

# GPT-3.5 stands for gpt-3.5-turbo-0301 in the rows of RestGPT.
PLANNED: tuple[Planned, ...] = (
    Planned(
        method="Offline planning",
        source=RESTGPT,
        tmdb=(29.0, 33.0),
        spotify=(14.5, 36.4),
        extra=(1.52, 1.10),
    ),
    Planned(
        method="DEPS",
        source=RESTGPT,
        tmdb=(38.0, 43.0),
        spotify=(19.3, 43.8),
        extra=(1.20, 1.74),
    ),
    Planned(
        method="ReAct",
        source=RESTGPT,
        tmdb=(44.0, 57.0),
        spotify=(54.5, 49.1),
        extra=(0.76, 0.31),
    ),
    Planned(
        method="Reflexion",
        source=RESTGPT,
        tmdb=(52.0, 59.0),
        spotify=(59.6, 61.4),
        extra=(1.37, 1.68),
    ),
    Planned(
        method="RestGPT",
        model="text-davinci-003",
        source=RESTGPT,
        tmdb=(75.0, 79.0),
        spotify=(72.7, 74.5),
        extra=(0.55, 0.25),
    ),
    Planned(
        method="RestGPT",
        model="GPT-3.5",
        source=RESTGPT,
        tmdb=(68.0, 65.0),
        spotify=(69.1, 72.3),
        extra=(0.72, 0.28),
    ),
    Planned(
        method="RestGPT",
        model="Vicuna-13B-v1.5",
        source=RESTGPT,
        tmdb=(9.0, 15.0),
        spotify=(12.7, 20.6),
        extra=(1.21, 1.52),
    ),
    Planned(
        method="RestGPT",
        model="Llama2-13B-chat",
        source=RESTGPT,
        tmdb=(0.0, 0.0),
        spotify=(0.0, 0.0),
    ),
    Planned(
        method="RestGPT",
        model="GPT-3.5",
        source=CHAIN,
        tmdb=(65.0, 77.5),
        spotify=(64.9, 73.9),
        apart=OF_20,
    ),
    Planned(
        method="ATC",
        model="GPT-3.5",
        source=CHAIN,
        tmdb=(89.0, 84.7),
        spotify=(79.0, 78.5),
        apart=OF_20,
    ),
    Planned(method="ATC", model="GPT-4-turbo", source=CHAIN, tmdb=(94.0, 92.7), apart=OF_20),
    Planned(method="ATC", model="Mixtral-8x7B", source=CHAIN, tmdb=(58.0, 78.2), apart=OF_20),
    Planned(
        method="DRAFT",
        model="GPT-4o",
        source=DRAFT,
        tmdb=(None, 88.0),
        spotify=(None, 70.2),
        apart=OF_5,
    ),
    Planned(method="DRAFT", model="GPT-4o-mini", source=DRAFT, tmdb=(None, 62.0), apart=OF_5),
    Planned(
        method="ToolCoder",
        model="GPT-4o-mini",
        source=CODER,
        tmdb=(85.0, 83.0),
        spotify=(87.7, None),
        apart="live services, judged by a model",
    ),
    Planned(
        method="DeepAgent, all operations",
        model="RL-32B",
        source=DEEP,
        tmdb=(55.0, 74.3),
        spotify=(50.9, 74.4),
        apart=ENDPOINTS,
    ),
    Planned(
        method="DeepAgent, right operations",
        model="RL-32B",
        source=DEEP,
        tmdb=(89.0, 94.8),
        spotify=(75.4, 92.0),
        apart=ENDPOINTS,
    ),
    Planned(
        method="ReAct, all operations",
        model="GPT-4o",
        source=DEEP,
        tmdb=(35.0, 56.8),
        spotify=(17.5, 26.3),
        apart=ENDPOINTS,
    ),
)
