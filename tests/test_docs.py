"""What the README and the docs show must run as it stands."""

import re
import runpy
import shlex

import pytest
from tests.check_examples import NOTEBOOKS, PAGES, ROOT, script, type_check
from typer.testing import CliRunner

import hush.live
from hush.cli.app import app
from hush.policies import REGISTERED


def _sized(page):
    """Mark what is slow: audits at full length, and policies that are compiled as it runs."""
    slow = page.suffix == ".ipynb" and page.stem in {"audit", "own_policy"}
    return pytest.param(page, marks=[pytest.mark.slow] if slow else [])


@pytest.mark.untraced
@pytest.mark.usefixtures("brief_audits")
@pytest.mark.parametrize("page", [*map(_sized, [*PAGES, *NOTEBOOKS])], ids=lambda page: page.name)
def test_python_examples_run(page, tmp_path, monkeypatch):
    """All examples of a page, one after the other, as a script of their own."""
    file = tmp_path / "page.py"
    file.write_text(script(page))
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(file), run_name="__main__")


def test_the_type_check_finds_what_is_wrong(tmp_path):
    page = tmp_path / "wrong.md"
    page.write_text("```python\nhush.LazyDPTS(0.5).learner(2).survivors\nhush.nonsense\n```\n")
    done = type_check([page], tmp_path)
    assert '"BanditLearner" has no attribute "survivors"' in done.stdout
    assert 'has no attribute "nonsense"' in done.stdout


def test_every_page_is_reachable_from_the_readme():
    texts = "\n".join(page.read_text() for page in PAGES)
    for page in (ROOT / "docs").glob("*.md"):
        assert f"{page.name}" in texts


TABLE = re.search(
    r"\$ (hush simulate [^\n]+)\n(.*?)```", (ROOT / "docs/simulation.md").read_text(), re.DOTALL
)


def commands():
    """Return all that are shown, but the one whose output is shown too: it has its own test.

    Those that play many runs of a million rounds take long.
    """
    texts = "\n".join(page.read_text() for page in PAGES)
    found = re.findall(
        r"(?:^|`|\$ )(hush (?:simulate|bounds|compare|identify) [^`\n#]+)", texts, re.MULTILINE
    )
    lines = sorted({line.strip() for line in found} - {TABLE[1].strip()})
    long = [pytest.mark.slow]
    return [pytest.param(each, marks=long if "1e6 --runs" in each else []) for each in lines]


@pytest.mark.untraced
@pytest.mark.parametrize("command", commands())
def test_shown_commands_run(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = CliRunner().invoke(app, shlex.split(command)[1:])
    assert shown.exit_code == 0, shown.output


@pytest.mark.untraced
def test_the_table_is_what_its_command_prints(tmp_path, monkeypatch):
    """To within the printed intervals: another processor may round another way."""
    monkeypatch.chdir(tmp_path)
    shown = CliRunner().invoke(app, shlex.split(TABLE[1])[1:], env={"COLUMNS": "100"})
    assert shown.exit_code == 0, shown.output
    row = re.compile(r"^\s+(\w+)\s+median ([\d,]+) \(([\d,]+) to ([\d,]+)\)", re.MULTILINE)

    def rows(table):
        return {n: [float(x.replace(",", "")) for x in v] for n, *v in row.findall(table)}

    claimed, printed = rows(TABLE[2]), rows(shown.output)
    assert set(claimed) == set(printed) == {"AnytimeLazyUCB", "LazyDPTS"}
    for name, (_, low, high) in claimed.items():
        assert low <= printed[name][0] <= high


@pytest.mark.untraced
def test_the_readmes_first_lines_print_what_it_says(tmp_path, capsys):
    """Digit by digit, but for medians: another processor may round another way."""
    readme = (ROOT / "README.md").read_text()
    code, claimed = re.search(
        r"```python\n(.*?)```\n\n```text\n(.*?)```", readme, re.DOTALL
    ).groups()
    assert len([line for line in code.splitlines() if line and "import" not in line]) <= 10
    file = tmp_path / "readme.py"
    file.write_text(code)
    runpy.run_path(str(file))
    printed = capsys.readouterr().out
    number = r"\b\d+,\d+\b"
    assert re.sub(number, "N", printed) == re.sub(number, "N", claimed)
    pairs = zip(re.findall(number, printed), re.findall(number, claimed), strict=True)
    for one, other in pairs:
        assert abs(float(one.replace(",", "")) / float(other.replace(",", "")) - 1.0) < 0.03


MARKDOWN = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]


@pytest.mark.parametrize("page", MARKDOWN, ids=lambda page: page.name)
def test_prose_wraps_at_one_width(page):
    """Tables, code, pictures and links that stand alone may be longer."""
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    lines = [line for line in prose.splitlines() if not line.startswith(("|", "![", "    ", "<"))]
    assert [line for line in lines if len(line) > 100 and " " in line.strip("* ")] == []


def test_the_guides_commands_run_in_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HUSH_MASTER_SECRET", raising=False)
    guide = (ROOT / "docs" / "live.md").read_text()
    lines = re.findall(r"^(hush experiment [^\n]+)$", guide, re.MULTILINE)
    assert len(lines) > 7
    for line in lines:
        shown = CliRunner().invoke(app, shlex.split(line)[1:])
        assert shown.exit_code == 0, f"{line}: {shown.output}"


def test_the_operators_commands_for_tokens_run_in_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HUSH_MASTER_SECRET", raising=False)
    hush.live.open("experiments.db").close()
    page = (ROOT / "docs" / "operators.md").read_text()
    lines = re.findall(r"^(hush token [^\n]+)$", page, re.MULTILINE)
    assert {line.split()[2] for line in lines} == {"create", "list", "revoke"}
    for line in lines:
        with hush.live.open("experiments.db") as store:
            made = store.tokens.all()
        words = re.sub(r"\b[0-9a-f]{12}\b", made[0].id if made else "", line)
        shown = CliRunner().invoke(app, shlex.split(words)[1:])
        assert shown.exit_code == 0, f"{line}: {shown.output}"


def test_the_guide_names_the_policies_that_run_live():
    named = re.search(
        r"Policies that can run live are (.*?);", (ROOT / "docs/live.md").read_text(), re.DOTALL
    )
    private = [cls for cls in REGISTERED if "epsilon" in cls.check_names({})]
    able = {
        cls.__name__
        for cls in private
        if cls.from_parameters({"epsilon": 0.5}).why_not_live(ages=False) is None
    }
    assert set(re.findall(r"`(\w+)`", named[1])) == able
