"""What the lowerings do about each assumption that a lowering could avoid: they do without it, or rely on it for a reason."""

from __future__ import annotations

from collections.abc import Mapping

AVOIDED, RELIED_ON = "avoided", "relied on"

SILENT = "the specification does not say what it is, and a choice between two layers is three for what one does"
OPEN = "the specification leaves it open"

RELIANCE: Mapping[str, tuple[str, str]] = {
    "maximum of NaN": (RELIED_ON, f"max, clamp and maxPool2d of NaN: {SILENT}; indices are integers"),
    "minimum of NaN": (RELIED_ON, f"min and clamp of NaN: {SILENT}; indices are integers"),
    "clip with alpha above beta": (AVOIDED, "the bounds of hardSwish and quantizeLinear are fixed, clamp refuses such bounds"),
    "NaN in the k greatest": (RELIED_ON, f"argMax of NaN: {SILENT}"),
    "NaN in the k least": (RELIED_ON, f"argMin of NaN: {SILENT}"),
    "float to int32, too great": (RELIED_ON, f"cast alone, for which {OPEN}; quantizeLinear clips first, and resample2d interpolates 8 bits"),
    "float to int64, too great": (RELIED_ON, f"cast alone, for which {OPEN}; quantizeLinear clips first"),
    "NaN to int32": (RELIED_ON, f"cast and quantizeLinear of NaN: {OPEN}"),
    "infinity to int32": (RELIED_ON, f"cast alone, for which {OPEN}; quantizeLinear clips first"),
    "int64 to int32, too great": (RELIED_ON, "cast to narrower integers and quantizeLinear to uint32 keep low bits by it, as any processor's conversion does; a remainder by 2^32 is five layers"),
    "power of a negative base": (RELIED_ON, "pow, whose exponents are tensors; a whole exponent cannot be told from another before it runs"),
    "mean of integers": (AVOIDED, "reduceMean takes floats only"),
    "sign of NaN": (RELIED_ON, f"sign of NaN: {SILENT}"),
    "softplus of a great number": (RELIED_ON, "softplus: the formula that avoids it loses the digits of negative numbers, which the tolerance wants; one that keeps both is nine layers"),
    "float32 matrix product": (AVOIDED, "every engine is built with TF32 cleared"),
    "float16 sum": (AVOIDED, "reductions, normalizations and pooling of float16 sum in float32"),
    "nearest, scale that float32 cannot hold": (AVOIDED, "resample2d rounds from half pixels, where such scales matter at ties only: the entry before"),
    "negative index": (AVOIDED, "gathers add the size where an index is negative, constants before they enter the network"),
    "a constant as output": (RELIED_ON, "shape, and graphs of constants alone; whether the identity of a constant can be refitted is as open"),
}  # fmt: skip
"""By the assumption's name."""
