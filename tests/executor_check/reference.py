"""ONNX's reference in float64, which says of whole networks what float32 should come near to.

Three of its operators in version 1.23 do not compute what their specification says, and are written out here: its
BatchNormalization of version 9 normalizes by the batch at hand, its LRN leaves out all channels but the first ones, one for
each batch item, and its Softmax before version 13 is along one axis, not over all that follow it.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun


class BatchNormalization(OpRun):
    op_domain = ""

    def _run(self, x: Any, scale: Any, bias: Any, mean: Any, variance: Any, epsilon: Any = None, **unused: Any) -> Any:
        shape = (-1, *(1,) * (x.ndim - 2))
        scale, bias, mean, variance = (array.reshape(shape) for array in (scale, bias, mean, variance))
        return ((x - mean) / np.sqrt(variance + epsilon) * scale + bias,)


class LRN(OpRun):
    op_domain = ""

    def _run(self, x: Any, alpha: Any = None, beta: Any = None, bias: Any = None, size: Any = None) -> Any:
        squares = np.zeros_like(x)
        for c in range(x.shape[1]):
            first, last = max(0, c - (size - 1) // 2), min(x.shape[1] - 1, c + size // 2)
            squares[:, c] = (x[:, first : last + 1] ** 2).sum(1)
        return (x / (bias + alpha / size * squares) ** beta,)


class FlatSoftmax(OpRun):
    op_domain = ""

    def _run(self, x: Any, axis: Any = None) -> Any:
        # an absent axis comes as the -1 of later versions; it was 1
        flat = x.reshape(int(np.prod(x.shape[: 1 if axis in (None, -1) else axis])), -1)
        powers = np.exp(flat - flat.max(1, keepdims=True))
        return ((powers / powers.sum(1, keepdims=True)).reshape(x.shape),)


FlatSoftmax.__name__ = "Softmax"


def in_float64(model: bytes, feeds: dict[str, Any]) -> list[Any]:
    """The outputs of the model, all whose floats are doubles."""
    wide = onnx.load_model_from_string(model)
    for tensor in wide.graph.initializer:
        if tensor.data_type == TensorProto.FLOAT:
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float64), tensor.name))
    for info in (*wide.graph.input, *wide.graph.output):
        info.type.tensor_type.elem_type = TensorProto.DOUBLE
    own = [BatchNormalization, LRN] + ([FlatSoftmax] if wide.opset_import[0].version < 13 else [])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outputs = ReferenceEvaluator(wide, new_ops=own).run(None, {n: a.astype(np.float64) for n, a in feeds.items()})
    assert all(output.dtype == np.float64 for output in outputs)
    return list(outputs)
