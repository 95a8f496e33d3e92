"""One case: NVIDIA's parser makes the network, the executor runs it, ONNX says what should come out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.executor_check.corpus import Case
from trtx_backend.errors import ExecutorError
from trtx_backend.executor import execute, read
from trtx_backend.executor.types import storage
from trtx_backend.trt import create_network, log, trt

MACHINE = {"float16": 2.0**-10, "bfloat16": 2.0**-7}
"""Steps of the narrow types at 1. Float8 and float4 must be exact."""


@dataclass(frozen=True)
class Verdict:
    kind: str
    """pass; dtype: the values are right, the type is another; mismatch; refused by the parser; random; error."""
    detail: str = ""


def parse(case: Case) -> Any:
    """The network, or None if the parser refuses the model."""
    network = create_network()
    parser = trt.OnnxParser(network, log)
    return network if parser.parse(case.model) else None


def feeds(case: Case, network: Any) -> dict[str, Any]:
    """Inputs by position, since the parser may rename them. What it reads as another type is fed as that."""
    given = [array for array in case.inputs if array is not None]
    tensors = [network.get_input(i) for i in range(network.num_inputs)]
    if len(given) > len(tensors):  # initializers may be listed as inputs
        given = given[: len(tensors)]
    return {t.name: held(a).astype(storage(t.dtype, t.name)) for t, a in zip(tensors, given, strict=True)}


def judge(case: Case) -> Verdict:
    network = parse(case)
    if network is None:
        return Verdict("refused", log.take_errors()[:200])
    return outcome(case, network)


def outcome(case: Case, network: Any) -> Verdict:
    try:
        results = execute(read(network), feeds(case, network))
    except ExecutorError as error:
        return Verdict("random" if "foretold" in str(error) else "error", str(error))
    return compare(case, network, results)


def compare(case: Case, network: Any, results: dict[str, Any]) -> Verdict:
    dtype = ""
    names = [network.get_output(i).name for i in range(network.num_outputs)]
    for name, expected in zip(names, (a for a in case.outputs if a is not None), strict=True):
        actual, wanted = results[name], held(expected)
        if actual.shape != wanted.shape:
            return Verdict("mismatch", f"{name}: shape {list(actual.shape)}, ONNX says {list(wanted.shape)}")
        said, should = network_type(network, name), onnx_type(expected)
        if said != should:
            dtype = f"{name}: {said}, ONNX says {should}"
        wrong = ~near(actual, wanted, expected.dtype.name)
        if wrong.any():
            a, w = actual[wrong].reshape(-1)[0], wanted[wrong].reshape(-1)[0]
            return Verdict(
                "mismatch", f"{name}: {int(wrong.sum())} of {wrong.size} differ, first {a!s}, ONNX says {w!s}"
            )
    return Verdict("dtype", dtype) if dtype else Verdict("pass")


def near(actual: Any, wanted: Any, dtype: str) -> Any:
    """Integers and narrow floats are equal. Float32 is within 32 of its steps at the element's size, or within 1 at that of
    the tensor's greatest (ONNX computed its expectations in float32, too); float16 and bfloat16 within 2."""
    if wanted.dtype.kind != "f" or dtype.startswith(("float8", "float4")):
        return (actual == wanted) | ((actual != actual) & (wanted != wanted))
    steps = 2 * MACHINE[dtype] if dtype in MACHINE else 32 * 2.0**-23
    a, w = np.asarray(actual, np.float64), np.asarray(wanted, np.float64)
    finite = np.abs(w[np.isfinite(w)])
    size = np.maximum(np.abs(w), finite.max() / 32 if finite.size else 0)
    with np.errstate(invalid="ignore"):
        return (a == w) | (np.isnan(a) & np.isnan(w)) | (np.abs(a - w) <= steps * size)


NAMES = {
    "float32": "FLOAT",
    "float16": "HALF",
    "bfloat16": "BF16",
    "float8_e4m3fn": "FP8",
    "float4_e2m1fn": "FP4",
}


def onnx_type(array: Any) -> str:
    return NAMES.get(array.dtype.name, array.dtype.name.upper())


def network_type(network: Any, name: str) -> str:
    tensors = (network.get_output(i) for i in range(network.num_outputs))
    return str(next(t.dtype.name for t in tensors if t.name == name))


def held(array: Any) -> Any:
    """As the executor holds it: narrow floats in float32, int4 in int8."""
    if array.dtype.name in ("bfloat16", "float8_e4m3fn", "float4_e2m1fn"):
        return array.astype(np.float32)
    return array.astype(np.int8) if array.dtype.name == "int4" else array
