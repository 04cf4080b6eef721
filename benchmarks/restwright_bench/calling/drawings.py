"""Tasks for the plotter: figures of several kinds, named and unnamed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from restwright.jsontypes import Json, JsonObject
from restwright_bench.calling.criteria import Unordered, meant
from restwright_bench.calling.task import Task

Figure = tuple[str, JsonObject, JsonObject]
"""In words, with its kind, and without."""


def named(draw: Random) -> Task:
    """Figures that say what they are."""
    return _sheet(draw, 1)


def unnamed(draw: Random) -> Task:
    """Figures told by their properties alone."""
    return _sheet(draw, 2)


def _sheet(draw: Random, form: int) -> Task:
    kinds = [*FIGURES, *draw.choices(("dot", "disc"), k=2)]
    draw.shuffle(kinds)
    drawn = [FIGURES[kind](draw) for kind in kinds]
    file = f"{draw.choice(('harbour', 'garden', 'stage'))}-{draw.randrange(10, 99)}.svg"
    figures: list[Json] = [each[form] for each in drawn]
    lines = "\n".join(f"- {each[0]}" for each in drawn)
    text = f"Plot this into the file {file}, {len(drawn)} figures in all:\n{lines}"
    return Task(
        text=text,
        reference={"file": file, "figures": figures},
        means=meant({"file": file, "figures": Unordered(figures)}),
    )


def _point(draw: Random) -> JsonObject:
    return {"x": draw.randrange(-50, 51), "y": draw.randrange(-50, 51)}


def _said(point: JsonObject) -> str:
    return f"({point['x']}, {point['y']})"


def _dot(draw: Random) -> Figure:
    at = _point(draw)
    return f"a dot at {_said(at)}", {"kind": "dot", "at": at}, at


def _segment(draw: Random) -> Figure:
    ends = {"start": _point(draw), "end": _point(draw)}
    words = f"a segment from {_said(ends['start'])} to {_said(ends['end'])}"
    return words, {"kind": "segment", **ends}, ends


def _disc(draw: Random) -> Figure:
    center, size = _point(draw), {"radius": draw.randrange(1, 20)}
    words = f"a disc of radius {size['radius']} around {_said(center)}"
    return words, {"kind": "disc", "center": center, **size}, {**center, **size}


def _triangle(draw: Random) -> Figure:
    corners = {name: _point(draw) for name in "abc"}
    words = "a triangle with the corners " + ", ".join(map(_said, corners.values()))
    return words, {"kind": "triangle", **corners}, corners


def _box(draw: Random) -> Figure:
    corner = _point(draw)
    size = {"width": draw.randrange(2, 30), "height": draw.randrange(2, 30)}
    words = f"a box with its corner at {_said(corner)}, {size['width']} wide, {size['height']} high"
    return words, {"kind": "box", "corner": corner, **size}, {**corner, **size}


def _trail(draw: Random) -> Figure:
    points = {"points": [_point(draw) for _ in range(4)]}
    words = "a trail through " + ", ".join(map(_said, points["points"]))
    return words, {"kind": "trail", **points}, points


def _area(draw: Random) -> Figure:
    border = [{"x": x, "y": y} for x, y in ((-90, -90), (90, -90), (90, 90), (-90, 90))]
    left, low = draw.randrange(-80, 70), draw.randrange(-80, 70)
    hole = [{"x": left + x, "y": low + y} for x, y in ((0, 0), (5, 0), (0, 5))]
    area = {"border": border, "holes": [hole]}
    words = (
        f"an area with the border {', '.join(map(_said, border))} "
        f"and one hole {', '.join(map(_said, hole))}"
    )
    return words, {"kind": "area", **area}, area


FIGURES: Mapping[str, Callable[[Random], Figure]] = {
    "dot": _dot,
    "segment": _segment,
    "disc": _disc,
    "triangle": _triangle,
    "box": _box,
    "trail": _trail,
    "area": _area,
}
