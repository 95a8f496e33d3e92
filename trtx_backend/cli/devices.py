"""`trtx devices`."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from trtx_backend.errors import BackendUnavailable
from trtx_backend.flavor import chosen
from trtx_backend.loading import dynamically_load_tensorrt, load
from trtx_backend.selection import trtx_devices

ABOUT = (
    """List what graphs can run on: the names that trtx run --device takes, and why there is no CUDA device, if so."""
)


def devices(_: argparse.Namespace) -> int:
    flavor = chosen()
    try:
        where = dynamically_load_tensorrt()
        version = getattr(load()[1], "__version__", "")
        print(f"{'tensorrt':<10}{flavor.name}: {flavor.title} {version}, from {where}")
    except BackendUnavailable as error:
        print(f"{'tensorrt':<10}not available: {error}")
        print(f"{'cpu':<10}not available: networks are made with TensorRT (TRTX_FLAVOR=mock does without)")
        return 0
    print(f"{'cpu':<10}the executor, numpy {np.__version__}")
    found, reason = trtx_devices()
    for device in found:
        print(f"{f'cuda:{device.index}':<10}{_describe(device)}")
    if reason:
        print(f"{'cuda':<10}not available: {reason}")
    return 0


def _describe(device: Any) -> str:
    """Name, and what else the driver told."""
    parts = [str(device.name)]
    capability = getattr(device, "compute_capability", None)
    if capability:
        parts.append(f"compute capability {'.'.join(map(str, capability))}")
    memory = getattr(device, "memory", None)
    if memory:
        parts.append(f"{memory / 2**30:.1f} GiB")
    return ", ".join(parts)
