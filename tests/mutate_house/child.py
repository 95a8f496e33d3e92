"""Run inside a copy of the project, and copied there: `python child.py oracle|lowering OPERATOR…`.

Prints, as JSON, how many house cases use one of the operators, and the ids of those that fail. Of an oracle: what it
computes is not the expected values, within the case's tolerance. Of lowerings: the case does not pass on cpu.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import conformance
import trtx_backend
from conformance.cases import Case, load
from conformance.compare import compare
from conformance.oracle import evaluate
from conformance.runner import Status, run_case
from conformance.targets import Cpu
from conformance.tolerance import tolerance_of

ROOT = Path(__file__).resolve().parent


def main(kind: str, *names: str) -> None:
    for package in (conformance, trtx_backend):
        assert ROOT in Path(str(package.__file__)).resolve().parents, f"{package.__name__} is not the copy's"
    cases = [case for path in _files(names) for case in load(path) if isinstance(case, Case) and {*names} & {*case.ops}]
    passes = {"oracle": _agrees, "lowering": _runs}[kind]
    print(json.dumps({"cases": len(cases), "failed": [case.id for case in cases if not passes(case)]}))


def _files(names: tuple[str, ...]) -> list[Path]:
    paths = sorted((ROOT / "wpt_data" / "house").glob("*.json"))
    return [path for path in paths if any(f'"{name}"' in path.read_text(encoding="utf-8") for name in names)]


def _agrees(case: Case) -> bool:
    expected = case.graph["expectedOutputs"]
    dtypes = {name: resource["descriptor"]["dataType"] for name, resource in expected.items()}
    try:
        return compare(expected, evaluate(case.graph), dtypes, tolerance_of(case, {})).passed
    except Exception:  # a wrong oracle may fail in any way
        return False


def _runs(case: Case) -> bool:
    return run_case(case, Cpu()).status is Status.PASS


if __name__ == "__main__":
    main(*sys.argv[1:])
