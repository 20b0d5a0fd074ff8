"""What ``hush serve`` refuses before it makes anything."""

import pytest
from typer.testing import CliRunner

from hush.cli.app import app


@pytest.mark.parametrize(
    "wrong",
    [
        ["--decisions", "-1"],
        ["--decisions", "nan"],
        ["--decisions", "inf"],
        ["--port", "70000"],
        ["--tick", "1x"],
        ["--tick", "0s"],
        ["--workers", "0"],
        ["--host", "0.0.0.0"],  # noqa: S104
        ["--host", "example.org"],
    ],
)
def test_what_cannot_be_served_makes_no_store(wrong, tmp_path):
    shown = CliRunner().invoke(app, ["serve", str(tmp_path / "experiments.db"), *wrong])
    assert shown.exit_code == 2
    assert "hush_" not in shown.output
    assert list(tmp_path.iterdir()) == []
