"""Reports for the tests."""

from __future__ import annotations

import math
from typing import Any

from conformance.report.json import Report, Row

ODD = "<script>alert(1)</script> ]]> & \"quoted\" 'x' \x00\x07\x1b[31m\r\n\t \ud800 \ufffe ☃ \u202e {{ 7*7 }} | `a` %s"
"""A name as it may come: markup of every format, control characters, half of a surrogate pair, another direction."""


def row(name: str = "one", status: str = "PASS", file: str = "relu", **changes: Any) -> Row:
    values: dict[str, Any] = {
        "file": file, "name": name, "ops": (file,), "dtypes": ("float32",), "required": True, "status": status,
        "metric": "ULP", "allowed": 2, "worst": 1, "ms": 1.5,
    }  # fmt: skip
    return Row(**{**values, **changes})


def mismatch(name: str = "wrong", file: str = "relu", **changes: Any) -> Row:
    message = f"{file}: {name} / cpu: MISMATCH\n1 of 2 elements outside ULP <= 2 (worst 7)\nrepeat: make test-wpt-op"
    return row(name, "FAIL", file, **{"cause": "MISMATCH", "message": message, "worst": 7, **changes})


def report(*rows: Row, **changes: Any) -> Report:
    values: dict[str, Any] = {
        "target": "cpu", "device": "numpy executor", "started": "2026-11-30T10:20:30+00:00", "seconds": 12.5,
        "versions": {"tensorrt_rtx": "1.6.1.120", "python": "3.11.7"}, "revision": "abc", "known": 3533, "rows": rows,
    }  # fmt: skip
    return Report(**{**values, **changes})


def odd_report() -> Report:
    """Every status, and everything that is hard to write down."""
    return report(
        row("plain"),
        row(ODD, file="abs"),
        mismatch(ODD, worst=math.inf, message=f"{ODD}\n{ODD}"),
        row("none", "UNSUPPORTED", message="no lowering for relu", worst=None, allowed=None, metric=None),
        row("crash", "CRASH", message="Aborted", worst=None, allowed=None, metric=None),
        row("slow", "TIMEOUT", message="no end after 0:00:60", worst=None, allowed=None, metric=None),
        row("skip", "SKIP", message="did not run", worst=None, allowed=None, metric=None, ms=0),
        row("fragile", fragile=True, ops=("add", "relu"), dtypes=("float32", "uint8"), required=False, allowed=0.5),
    )
