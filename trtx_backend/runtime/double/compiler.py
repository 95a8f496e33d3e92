"""The engine package's Compiler, for the double: plans that its TensorRT can load."""

from __future__ import annotations

from collections.abc import Sequence

from trtx_backend.engine import EngineSettings, Plan, Weight
from trtx_backend.lowering import LoweredGraph
from trtx_backend.runtime.double.plan import make_plan


class DoubleCompiler:
    """`compiled` counts what was built."""

    def __init__(self) -> None:
        self.compiled = 0

    def compile(self, lowered: LoweredGraph, settings: EngineSettings, weights: Sequence[Weight]) -> Plan:
        """As Compiler says."""
        self.compiled += 1
        stripped = {layer: weight.name for weight in weights for layer in weight.layers} if settings.refit else {}
        return Plan(make_plan(lowered.network, stripped), stripped=settings.refit)
