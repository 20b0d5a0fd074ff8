"""Figures show themselves."""

import subprocess
import sys

import hush


def test_a_figure_shows_itself_the_same_way_each_time():
    result = hush.simulate(hush.UCB1(), hush.paper_s1(), horizon=100, runs=3, seed=7)
    shown = result.plot()._repr_svg_()
    assert shown.startswith("<svg")
    assert "round (log scale)" in shown  # words are text, which readers can search and enlarge
    assert shown == result.plot()._repr_svg_()


def test_drawing_picks_no_window_system():
    code = (
        "import sys\n"
        "from hush.output.pictures import empty_figure\n"
        "empty_figure(4.0, 3.0)._repr_svg_()\n"
        "sys.exit('matplotlib.pyplot' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
