"""Workers elsewhere: processes that share neither environment nor folder with the one that shows and writes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.conformance.make import ROOT, accept, case, misbehaving, run_project, snapshot, special, write


def test_two_gateways_share_the_cases(project: Path) -> None:
    """One of them behind a command, as it takes to reach another machine; a crash there costs one case as well."""
    accept(project)
    write(project / "wpt_data/upstream/relu.json", *(special(f"n{index:02}", 1) for index in range(40)))
    write(project / "wpt_data/upstream/abs.json", special("a"))
    plugin = misbehaving(project, "os.abort()")
    away = project / "away"
    lines = [
        f"echo $$ >> {project}/started",
        f'cd / && exec env -i PYTHONPATH={ROOT}:{project} PYTEST_PLUGINS={plugin} WPT_DATA= {sys.executable} "$@"',
    ]
    away.write_text("#!/bin/sh\n" + "\n".join(lines) + "\n")
    away.chmod(0o755)
    report = project / "report.json"
    gateways = ["--tx=popen", f"--tx=popen//python={away}"]
    made = run_project(project, "--update-snapshots", f"--report={report}", *gateways, plugins=[plugin])
    assert made.returncode == 1
    assert "41 of 41 cases" in made.stdout
    statuses = {row["name"]: row["status"] for row in json.loads(report.read_text())["cases"]}
    assert (statuses.pop("a"), set(statuses.values())) == ("CRASH", {"PASS"})
    assert (project / "started").read_text().count("\n") >= 1
    assert snapshot(project, "abs")["a"] == "PASS"
    assert [snapshot(project, "relu")[name] for name in statuses] == ["PASS"] * 40


def test_options_of_pytest_do_not_swallow_a_case_file(project: Path) -> None:
    """pytest's --debug takes a file name, if there is one, and writes to it."""
    path = write(project / "wpt_data/upstream/relu.json", case("a"))
    before = path.read_text()
    made = run_project(project, "--op=relu", "--no-snapshots", "--", "--debug")
    (ROOT / "pytestdebug.log").unlink(missing_ok=True)
    assert path.read_text() == before
    assert "1 of 1 cases" in made.stdout
