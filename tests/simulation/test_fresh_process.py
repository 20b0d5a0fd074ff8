import operator
import os
import signal

import pytest

from hush.simulation.fresh_process import call_in_fresh_process


def test_a_function_runs_in_another_process_and_its_answer_comes_back():
    assert call_in_fresh_process(os.getpid) != os.getpid()
    assert call_in_fresh_process(operator.add, [1, 2], [3]) == [1, 2, 3]


def test_what_cannot_be_sent_is_called_here():
    assert call_in_fresh_process(lambda: [os.getpid()]) == [os.getpid()]


def test_what_fails_elsewhere_fails_here_with_its_own_error():
    with pytest.raises(ZeroDivisionError):
        call_in_fresh_process(operator.truediv, 1, 0)


def test_an_interrupt_of_the_other_process_is_one_here():
    """Else Ctrl-C while loops are compiled would have them compiled again, in this process."""
    with pytest.raises(KeyboardInterrupt):
        call_in_fresh_process(signal.raise_signal, signal.SIGINT)


def test_modules_beside_a_script_are_found(tmp_path, monkeypatch):
    (tmp_path / "beside_it.py").write_text("import os\ndef where(): return os.getpid()\n")
    monkeypatch.syspath_prepend(tmp_path)
    import beside_it

    assert call_in_fresh_process(beside_it.where) != os.getpid()
