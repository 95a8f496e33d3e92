"""A host-memory double of the two libraries that `driver` calls: the CUDA driver and TensorRT's runtime.

It proves on a machine without a GPU what does not depend on one: the order of calls, lifetimes, ordering by streams, what
may be captured, and what happens when a call fails. What is run is played by the executor, so results are real. Work of a
stream is put off until something waits for it, so that a wait that was forgotten shows as a wrong number.

It is part of the package for `make gpu-check` and `--target double`; no context gets it by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from trtx_backend.runtime import device, trtx
from trtx_backend.runtime.double.compiler import DoubleCompiler
from trtx_backend.runtime.double.machine import Machine
from trtx_backend.runtime.jit import forget_driver

__all__ = ["DoubleCompiler", "Machine", "installed"]


@contextmanager
def installed(machine: Machine | None = None) -> Iterator[Machine]:
    """Inside, the machine is the one at hand: contexts find its device, and build for it."""
    machine = machine or Machine()
    before = device.stand_in, trtx.stand_in
    driver = device.stand_in = machine.driver()
    trtx.stand_in = DoubleCompiler()
    try:
        yield machine
    finally:
        device.stand_in, trtx.stand_in = before
        forget_driver(driver)
