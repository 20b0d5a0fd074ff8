"""Studies in parts: resumed, and never mixed with parts of another size."""

import pytest

from hush.errors import ParameterError
from research.resumable import run_parts


class Counted:
    """Parts that count how often each was asked for its rows, and may break off."""

    def __init__(self, breaks=False):
        self.asked = []
        self.breaks = breaks
        self.parts = {"one": lambda: self.rows("one", 2), "two": lambda: self.rows("two", 3)}

    def rows(self, name, count):
        self.asked.append(name)
        for number in range(count):
            if self.breaks and name == "two" and number == 1:
                raise KeyboardInterrupt
            yield {"name": name, "number": number / 3}

    def run(self, folder, **about):
        return run_parts(folder, self.parts, {"one": 2, "two": 3}, about)


def test_an_interrupted_study_goes_on_where_it_stopped(tmp_path):
    broken = Counted(breaks=True)
    with pytest.raises(KeyboardInterrupt):
        broken.run(tmp_path, seed=1)
    resumed = Counted()
    tables = resumed.run(tmp_path, seed=1)
    assert resumed.asked == ["two"]
    whole = Counted().run(tmp_path / "whole", seed=1)
    assert all(tables[name].equals(whole[name]) for name in ("one", "two"))


def test_parts_of_another_size_or_seed_are_refused_and_left_alone(tmp_path):
    Counted().run(tmp_path, seed=1)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    other = Counted()
    with pytest.raises(ParameterError, match="another size, seed or version"):
        other.run(tmp_path, seed=2)
    assert other.asked == []
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_parts_of_unknown_origin_are_refused(tmp_path):
    (tmp_path / "two.csv").write_text("name,number\n")
    with pytest.raises(ParameterError, match="--out"):
        Counted().run(tmp_path, seed=1)
