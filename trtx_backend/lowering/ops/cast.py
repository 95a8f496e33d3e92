"""cast. Spec: https://www.w3.org/TR/webnn/#api-mlgraphbuilder-cast

Which route a pair of types takes follows from what is exact: floats to integers truncate, integers to narrower ones
keep their low bits, everything else keeps the value.
"""

from __future__ import annotations

from trtx_backend.dtypes import DATA_TYPES, FLOATS
from trtx_backend.lowering.common.casts import EXACT, float_to_uint64, low_bits, uint64_to_float, wrap
from trtx_backend.lowering.registry import lowers
from trtx_backend.lowering.value import Value
from trtx_backend.lowering.writer import Writer
from trtx_backend.trt import ITensor, trt

CARRIER = {name: getattr(trt.DataType, row.carrier) for name, row in DATA_TYPES.items()}


@lowers("cast", values=True)
def cast(w: Writer, input: Value, *, dtype: str) -> ITensor | Value:
    source = w.op.dtype("input")
    if source == dtype:
        return input
    if source in FLOATS:
        return _from_float(w, input.form(w), dtype)
    if dtype in FLOATS:
        if source == "uint64":
            return uint64_to_float(w, input.form(w), CARRIER[dtype])
        return w.cast(input.form(w, EXACT.get(source)), CARRIER[dtype])
    return _between_integers(w, input, source, dtype)


def _from_float(w: Writer, tensor: ITensor, dtype: str) -> ITensor:
    if dtype == "uint64":
        return float_to_uint64(w, tensor)
    if dtype == "uint32":
        return low_bits(w, w.cast(tensor, trt.int64))
    if dtype in ("int4", "uint4", "uint8"):
        return wrap(w, w.cast(tensor, trt.int32), dtype)
    return w.cast(tensor, CARRIER[dtype])


def _between_integers(w: Writer, input: Value, source: str, dtype: str) -> ITensor:
    bits = DATA_TYPES[dtype].bits
    if bits == 64:
        return w.cast(input.form(w, EXACT.get(source)), trt.int64)
    value = input.form(w, trt.int32) if DATA_TYPES[source].bits < 64 else low_bits(w, input.form(w))
    if bits == 32 or (
        DATA_TYPES[source].min >= DATA_TYPES[dtype].min and DATA_TYPES[source].max <= DATA_TYPES[dtype].max
    ):
        return value
    return wrap(w, value, dtype)
