"""The spellings in which a fact counts: names, places, numbers, stories, opinions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from restwright_bench.queries.query import Answered
from restwright_bench.queries.tmdb.reach import Spelled, named
from restwright_bench.tmdb import words
from restwright_bench.tmdb.rows import Image, Named, Pictured, Review

_UNITS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
MOST_COUNTED = 99


def names(rows: Sequence[Pictured | Named]) -> list[Spelled]:
    """The names of rows, each a fact."""
    return [(named(each),) for each in rows]


def distinct(rows: Iterable[Pictured]) -> list[str]:
    """Names that stand in no sentence unless they are meant: `Friends` is left out."""
    return [named(each) for each in rows if " " in named(each)]


def pictured(images: Sequence[Image]) -> list[Spelled]:
    """The paths of pictures."""
    return [(each.path,) for each in images]


def placed(place: str) -> Spelled:
    """A place: whole, or the town alone."""
    return (place, place.partition(",")[0])


def linked(url: str) -> Spelled:
    """An address, with or without what browsers leave out."""
    bare = url.removeprefix("https://")
    return (url, bare, bare.removeprefix("www."))


def reviewed(reviews: Sequence[Review]) -> list[Spelled]:
    """Reviews: what they say, whole or up to the last sentence, by whom, or where to read it."""
    return [
        (each.content, each.content.rpartition(". ")[0], each.author, each.url) for each in reviews
    ]


def retold(story: str) -> list[Spelled]:
    """What must be left of a story when it is told in other words: who, and from where."""
    who = [each for each in words.PROFESSIONS if story.startswith(f"A {each} from ")]
    where = [placed(each)[1] for each in words.CITIES if f" from {placed(each)[1]} " in story]
    return [(each,) for each in (*who, *where)]


def numbered(number: int) -> Spelled:
    """A number in digits and words."""
    if number < len(_UNITS):
        return (str(number), _UNITS[number])
    tens, unit = divmod(number, 10)
    if number > MOST_COUNTED:
        return (str(number),)
    return (str(number), f"{_TENS[tens - 2]} {_UNITS[unit]}" if unit else _TENS[tens - 2])


def counted(number: int, *nouns: str, after: Sequence[str] = ()) -> Answered:
    """
    How many there are. An answer that lists them as well has other numbers in it, so only one
    that names another number of the same things is refused.

    Args:
        after: What a wrong number would stand behind, such as `directed`.
    """
    others = [each for each in range(MOST_COUNTED + 1) if each != number]
    wrong = [f"{said} {noun}" for each in others for said in numbered(each) for noun in nouns]
    # `one` and such stand behind a verb without being a count.
    wrong += [f"{verb} {each}" for each in others for verb in after]
    right = {f"{said} {noun}" for said in numbered(number) for noun in nouns}
    return Answered(
        all_of=(numbered(number),),
        none_of=tuple(each for each in wrong if not any(each in one for one in right)),
    )


def rated(vote: float) -> Spelled:
    """A rating, with the digits that it has or fewer."""
    return (str(vote), f"{vote:.2f}", f"{vote:.1f}")


def chosen(
    winner: Spelled,
    loser: Spelled,
    *,
    better: Spelled,
    worse: Spelled,
    than: Spelled,
    evidence: Spelled,
    beside: Spelled,
) -> Answered:
    """
    Which of two it is: named alone, or beside the other with what tells them apart.

    Args:
        better: What is said of the winner, such as `is older`; `worse` of the other.
        than: What is said before the other, such as `older than`.
        evidence: A value that only the winner has.
        beside: What an answer says that names the other as well.
    """
    says = tuple((f"{name} {each}",) for name in winner for each in better)
    return Answered(
        all_of=(winner,),
        none_of=(
            *(f"{name} {each}" for name in loser for each in better),
            *(f"{name} {each}" for name in winner for each in worse),
            *(
                f"{each} {name}"
                for name in winner
                for each in than
                if not any(other.startswith(name) for other in loser)
            ),
        ),
        one_of=(Answered(none_of=beside), Answered(any_of=(*says, evidence))),
    )


_UNABLE = (
    *("unable", "could not determine", "couldn't determine", "cannot", "can't", "not sure"),
    *("could not find an answer", "could not find any", "do not know", "don't know"),
    *("no information", "no result", "no results", "no data", "unknown"),
)


def agreed(*, is_so: bool, said: Spelled, denied: Spelled) -> Answered:
    """
    Yes or no.

    Args:
        said: What says yes without that word; `denied` what says no.
    """
    if is_so:
        return Answered(all_of=(("yes", *said),), none_of=("no", *denied, *_UNABLE))
    return Answered(all_of=(("no", *denied),), none_of=("yes", *_UNABLE))
