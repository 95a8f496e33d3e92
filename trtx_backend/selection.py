"""Which backend and device a context gets.

A hint decides. Otherwise an accelerated context that is not to save power prefers TensorRT for RTX on the first CUDA
device; any other context, and any on a machine without such a device, gets the CPU. What was passed over is logged, and
why.
"""

from __future__ import annotations

import logging

from trtx_backend.errors import BackendUnavailable
from trtx_backend.options import Backend, BackendDevice, MLContextOptions, PowerPreference

logger = logging.getLogger("trtx")


def select(options: MLContextOptions) -> BackendDevice:
    """The device for these options. BackendUnavailable if a forced one cannot be had."""
    hint = options.device
    backend = hint.backend if hint else options.backend
    if backend is Backend.TRTX:
        reason = trtx_missing()
        if reason:
            raise BackendUnavailable(f"the trtx backend was asked for and cannot be had: {reason}")
        return _selected(hint or BackendDevice.trtx())
    wanted = options.accelerated and options.power_preference is not PowerPreference.LOW_POWER
    if backend is None and wanted:
        reason = trtx_missing()
        if reason is None:
            return _selected(BackendDevice.trtx())
        logger.info("backend trtx passed over: %s", reason)
    return _selected(BackendDevice.cpu())


def _selected(device: BackendDevice) -> BackendDevice:
    logger.info("Backend selected: %s", device)
    return device


def trtx_missing() -> str | None:
    return "dispatch on CUDA devices is not implemented yet"
