"""What MkDocs calls to make the documentation site of the README, the docs and the notebooks."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

from research.notebooks import markdown, ran
from research.pages import ROOT
from research.reference import faults

__all__ = ["PAGES", "linked", "on_config", "on_files", "on_page_markdown"]

# Pages of the repository's first folder, by their place on the site.
PAGES = {
    "index.md": "README.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "CODE_OF_CONDUCT.md": "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "SECURITY.md": "SECURITY.md",
    "CITATION.cff": "CITATION.cff",
}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Refuse to build where a public name is undocumented."""
    if found := faults():
        raise PluginError("\n".join(found))
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not files of docs: those of the first folder, and notebooks, run."""
    for place, name in PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, place, content=text))
    notebooks = [file for file in files if file.src_uri.endswith(".ipynb")]
    paths = [Path(str(file.abs_src_path)) for file in notebooks]
    with ThreadPoolExecutor(2) as pool:  # each has a process of its own
        pages = list(pool.map(_page, paths, [path.stat().st_mtime_ns for path in paths]))
    for file, (text, pictures) in zip(notebooks, pages, strict=True):
        place = file.src_uri.removesuffix(".ipynb")
        files.append(File.generated(config, f"{place}.md", content=text))
        for name, picture in pictures.items():
            where = f"{place.rpartition('/')[0]}/{name}"
            files.append(File.generated(config, where, content=picture))
    return files


def on_page_markdown(text: str, **_: object) -> str:
    """Let links lead to the pages of the site."""
    return linked(text)


@cache
def _page(path: Path, changed: int) -> tuple[str, dict[str, str]]:  # noqa: ARG001  for the cache
    """Run a notebook, once until it changes: `mkdocs serve` builds again after each change."""
    text, pictures = markdown(ran(path), path.stem)
    title, _, rest = text.partition("\n")
    # HTML: it leads to the file, where a link in Markdown would lead to its page.
    file = f'<a href="../{path.name}" download>Download this page as a notebook</a>'
    told = f"{file}, and run it yourself."
    return f"{title}\n\n{told}\n{rest}", pictures


def linked(text: str) -> str:
    """Return text whose links, which are right in the repository, are right on the site.

    >>> linked("[a](docs/live.md#speed), [b](docs/tutorials/own_policy.ipynb), [c](#d)")
    '[a](live.md#speed), [b](tutorials/own_policy.md), [c](#d)'
    """
    text = re.sub(r"\]\(docs/", "](", text)
    return re.sub(r"(\]\([^):\s]+)\.ipynb\)", r"\1.md)", text)
