"""Which backend and device a context gets.

A hint decides. Otherwise an accelerated context that is not to save power prefers TensorRT for RTX on the first CUDA
device; any other context, and any on a machine without such a device, gets the CPU. What was passed over is logged, and
why.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Protocol

from trtx_backend import logs
from trtx_backend.errors import BackendUnavailable
from trtx_backend.flavor import chosen
from trtx_backend.loading import load
from trtx_backend.options import Backend, BackendDevice, MLContextOptions, PowerPreference

logger = logging.getLogger("trtx")


class CudaDevice(Protocol):
    """A CUDA device that TensorRT for RTX supports."""

    @property
    def index(self) -> int:
        """Its number, as in BackendDevice.cuda_device_idx."""

    @property
    def name(self) -> str: ...


def select(options: MLContextOptions) -> BackendDevice:
    """The device for these options. BackendUnavailable if a forced one cannot be had."""
    logs.set_up()
    hint = options.device
    backend = hint.backend if hint else options.backend
    if backend is Backend.TRTX:
        return _selected(_forced(hint.cuda_device_idx if hint else None))
    if backend is Backend.CPU:
        return _selected(BackendDevice.cpu())
    if not options.accelerated:
        logger.info("backend trtx passed over: accelerated is False")
    elif options.power_preference is PowerPreference.LOW_POWER:
        logger.info("backend trtx passed over: low power is preferred")
    else:
        devices, reason = trtx_devices()
        if reason is None:
            return _selected(BackendDevice.trtx(devices[0].index))
        logger.info("backend trtx passed over: %s", reason)
    return _selected(BackendDevice.cpu())


def _forced(index: int | None) -> BackendDevice:
    if chosen().name == "mock":  # what is built for a device is played by the executor
        return BackendDevice.trtx(index or 0)
    devices, reason = trtx_devices()
    if reason:
        raise BackendUnavailable(f"the trtx backend was asked for and cannot be had: {reason}")
    if index is None:
        return BackendDevice.trtx(devices[0].index)
    if index not in [device.index for device in devices]:
        raise BackendUnavailable(f"there is no CUDA device {index} that can be used; there are: {_list(devices)}")
    return BackendDevice.trtx(index)


def _selected(device: BackendDevice) -> BackendDevice:
    logger.info("Backend selected: %s", device)
    return device


def trtx_devices() -> tuple[Sequence[CudaDevice], str | None]:
    """The CUDA devices that graphs can run on, and, if there is none or TensorRT cannot be loaded, why."""
    try:
        flavor = chosen()
        if not flavor.runs:
            return [], f"TRTX_FLAVOR={flavor.name} runs nothing on CUDA devices"
        load()
    except BackendUnavailable as error:
        return [], str(error)
    devices, reason = cuda_devices()
    logger.info("CUDA devices found: %s", _list(devices) or "none")
    return devices, None if devices else reason or "there is no CUDA device"


def cuda_devices() -> tuple[Sequence[CudaDevice], str | None]:
    """What the CUDA driver lists, and, if nothing, why."""
    from trtx_backend.runtime.device import look

    return look()


def _list(devices: Sequence[CudaDevice]) -> str:
    return ", ".join(f"{device.index} ({device.name})" for device in devices)
