"""The `trtx` command: run a graph from a file, list devices."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from trtx_backend.dtypes import Array, data_type
from trtx_backend.errors import BackendUnavailable, EngineError, ExecutorError, NetworkError, UnsupportedError
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.graph.serial import read_array, replay
from trtx_backend.options import Backend, MLContextOptions

FAILED, USAGE, UNAVAILABLE = 1, 2, 3


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status 0: done; 1: the graph failed; 2: a wrong argument or file; 3: the device is not available."""
    arguments = _parser().parse_args(argv)
    try:
        return int(arguments.command(arguments))
    except BackendUnavailable as error:
        return _complain(error, UNAVAILABLE)
    except (NetworkError, EngineError, ExecutorError, UnsupportedError) as error:
        return _complain(error, FAILED)
    except (OSError, TypeError, ValueError, KeyError) as error:
        return _complain(error if str(error) else type(error).__name__, USAGE)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="trtx", description="Run WebNN graphs on TensorRT for RTX.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser(
        "run",
        help="run a graph from a file",
        description="Run a graph in the form of a conformance case: a JSON object with inputs, operators and "
        "expectedOutputs, or a case or a file of cases that holds one. Inputs that no --input names take "
        "their data from the file. Prints the outputs.",
    )
    run.add_argument("graph", type=Path, metavar="GRAPH.json")
    run.add_argument("--case", metavar="NAME", help="which case, where the file holds several")
    run.add_argument("--device", default="auto", help="auto (default), cpu, or cuda:N")
    run.add_argument("--input", action="append", default=[], metavar="NAME=FILE.npy", help="data of an input")
    run.add_argument("--output", type=Path, metavar="FILE.npz", help="write the outputs there instead")
    run.set_defaults(command=_run)
    devices = commands.add_parser("devices", help="list what graphs can run on")
    devices.set_defaults(command=_devices)
    return parser


def _run(arguments: argparse.Namespace) -> int:
    from trtx_backend.ml import ML

    graph = _load(arguments.graph, arguments.case)
    context = ML().create_context(_options(arguments.device))
    builder = MLGraphBuilder(context)
    operands = replay(builder, graph)
    compiled = builder.build({name: operands[name] for name in graph["expectedOutputs"]})
    given = dict(item.split("=", 1) if "=" in item else _bad_input(item) for item in arguments.input)
    unknown = sorted(set(given) - set(compiled.inputs))
    if unknown:
        raise ValueError(f"--input {unknown[0]}: the graph has the inputs {', '.join(compiled.inputs) or 'none'}")
    inputs = {name: _input(name, graph, given, descriptor.dtype) for name, descriptor in compiled.inputs.items()}
    outputs = context.compute(compiled, inputs)
    if arguments.output:
        np.savez(arguments.output, allow_pickle=False, **outputs)
        print(f"{len(outputs)} outputs written to {arguments.output}")
        return 0
    for name, array in outputs.items():
        print(f"{name} {compiled.outputs[name]}\n{array}")
    return 0


def _options(device: str) -> MLContextOptions:
    if device == "auto":
        return MLContextOptions()
    if device == "cpu":
        return MLContextOptions(accelerated=False)
    if device.startswith("cuda:") and device[5:].isdigit():
        return MLContextOptions(backend=Backend.TRTX)
    raise ValueError(f"--device {device}: must be auto, cpu or cuda:N")


def _load(path: Path, case: str | None) -> Any:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}: not JSON: {error}") from None
    if isinstance(document, dict) and "tests" in document:
        names = [test["name"] for test in document["tests"]]
        if case is None and len(names) != 1:
            raise ValueError(f"{path} holds {len(names)} cases; choose one with --case, for example {names[:1]}")
        if case is not None and case not in names:
            raise ValueError(f"{path} has no case {case!r}")
        document = document["tests"][names.index(case) if case is not None else 0]
    graph = document.get("graph", document) if isinstance(document, dict) else None
    if not isinstance(graph, dict) or not {"inputs", "operators", "expectedOutputs"} <= set(graph):
        raise ValueError(f"{path}: a graph is an object with inputs, operators and expectedOutputs")
    return graph


def _input(name: str, graph: Any, given: dict[str, str], dtype: str) -> Array:
    if name in given:
        return np.asarray(np.load(given[name], allow_pickle=False)).astype(data_type(dtype).numpy, casting="safe")
    resource = graph["inputs"][name]
    if "data" not in resource:
        raise ValueError(f"input {name!r} has no data in the file; give it with --input {name}=FILE.npy")
    return read_array(resource["data"], dtype, tuple(resource["descriptor"]["shape"]))


def _bad_input(item: str) -> Any:
    raise ValueError(f"--input {item}: must be NAME=FILE.npy")


def _devices(_: argparse.Namespace) -> int:
    from trtx_backend.selection import trtx_devices

    reason = trtx_devices()[1]
    print("cpu     the executor, numpy")
    print(f"trtx    {f'not available: {reason}' if reason else 'available'}")
    return 0


def _complain(error: object, status: int) -> int:
    print(f"trtx: {error}", file=sys.stderr)
    return status
