"""IMatrixMultiplyLayer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.executor.build import run, same
from trtx_backend.trt import trt

Mode = trt.MatrixOperation
A = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
B = np.array([[1, 0], [0, 1], [2, 2]], np.float32)
AB = np.array([[7, 8], [16, 17]], np.float32)


@pytest.mark.parametrize(
    ("a", "op0", "b", "op1", "expected"),
    [
        (A, Mode.NONE, B, Mode.NONE, AB),
        (A.T.copy(), Mode.TRANSPOSE, B, Mode.NONE, AB),
        (A, Mode.NONE, B.T.copy(), Mode.TRANSPOSE, AB),
        (A.T.copy(), Mode.TRANSPOSE, B.T.copy(), Mode.TRANSPOSE, AB),
        (A[0], Mode.VECTOR, B, Mode.NONE, AB[0]),
        (A, Mode.NONE, B[:, 0].copy(), Mode.VECTOR, AB[:, 0].copy()),
        (A[0], Mode.VECTOR, B[:, 0].copy(), Mode.VECTOR, AB[0, 0]),
        (np.stack([A, 2 * A]), Mode.NONE, B[None], Mode.NONE, np.stack([AB, 2 * AB])),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_products(a: Any, op0: Any, b: Any, op1: Any, expected: Any, dtype: Any) -> None:
    result = run(lambda n, x, y: n.add_matrix_multiply(x, op0, y, op1), a.astype(dtype), b.astype(dtype))
    same(result, expected.astype(dtype))


def test_products_are_accumulated_exactly() -> None:
    a = np.array([[2.0**24, 1, 1, -(2.0**24)]], np.float32)
    same(
        run(lambda n, x, y: n.add_matrix_multiply(x, Mode.NONE, y, Mode.NONE), a, np.ones((4, 1), np.float32)),
        np.array([[2]], np.float32),
    )
