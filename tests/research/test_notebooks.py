"""Notebooks: stored bare, run from the first cell to the last, shown with what they gave."""

import json

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError
from tests.check_examples import NOTEBOOKS

from hush.errors import ParameterError
from research.notebooks import markdown, ran, read

PICTURE = """
class Drawn:
    def _repr_svg_(self):
        return "<svg></svg>"

Drawn()
"""


def stored(folder, *codes, alt=None):
    """Write a notebook; every cell has the same words for its picture."""
    cells = [nbformat.v4.new_code_cell(code) for code in codes]
    for cell in cells:
        cell.metadata.update({"alt": alt} if alt else {})
    path = folder / "mine.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def test_the_three_are_stored_without_outputs_and_each_has_pictures():
    assert {path.stem for path in NOTEBOOKS} == {"first_experiment", "own_policy", "audit"}
    for path in NOTEBOOKS:
        cells = read(path).cells
        assert cells[0].source.startswith("# ")
        assert sum("alt" in cell.metadata for cell in cells) >= 2


def test_a_notebook_with_outputs_is_refused(tmp_path):
    path = stored(tmp_path, "1")
    content = json.loads(path.read_text())
    content["cells"][0]["execution_count"] = 1
    path.write_text(json.dumps(content))
    with pytest.raises(ParameterError, match=r"mine.ipynb is stored with outputs; clear them"):
        read(path)


@pytest.mark.untraced
def test_it_is_run_in_a_folder_of_its_own_and_shows_everything_but_notes(tmp_path):
    noted = "import sys\nprint('said')\nprint('noted', file=sys.stderr)\nopen('left', 'w').close()"
    shown = "class Table:\n    def _repr_html_(self): return '<h1>a</h1><p>b</p>'\n\nTable()"
    path = stored(tmp_path, noted, PICTURE, shown, "6 * 7", alt="a line that rises")
    text, pictures = markdown(ran(path), "mine")
    assert "```{ .text .output }\nsaid\n```" in text
    assert "noted\n```" not in text
    assert "![a line that rises](mine_1.svg)" in text
    assert pictures == {"mine_1.svg": "<svg></svg>"}
    assert '<div class="output">\n<p>a</p><p>b</p>\n</div>' in text
    assert "```{ .text .output }\n42\n```" in text
    assert "InlineBackend" not in text
    assert not (tmp_path / "left").exists()


@pytest.mark.untraced
def test_an_error_in_a_cell_is_an_error(tmp_path):
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        ran(stored(tmp_path, "1 / 0"))


def test_a_picture_without_words_is_refused():
    cell = nbformat.v4.new_code_cell(PICTURE)
    cell.outputs = [nbformat.v4.new_output("display_data", {"image/svg+xml": "<svg></svg>"})]
    with pytest.raises(ParameterError, match="a picture has no words"):
        markdown(nbformat.v4.new_notebook(cells=[cell]), "mine")
