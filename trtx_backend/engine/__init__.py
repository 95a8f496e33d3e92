"""TensorRT networks into engines."""

from trtx_backend.engine.build import build

__all__ = ["build"]
