"""
Measure the shape of packages: rooms, import cycles, and how things are named.

    python benchmarks/structure.py [FOLDER...]

Without folders: Restwright beside the libraries of its environment that it is compared with. The
figures inform the eye; no number of them is a limit.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

ANCHORS = ("httpx2", "starlette", "referencing", "pydantic_ai", "anyio", "authlib")
_PARTICIPLE = re.compile(
    r"[a-z]*(ed|wn)$|(told|said|held|kept|found|made|met|meant|sent|put|built|left|given|begun|taken)$"
)
_LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)
_VERBS_IN_ED = frozenset({"embed", "exceed", "need", "proceed", "read", "seed", "speed", "succeed"})


def modules_of(folder: Path) -> dict[str, Path]:
    """`{dotted name: file}` of the modules of a package."""
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_of(tree: ast.Module, name: str, path: Path, modules: dict[str, Path]) -> set[str]:
    """The modules of its own package that a module imports when it runs, local imports counted."""
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for statement in node.body
        for inner in ast.walk(statement)
    }
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1])
            module = node.module or ""
            whole = f"{base}.{module}".strip(".") if node.level else module
            for alias in node.names:
                inner = f"{whole}.{alias.name}"
                found.add(inner if inner in modules else whole)
    return {each for each in found if each in modules and each != name}


def reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    """What imports lead to."""
    found: set[str] = set()
    left = list(graph.get(start, ()))
    while left:
        if (node := left.pop()) not in found:
            found.add(node)
            left += graph.get(node, ())
    return found


def cycles(graph: dict[str, set[str]]) -> Iterator[list[str]]:
    """The groups whose members all lead to each other."""
    reach = {node: reachable(graph, node) for node in graph}
    groups = {
        tuple(sorted(other for other in reach[node] if node in reach.get(other, ())))
        for node in graph
        if node in reach[node]
    }
    yield from (list(group) for group in sorted(groups))


def room_cycles(modules: dict[str, Path], graph: dict[str, set[str]]) -> Iterator[str]:
    """The cycles between the children of each package."""
    for room in sorted(name for name, path in modules.items() if path.name == "__init__.py"):
        children: dict[str, set[str]] = defaultdict(set)
        for name, following in graph.items():
            for after in following:
                if name.startswith(f"{room}.") and after.startswith(f"{room}."):
                    one, other = (each[len(room) + 1 :].split(".")[0] for each in (name, after))
                    if one != other:
                        children[one].add(other)
        for component in cycles(children):
            yield f"{room}: {', '.join(component)}"


def measure(folder: Path) -> dict[str, object]:
    """The figures of one package."""
    modules = modules_of(folder)
    trees = {name: ast.parse(path.read_text("utf-8")) for name, path in modules.items()}
    graph = {name: imports_of(trees[name], name, modules[name], modules) for name in modules}
    sizes = Counter(path.parent for path in modules.values() if path.name != "__init__.py")
    homes: dict[str, set[str]] = defaultdict(set)
    lengths: list[int] = []
    names: list[str] = []
    loops: Counter[str] = Counter()
    for module, tree in trees.items():
        for node in definitions(tree.body):
            homes[node.name].add(module)
            names += [] if isinstance(node, ast.ClassDef) else [node.name.strip("_")]
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lengths.append((node.end_lineno or node.lineno) - node.body[0].lineno + 1)
            elif isinstance(node, _LOOPS) and isinstance(node.target, ast.Name):
                loops[node.target.id] += 1
    homes = {name: where for name, where in homes.items() if not name.startswith("_")}
    participles = list(filter(is_participle_first, names))
    commonest, times = loops.most_common(1)[0] if loops else ("", 0)
    several = sum(len(where) > 1 for where in homes.values())
    return {
        "modules": len(modules),
        "modules in the largest folder": max(sizes.values(), default=0),
        "modules in the median folder": statistics.median(sizes.values()) if sizes else 0,
        "cycles between children of a room": len(list(room_cycles(modules, graph))),
        "lines of a function, median": statistics.median(lengths) if lengths else 0,
        "functions named by one word": share(sum("_" not in each for each in names), len(names)),
        "functions named by a participle": share(len(participles), len(names)),
        "public names in several modules": share(several, len(homes)),
        "commonest loop variable": f"{commonest} {share(times, loops.total())}",
    }


def definitions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """The functions and classes at the top of a module."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    yield from (node for node in body if isinstance(node, kinds))


def is_participle_first(name: str) -> bool:
    """Whether a name begins with a participle, which says neither what acts nor on what."""
    first = name.split("_", maxsplit=1)[0]
    return bool(_PARTICIPLE.match(first)) and first not in _VERBS_IN_ED


def share(part: int, whole: int) -> str:
    """A part of a whole in percent."""
    return f"{100 * part / whole:.1f} %" if whole else "none"


def installed(name: str) -> Path | None:
    """The folder of a package of this environment; None where it is not there."""
    found = importlib.util.find_spec(name)
    return Path(found.origin).parent if found and found.origin else None


def main() -> None:
    """Print a table: a row a figure, a column a package."""
    here = Path(__file__).parents[1] / "src" / "restwright"
    given = [Path(each) for each in sys.argv[1:]]
    folders = given or [here, *filter(None, map(installed, ANCHORS))]
    tables = {folder.name: measure(folder) for folder in folders}
    print("| |", " | ".join(tables), "|")
    print("|---|", "---|" * len(tables), sep="")
    for row in next(iter(tables.values())):
        print(f"| {row} |", " | ".join(str(table[row]) for table in tables.values()), "|")
    modules = modules_of(folders[0])
    trees = {name: ast.parse(path.read_text("utf-8")) for name, path in modules.items()}
    graph = {name: imports_of(trees[name], name, modules[name], modules) for name in modules}
    for cycle in room_cycles(modules, graph):
        print(f"cycle in {cycle}")


if __name__ == "__main__":
    main()
