"""What path templates say about each other."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

_PLACEHOLDER = re.compile(r"\{[^{}/]*\}")
# `/ships.json` and `/ships/{id}.json` say in which form, and not of what.
_FORM = re.compile(r"\.(?:json|xml|ya?ml|csv)$", re.IGNORECASE)


@lru_cache(maxsize=4096)
def last_static_segment(path: str) -> str:
    """The last segment without a placeholder: `issues` of `/repos/{repo}/issues/{number}`."""
    static = [part for part in _FORM.sub("", path).split("/") if part and "{" not in part]
    return static[-1] if static else ""


def collection_path(path: str, name: str) -> str:
    """The path up to the placeholder `name`: where what it names can be listed."""
    return path.partition("{" + name + "}")[0].rstrip("/")


def path_shape(path: str) -> str:
    """A path template without the names of its placeholders and its form: `/ships/{}`."""
    return _PLACEHOLDER.sub("{}", _FORM.sub("", path)).rstrip("/")


def is_same_path(one: str, other: str) -> bool:
    """Whether two path templates differ in nothing but the names of their placeholders."""
    return path_shape(one) == path_shape(other)


def is_path_prefix(one: str, other: str) -> bool:
    """Whether a path template is the beginning of another: `/cart` of `/cart/items`."""
    start = path_shape(one)
    return bool(start) and _PLACEHOLDER.sub("{}", other).startswith(f"{start}/")


def is_of_thing(path: str) -> bool:
    """Whether a path template ends with what identifies one thing."""
    return path_shape(path).endswith("}")


def is_path_end(path: str, name: str) -> bool:
    """Whether a path template ends with a placeholder."""
    return _FORM.sub("", path).rstrip("/").endswith(f"{{{name}}}")


def find_collections(paths: Iterable[str]) -> frozenset[str]:
    """Segments that a placeholder follows somewhere: `products` of `/products/{id}`."""
    return frozenset(
        segment
        for path in paths
        for segment, following in pairwise(path.split("/"))
        if following.startswith("{")
    )
