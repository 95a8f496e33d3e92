"""A compiler and a loader for machines without a GPU. The plans hold their network's file name and, unless they are
stripped, its weights; a stripped one cannot run until it was given them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from trtx_backend.dtypes import Array
from trtx_backend.engine import BadPlan, EngineSettings, Plan, Weight, WeightsRefused
from trtx_backend.lowering import LoweredGraph


@dataclass
class DoubleCompiler:
    strips: bool = True
    compiled: list[EngineSettings] = field(default_factory=list)
    ignored: Collection[str] = ()
    """Weights that it bakes although they are to be left out."""

    def compile(self, lowered: LoweredGraph, settings: EngineSettings, weights: Sequence[Weight]) -> Plan:
        self.compiled.append(settings)
        stripped = settings.refit and self.strips
        names = [weight.name for weight in weights if weight.name not in self.ignored] if stripped else []
        layers = [lowered.network.get_layer(i).name for i in range(lowered.network.num_layers)]
        return Plan(json.dumps({"plan": layers, "missing": names}).encode(), stripped)


@dataclass
class DoubleEngine:
    missing: list[str]
    weights: dict[str, Array]


@dataclass
class DoubleLoader:
    loaded: int = 0
    refuse_plans: int = 0
    refuse_weights: int = 0
    """How many of the next are refused."""

    def deserialize(self, plan: bytes) -> DoubleEngine:
        self.loaded += 1
        if self.refuse_plans:
            self.refuse_plans -= 1
            raise BadPlan("refused")
        try:
            return DoubleEngine(json.loads(plan)["missing"], {})
        except ValueError as error:
            raise BadPlan(str(error)) from None

    def refittable(self, engine: DoubleEngine) -> Collection[str]:
        return engine.missing

    def refit(self, engine: DoubleEngine, weights: Mapping[str, Array]) -> None:
        if self.refuse_weights:
            self.refuse_weights -= 1
            raise WeightsRefused([next(iter(weights))], "no such weights")
        engine.weights.update(weights)
