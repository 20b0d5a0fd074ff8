"""Progress on a terminal, in a notebook, and nowhere."""

import sys
from types import SimpleNamespace

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from hush.output.notebook import kernel_bar, notebook_shell
from hush.output.progress import progress_bar


class Shell:
    """A notebook's shell, as far as it publishes; time goes by a tenth of a second a look."""

    def __init__(self):
        self.sent, self.now = [], 0.0
        self.display_pub = SimpleNamespace(publish=lambda **message: self.sent.append(message))

    def clock(self):
        self.now += 0.1
        return self.now


def test_one_output_changes_a_few_times_and_ends_empty():
    shell = Shell()
    with kernel_bar(shell, "<b>", 100, clock=shell.clock) as report:
        for done in range(1, 101):
            report(done, 100)
    assert len({each["transient"]["display_id"] for each in shell.sent}) == 1
    assert [each["update"] for each in shell.sent] == [False] + [True] * (len(shell.sent) - 1)
    assert len(shell.sent) < 60
    assert shell.sent[-1]["data"] == {"text/plain": ""}
    assert "&lt;b&gt;" in shell.sent[0]["data"]["text/html"]


def test_short_work_shows_nothing():
    shell = Shell()
    with kernel_bar(shell, "simulating", 3, clock=shell.clock) as report:
        report(3, 3)
    assert shell.sent == []


def test_work_that_fails_leaves_the_bar_where_it_was():
    shell = Shell()

    def work():
        with kernel_bar(shell, "x", 9, clock=shell.clock) as report:
            for done in range(1, 9):
                report(done, 9)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert shell.sent[-1]["data"]["text/plain"].startswith("x: ")


def test_a_prompt_is_no_notebook(monkeypatch):
    """IPython on a terminal has no kernel, and a module named ipykernel alone is no notebook."""
    monkeypatch.setitem(sys.modules, "ipykernel", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=object))
    assert notebook_shell() is None
    monkeypatch.setitem(sys.modules, "IPython", None)
    assert notebook_shell() is None


def test_a_function_is_told_how_much_is_done():
    told = []
    with progress_bar("x", 4, lambda done, total: told.append((done, total))) as advance:
        advance()
        advance(3)
    assert told == [(1, 4), (4, 4)]


def test_elsewhere_there_is_silence(capfd):
    with progress_bar("x", 4, None) as advance:
        advance(4)
    assert capfd.readouterr() == ("", "")


CELLS = (
    "import sys, time; from hush.output.progress import progress_bar; import hush",
    """
with progress_bar("simulating", 100, None) as advance:
    for _ in range(100):
        time.sleep(0.01)
        advance()
""",
    "hush.LazyDPTS(0.5).guarantee",
    """
with progress_bar("simulating", 10, True) as advance:
    time.sleep(0.6)
    advance(3)
    1 / 0
""",
)


@pytest.mark.untraced
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of nbclient's own event loop
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_in_a_real_kernel():
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in CELLS])
    with pytest.raises(CellExecutionError):
        NotebookClient(book, timeout=120, kernel_name="python3").execute()
    _, bar, shown, failed = (cell.outputs for cell in book.cells)
    assert [each["data"] for each in bar] == [{"text/plain": ""}]  # one output, and no stream
    assert shown[0]["data"]["text/plain"].startswith("<guarantee: epsilon = 0.5")
    assert "<strong>" in shown[0]["data"]["text/html"]
    assert failed[0]["data"]["text/plain"] == "simulating: 3 of 10"
    assert [each["output_type"] for each in failed] == ["display_data", "error"]
