"""Ask pip-audit about every pinned version: ``make audit-deps``.

It fails on a known vulnerability. Where the service cannot be reached, or knows none of the
packages, nothing was audited, and a line says so.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PINNED = Path(__file__).parent.parent / "constraints.txt"
UNREACHED = "pip-audit's service cannot be reached: NOTHING WAS AUDITED"


def verdict(report: dict[str, Any] | None) -> tuple[list[str], int]:
    """Return what to print and the exit code for what pip-audit found; None if it found nothing.

    >>> verdict(None)
    (["pip-audit's service cannot be reached: NOTHING WAS AUDITED"], 0)
    """
    asked = [] if report is None else report["dependencies"]
    audited = [each for each in asked if "skip_reason" not in each]
    if not audited:
        return [UNREACHED], 0
    skipped = sorted(each["name"] for each in asked if "skip_reason" in each)
    lines = [
        f"{each['name']} {each['version']}: {fault['id']}, "
        f"mended in {', '.join(fault['fix_versions']) or 'no version yet'}"
        for each in audited
        for fault in each["vulns"]
    ]
    known = len(lines)
    lines.append(f"{len(audited)} packages audited: {known} known vulnerabilities")
    if skipped:
        lines.append(f"not audited, for the service does not know them: {', '.join(skipped)}")
    return lines, 1 if known else 0


def asked() -> dict[str, Any] | None:
    """Return pip-audit's report; None if there is none."""
    words = ["--requirement", str(PINNED), "--no-deps", "--disable-pip", "--format", "json"]
    done = subprocess.run(
        [sys.executable, "-m", "pip_audit", *words, "--progress-spinner", "off", "--timeout", "20"],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        sys.stderr.write(done.stderr)
        return None
    return found


if __name__ == "__main__":
    said, code = verdict(asked())
    sys.stdout.write("\n".join(said) + "\n")
    sys.exit(code)
