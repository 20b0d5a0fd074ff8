"""Build the distribution, and use every extra of it in an empty environment: ``make dist``.

``python -m tests.dist --pythons 3.11 --extras base lab`` does less. Only wheels are installed, at
the versions of ``constraints.txt``, but for what has none and is plain Python: no compiler is
needed. Environments are outside the tree.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.dist_smoke import USES

ROOT = Path(__file__).parent.parent
MINORS = range(11, 15)
NO_WHEEL = "autograd-gamma"  # plain Python; lifelines, of the extra data, needs it


def candidates(minor: int) -> Iterator[str]:
    """Yield where a Python may be: on the path, and where pyenv puts it."""
    yield from filter(None, [shutil.which(f"python3.{minor}")])
    home = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from map(str, sorted(home.glob(f"versions/3.{minor}.*/bin/python")))


def pythons() -> dict[str, str]:
    """Return the interpreters that there are, by version."""
    found = {}
    for minor in MINORS:
        asked = "import sys; print('%d.%d' % sys.version_info[:2])"
        for place in candidates(minor):
            done = run(place, "-c", asked, check=False)
            if done.stdout.strip() == f"3.{minor}":
                found[f"3.{minor}"] = place
                break
    return found


def run(
    *words: str, check: bool = True, where: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command away from this tree; what it said is shown if it fails and that matters."""
    keep = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        check=False,
        cwd=where,
        env=keep,
        stdin=subprocess.DEVNULL,
    )
    if check and done.returncode:
        sys.exit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    return done


def built() -> Path:
    """Build the source distribution, and the wheel from that; return the wheel."""
    folder = ROOT / "dist"
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT))
    (wheel,) = folder.glob("*.whl")
    return wheel


def megabytes(site: Path) -> float:
    """Return how much was installed, without bytecode and what every environment starts with."""
    first = [
        part for part in site.iterdir() if part.name.split("-")[0] not in {"pip", "setuptools"}
    ]
    files = (file for part in first for file in ([part] if part.is_file() else part.rglob("*")))
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


def tried(python: str, wheel: Path, extra: str) -> tuple[float, str]:
    """Install an extra alone, and use it; return its size, and what went wrong."""
    with tempfile.TemporaryDirectory(prefix="hush-dist-", ignore_cleanup_errors=True) as folder:
        run(python, "-m", "venv", "env", where=folder)
        inside = Path(folder, "env", "Scripts" if os.name == "nt" else "bin", "python")
        wanted = str(wheel) if extra == "base" else f"{wheel}[{extra}]"
        options = ["--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
        options += ["--no-binary", NO_WHEEL]
        options.append("--no-compile")  # bytecode is made when it is needed
        pinned = ["--constraint", str(ROOT / "constraints.txt")]
        pip = [str(inside), "-m", "pip", "install", *options, *pinned, wanted]
        installed = run(*pip, check=False, where=folder)
        if installed.returncode:
            return 0.0, installed.stderr
        site = "import sysconfig; print(sysconfig.get_path('purelib'))"
        size = megabytes(Path(run(str(inside), "-c", site).stdout.strip()))
        shutil.copy(ROOT / "tests" / "dist_smoke.py", folder)
        done = run(str(inside), "dist_smoke.py", extra, check=False, where=folder)
        return size, done.stderr if done.returncode else ""


def main(words: Iterable[str] | None = None) -> int:
    """Print a table: Python, extra, installed size, whether it works."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pythons", nargs="+")
    parser.add_argument("--extras", nargs="+", default=list(USES), choices=list(USES))
    asked = parser.parse_args(words)
    there = pythons()
    wheel = built()
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB\n\n| Python | extra | MB | works |")
    print("|---|---|---|---|", flush=True)
    failed = []
    for version in asked.pythons or [f"3.{minor}" for minor in MINORS]:
        if version not in there:
            print(f"| {version} | | | not on this machine |", flush=True)
            continue
        for extra in asked.extras:
            size, wrong = tried(there[version], wheel, extra)
            print(f"| {version} | {extra} | {size:.0f} | {'no' if wrong else 'yes'} |", flush=True)
            failed += [f"\n{version} {extra}:\n{wrong}"] if wrong else []
    print(*failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
