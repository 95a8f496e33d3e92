"""The JSON report, version 1."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.cases import AnyCase
from conformance.files import write_whole
from conformance.runner import Outcome, Status


@dataclass(frozen=True)
class CaseResult:
    """A case that ran."""

    case: AnyCase
    outcome: Outcome
    required: bool

    def row(self) -> dict[str, Any]:
        case, outcome = self.case, self.outcome
        fragile = {} if outcome.fragile is None else {"fragile": outcome.fragile}
        return {
            "file": case.file,
            "name": case.name,
            "ops": list(case.ops),
            "dtypes": list(case.dtypes),
            "required": self.required,
            "status": str(outcome.status),
            "cause": str(outcome.cause) if outcome.cause else None,
            "message": outcome.message,
            "metric": outcome.metric,
            "allowed": outcome.allowed,
            "worst": _finite(outcome.worst),
            "ms": round(outcome.ms, 3),
            **fragile,
        }


def write_report(path: Path, head: dict[str, Any], results: Sequence[CaseResult]) -> None:
    """Write the report as a whole, or not at all. `head`: everything but the summary and the cases."""
    counts = {str(status): sum(result.outcome.status is status for result in results) for status in Status}
    document = {
        **head,
        "summary": {"cases": len(results), **counts},
        "cases": [result.row() for result in results],
    }
    write_whole(path, json.dumps(document, ensure_ascii=True, indent=1, allow_nan=False) + "\n")


def _finite(value: float | None) -> float | str | None:
    """JSON has no infinity, which is the distance between what cannot be compared."""
    return "Infinity" if value is not None and math.isinf(value) else value
