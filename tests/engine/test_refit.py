"""Weights into engines, and what an error says."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engine.double import DoubleEngine, DoubleLoader
from tests.engine.graphs import mlp
from trtx_backend.engine import WeightsRefused, find_weights, lower_folded, refittable
from trtx_backend.engine.refit import refit
from trtx_backend.errors import RefitError

WEIGHTS = refittable(find_weights(lower_folded(mlp(layers=1))))
MATRIX, BIAS = (weight.name for weight in WEIGHTS)


def test_an_engine_gets_every_weight_flat_and_by_name() -> None:
    engine = DoubleEngine([MATRIX, BIAS], {})
    refit(DoubleLoader(), engine, WEIGHTS)
    assert engine.weights.keys() == {MATRIX, BIAS}
    for weight in WEIGHTS:
        given = engine.weights[weight.name]
        assert given.shape == (weight.array.size,)
        assert np.array_equal(given, weight.array.reshape(-1))


@pytest.mark.parametrize(
    ("has", "message"),
    [
        ([MATRIX], r"the constant float32\[4\] of 1\.1 add elementwise “0”: the engine has baked them"),
        ([], r"float32\[4, 4\] of 0\.1 matmul .*; the constant float32\[4\] of .*: the engine has baked them"),
        ([MATRIX, BIAS, "c77"], r"cannot be refitted with c77: the graph has no such constants"),
    ],
)
def test_an_engine_with_other_weights_is_an_error_before_anything_is_set(has: list[str], message: str) -> None:
    engine = DoubleEngine(has, {})
    with pytest.raises(RefitError, match=message):
        refit(DoubleLoader(), engine, WEIGHTS)
    assert not engine.weights


def test_what_tensorrt_refuses_is_named_with_its_operators_and_its_words() -> None:
    with pytest.raises(RefitError, match=r"^an engine cannot be refitted with the constant float32\[4, 4\] of 0.1 matmul "
                                         r"matrix_multiply: no such weights$"):  # fmt: skip
        refit(DoubleLoader(refuse_weights=1), DoubleEngine([MATRIX, BIAS], {}), WEIGHTS)


class Refuses(DoubleLoader):
    def refit(self, engine: DoubleEngine, weights: object) -> None:
        raise WeightsRefused(self.names, "CUDA error 2")

    names: tuple[str, ...] = ()


def test_a_refusal_without_names_and_one_of_many_weights() -> None:
    loader = Refuses()
    with pytest.raises(RefitError, match="cannot be refitted with its weights: CUDA error 2"):
        refit(loader, DoubleEngine([MATRIX, BIAS], {}), WEIGHTS)
    weights = refittable(find_weights(lower_folded(mlp(layers=8))))
    loader.names = tuple(weight.name for weight in weights)
    with pytest.raises(RefitError, match=r"; the constant .* and 8 more: CUDA error 2"):
        refit(loader, DoubleEngine(list(loader.names), {}), weights)
