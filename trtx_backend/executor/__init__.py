"""Computes a TensorRT network on the CPU with numpy, from nothing but what TensorRT's API says of the network."""

from trtx_backend.executor.reader import Program, read
from trtx_backend.executor.run import execute

__all__ = ["Program", "execute", "read"]
