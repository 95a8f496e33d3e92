"""Graph files, and the data of a graph's inputs. What is wrong with one is a UsageError that names the file and place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from trtx_backend.dtypes import DATA_TYPES, Array, data_type
from trtx_backend.errors import ArgumentError
from trtx_backend.graph import MLOperandDescriptor
from trtx_backend.graph.serial import read_array


class UsageError(Exception):
    """An option or a file is not what it must be; one line."""


def read_graph(path: Path, case: str | None) -> Mapping[str, Any]:
    """The graph of a file, or of the case of that name in it."""
    document = _read_json(path)
    if isinstance(document, dict) and "tests" in document:
        document = _choose(path, document["tests"], case)
    elif case is not None:
        raise UsageError(f"{path} is one graph: it has no cases to choose with --case")
    graph = document.get("graph", document) if isinstance(document, dict) else None
    if not isinstance(graph, dict) or not {"inputs", "operators", "expectedOutputs"} <= set(graph):
        raise UsageError(f"{path}: a graph is an object with inputs, operators and expectedOutputs (trtx run --help)")
    try:
        json.dumps(graph, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise UsageError(f"{path}: a name holds half of a surrogate pair, which is no character") from None
    for problem in _problems(graph):
        raise UsageError(f"{path}: {problem}")
    return graph


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None
    except RecursionError:
        raise UsageError(f"{path}: it is nested too deep") from None
    except ValueError as error:  # not UTF-8, not JSON, or a path that holds a zero byte
        raise UsageError(f"{path}: not JSON: {error}") from None


def _choose(path: Path, tests: Any, case: str | None) -> Any:
    if not isinstance(tests, list) or not all(isinstance(t, dict) and isinstance(t.get("name"), str) for t in tests):
        raise UsageError(f'{path}: "tests" must be a list of cases, each with a name')
    names = [test["name"] for test in tests]
    near = [name for name in names if case is not None and case.casefold() in name.casefold()]
    if case not in names and len(near) == 1:
        return tests[names.index(near[0])]
    if case is not None and case not in names:
        raise UsageError(
            f"{path} has no case {case!r}"
            + (f"; {len(near)} have it in their names, {near[0]!r} first" if near else "")
        )
    if case is None and len(names) != 1:
        choose = f"; choose one with --case, for example {names[0]!r}" if names else ""
        raise UsageError(f"{path} holds {len(names)} cases{choose}")
    return tests[names.index(case) if case is not None else 0]


def _problems(graph: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the form of a graph. Whether it is valid WebNN, the builder says."""
    for key, kind, word in (
        ("inputs", dict, "an object"),
        ("operators", list, "a list"),
        ("expectedOutputs", dict, "an object"),
    ):
        if not isinstance(graph[key], kind):
            yield f"{key} must be {word}"
            return
    for name, resource in graph["inputs"].items():
        yield from _resource_problems(f"input {name!r}", resource)
    for index, operator in enumerate(graph["operators"]):
        yield from _operator_problems(f"operators[{index}]", operator)
    if not graph["expectedOutputs"]:
        yield "expectedOutputs must name an output"
    known = set(graph["inputs"])
    for name in (name for operator in graph["operators"] for name in _names(operator["outputs"])):
        if name in known:
            yield f"two operands are called {name!r}"
        known.add(name)
    for name in graph["expectedOutputs"]:
        if name not in known - set(graph["inputs"]):
            yield f"expectedOutputs: no operator computes {name!r}"


def _resource_problems(where: str, resource: Any) -> Iterator[str]:
    descriptor = resource.get("descriptor") if isinstance(resource, dict) else None
    if not isinstance(descriptor, dict) or not {"shape", "dataType"} <= set(descriptor):
        yield f'{where} must have a "descriptor" with shape and dataType'
    elif not isinstance(descriptor["dataType"], str) or descriptor["dataType"] not in DATA_TYPES:
        yield f"{where}: {descriptor['dataType']!r} is not a data type; one of: {', '.join(DATA_TYPES)}"
    elif not isinstance(descriptor["shape"], list):
        yield f"{where}: the shape {descriptor['shape']!r} must be a list of sizes"
    elif resource.get("constant") and "data" not in resource:
        yield f"{where} is a constant and has no data"


def _operator_problems(where: str, operator: Any) -> Iterator[str]:
    if not isinstance(operator, dict) or not isinstance(operator.get("name"), str):
        yield f"{where} must be an object with a name"
        return
    arguments = operator.get("arguments")
    if not isinstance(arguments, list) or not all(isinstance(argument, dict) for argument in arguments):
        yield f"{where}, {operator['name']}: arguments must be a list of objects"
    elif not all(isinstance(argument.get("options", {}), dict) for argument in arguments):
        yield f"{where}, {operator['name']}: options must be an object"
    elif not _names(operator.get("outputs")):
        yield f"{where}, {operator['name']}: outputs must be a name or a list of names"


def _names(outputs: Any) -> list[str]:
    names = outputs if isinstance(outputs, list) else [outputs]
    return names if all(isinstance(name, str) for name in names) else []


def read_inputs(
    wanted: Mapping[str, MLOperandDescriptor], graph: Mapping[str, Any], options: list[str]
) -> dict[str, Array]:
    """The data of every input, from the files that --input names, else from the graph."""
    given: dict[str, str] = {}
    for option in options:
        name, equals, file = option.partition("=")
        if not equals or not file:
            raise UsageError(f"--input {option}: must be NAME=FILE.npy")
        if name not in wanted:
            raise UsageError(f"--input {name}: the graph has the inputs {', '.join(wanted) or 'none'}")
        if name in given:
            raise UsageError(f"--input {name}: it is given twice")
        given[name] = file
    return {
        name: _read_file(name, given[name], descriptor) if name in given else _own_data(name, graph, descriptor)
        for name, descriptor in wanted.items()
    }


def _own_data(name: str, graph: Mapping[str, Any], descriptor: MLOperandDescriptor) -> Array:
    resource = graph["inputs"][name]
    if "data" not in resource:
        raise UsageError(f"input {name!r} has no data in the file; give it with --input {name}=FILE.npy")
    try:
        return read_array(resource["data"], descriptor.dtype, descriptor.shape)
    except ArgumentError as error:
        raise UsageError(f"input {name!r}: {error}") from None


def _read_file(name: str, file: str, descriptor: MLOperandDescriptor) -> Array:
    where = f"--input {name}={file}"
    try:
        with open(file, "rb") as stream:
            array = np.lib.format.read_array(stream, allow_pickle=False)
    except OSError as error:
        raise UsageError(f"{where}: {error.strerror or error}") from None
    except (ValueError, EOFError) as error:
        raise UsageError(f"{where}: not a .npy file of numbers: {error}") from None
    row = data_type(descriptor.dtype)
    if array.dtype.newbyteorder("=") != row.numpy:
        raise UsageError(
            f"{where}: it holds {array.dtype.name}, and the input is {descriptor}, {row.numpy.name} in numpy"
        )
    if array.shape != descriptor.shape:
        raise UsageError(f"{where}: its shape is {list(array.shape)}, and the input is {descriptor}")
    return np.asarray(array, row.numpy)
