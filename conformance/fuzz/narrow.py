"""An operator's formula with every step rounded to float32, the widest type of TensorRT."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from conformance.oracle import apply

Array = NDArray[Any]

TINY = float(np.finfo(np.float32).tiny)


class Steps(NamedTuple):
    """What a formula gives, as float64, and whether a step on the way became an infinity that was none, or less than the
    least number of full precision."""

    result: Array
    over: bool
    under: bool

    @property
    def left(self) -> bool:
        """Whether a step has left the range of float32."""
        return self.over or self.under


def in_float32(call: Mapping[str, Any], values: Mapping[str, Array], dtypes: Mapping[str, str], output: str) -> Steps:
    """One output of an operator call, each step of the oracle's formula rounded to float32. Arguments as of the oracle's
    `apply`."""
    over = under = False

    class Narrow(np.ndarray):
        """An array of float64 whose functions take and give values of float32."""

        def __array_ufunc__(self, ufunc: np.ufunc, method: Any, *inputs: Any, **kwargs: Any) -> Any:
            kwargs.pop("out", None)
            result = getattr(ufunc, method)(*(rounded(x) for x in inputs), **kwargs)
            return rounded(result).view(Narrow) if _is_float(result) else result

        def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
            if function is np.mean:  # one layer, whose sum is not rounded
                return rounded(np.mean(*map(rounded, arguments), **options)).view(Narrow)
            return super().__array_function__(function, types, arguments, options)

    def rounded(x: Any) -> Any:
        nonlocal over, under
        if not _is_float(x):
            return x
        wide = np.asarray(x)
        made = to_float32(wide)
        over |= bool((np.isinf(made) & np.isfinite(wide)).any())
        under |= bool(((np.abs(made) < TINY) & (wide != 0)).any())
        return made

    given = {name: value.view(Narrow) if _is_float(value) else value for name, value in values.items()}
    with np.errstate(all="ignore"):
        return Steps(np.asarray(apply(call, given, dtypes)[output]).view(np.ndarray), over, under)


def to_float32(x: Any) -> Array:
    """Rounded to float32, as float64."""
    return np.asarray(x).astype(np.float32).astype(np.float64)


def _is_float(x: Any) -> bool:
    return isinstance(x, (np.ndarray, np.floating)) and x.dtype.kind == "f"
