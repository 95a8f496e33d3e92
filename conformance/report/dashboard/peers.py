"""Other implementations, from the reports that WPT's runner writes of them (wptreport.json)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.report.dashboard.columns import CRASH, FAIL, PASS, SKIP, TIMEOUT, UNSUPPORTED, Column, Key
from conformance.report.reading import ReportError

STATUSES: Mapping[str, str] = {
    "PASS": PASS,
    "FAIL": FAIL,
    "ERROR": FAIL,
    "ASSERT": CRASH,
    "TIMEOUT": TIMEOUT,
    "NOTRUN": SKIP,
    "PRECONDITION_FAILED": UNSUPPORTED,
}

TEST = re.compile(r"/webnn/conformance_tests/(?P<file>.+)\.https\.any(\.worker)?\.html(\?(?P<variant>.*))?")
CASE = re.compile(r"\[(required|optional)\] (?P<name>.*)", re.DOTALL)


def read_peer(path: Path) -> list[Column]:
    """A column for each variant (cpu, gpu, npu) that the report is of. Only data-driven cases count. ReportError if it
    is not such a report."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        info, results = document["run_info"], document["results"]
        product, version = str(info["product"]), str(info.get("browser_version", ""))
        letters: dict[str, dict[Key, str]] = {}
        messages: dict[Key, str] = {}
        for result in results:
            _take(result, letters, messages)
    except (OSError, ValueError, RecursionError) as error:
        raise ReportError(f"{path}: cannot be read: {error}") from None
    except (KeyError, TypeError, AttributeError):
        raise ReportError(f"{path}: is not a report of WPT's runner (wptreport.json)") from None
    title = f"{product} {version.partition('.')[0]}".strip()
    about = ", ".join(str(info[key]) for key in ("browser_version", "backend", "os", "revision") if info.get(key))
    if not letters:
        raise ReportError(f"{path}: has no results of /webnn/conformance_tests")
    return [
        Column("peer", f"{title} {variant}".strip(), f"{product} {about}", found, messages=messages)
        for variant, found in sorted(letters.items())
    ]


def _take(result: Mapping[str, Any], letters: dict[str, dict[Key, str]], messages: dict[Key, str]) -> None:
    test = TEST.fullmatch(result["test"])
    subtests: Sequence[Mapping[str, Any]] = result["subtests"]
    for subtest in subtests if test else ():
        assert test is not None
        case = CASE.fullmatch(subtest["name"])
        if case:
            key = (test["file"], case["name"])
            letters.setdefault(test["variant"] or "", {})[key] = STATUSES.get(subtest["status"], FAIL)
            if subtest.get("message"):
                messages[key] = str(subtest["message"])
