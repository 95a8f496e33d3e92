"""Which backend a context gets.

A hint decides. Otherwise an accelerated context that is not to save power prefers TensorRT for RTX on a CUDA device;
any other context, and any on a machine without such a device, gets the CPU. What was passed over is logged, and why.
"""

from __future__ import annotations

import logging

from trtx_backend.errors import BackendUnavailable
from trtx_backend.options import Backend, MLContextOptions, PowerPreference

logger = logging.getLogger("trtx")


def select(options: MLContextOptions) -> Backend:
    """The backend for these options. BackendUnavailable if a forced one cannot be had."""
    if options.backend is Backend.TRTX:
        reason = trtx_missing()
        if reason:
            raise BackendUnavailable(f"the trtx backend was asked for and cannot be had: {reason}")
        return Backend.TRTX
    wanted = options.accelerated and options.power_preference is not PowerPreference.LOW_POWER
    if options.backend is None and wanted:
        reason = trtx_missing()
        if reason is None:
            return Backend.TRTX
        logger.info("backend trtx passed over: %s", reason)
    logger.info("Backend selected: Cpu")
    return Backend.CPU


def trtx_missing() -> str | None:
    return "dispatch on CUDA devices is not implemented yet"
