"""What a hit of the engine cache costs: make bench-engine-cache.

Key, reading, checking and unpacking an engine of 100 MB, against reading and unpacking the same bytes without a check, in
turns in one process. The plan is made of pieces of a real one, changed here and there, so that it compresses about as
plans do; then of random bytes, which do not compress at all. The graph has 100 MB of weights.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import zstandard

from trtx_backend.engine import EngineCache, Entry, build, find_weights, for_device, lower_folded
from trtx_backend.engine.key import engine_key, surroundings
from trtx_backend.graph import Graph, MLGraphBuilder

SIZE = 100_000_000
LAYERS, WIDTH = 25, 1000


def network() -> Graph:
    """25 products with 4 MB of weights each, in a graph of 100 operators."""
    b = MLGraphBuilder()
    y = b.input("x", "float32", [1, WIDTH])
    for layer in range(LAYERS):
        y = b.matmul(y, b.constant(np.full((WIDTH, WIDTH), layer, np.float32)))
        y = b.mul(b.relu(b.add(y, b.constant(np.full(WIDTH, 0.5, np.float32)))), b.constant("float32", 0.5))
    return b.finish({"y": y})


def plan() -> bytes:
    """100 MB in the likeness of a plan: compiled code, repeated with changes to some of its bytes."""
    b = MLGraphBuilder()
    x = b.input("x", "float32", [1, 8, 16, 16])
    real = build(
        lower_folded(b.finish({"y": b.softmax(b.conv2d(x, b.constant(np.ones((8, 8, 3, 3), np.float32))), 1)})).network
    )
    rng = np.random.default_rng(0)
    data = np.resize(np.frombuffer(real, np.uint8), SIZE)
    places = rng.integers(0, SIZE, SIZE // 50)
    data[places] = rng.integers(0, 256, len(places), np.uint8)
    return data.tobytes()


def measure(directory: Path, data: bytes, rounds: int) -> dict[str, float]:
    graph, settings = network(), for_device((8, 9))
    lowered = lower_folded(graph)
    weights = find_weights(lowered)
    key = engine_key(graph, lowered, weights, settings)
    around, cache = surroundings(), EngineCache(directory)
    assert cache.store(Entry(key, data, ("in0",), ("out0",), {}, around.tensorrt, around.flavor))
    bare = directory / "bare.zst"
    bare.write_bytes(zstandard.ZstdCompressor(write_checksum=False).compress(data))

    def hit() -> None:
        entry = cache.load(engine_key(graph, lowered, weights, settings))
        assert entry is not None and len(entry.plan) == SIZE

    def read_and_unpack() -> None:
        assert len(zstandard.ZstdDecompressor().decompress(bare.read_bytes(), max_output_size=SIZE)) == SIZE

    def the_key() -> None:
        engine_key(graph, lowered, weights, settings)

    clocks = {"wall": time.perf_counter, "cpu": time.process_time}
    times: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, function in (("hit", hit), ("bare", read_and_unpack), ("key", the_key)):
            before = {clock: now() for clock, now in clocks.items()}
            function()
            for clock, now in clocks.items():
                times.setdefault(f"{name}_{clock}", []).append(now() - before[clock])
    ratios = [a / b for a, b in zip(times["hit_wall"], times["bare_wall"], strict=True)]
    return {
        "plan_MB": SIZE / 1e6,
        "packed_MB": round(bare.stat().st_size / 1e6, 1),
        **{f"{name}_ms": round(min(values) * 1000, 2) for name, values in times.items()},
        "ratio_wall_median": round(statistics.median(ratios), 3),
        "ratio_cpu": round(min(times["hit_cpu"]) / min(times["bare_cpu"]), 3),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument(
        "--at-most",
        type=float,
        default=1.3,
        help="fail if a hit takes the CPU time of more than this many bare readings",
    )
    options = parser.parse_args()
    plans = {"like a plan": plan(), "random": np.random.default_rng(0).bytes(SIZE)}
    slow = False
    for name, data in plans.items():
        with tempfile.TemporaryDirectory() as directory:
            result = measure(Path(directory), data, options.rounds)
        print(json.dumps({"bytes": name, **result}))
        slow |= result["ratio_cpu"] > options.at_most
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
