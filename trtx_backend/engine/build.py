"""Compiles networks. This needs no GPU, except for plans whose weights are left out."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from trtx_backend.engine.dump import dump_network
from trtx_backend.engine.settings import ALL_TARGETS, EngineSettings
from trtx_backend.engine.stack import on_large_stack
from trtx_backend.engine.weights import Weight
from trtx_backend.errors import EngineError
from trtx_backend.lowering import LoweredGraph
from trtx_backend.trt import Network, builder, flavor, log, trt

logger = logging.getLogger("trtx.engine")


@dataclass(frozen=True)
class Plan:
    """A compiled network. `stripped`: it lacks the weights that were to be left out, and must get them when loaded."""

    data: bytes
    stripped: bool


class Compiler(Protocol):
    """Makes plans: TensorRT's builder, or what stands for it in tests."""

    def compile(self, lowered: LoweredGraph, settings: EngineSettings, weights: Sequence[Weight]) -> Plan:
        """The plan of a lowered graph. With `settings.refit`, `weights` are what is to be left out. EngineError."""
        ...


class TensorRTCompiler:
    """TensorRT's builder."""

    def __init__(self) -> None:
        self._told = False

    def compile(self, lowered: LoweredGraph, settings: EngineSettings, weights: Sequence[Weight]) -> Plan:
        """As Compiler says. Where no plan without weights can be built, as on a machine without a GPU, the plan has them;
        the first time is logged."""
        if not settings.refit:
            return Plan(compile_network(lowered.network, settings), stripped=False)
        with _unlabelled(lowered.network):
            return self._without_weights(lowered, settings, weights)

    def _without_weights(self, lowered: LoweredGraph, settings: EngineSettings, weights: Sequence[Weight]) -> Plan:
        mark_refittable(lowered, weights)
        try:
            return Plan(compile_network(lowered.network, settings), stripped=True)
        except EngineError as error:
            plan = Plan(compile_network(lowered.network, replace(settings, refit=False)), stripped=False)
            level = logging.DEBUG if self._told else logging.WARNING
            logger.log(level, "no plan without its weights can be built here, so plans are not cached: %s", error)
            self._told = True
            return plan


def build(network: Network, targets: Sequence[str] = ALL_TARGETS) -> bytes:
    """One plan for all `targets`, weights included. EngineError quotes TensorRT."""
    return compile_network(network, EngineSettings(tuple(targets)))


def mark_refittable(lowered: LoweredGraph, weights: Iterable[Weight]) -> None:
    """Name weights in the network, and mark them as what a refit replaces. To be done before each build: one without
    refit clears all marks."""
    for weight in weights:
        log.take_errors()
        network = lowered.network
        named = network.set_weights_name(trt.Weights(weight.array.reshape(-1)), weight.name)
        if not named or not network.mark_weights_refittable(weight.name):
            raise EngineError(f"TensorRT does not mark {weight} as refittable: {log.take_errors()}")


def compile_network(network: Network, settings: EngineSettings) -> bytes:
    """The plan of a network; with `settings.refit`, without what is marked. EngineError quotes TensorRT."""
    return on_large_stack(network, lambda: _compile(network, settings))


def _compile(network: Network, settings: EngineSettings) -> bytes:
    config = builder().create_builder_config()
    _apply(config, settings)
    log.take_errors()
    plan = builder().build_serialized_network(network, config)
    if plan is None:
        raise EngineError(f"TensorRT cannot compile the network for {', '.join(settings.targets)}: {log.take_errors()}")
    dump_network(network)
    return bytes(plan)


@contextlib.contextmanager
def _unlabelled(network: Network) -> Iterator[None]:
    """Plans hold what a program calls its operators. One that other graphs are to share does not."""
    layers = [network.get_layer(index) for index in range(network.num_layers)]
    labelled = [(layer, layer.metadata) for layer in layers if layer.metadata]
    for layer, _ in labelled:
        layer.metadata = ""
    try:
        yield
    finally:
        for layer, label in labelled:
            layer.metadata = label


def _apply(config: Any, settings: EngineSettings) -> None:
    flags = {trt.BuilderFlag.TF32: settings.tf32}
    if settings.refit:
        flags |= {trt.BuilderFlag.REFIT_INDIVIDUAL: True, trt.BuilderFlag.STRIP_PLAN: True}
    for flag, wanted in flags.items():
        (config.set_flag if wanted else config.clear_flag)(flag)
    config.builder_optimization_level = settings.optimization_level
    config.profiling_verbosity = getattr(trt.ProfilingVerbosity, settings.profiling)
    if flavor.ahead_of_time:
        config.num_compute_capabilities = len(settings.targets)
        for index, target in enumerate(settings.targets):
            config.set_compute_capability(getattr(trt.ComputeCapability, target), index)
