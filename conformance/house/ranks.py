"""Every operator at the lowest rank that it takes and at rank 5, and operands whose rank is their own."""

from __future__ import annotations

from typing import Any

from conformance.house.calls import first_row, least, stem, tensor
from conformance.house.spec import T, case, f16, f32, of, op
from trtx_backend.graph.operator import RULES

Cases = dict[str, list[dict[str, Any]]]

SHAPES = {0: (), 1: (3,), 2: (2, 3), 5: (2, 1, 2, 1, 3)}


def cases() -> Cases:
    made: Cases = {}
    for name, rule in RULES.items():
        row, group = first_row(rule), made.setdefault(stem(name), [])
        label = f"{rule.webnn_name}, " if name.startswith("arg") else ""
        for rank in {row.min_rank, min(row.max_rank, 5)} if row.min_rank < row.max_rank else ():
            dtype = row.dtypes[(rank + 1) % 2 % len(row.dtypes)]
            x = tensor(rule.webnn_name, dtype, SHAPES[rank])
            group.append(case(f"{label}rank {rank}, {dtype}", least(rule.webnn_name, x)))
    for stem_, more in _others().items():
        made[stem_] += more
    return made


def _others() -> Cases:
    at = T("int32", (1, 2, 1, 1, 1), (2, 0))
    return {
        "gather": [case("indices of rank 5", op("gather", input=f32(3, 2), indices=at))],
        "gatherND": [case("indices of rank 5", op("gatherND", input=f32(3, 2), indices=at))],
        "scatterND": [
            case("indices and updates of rank 5", op("scatterND", input=f32(3, 2), indices=at, updates=f32(1, 2, 1, 1, 2))),
            case("one coordinate and a scalar", op("scatterND", input=f16(3), indices=of("int32", 1), updates=f16())),
        ],
        "layer_normalization": [
            case("scale and bias of rank 5", op("layerNormalization", input=f32(2, 1, 2, 1, 2), options={
                "axes": [0, 1, 2, 3, 4], "scale": f32(2, 1, 2, 1, 2), "bias": f32(2, 1, 2, 1, 2)})),
            case("a scalar scale of no axes", op("layerNormalization", input=f32(3), options={
                "axes": [], "scale": f32(), "bias": f32()})),
        ],
    }  # fmt: skip
