"""Ahead-of-time builds."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lowering.run import graph
from trtx_backend.engine import build
from trtx_backend.errors import EngineError
from trtx_backend.lowering import lower
from trtx_backend.trt import builder, trt


def test_one_plan_for_all_gpus_which_is_the_same_every_time() -> None:
    def plan() -> bytes:
        return build(lower(graph(lambda b, x: b.relu(b.exp(x)), np.ones(4, np.float32))).network)

    first = plan()
    assert len(first) > 1000
    assert plan() == first


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint8", "int64"])
def test_constants_can_be_outputs_and_several_times(dtype: str) -> None:
    made = graph(lambda b, x: (y := b.identity(x), y, b.reshape(x, [2, 3]), b.neg(x) if dtype != "uint8" else b.identity(y)),
                 np.ones((2, 3), dtype), constants=True)  # fmt: skip
    assert build(lower(made).network)


def test_a_network_that_cannot_be_compiled_says_why() -> None:
    network = builder().create_network()
    x = network.add_input("x", trt.bfloat16, (4,))
    network.mark_output(network.add_unary(x, trt.UnaryOperation.EXP).get_output(0))
    with pytest.raises(EngineError, match=r"cannot compile the network for SM75: .*b16"):
        build(network, ["SM75"])
