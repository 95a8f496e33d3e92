"""Targets with a known fault, for triage to find."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.targets import Cpu
from trtx_backend.dtypes import Array
from trtx_backend.graph import Graph
from trtx_backend.lowering import registry


class WrongSigmoid(Cpu):
    """Its sigmoid is a tanh."""

    def __init__(self) -> None:
        super().__init__()
        from trtx_backend.trt import trt

        def wrong(w: Any, input: Any) -> Any:
            return w.activation(input, trt.ActivationType.TANH)

        entry = registry.entry("sigmoid")
        registry._ENTRIES["sigmoid"] = replace(entry, function=wrong)


def has(graph: Graph, *names: str) -> bool:
    return set(names) <= {operator.name for operator in graph.operators}


class CrashingPair(Cpu):
    """Ends the process at a graph that has both clamp and sigmoid."""

    def run(self, graph: Graph, inputs: Mapping[str, Array]) -> Mapping[str, Array] | None:
        print("noise", flush=True)
        if has(graph, "clamp", "sigmoid"):
            ctypes.string_at(8)
        if has(graph, "tanh"):
            os.abort()
        return super().run(graph, inputs)


class HangingTanh(Cpu):
    def run(self, graph: Graph, inputs: Mapping[str, Array]) -> Mapping[str, Array] | None:
        if has(graph, "tanh"):
            time.sleep(60)
        return super().run(graph, inputs)
