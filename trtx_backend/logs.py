"""What is printed of the package's logging, by environment variables. Without them nothing is set up: the loggers are
`trtx` and below, and belong to the program.

RUST_LOG, or TRTX_LOG, which goes first: `info`, or `warn,trtx.tensorrt=debug`; levels are error, warn, info, debug,
trace and off. RUSTNN_TRTX_LOG_VERBOSITY: TensorRT's own messages of this severity and above.
"""

from __future__ import annotations

import logging
import os
import sys
from functools import cache

ROOT = "trtx"
TENSORRT = "trtx.tensorrt"
TRACE = 5
LEVELS = {
    "off": logging.CRITICAL + 10,
    "error": logging.ERROR,
    "warn": logging.WARNING,
    "info": logging.INFO,
    "debug": logging.DEBUG,
    "trace": TRACE,
}
VERBOSITIES = {
    "internal_error": logging.CRITICAL,
    "error": logging.ERROR,
    "warning": logging.WARNING,
    "info": logging.INFO,
    "verbose": logging.DEBUG,
}

logger = logging.getLogger(ROOT)


@cache
def set_up() -> None:
    """Read the environment, once, and print to standard error what it asks for."""
    wanted = _levels()
    verbosity = tensorrt_level()
    if verbosity is not None:
        wanted[TENSORRT] = verbosity
    if not wanted:
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logger.addHandler(handler)
    for name, level in wanted.items():
        logging.getLogger(name).setLevel(level)


def tensorrt_level() -> int | None:
    """The least level of TensorRT's messages that are passed on at their own level; None: all, as details."""
    text = os.environ.get("RUSTNN_TRTX_LOG_VERBOSITY", "").strip().lower()
    if text and text not in VERBOSITIES:
        logger.warning("RUSTNN_TRTX_LOG_VERBOSITY=%s: must be one of %s", text, ", ".join(VERBOSITIES))
    return VERBOSITIES.get(text)


def _levels() -> dict[str, int]:
    name = "TRTX_LOG" if os.environ.get("TRTX_LOG") else "RUST_LOG"
    levels: dict[str, int] = {}
    for directive in filter(None, (part.strip() for part in os.environ.get(name, "").split(","))):
        target, _, level = directive.rpartition("=")
        target = target.replace("::", ".").strip() or ROOT
        if level.strip().lower() not in LEVELS:
            logger.warning("%s=%s: a level is one of %s", name, directive, ", ".join(LEVELS))
        elif target == ROOT or target.startswith(ROOT + "."):  # others are other programs'
            levels[target] = LEVELS[level.strip().lower()]
    return levels
