"""Prints what the flavor of this process says of networks, a line of JSON each. Two of these are compared.

python -m tests.mock.dump cases [EVERY]: the cases, every one or each EVERYth, lowered.
python -m tests.mock.dump probes: single layers with good and bad inputs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from conformance.cases import Case, find_corpus, load
from tests.conformance.make import ROOT
from tests.mock.probes import probes
from trtx_backend.errors import NetworkError, UnsupportedError
from trtx_backend.executor.listing import listing
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.graph.serial import replay
from trtx_backend.lowering import lower


def cases(every: int) -> Iterator[tuple[str, Any]]:
    found = [case for paths in find_corpus(None, ROOT).files.values() for path in paths for case in load(path)]
    for case in found[::every]:
        if isinstance(case, Case):
            yield case.id, _network(case)


def _network(case: Case) -> Any:
    builder = MLGraphBuilder()
    operands = replay(builder, case.graph)
    graph = builder.finish({name: operands[name] for name in case.graph["expectedOutputs"]})
    try:
        return listing(lower(graph).network)
    except UnsupportedError as error:
        return str(error)
    except NetworkError:
        return "refused"


def main() -> None:
    what, *rest = sys.argv[1:]
    for name, said in cases(int(*rest or ["1"])) if what == "cases" else probes():
        print(json.dumps([name, said]))


if __name__ == "__main__":
    main()
