"""make bench: what takes how long, as a table and in reports/bench.json.

Figures are of this machine as it is; what is compared is compared in one run. Nothing fails because it is slow.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.suite.rows import ROOT, Row, table
from conformance.shards import shard_of


def sections(options: argparse.Namespace) -> dict[str, Callable[[], Iterator[Row]]]:
    from benchmarks.suite import conversion, corpus, dispatch, engine, startup

    sizes = [int(size) for size in options.sizes.split(",")]
    return {
        "corpus": lambda: corpus.measure(options.rounds, options.shard),
        "engine": lambda: engine.measure(options.rounds, options.shard),
        "operator": lambda: engine.operators(options.rounds, options.shard),
        "conversion": lambda: conversion.measure(options.rounds, sizes, options.small),
        "startup": lambda: startup.measure(options.rounds, options.shard),
        "dispatch": dispatch.measure,
    }


NAMES = ("corpus", "engine", "operator", "conversion", "startup", "dispatch")


def main(argv: list[str] | None = None) -> int:
    options = _parser().parse_args(argv)
    wanted = options.only or list(NAMES)
    rows: list[Row] = []
    for name, measure in sections(options).items():
        if name not in wanted:
            continue
        print(f"{name} …", file=sys.stderr, flush=True)
        for row in measure():
            rows.append(row)
            print(f"  {row.name}: {row.value:.4g} {row.unit}", file=sys.stderr, flush=True)
    print("\n".join(table(rows)))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    document = {**_head(options), "rows": [row.to_json() for row in rows]}
    options.out.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


def _head(options: argparse.Namespace) -> dict[str, Any]:
    import numpy as np

    from trtx_backend.trt import trt

    versions = {"tensorrt_rtx": trt.__version__, "numpy": np.__version__, "python": platform.python_version()}
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "schema": 1,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"system": platform.platform(), "cores": os.cpu_count(), "load": load},
        "versions": versions,
        "shard": options.shard,
        "rounds": options.rounds,
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make bench", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", metavar="NAME", nargs="+", choices=NAMES, help=f"some of {', '.join(NAMES)}")
    parser.add_argument("--rounds", metavar="N", type=int, default=3, help="the least of N is said (3)")
    parser.add_argument("--shard", metavar="I/N", default="1/1", type=lambda text: str(shard_of(text)),
                        help="a part of the corpus")  # fmt: skip
    parser.add_argument("--sizes", metavar="N,…", default="10,100,1000,5000", help="operators of the chains")
    parser.add_argument("--small", action="store_true", help="small networks against the parser, to prove this program")
    parser.add_argument("--out", metavar="FILE", type=Path, default=ROOT / "reports" / "bench.json")
    return parser


if __name__ == "__main__":
    sys.exit(main())
