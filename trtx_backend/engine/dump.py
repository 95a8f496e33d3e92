"""TRTX_JSON_DUMP_PATH: a directory that gets a JSON file of the layers of everything that is built, to look at.

An engine that can be loaded tells of its layers itself. Where it cannot, without a GPU, and where the executor runs the
network, it is the network's layers as TensorRT reads them back.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from pathlib import Path
from typing import Any

from trtx_backend.engine.files import write_whole
from trtx_backend.executor.listing import listing
from trtx_backend.trt import Network, flavor, trt

VARIABLE = "TRTX_JSON_DUMP_PATH"

logger = logging.getLogger("trtx.dump")


def dump_network(network: Network) -> Path | None:
    """Write what TensorRT says of a network, if that is asked for. The file's name is a digest of it, so that equal ones
    share a file. What cannot be written is said in the log."""
    if not is_asked():
        return None
    return _write("network", {"flavor": flavor.name, **listing(network)})


def is_asked() -> bool:
    return bool(os.environ.get(VARIABLE))


def dump_engine(engine: Any, network: Network) -> Path | None:
    """The same of a loaded engine, as its inspector tells; of the network, if it tells nothing."""
    if not is_asked():
        return None
    try:
        text = engine.create_engine_inspector().get_engine_information(trt.LayerInformationFormat.JSON)
        return _write("engine", json.loads(text))
    except (AttributeError, RuntimeError, TypeError, ValueError) as error:
        logger.info("the engine does not tell its layers: %s", error)
        return dump_network(network)


def _write(what: str, content: Any) -> Path | None:
    text = json.dumps(content, indent=1) + "\n"
    path = Path(os.environ[VARIABLE]) / f"{what}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, [text.encode()])
    except OSError as error:
        logger.warning("%s: the layers are not written: %s", VARIABLE, error)
        return None
    logger.info("wrote the layers of %s to %s", content.get("name", what) if isinstance(content, dict) else what, path)
    return path
