"""`python -m tests.by_hand DIR` writes a case file for every family into DIR, for `python -m conformance run --corpus DIR`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.by_hand.families import valid

directory = Path(sys.argv[1])
directory.mkdir(parents=True, exist_ok=True)
for family, cases in valid().items():
    document = {"source": "written by hand from the specification", "tests": cases}
    (directory / f"{family}.json").write_text(json.dumps(document, indent=1), encoding="utf-8")
