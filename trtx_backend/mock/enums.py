"""TensorRT's enumerations, as far as networks of this package use them. Values are TensorRT's."""

from __future__ import annotations

from enum import Enum
from typing import Any


class Enumeration(Enum):
    """Members of two enumerations are never equal; int() gives the value, as a bit of a mask or a type's code."""

    def __int__(self) -> int:
        return int(self.value)

    def __index__(self) -> int:
        return int(self.value)


class DataType(Enumeration):
    FLOAT = 0
    HALF = 1
    INT8 = 2
    INT32 = 3
    BOOL = 4
    UINT8 = 5
    FP8 = 6
    BF16 = 7
    INT64 = 8
    INT4 = 9
    FP4 = 10
    E8M0 = 11


def _enumeration(name: str, members: str | dict[str, int]) -> Any:
    """Members with their values, or in the order of their values, from 0."""
    values = {member: value for value, member in enumerate(members.split())} if isinstance(members, str) else members
    functional: Any = Enumeration
    return functional(name, values, module=__name__)


LayerType = _enumeration(
    "LayerType",
    "CONVOLUTION CAST ACTIVATION POOLING LRN SCALE SOFTMAX DECONVOLUTION CONCATENATION ELEMENTWISE PLUGIN "
    "UNARY PADDING SHUFFLE REDUCE TOPK GATHER MATRIX_MULTIPLY RAGGED_SOFTMAX CONSTANT IDENTITY PLUGIN_V2 "
    "SLICE SHAPE PARAMETRIC_RELU RESIZE TRIP_LIMIT RECURRENCE ITERATOR LOOP_OUTPUT SELECT FILL QUANTIZE "
    "DEQUANTIZE CONDITION CONDITIONAL_INPUT CONDITIONAL_OUTPUT SCATTER EINSUM ASSERTION ONE_HOT NON_ZERO "
    "GRID_SAMPLE NMS REVERSE_SEQUENCE NORMALIZATION PLUGIN_V3 SQUEEZE UNSQUEEZE CUMULATIVE "
    "DYNAMIC_QUANTIZE ATTENTION_INPUT ATTENTION_OUTPUT ROTARY_EMBEDDING KV_CACHE_UPDATE MOE "
    "DIST_COLLECTIVE",
)
"""All of TensorRT's: the mock has classes for those that this package uses."""

ActivationType = _enumeration(
    "ActivationType",
    "RELU SIGMOID TANH LEAKY_RELU ELU SELU SOFTSIGN SOFTPLUS CLIP HARD_SIGMOID SCALED_TANH THRESHOLDED_RELU GELU_ERF GELU_TANH",
)
CumulativeOperation = _enumeration("CumulativeOperation", "SUM")
ElementWiseOperation = _enumeration(
    "ElementWiseOperation", "SUM PROD MAX MIN SUB DIV POW FLOOR_DIV AND OR XOR EQUAL GREATER LESS"
)
GatherMode = _enumeration("GatherMode", "DEFAULT ELEMENT ND")
InterpolationMode = _enumeration("InterpolationMode", "NEAREST LINEAR CUBIC")
LoopOutput = _enumeration("LoopOutput", "LAST_VALUE CONCATENATE REVERSE")
MatrixOperation = _enumeration("MatrixOperation", "NONE TRANSPOSE VECTOR")
NetworkDefinitionCreationFlag = _enumeration("NetworkDefinitionCreationFlag", "STRONGLY_TYPED")
PaddingMode = _enumeration("PaddingMode", "EXPLICIT_ROUND_DOWN EXPLICIT_ROUND_UP SAME_UPPER SAME_LOWER")
PoolingType = _enumeration("PoolingType", "MAX AVERAGE MAX_AVERAGE_BLEND")
ProfilingVerbosity = _enumeration("ProfilingVerbosity", "LAYER_NAMES_ONLY NONE DETAILED")
ReduceOperation = _enumeration("ReduceOperation", "SUM PROD MAX MIN AVG NONE")
ResizeCoordinateTransformation = _enumeration("ResizeCoordinateTransformation", "ALIGN_CORNERS ASYMMETRIC HALF_PIXEL")
ResizeRoundMode = _enumeration("ResizeRoundMode", "HALF_UP HALF_DOWN FLOOR CEIL")
ResizeSelector = _enumeration("ResizeSelector", "FORMULA UPPER")
SampleMode = _enumeration("SampleMode", "STRICT_BOUNDS WRAP CLAMP FILL REFLECT")
ScatterMode = _enumeration("ScatterMode", "ELEMENT ND")
Severity = _enumeration("Severity", "INTERNAL_ERROR ERROR WARNING INFO VERBOSE")
TopKOperation = _enumeration("TopKOperation", "MAX MIN")
TripLimit = _enumeration("TripLimit", "COUNT WHILE")
UnaryOperation = _enumeration(
    "UnaryOperation",
    "EXP LOG SQRT RECIP ABS NEG SIN COS TAN SINH COSH ASIN ACOS ATAN ASINH ACOSH ATANH CEIL FLOOR ERF NOT SIGN ROUND ISINF ISNAN",
)
BuilderFlag = _enumeration(
    "BuilderFlag",
    {
        "DEBUG": 2,
        "REFIT": 4,
        "DISABLE_TIMING_CACHE": 5,
        "TF32": 6,
        "STRIP_PLAN": 18,
        "REFIT_IDENTICAL": 19,
        "REFIT_INDIVIDUAL": 22,
        "STRICT_NANS": 23,
    },
)
ComputeCapability = _enumeration(
    "ComputeCapability",
    {"NONE": 0, "CURRENT": 1, "SM75": 75, "SM80": 80, "SM86": 86, "SM89": 89, "SM120": 120, "SM121": 121},
)
