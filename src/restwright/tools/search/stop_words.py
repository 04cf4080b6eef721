"""The most common words of languages, which say nothing about what a text is about."""

from __future__ import annotations

from collections.abc import Mapping

DEFAULT_LANGUAGE = "english"
"""The language of a text where nothing tells another one."""

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


def is_stop_word(word: str, languages: frozenset[str]) -> bool:
    """Whether a word as `plain_words()` gives it says nothing in any of `languages`."""
    return any(word in STOP_WORDS.get(language, ()) for language in languages)
