"""Every Python example of the README and the docs: as scripts, and past ``mypy --strict``.

``python -m tests.check_examples`` type-checks them all in one process; ``make check`` calls it.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# Names that an example leaves to its reader.
PRELUDE = "import hush\n\nsave, reward, MyPolicy = print, 1, hush.LazyDPTS\n"


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)


def script(page):
    """Return all examples of a page, one after the other: later ones may use names of earlier."""
    parts = [PRELUDE]
    for block in blocks(page, "python"):
        if "if learner.update(arm, reward)" in block:
            parts.append("arm = learner.select()\n")
        parts.append(block)
    return "\n".join(parts)


def type_check(pages, folder):
    """Run ``mypy --strict`` over the examples of all pages in one process; return its result."""
    files = []
    for page in pages:
        if blocks(page, "python"):
            files.append(Path(folder) / f"example_{page.stem.lower()}.py")
            files[-1].write_text(script(page))
    command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "--strict"]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    return subprocess.run(
        [*command, *map(str, files)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def main():
    with tempfile.TemporaryDirectory() as folder:
        done = type_check(PAGES, folder)
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
