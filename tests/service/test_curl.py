"""What README and docs show with curl is run, line by line, against a service of its own."""

import json
import re
import shutil
import subprocess

import pytest
import yaml
from tests.check_examples import ROOT
from tests.service.running import Service
from typer.testing import CliRunner

from hush.cli.app import app
from hush.service import Place

curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is missing")


def shown(page):
    """Return the commands of a page's blocks about a service, one after the other."""
    blocks = (ROOT / page).read_text().split("```")[1::2]
    about = [block for block in blocks if re.search(r"^(hush serve|curl|printf) ", block, re.M)]
    lines = [line for block in about for line in block.splitlines()]
    return [line for line in lines if re.match(r"(hush serve|curl|printf|pip) ", line)]


@pytest.mark.untraced
@curl
@pytest.mark.parametrize("page", ["README.md", "docs/serve.md"])
def test_shown_commands_are_answered(page, tmp_path):
    lines = shown(page)
    assert [line.split()[0] for line in lines[:3]] == ["pip", "hush", "curl"]
    assert lines[0] == "pip install 'hush-dp[serve]'"  # which the tests' own environment has
    assert lines[1] == "hush serve experiments.db"
    service = Service(Place(str(tmp_path / "experiments.db")), tmp_path)
    try:
        service.wait_until_ready()
        (token,) = re.findall(r"hush_\w+", service.out)
        variables = {"TOKEN": token, "DECISION": ""}
        for line in [each for each in lines[2:] if "curl" in each]:
            address = service.address.removeprefix("http://")
            asked = line.replace("localhost:8000", address).replace("curl ", CURL, 1)
            done = subprocess.run(
                ["/bin/bash", "-c", asked],
                capture_output=True,
                text=True,
                check=True,
                env={"PATH": "/usr/bin:/bin", **variables},
            )
            body, _, status = done.stdout.rpartition("\n")
            assert status in ("200", "201", "204"), (line, done.stdout)
            if '"decision"' in body:
                variables["DECISION"] = json.loads(body.splitlines()[0])["decision"]
        assert variables["DECISION"]
    finally:
        service.process.kill()
        service.process.wait()


CURL = "curl --silent --write-out '\\n%{http_code}' "


def test_the_readme_takes_five_commands():
    assert len(shown("README.md")) == 5


def test_the_shown_metrics_are_there(site):
    text = (ROOT / "docs" / "serve.md").read_text()
    rules = yaml.safe_load(re.search(r"```yaml\n(.*?)```", text, re.DOTALL)[1])
    expressions = [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    assert len(expressions) >= 5
    site.begun()
    site.ask("PUT", "/v1/populations/default", {"limit": 2.0})
    metrics = site.ask("GET", "/metrics").body.decode()
    for name in re.findall(r"hush_\w+", " ".join(expressions)):
        assert re.search(rf"^{name}[ {{]", metrics, re.MULTILINE), name


def test_the_example_of_a_composition_uses_options_that_exist():
    found = yaml.safe_load((ROOT / "examples" / "serve" / "compose.yaml").read_text())
    told = CliRunner().invoke(app, ["serve", "--help"], env={"COLUMNS": "200"}).output
    for word in found["services"]["service"]["command"][1:]:
        assert word.partition("=")[0] in told
    assert "HUSH_MASTER_SECRET" in found["services"]["service"]["environment"]
    private = found["services"]["private"]["command"]
    assert {"wal_level=minimal", "archive_mode=off"} <= set(private)


def test_the_reference_has_every_operation_of_the_document(site):
    found = site.ask("GET", "/openapi.json", token=None).json
    page = (ROOT / "docs" / "http.md").read_text()
    for path, methods in found["paths"].items():
        for method, each in methods.items():
            place = page.find(f"### `{method.upper()} {path}`\n")
            assert place >= 0, (method, path)
            text = " ".join(page[place:].partition("\n### ")[0].split())
            assert each["summary"] in text
            assert f"Scope `{each['x-scope']}`" in text if "x-scope" in each else True
    for name in found["components"]["schemas"]:
        assert f"### {name}\n" in page
