"""pyproject.toml: every dependency has a bound and says what it is for; the contracts on imports see every module."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import EXTRA
from tests.conformance.make import ROOT

TEXT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
PROJECT: dict[str, Any] = tomllib.loads(TEXT)
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
LISTED = [*PROJECT["project"]["dependencies"], *(name for extra in EXTRAS.values() for name in extra)]
DEPENDENCIES = [name for name in LISTED if not name.startswith("trtx-webnn[")]
CONTRACTS: dict[str, Any] = {contract["name"]: contract for contract in PROJECT["tool"]["importlinter"]["contracts"]}


def modules(package: str) -> set[str]:
    """Modules and packages right below a package."""
    found = {path.stem for path in (ROOT / package).glob("*.py")} | {
        path.parent.name for path in (ROOT / package).glob("*/__init__.py")
    }
    return {f"{package}.{name}" for name in found - {"__init__", "__main__"}}


@pytest.mark.parametrize("dependency", DEPENDENCIES)
def test_a_dependency_has_a_bound_and_a_purpose(dependency: str) -> None:
    requirement = dependency.partition(";")[0]
    assert "==" in requirement or "<" in requirement
    lines = TEXT.splitlines()
    (at,) = (index for index, line in enumerate(lines) if line.strip() == f'"{dependency}",')
    assert lines[at - 1].strip().startswith("# ")


@pytest.mark.parametrize("name", ["pytest", "pytest-xdist", "syrupy"])
def test_what_the_plugin_reaches_into_is_pinned_and_is_what_runs(name: str) -> None:
    assert f"{name}=={version(name)}" in DEPENDENCIES


def test_the_executor_imports_three_modules_of_the_backend() -> None:
    contract = CONTRACTS["the executor sees only what TensorRT was told"]
    behind_trt = ("flavor", "loading", "logs")
    allowed = {f"trtx_backend.{name}" for name in ("executor", "trt", "dtypes", "errors", *behind_trt)}
    assert set(contract["forbidden_modules"]) == modules("trtx_backend") - allowed | {"conformance"}


def test_the_mock_imports_nothing_of_the_backend() -> None:
    contract = CONTRACTS["the mock of TensorRT stands alone, as TensorRT does"]
    allowed = {"trtx_backend.mock"}
    assert set(contract["forbidden_modules"]) == modules("trtx_backend") - allowed | {"conformance"}


def test_every_module_of_the_harness_is_under_the_contract() -> None:
    contract = CONTRACTS["the harness uses the public API; only targets.py and inside.py reach further"]
    assert set(contract["source_modules"]) == modules("conformance") - {"conformance.targets", "conformance.inside"}


def test_the_backend_is_layered_whole() -> None:
    (contract,) = (contract for contract in CONTRACTS.values() if contract["type"] == "layers")
    layered = {module for layer in contract["layers"] for module in re.split(r"\s*\|\s*", layer)}
    beside = {
        f"trtx_backend.{name}" for name in ("trt", "mock", "flavor", "loading", "logs", "executor", "options", "edge")
    }
    assert layered | beside == modules("trtx_backend")


def test_the_packages_know_nothing_of_other_folders() -> None:
    """Nor do they or their tests name a place on one machine."""
    paths = [path for folder in ("trtx_backend", "conformance", "tests") for path in (ROOT / folder).rglob("*.py")]
    assert len(paths) > 200
    found = [path for path in paths if re.search(r"\.\./shared|/work/|/home/", path.read_text(encoding="utf-8"))]
    assert found == [Path(__file__)]


def test_what_the_harness_imports_is_in_its_extra() -> None:
    """A wheel with [conformance] runs all that it has; one without has no use for these."""
    named = {name: {re.split(r"[<>=; ]", d)[0] for d in DEPENDENCIES if d in EXTRAS[name]} for name in EXTRAS}
    plain = {re.split(r"[<>=; ]", d)[0] for d in PROJECT["project"]["dependencies"]}
    packages = {"py_mini_racer": "mini-racer", "markupsafe": "jinja2", "xdist": "pytest-xdist", "cuda": "cuda-python"}
    imported = set()
    for path in (ROOT / "conformance").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module.partition(".")[0])
    others = imported - set(sys.stdlib_module_names) - {"conformance", "trtx_backend"}
    assert {packages.get(name, name) for name in others} - plain <= named["conformance"]
    assert {packages.get(name, name) for name in EXTRA} == named["conformance"]


def test_a_release_is_a_tag() -> None:
    assert "version" not in PROJECT["project"]
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert (
        re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)[0].count(".") == 2
    )


def test_the_hooks_before_a_commit_are_commands_that_there_are() -> None:
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    entries = re.findall(r"entry: (\S+)", text)
    assert len(entries) == text.count("- id: ") == 5
    assert [entry for entry in entries if not (Path(sys.executable).parent / Path(entry).name).is_file()] == []
    checked = subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-config", str(ROOT / ".pre-commit-config.yaml")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout


def test_the_licence_is_there_and_named() -> None:
    assert PROJECT["project"]["license"] == "Apache-2.0"
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text
