"""A forecast as text, plain values, a table and a picture."""

import json
import re
import subprocess
import sys

import pytest
from tests.forecasting.one_forecast import course, foretold, made_up

import hush


@pytest.fixture(scope="module")
def ahead():
    return foretold(person_bound=2, learnt=0.5)


def test_plain_values_are_all_there_and_json(ahead):
    plain = json.loads(json.dumps(ahead.to_dict(), allow_nan=False))
    assert plain["rates"] == [0.2, 0.5]
    assert [each["person_epsilon"] for each in plain["courses"]] == [1.0, 4.0]
    first = plain["courses"][0]
    assert first["epsilon"] == 0.5
    assert len(first["found"]) == len(plain["looked"]) == 3
    for part in (first["lost"], first["lost_without_privacy"], first["found"][0]):
        assert 0.0 <= part["low"] <= part["mean"] <= part["high"]
    assert plain["lost_by_fixed_split"] == ahead.split
    assert plain["without_privacy"][0]["person_epsilon"] is None
    assert plain["recommendation"] == ahead.recommendation


def test_text_has_every_course_and_what_is_meant(ahead):
    text = str(ahead)
    title = "4 days at 40 decisions a day, 50% of them learnt from, rates 0.2, 0.5"
    assert " ".join(text.split()).startswith(title)
    for row in ahead.rows:
        assert re.search(r" +".join(map(re.escape, row)), text)
    assert [row[1] for row in ahead.rows] == ["no privacy", "4", "1", "-"]
    joined = " ".join(text.split())
    assert "10 runs of each, seed 7" in joined
    assert joined.endswith(ahead.recommendation)
    assert max(map(len, text.splitlines())) <= 100
    table = text.split("\n\n")[1].splitlines()
    assert len({len(line) for line in table}) == 1  # the columns stand in line


def test_the_short_form_is_short(ahead):
    assert repr(ahead) == (
        "<Forecast: 2 arms, 4 days at 40 decisions a day, 1 policy x 2 promises, 10 runs, seed 7>"
    )


def test_the_page_escapes_names_and_has_no_script():
    bad = course(policy="<script>alert('x')</script>")
    page = made_up([bad], [bad])._repr_html_()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert page.count("<tr>") == 4  # names of columns, no privacy, one promise, fixed split
    assert not re.search(r"(src|href)=", page)


def test_the_picture_shows_losses_and_chances(ahead, tmp_path):
    figure = ahead.plot(tmp_path / "forecast.svg")
    losses, chances = figure.axes
    assert [each.get_text() for each in losses.get_xticklabels()] == ["1", "4"]
    assert chances.lines[0].get_xdata().tolist() == list(ahead.looked)
    assert (tmp_path / "forecast.svg").stat().st_size > 1_000


def test_a_forecast_is_a_value():
    assert foretold() == foretold()
    assert foretold() != foretold(seed=8)


def test_without_matplotlib_a_line_says_so(ahead, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(hush.MissingExtraError, match="a picture needs matplotlib"):
        ahead.plot()


def test_without_live_experiments_a_line_says_so():
    code = (
        "import sys\nsys.modules['sqlalchemy'] = None\nimport hush\n"
        "try:\n    hush.forecast\nexcept hush.HushError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "hush.forecast needs sqlalchemy: pip install 'hush-dp[lab,live]'\n"
