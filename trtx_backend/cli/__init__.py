"""The `trtx` command: run a graph from a file, list devices, look after the cache."""

from trtx_backend.cli.main import main

__all__ = ["main"]
