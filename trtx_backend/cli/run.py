"""`trtx run`."""

from __future__ import annotations

import argparse
import os
import re
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from trtx_backend.cli.graphs import UsageError, read_graph, read_inputs
from trtx_backend.dtypes import Array
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.graph.serial import replay
from trtx_backend.ml import ML
from trtx_backend.options import Backend, BackendDevice, MLContextOptions


def run(arguments: argparse.Namespace) -> int:
    options = _options(arguments.device, arguments.run_trtx)
    graph = read_graph(arguments.graph, arguments.case)
    if arguments.output:
        _check_writable(arguments.output)
    context = ML().create_context(options)
    builder = MLGraphBuilder(context)
    try:
        operands = replay(builder, graph)
    except TypeError as error:  # as WebNN says, for all that is not valid
        raise UsageError(f"{arguments.graph}: {error}") from None
    compiled = builder.build({name: operands[name] for name in graph["expectedOutputs"]})
    outputs = context.compute(compiled, read_inputs(compiled.inputs, graph, arguments.input))
    if arguments.output:
        try:
            write_arrays(arguments.output, outputs)
        except OSError as error:
            raise OSError(error.errno, f"--output {arguments.output}: {error.strerror}") from None
        print(f"{len(outputs)} output{'s' * (len(outputs) != 1)} written to {arguments.output}")
        return 0
    for name, array in outputs.items():
        print(f"{name} {compiled.outputs[name]}\n{array}")
    return 0


def _options(device: str, run_trtx: bool) -> MLContextOptions:
    number = re.fullmatch(r"cuda:([0-9]{1,4})", device)
    if number:
        return MLContextOptions(device=BackendDevice.trtx(int(number[1])))
    if device == "cpu":
        if run_trtx:
            raise UsageError("--run-trtx and --device cpu contradict each other")
        return MLContextOptions(backend=Backend.CPU)
    if device != "auto":
        raise UsageError(f"--device {device}: must be cpu, or cuda:N with the number that trtx devices shows")
    return MLContextOptions(backend=Backend.TRTX) if run_trtx else MLContextOptions()


def _check_writable(path: Path) -> None:
    """Rather now than after the graph was run."""
    if path.is_dir():
        raise UsageError(f"--output {path}: it is a directory")
    if path.exists() and not path.is_file():
        raise UsageError(f"--output {path}: it is not a file, and what is written would take its place")
    if path.is_file() and path.stat().st_size and not zipfile.is_zipfile(path):
        raise UsageError(f"--output {path}: it is there, and is no .npz file; remove it, or name another")
    if not path.resolve().parent.is_dir():
        raise UsageError(f"--output {path}: there is no directory {path.resolve().parent}")
    if not os.access(path.resolve().parent, os.W_OK):
        raise UsageError(f"--output {path}: permission denied")


def write_arrays(path: Path, arrays: Mapping[str, Array]) -> None:
    """Write arrays as numpy.load reads them, under any names, to the whole or not at all. A link stays, and
    the file that it leads to is replaced."""
    path = path.resolve()
    descriptor, part = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file, zipfile.ZipFile(file, "w") as archive:
            for name, array in arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
        os.chmod(part, 0o666 & ~_umask())
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
