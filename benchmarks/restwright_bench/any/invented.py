"""Names and words that no model can know: invented syllables."""

from __future__ import annotations

from random import Random

_ONSETS = ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "br", "dr", "tr")
_VOWELS = ("a", "e", "i", "o", "u", "au", "ei")
_CODAS = ("", "", "n", "r", "l", "s", "m", "k")


def invent_word(rng: Random, syllables: int = 3) -> str:
    """Draw one word in lower case, such as `trobelan`."""
    parts = [rng.choice(_ONSETS) + rng.choice(_VOWELS) for _ in range(syllables)]
    return "".join(parts) + rng.choice(_CODAS)


def invent_name(rng: Random, longest: int = 64) -> str:
    """Draw a name such as `Trobelan Sikau`, of at most `longest` characters."""
    name = f"{invent_word(rng).title()} {invent_word(rng, 2).title()}"
    return name if len(name) <= longest else name.replace(" ", "")[: max(longest, 1)]


def invent_slug(rng: Random, longest: int = 64) -> str:
    """Draw a name of lower-case letters, such as `trobelan-sikau`."""
    slug = f"{invent_word(rng)}-{invent_word(rng, 2)}"
    return slug if len(slug) <= longest else slug.replace("-", "")[: max(longest, 1)]


def invent_sentence(rng: Random, longest: int = 80) -> str:
    """Draw a sentence of invented words."""
    words = " ".join(invent_word(rng, 2) for _ in range(4))
    return (words.capitalize() + ".")[: max(longest, 1)]
