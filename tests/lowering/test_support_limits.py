"""The limits tables say what the backend takes, and TensorRT is asked about all of it: every operator with every data
type of its first operand is lowered, compiled for all GPUs, and run by the executor."""

from __future__ import annotations

import numpy as np
import pytest

from tests.examples import EXAMPLES
from trtx_backend.dtypes import ALL, ANY, DATA_TYPES
from trtx_backend.engine import build
from trtx_backend.graph import MLGraphBuilder
from trtx_backend.graph.operator import RULES
from trtx_backend.lowering import lower
from trtx_backend.runtime.cpu import CpuGraph

OPERATORS = sorted(RULES)


def first_operand_dtypes(name: str) -> tuple[str, ...]:
    return next(iter(RULES[name].limits.values())).dtypes


def test_every_operator_has_an_example() -> None:
    assert set(OPERATORS) <= set(EXAMPLES)


@pytest.mark.parametrize("name", OPERATORS)
def test_allowed_types_compile_and_run(name: str) -> None:
    for dtype in ANY if name == "where" else first_operand_dtypes(name):
        builder = MLGraphBuilder()
        made = EXAMPLES[name](builder, dtype)
        outputs = made if isinstance(made, tuple) else (made,)
        graph = builder.finish({f"y{index}": operand for index, operand in enumerate(outputs)})
        assert build(lower(graph).network), dtype
        inputs = {n: np.ones(o.shape, DATA_TYPES[o.dtype].numpy) for n, o in graph.inputs.items()}
        results = CpuGraph(graph).compute(inputs)
        for index, operand in enumerate(outputs):
            result = results[f"y{index}"]
            assert (result.shape, result.dtype) == (operand.shape, DATA_TYPES[operand.dtype].numpy), dtype


@pytest.mark.parametrize("name", OPERATORS)
def test_other_types_are_refused_before_tensorrt_sees_them(name: str) -> None:
    for dtype in set(ALL) - set(first_operand_dtypes(name)) if name != "where" else ():
        with pytest.raises(TypeError):
            EXAMPLES[name](MLGraphBuilder(), dtype)
