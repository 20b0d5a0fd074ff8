"""What can be counted about the house: run ``python -m tests.house`` to see it, with the places.

Near-identical blocks: of every file under ``src`` the statements' lines are taken, without
docstrings, comments, imports and blank lines; white space is folded, numbers and strings count as
equal. Two places that share six or more such lines in a row are a pair, counted once for its whole
length; two files that share several runs count once, as the larger.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import defaultdict
from functools import cache
from itertools import combinations
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "hush"
LONGEST, MOST_PARAMETERS, SHARED = 300, 8, 6


def files(source: Path = SOURCE) -> list[Path]:
    """Return the files of the package, in order."""
    return sorted(source.rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    """Return a file's tree, which several counts walk through."""
    return ast.parse(path.read_text())


def long_files(source: Path = SOURCE) -> dict[str, int]:
    """Return the files over 300 lines."""
    sizes = {str(p.relative_to(source)): len(p.read_text().splitlines()) for p in files(source)}
    return {name: size for name, size in sizes.items() if size > LONGEST}


def wide_functions(source: Path = SOURCE) -> dict[str, int]:
    """Return the functions with more than eight parameters, ``self`` and ``cls`` not counted."""
    found = {}
    for path in files(source):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                given = node.args
                names = [a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
                count = len([name for name in names if name not in ("self", "cls")])
                if count > MOST_PARAMETERS:
                    found[f"{path.relative_to(source)}:{node.lineno} {node.name}"] = count
    return found


def inner_imports(source: Path = SOURCE) -> list[str]:
    """Return the imports of hush that stand inside functions."""
    found = []
    for path in files(source):
        tree = parsed(path)
        for outer in ast.walk(tree):
            if not isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            found += [
                f"{path.relative_to(source)}: {node.module}"
                for node in ast.walk(outer)
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hush")
            ]
    return sorted(set(found))


def family_switches(names: set[str], source: Path = SOURCE) -> list[str]:
    """Return the places outside the engines where code asks which family or class a policy is of.

    Looked for: ``isinstance`` or ``issubclass`` of one of these names, ``type(x) is Name``, and
    comparisons of ``kind`` or ``feedback`` with a text.
    """
    found = []
    for path in files(source):
        name = path.relative_to(source)
        if name.parts[:2] == ("simulation", "engines"):
            continue
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Call) and _called(node) in ("isinstance", "issubclass"):
                asked = {n.id for n in ast.walk(node.args[1]) if isinstance(n, ast.Name)}
                if asked & names:
                    found.append(f"{name}:{node.lineno}")
            elif isinstance(node, ast.Compare) and _compares(node, names):
                found.append(f"{name}:{node.lineno}")
    return found


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _compares(node: ast.Compare, names: set[str]) -> bool:
    sides = [node.left, *node.comparators]
    typed = any(isinstance(s, ast.Call) and _called(s) == "type" for s in sides)
    named = any(isinstance(s, ast.Name) and s.id in names for s in sides)
    told = any(isinstance(s, ast.Attribute) and s.attr in ("kind", "feedback") for s in sides)
    texts = any(isinstance(s, ast.Constant) and isinstance(s.value, str) for s in sides)
    policy = any("policy" in ast.unparse(s) or "cls" in ast.unparse(s) for s in sides)
    return (typed and named) or (told and texts and policy)


def code_lines(path: Path) -> list[tuple[int, str]]:
    """Return the lines that count, with their numbers, numbers and strings masked."""
    text = path.read_text()
    skipped: set[int] = set()
    for node in ast.walk(parsed(path)):
        plain = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if plain or isinstance(node, ast.Import | ast.ImportFrom):
            skipped |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    rows: dict[int, list[str]] = defaultdict(list)
    ignored = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in ignored or token.start[0] in skipped:
            continue
        masked = {tokenize.NUMBER: "0", tokenize.STRING: "''"}
        rows[token.start[0]].append(masked.get(token.type, token.string))
    lines = [(number, " ".join(parts)) for number, parts in sorted(rows.items())]
    return [(number, line) for number, line in lines if any(c.isalnum() for c in line)]


def near_copies(source: Path = SOURCE) -> list[str]:
    """Return the pairs of places that share six or more lines in a row."""
    lines = {path: code_lines(path) for path in files(source)}
    places: dict[tuple[str, ...], list[tuple[Path, int]]] = defaultdict(list)
    for path, rows in lines.items():
        for start in range(len(rows) - SHARED + 1):
            places[tuple(line for _, line in rows[start : start + SHARED])].append((path, start))
    runs: dict[tuple[Path, Path, int], list[int]] = defaultdict(list)
    for found in places.values():
        for (one, i), (two, j) in combinations(found, 2):
            if one != two or abs(i - j) >= SHARED:
                runs[one, two, j - i].append(i)
    longest: dict[tuple[Path, Path], tuple[int, int, int]] = {}
    for (one, two, shift), starts in runs.items():
        first = min(starts)
        size = SHARED + len(starts) - 1
        if size > longest.get((one, two), (0, 0, 0))[0]:
            longest[one, two] = (size, first, first + shift)
    return [
        f"{size} lines: {one.relative_to(source)}:{lines[one][i][0]} and "
        f"{two.relative_to(source)}:{lines[two][j][0]}"
        for (one, two), (size, i, j) in sorted(longest.items(), key=lambda item: -item[1][0])
    ]


def main(source: Path = SOURCE) -> None:
    """Print everything that is counted."""
    for title, found in (
        (f"files over {LONGEST} lines", [f"{n}: {s}" for n, s in long_files(source).items()]),
        (
            f"functions with more than {MOST_PARAMETERS} parameters",
            [f"{n}: {s}" for n, s in wide_functions(source).items()],
        ),
        ("imports of hush inside functions", inner_imports(source)),
        (f"pairs of places that share {SHARED} lines or more", near_copies(source)),
    ):
        print(f"{len(found)} {title}")  # noqa: T201
        for each in found:
            print(f"  {each}")  # noqa: T201


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
