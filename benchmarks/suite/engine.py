"""The whole corpus on `engine`, against TensorRT's builder alone on the same networks; a second run; one operator."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.suite.corpus import run_of
from benchmarks.suite.rows import ROOT, Cost, Row, command, cost_of, least

WORKERS = 2
RATIO, SECOND_RUN, ONE_OPERATOR = 1.15, 8.0, 2.0
OPERATORS = ("relu", "conv2d", "softmax")


def measure(rounds: int, shard: str) -> Iterator[Row]:
    fresh: list[Cost] = []
    alone: dict[str, list[Cost]] = {"as it comes": [], "with our allocator settings": []}
    for _ in range(rounds):
        for name, costs in alone.items():
            costs.append(bare(shard, reuse=name != "as it comes"))
        fresh.append(command(*run_of("engine", shard, "--fresh")))
    run = _least(fresh)
    yield Row("engine", "a run, everything compiled", run.wall, "s", run.cpu)
    for name, costs in alone.items():
        builder = _least(costs)
        shown = f"TensorRT's builder alone, {name}"
        yield Row("engine", shown, builder.wall, "s", builder.cpu)
        yield Row(
            "engine", f"a run against the builder {name}", run.wall, "s", None, shown, run.wall / builder.wall, RATIO
        )
        shown_cpu, ratio = f"{shown}, processor time", run.cpu / builder.cpu
        yield Row("engine", f"… processor time, {name}", run.cpu, "s", None, shown_cpu, ratio, RATIO)
    again = least(lambda: command(*run_of("engine", shard)), rounds)
    yield Row("engine", "a second run, nothing changed", again.wall, "s", again.cpu, aim=SECOND_RUN)


def operators(rounds: int, _: str) -> Iterator[Row]:
    """One operator after an edit, from the command to its end."""
    for name in OPERATORS:
        for target, more in (("cpu", ()), ("engine", ("--fresh",)), ("engine", ())):
            words = ["-m", "conformance", "run", f"--target={target}", f"--op={name}", *more]
            what = f"{name} on {target}" + ("" if target == "cpu" else ", networks changed" if more else ", unchanged")
            command(*words)
            cost = least(lambda words=words: command(*words), rounds)  # type: ignore[misc]
            yield Row("operator", what, cost.wall, "s", cost.cpu, aim=ONE_OPERATOR)


def bare(shard: str, reuse: bool) -> Cost:
    """The builder alone, in as many processes as a run has: the longest wall time, and the sum of processor times."""
    parts = [
        subprocess.Popen(
            [sys.executable, "-m", "benchmarks.suite.engine", shard, str(part), "reuse" if reuse else "plain"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for part in range(WORKERS)
    ]
    costs = [Cost(**json.loads(part.communicate()[0])) for part in parts]
    return Cost(max(cost.wall for cost in costs), sum(cost.cpu for cost in costs))


def _least(costs: list[Cost]) -> Cost:
    return Cost(min(cost.wall for cost in costs), min(cost.cpu for cost in costs))


def _build(shard: str, part: int, reuse: bool) -> Cost:
    from conformance.cases import Case, find_corpus, load
    from conformance.memory import reuse_freed
    from conformance.runner import build as graph_of
    from conformance.shards import shard_of
    from trtx_backend.engine import EngineSettings
    from trtx_backend.engine.build import _apply
    from trtx_backend.lowering import lower
    from trtx_backend.trt import builder

    if reuse:
        reuse_freed()
    paths = [path for paths in find_corpus(None, ROOT).files.values() for path in paths]
    cases = [case for path in paths for case in load(path) if isinstance(case, Case) and case.id in shard_of(shard)]
    lowered = [lower(graph_of(case)[0]) for case in cases[part::WORKERS]]
    settings = EngineSettings()

    def build() -> None:
        for each in lowered:
            config = builder().create_builder_config()
            _apply(config, settings)
            assert builder().build_serialized_network(each.network, config) is not None

    return cost_of(build)


if __name__ == "__main__":
    found = _build(sys.argv[1], int(sys.argv[2]), sys.argv[3] == "reuse")
    print(json.dumps({"wall": found.wall, "cpu": found.cpu}))
