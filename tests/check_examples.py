"""Every Python example of the README, the docs and the notebooks: as scripts, past ``mypy``.

``python -m tests.check_examples`` type-checks them all in one process; ``make check`` calls it.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NOTEBOOKS = sorted((ROOT / "docs" / "tutorials").glob("*.ipynb"))
# Names that an example leaves to its reader.
PRELUDE = "import hush\n\nsave, reward, MyPolicy = print, 1, hush.LazyDPTS\n"


def blocks(page, language):
    if page.suffix == ".ipynb":
        cells = json.loads(page.read_text())["cells"]
        return ["".join(cell["source"]) + "\n" for cell in cells if cell["cell_type"] == "code"]
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
            name = "_".join(["example", *page.parts[-2:-1], page.stem]).lower()
            files.append(Path(folder) / f"{name}.py")
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
        done = type_check([*PAGES, *NOTEBOOKS], folder)
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
