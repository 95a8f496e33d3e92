"""An operator's formula with every step rounded to float32, the widest type of TensorRT."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.oracle import apply

Array = NDArray[Any]

TINY = float(np.finfo(np.float32).tiny)


def in_float32(
    call: Mapping[str, Any], values: Mapping[str, Array], dtypes: Mapping[str, str], output: str
) -> tuple[Array, bool]:
    """One output of an operator call, each step of the oracle's formula rounded to float32, and whether a step has left
    that type's range: an infinity that was none, or less than the least number of full precision. Arguments as of the
    oracle's `apply`."""
    left = False

    class Narrow(np.ndarray):
        """An array of float64 whose functions take and give values of float32."""

        def __array_ufunc__(self, ufunc: np.ufunc, method: Any, *inputs: Any, **kwargs: Any) -> Any:
            kwargs.pop("out", None)
            result = getattr(ufunc, method)(*(rounded(x) for x in inputs), **kwargs)
            return rounded(result).view(Narrow) if _is_float(result) else result

    def rounded(x: Any) -> Any:
        nonlocal left
        if not _is_float(x):
            return x
        wide = np.asarray(x)
        made = wide.astype(np.float32).astype(np.float64)
        left |= bool(((np.isinf(made) & np.isfinite(wide)) | ((np.abs(made) < TINY) & (wide != 0))).any())
        return made

    given = {name: value.view(Narrow) if _is_float(value) else value for name, value in values.items()}
    with np.errstate(all="ignore"):
        return np.asarray(apply(call, given, dtypes)[output]).view(np.ndarray), left


def _is_float(x: Any) -> bool:
    return isinstance(x, (np.ndarray, np.floating)) and x.dtype.kind == "f"
