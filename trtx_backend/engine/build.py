"""Compiles a network ahead of time. This needs no GPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trtx_backend.errors import EngineError
from trtx_backend.trt import Network, builder, log, trt

ALL_TARGETS = ("SM80", "SM86", "SM89", "SM120", "SM121")
"""GPU generations from Ampere to Blackwell. SM75 (Turing) compiles too, but not bfloat16, nor every float32 matmul."""


def build(network: Network, targets: Sequence[str] = ALL_TARGETS) -> bytes:
    """One plan for all `targets`. TF32 is off, so that float32 is float32. EngineError quotes TensorRT."""
    config = builder().create_builder_config()
    config.clear_flag(trt.BuilderFlag.TF32)
    config.num_compute_capabilities = len(targets)
    for index, target in enumerate(targets):
        config.set_compute_capability(_capability(target), index)
    log.take_errors()
    plan = builder().build_serialized_network(network, config)
    if plan is None:
        raise EngineError(f"TensorRT cannot compile the network for {', '.join(targets)}: {log.take_errors()}")
    return bytes(plan)


def _capability(target: str) -> Any:
    return getattr(trt.ComputeCapability, target)
