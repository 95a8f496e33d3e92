"""Small networks made directly with TensorRT's API, run by the executor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from trtx_backend.executor import execute, read
from trtx_backend.executor.types import STORAGE
from trtx_backend.trt import builder

TYPES = {numpy: tensorrt for tensorrt, numpy in reversed(STORAGE.items())}


def run(make: Callable[..., Any], *inputs: Any) -> Any:
    """Compute the layer (or tensor, or list of them) that `make(network, *input tensors)` adds, on arrays."""
    network = builder().create_network()
    arrays = [np.asarray(array) for array in inputs]
    tensors = [network.add_input(f"x{i}", TYPES[a.dtype], a.shape) for i, a in enumerate(arrays)]
    made = make(network, *tensors)
    results = made if isinstance(made, (list, tuple)) else [made]
    for i, result in enumerate(results):
        output = result.get_output(0) if hasattr(result, "get_output") else result
        output.name = f"y{i}"
        network.mark_output(output)
    outputs = execute(read(network), {f"x{i}": array for i, array in enumerate(arrays)})
    values = [outputs[f"y{i}"] for i in range(len(results))]
    return values if isinstance(made, (list, tuple)) else values[0]


def same(actual: Any, expected: Any) -> None:
    """The same type, shape and values; NaN is NaN, and zeros have their signs."""
    expected = np.asarray(expected)
    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(actual, expected)
    if expected.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(actual), np.signbit(expected))


def with_(layer: Any, inputs: Mapping[int, Any] | None = None, **properties: Any) -> Any:
    """A layer with these further inputs and properties."""
    for name, value in properties.items():
        setattr(layer, name, value)
    for index, tensor in (inputs or {}).items():
        layer.set_input(index, tensor)
    return layer
