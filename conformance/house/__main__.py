"""`python -m conformance.house`: write wpt_data/house from the specifications in this package."""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conformance import house

DIRECTORY = Path(__file__).resolve().parents[2] / "wpt_data" / "house"


def documents() -> dict[str, str]:
    """The text of every file by its stem."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for module in pkgutil.iter_modules(house.__path__, f"{house.__name__}."):
        found = importlib.import_module(module.name)
        for stem, cases in found.cases().items() if hasattr(found, "cases") else ():
            groups.setdefault(stem, []).extend(cases)
    for stem, cases in groups.items():
        twice = [name for name, count in Counter(case["name"] for case in cases).items() if count > 1]
        if twice:
            raise ValueError(f"{stem}: two cases of one name: {', '.join(twice)}")
    return {stem: _document(cases) for stem, cases in sorted(groups.items())}


def _document(cases: list[dict[str, Any]]) -> str:
    lines = ",\n".join(json.dumps(case, ensure_ascii=False, separators=(",", ":")) for case in cases)
    return f'{{"source": "house", "revision": null, "tests": [\n{lines}\n]}}\n'


def main(arguments: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(prog="conformance.house", description="Write wpt_data/house.")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if a file is not what it must be"
    )
    check = parser.parse_args(arguments).check
    made = documents()
    if check:
        there = {path.stem: path.read_text(encoding="utf-8") for path in DIRECTORY.glob("*.json")}
        wrong = sorted(stem for stem in made.keys() | there.keys() if made.get(stem) != there.get(stem))
        print(
            f"not as specified: {', '.join(wrong)}; python -m conformance.house writes them"
            if wrong
            else "as specified"
        )
        return 1 if wrong else 0
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    for stem, text in made.items():
        (DIRECTORY / f"{stem}.json").write_text(text, encoding="utf-8")
    for path in DIRECTORY.glob("*.json"):
        if path.stem not in made:
            path.unlink()
    print(f"{sum(text.count(chr(10)) - 2 for text in made.values())} cases in {len(made)} files")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
