"""
What others have published for the twelve kinds, counted trial by trial from their records.

Their operations are others than ours, of the same kinds; their arguments were checked without
repair, six attempts a trial, and only the ids of the earlier results beside the schema.

Source: github.com/wrtnlabs/leaderboard, commit e05f8eed, reports of April and June 2025.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Anchor:
    """
    The trials of one model; counts.

    Args:
        first: Right in the first reply.
        final: Right in the end.
        attempts: Mean of those that were right.
        seconds: Mean of a trial.
    """

    model: str
    trials: int
    first: int
    final: int
    attempts: float
    seconds: float


ANCHORS = (
    Anchor("anthropic/claude-sonnet-4", 120, 119, 120, 1.008, 8.3),
    Anchor("openai/gpt-4.1", 120, 115, 119, 1.042, 10.9),
    Anchor("openai/gpt-4o-2024-11-20", 120, 113, 120, 1.058, 8.4),
    Anchor("anthropic/claude-3.7-sonnet", 120, 109, 110, 1.009, 14.6),
    Anchor("openai/gpt-4o-mini-2024-07-18", 120, 106, 110, 1.064, 10.5),
    Anchor("anthropic/claude-3.5-sonnet", 120, 105, 110, 1.045, 15.7),
    Anchor("openai/gpt-4o-2024-08-06", 120, 104, 120, 1.208, 6.6),
    Anchor("deepseek/deepseek-chat-v3-0324", 120, 103, 113, 1.115, 16.0),
    Anchor("openai/o3-mini-2025-01-31", 120, 101, 119, 1.218, 23.1),
    Anchor("anthropic/claude-opus-4", 120, 99, 105, 1.057, 18.3),
    Anchor("openai/gpt-4.1-mini", 120, 92, 118, 1.356, 7.8),
    Anchor("meta-llama/llama-4-scout", 120, 71, 82, 1.207, 10.1),
    Anchor("openai/gpt-4.1-nano", 120, 69, 72, 1.042, 22.7),
    Anchor("meta-llama/llama-4-maverick", 120, 62, 70, 1.129, 23.4),
    Anchor("mistralai/magistral-medium-2506", 120, 58, 58, 1.0, 14.2),
    Anchor("google/gemini-2.5-pro-preview-06-05", 120, 46, 68, 1.574, 79.1),
    Anchor("mistralai/magistral-small-2506", 120, 45, 45, 1.0, 24.8),
    Anchor("deepseek/deepseek-r1", 120, 26, 26, 1.0, 40.4),
)
"""Those models that were run on all twelve kinds, ten trials each."""


def anchors_table() -> str:
    """A row a model, as Markdown, in shares of its trials."""
    head = (
        "| Model | Trials | first | final | attempts | s |\n| --- | --- | --- | --- | --- | --- |"
    )
    rows = [
        f"| {each.model} | {each.trials} | {each.first / each.trials:.0%} | "
        f"{each.final / each.trials:.0%} | {each.attempts} | {each.seconds} |"
        for each in ANCHORS
    ]
    return "\n".join([head, *rows]) + "\n"
