"""The one table of data types: WebNN name, numpy array type, TensorRT type.

WebNN: https://www.w3.org/TR/webnn/#enumdef-mloperanddatatype, and int4 / uint4, which the conformance cases use and the
specification keeps for a later version. Sub-byte types are one element a byte in numpy and in networks: TensorRT's INT4
takes no scalar and no odd number of elements.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]


@dataclass(frozen=True)
class DataType:
    """One row of the table. `bits` is the size of an element; `carrier` names the TensorRT type that holds the values
    inside a network, `binding` the one at the network's inputs and outputs (TensorRT has no unsigned 32- or 64-bit
    type, and lets UINT8 touch little but the edge)."""

    name: str
    numpy: np.dtype[np.generic]
    bits: int
    carrier: str
    binding: str

    @property
    def is_float(self) -> bool:
        return self.name.startswith("float")

    @property
    def is_unsigned(self) -> bool:
        return self.name.startswith("uint")

    @property
    def min(self) -> int | float:
        """The least value: of an integer type exactly, of a float type minus infinity."""
        if self.is_float:
            return -float("inf")
        return 0 if self.is_unsigned else -(1 << (self.bits - 1))

    @property
    def max(self) -> int | float:
        """The greatest value: of an integer type exactly, of a float type infinity."""
        if self.is_float:
            return float("inf")
        return (1 << self.bits if self.is_unsigned else 1 << (self.bits - 1)) - 1


def _row(name: str, bits: int, carrier: str, binding: str, numpy: str | None = None) -> DataType:
    return DataType(name, np.dtype(numpy or name), bits, carrier, binding)


DATA_TYPES: dict[str, DataType] = {
    row.name: row
    for row in (
        _row("float32", 32, "FLOAT", "FLOAT"),
        _row("float16", 16, "HALF", "HALF"),
        _row("int32", 32, "INT32", "INT32"),
        _row("uint32", 32, "INT32", "INT32"),
        _row("int64", 64, "INT64", "INT64"),
        _row("uint64", 64, "INT64", "INT64"),
        _row("int8", 8, "INT8", "INT8"),
        _row("uint8", 8, "INT32", "UINT8"),
        _row("int4", 4, "INT8", "INT8", "int8"),
        _row("uint4", 4, "INT32", "UINT8", "uint8"),
    )
}

ALL = tuple(DATA_TYPES)
"""Every data type: what is only moved, cast, quantized or dequantized may have any."""

ANY = tuple(name for name in DATA_TYPES if name not in ("int4", "uint4"))
"""The specification's data types."""

FLOATS = ("float32", "float16")
SIGNED = ("float32", "float16", "int64", "int32", "int8")
INTEGERS = tuple(name for name in ALL if name not in FLOATS)


def data_type(name: object) -> DataType:
    """The row of a WebNN data type name; TypeError for anything else (as WebIDL does for an unknown enum value)."""
    if isinstance(name, str) and name in DATA_TYPES:
        return DATA_TYPES[name]
    raise TypeError(f"{name!r} is not a data type; one of: {', '.join(ALL)}")
