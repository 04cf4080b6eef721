"""Which language a document is written in, told by its letters and its most common words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

DEFAULT = "english"
_SAMPLE = 20_000
_MIN_COMMON = 3

# The names are those of the Snowball stemmers.
STOP_WORDS: Mapping[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        "english": "a an and are as at be been by can could did do does for from had has have how "
        "i if in into is it its may me my of on only or our please s should so some than that "
        "the their them then there these this those to us was we were what when where which "
        "while who whom whose why will with would you your",
        "french": "a ai au aux avec ce ces cette d dans de des du elle en est et etre il ils j je "
        "l la le les leur lui ma mais me mes moi mon n ne nos notre nous on ou par pas pour qu "
        "que quel quelle quelles quels qui s sa se ses son sont sur ta te tes toi ton tous tout "
        "toutes tu un une vos votre vous y",
        "german": "aber alle allen alles als am an auch auf aus bei bin bis da das dass dem den "
        "der des die dies diese dieser du ein eine einem einen einer eines er es fur gibt hat "
        "ich ihm ihr ihre im in ist ja kann mein meine mich mir mit nach nicht noch nur oder "
        "sein seine sich sie sind uber um und uns von vor war was welche welcher welches wenn "
        "wer wie wird wo zu zum zur",
        "spanish": "a al como con cual cuales cuando de del desde donde el ella en entre es esta "
        "este esto estos fue ha hay la las le lo los mas me mi mis muy no nos o para pero por "
        "que quien se ser si sin sobre son su sus te tu un una unas uno unos y ya yo",
        "italian": "a ad al alla alle anche che chi ci come con cosa da dal dalla dei del della "
        "delle di dove e ed gli i il in io la le lo ma mi mia mio nel nella non o per piu quale "
        "quali quando questa questo se si sono su sua suo sul tra tu tutti un una uno",
        "portuguese": "a ao aos as com como da das de do dos e ela ele em entre essa esse esta "
        "este eu foi mais mas me meu minha na nao nas no nos o os ou para pela pelo por qual "
        "quais quando que quem se sem ser seu sua sao sobre tem um uma",
        "dutch": "aan al als bij dan dat de deze die dit door een en er het hij hoe ik in is je "
        "kan maar me met mijn naar niet nog nu of om onze ook op over te tot uit van voor waar "
        "wat we welke wie wordt ze zich zijn zij",
        "swedish": "alla att av de den det dig din du efter ej eller en er ett for fran han har "
        "hur i inte jag kan man med mig min mot nar och om pa sa sin som till ut vad var vi vid",
    }.items()
}
_SCRIPTS: Mapping[str, re.Pattern[str]] = {
    "japanese": re.compile(r"[\u3040-\u30ff]"),
    "chinese": re.compile(r"[\u3400-\u9fff]"),
    "korean": re.compile(r"[\uac00-\ud7af]"),
    "russian": re.compile(r"[\u0400-\u04ff]"),
    "greek": re.compile(r"[\u0370-\u03ff]"),
    "arabic": re.compile(r"[\u0600-\u06ff]"),
    "hindi": re.compile(r"[\u0900-\u097f]"),
}
_CODES: Mapping[str, str] = {
    "en": "english", "fr": "french", "de": "german", "es": "spanish", "it": "italian",
    "pt": "portuguese", "nl": "dutch", "sv": "swedish", "ja": "japanese", "zh": "chinese",
    "ko": "korean", "ru": "russian", "el": "greek", "ar": "arabic", "hi": "hindi",
    "da": "danish", "no": "norwegian", "fi": "finnish", "tr": "turkish", "hu": "hungarian",
    "ro": "romanian", "pl": "polish", "cs": "czech", "id": "indonesian",
}  # fmt: skip


def language_named(name: str) -> str | None:
    """The language of a tag or a name (`fr`, `fr-CH`, `French`); None for one that is unknown."""
    code = name.strip().lower()
    if code in _CODES.values():
        return code
    return _CODES.get(re.split(r"[-_]", code)[0])


def language_of(texts: Iterable[str]) -> str:
    """
    The language that most of `texts` are in; English where nothing tells.

    Only the beginning of them is read, as far as it takes.
    """
    sample = _beginning(texts)
    letters = sum(map(str.isalpha, sample))
    for name, script in _SCRIPTS.items():
        # An English document may name a few words of another script.
        if len(script.findall(sample)) * 5 > letters:
            return name
    from restwright.tools.search.analysis import plain_words

    found = Counter(plain_words(sample))
    common = {
        name: sum(found[word] for word in words if len(word) > 1)
        for name, words in STOP_WORDS.items()
    }
    best = max(common, key=lambda name: (common[name], name == DEFAULT))
    return best if common[best] >= _MIN_COMMON else DEFAULT


def _beginning(texts: Iterable[str]) -> str:
    parts: list[str] = []
    size = 0
    for text in texts:
        parts.append(text[:500])
        size += len(parts[-1])
        if size >= _SAMPLE:
            break
    return " ".join(parts)
