"""The wheel, in an environment of its own and outside the repository: it runs graphs and the house cases."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.conformance.make import ROOT, copy_project

CASES = sum(len(json.loads(path.read_text())["tests"]) for path in (ROOT / "wpt_data/house").glob("*.json"))


def run(*command: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "WPT_DATA")}
    return subprocess.run(
        [str(word) for word in command], cwd=cwd, env=environ, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The environment's scripts. What the wheel depends on is this environment's."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    copy_project(source, "pyproject.toml", "README.md", "LICENSE", "wpt_data/manifest.json")
    made = run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-input", "-w", folder, source, cwd=folder)
    assert made.returncode == 0, made.stderr
    (wheel,) = folder.glob("trtx_webnn-0.0.0-*.whl")
    venv.create(folder / "env", with_pip=False)
    scripts = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
    made = run(
        sys.executable, "-m", "pip", "--python", scripts / "python", "install", "-q", "--no-deps", "--no-input", wheel,
        cwd=folder,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    made = run(scripts / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder)
    # a folder on the path, whose own .pth files, with the checkout in them, do not count
    (Path(made.stdout.strip()) / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return scripts


def test_it_brings_the_cases_and_snapshots_and_runs_them(installed: Path, tmp_path: Path) -> None:
    made = run(installed / "wpt", "run", "-n", 2, cwd=tmp_path)
    assert made.returncode == 0, made.stdout + made.stderr
    assert f"{CASES} passed" in made.stdout
    assert "NEW" not in made.stdout
    assert list(tmp_path.iterdir()) == []


def test_it_is_not_the_checkout(installed: Path, tmp_path: Path) -> None:
    code = "import conformance, trtx_backend; print(conformance.__file__, trtx_backend.__file__)"
    made = run(installed / "python", "-c", code, cwd=tmp_path)
    assert made.stdout.count(str(installed.parent)) == 2, made.stdout + made.stderr
    assert run(installed / "wpt", "--version", cwd=tmp_path).stdout == "trtx-webnn 0.0.0\n"


def test_its_snapshots_are_those_of_the_release(installed: Path, tmp_path: Path) -> None:
    made = run(installed / "wpt", "run", "--op=relu", "--update-snapshots", cwd=tmp_path)
    assert made.returncode == 2
    assert "the snapshots of an installed package are those of its release" in made.stderr


def test_what_it_says_to_repeat_a_case_works_there(installed: Path, tmp_path: Path) -> None:
    code = (
        "from conformance.cases import find_corpus, load; from conformance.project import project_root as r;"
        "from conformance.runner import repeat_line as line;"
        "print(line(load(find_corpus(None, r()).files['relu'][0])[0], 'cpu'))"
    )
    made = run(installed / "python", "-c", code, cwd=tmp_path)
    words = made.stdout.strip().removeprefix("repeat: ")
    assert re.match(r"python -m conformance run --target cpu '?--op=relu'? '--case=house: ", words), made.stderr
    made = run("bash", "-c", f"PATH={installed}:$PATH; {words}", cwd=tmp_path)
    assert " passed" in made.stdout, made.stdout + made.stderr


def test_the_other_commands_find_their_files(installed: Path, tmp_path: Path) -> None:
    assert "TensorRT network" in run(installed / "wpt", "show", "relu", "#0", cwd=tmp_path).stdout
    assert run(installed / "wpt", "corpus", "schema", cwd=tmp_path).stdout.startswith("{")
    report, page = tmp_path / "a.json", tmp_path / "a.html"
    assert run(installed / "wpt", "run", "--op=relu", f"--report={report}", cwd=tmp_path).returncode == 0
    assert run(installed / "wpt", "dashboard", f"--report={report}", f"--out={page}", cwd=tmp_path).returncode == 0
    assert "relu" in page.read_text(encoding="utf-8")
    assert "cpu" in run(installed / "trtx", "devices", cwd=tmp_path).stdout


def test_verdicts_are_kept_in_the_users_cache(installed: Path, tmp_path: Path) -> None:
    code = "from conformance.kept import default_path as p; from conformance.project import project_root as r; print(p(r()))"
    made = run(installed / "python", "-c", code, cwd=tmp_path)
    assert made.stdout.strip().endswith("trtx-webnn/engine-verdicts") and str(installed.parent) not in made.stdout


def test_without_the_extra_it_says_what_to_install(installed: Path, tmp_path: Path) -> None:
    for module, command in (
        ("pytest", ["run", "--op=relu"]),
        ("jsonschema", ["corpus", "check", str(ROOT / "wpt_data/house")]),
    ):
        code = (
            f"import sys; sys.modules[{module!r}] = None; from conformance.cli import main; sys.exit(main({command!r}))"
        )
        made = run(installed / "python", "-c", code, cwd=tmp_path)
        assert made.returncode == 3, made.stdout + made.stderr
        assert f"{module} is missing: pip install 'trtx-webnn[conformance]'" in made.stderr
