"""TensorRT's network API in pure Python: what this package uses of it, with its inference of types and shapes and its
refusals. TRTX_FLAVOR=mock puts it in the place of TensorRT.

It accepts a network where TensorRT's inference does; whether it compiles is not its question. Every difference to
TensorRT itself that a network of the corpus shows is a failure of `make test-mock`.
"""

from trtx_backend.mock.builder import Builder, IBuilderConfig, ILogger, Logger
from trtx_backend.mock.core import ILayer, ITensor
from trtx_backend.mock.enums import (
    ActivationType,
    BuilderFlag,
    ComputeCapability,
    CumulativeOperation,
    DataType,
    ElementWiseOperation,
    GatherMode,
    InterpolationMode,
    LayerType,
    LoopOutput,
    MatrixOperation,
    NetworkDefinitionCreationFlag,
    PaddingMode,
    PoolingType,
    ProfilingVerbosity,
    ReduceOperation,
    ResizeCoordinateTransformation,
    ResizeRoundMode,
    ResizeSelector,
    SampleMode,
    ScatterMode,
    TopKOperation,
    TripLimit,
    UnaryOperation,
)
from trtx_backend.mock.layers.elementwise import (
    IActivationLayer,
    ICastLayer,
    IElementWiseLayer,
    IIdentityLayer,
    IParametricReLULayer,
    ISelectLayer,
    IUnaryLayer,
)
from trtx_backend.mock.layers.indexing import IGatherLayer, IScatterLayer
from trtx_backend.mock.layers.loops import IIteratorLayer, ILoop, ILoopOutputLayer, IRecurrenceLayer, ITripLimitLayer
from trtx_backend.mock.layers.reduction import (
    ICumulativeLayer,
    IMatrixMultiplyLayer,
    IReduceLayer,
    ISoftMaxLayer,
    ITopKLayer,
)
from trtx_backend.mock.layers.shapes import IConcatenationLayer, IConstantLayer, IShuffleLayer, ISliceLayer
from trtx_backend.mock.layers.windows import IConvolutionLayer, IDeconvolutionLayer, IPoolingLayer, IResizeLayer
from trtx_backend.mock.network import INetworkDefinition
from trtx_backend.mock.weights import Dims, Permutation, Weights

float32, float16, bfloat16 = DataType.FLOAT, DataType.HALF, DataType.BF16
int64, int32, int8, uint8, int4 = DataType.INT64, DataType.INT32, DataType.INT8, DataType.UINT8, DataType.INT4
bool = DataType.BOOL

__version__ = "mock"

__all__ = [
    "ActivationType",
    "Builder",
    "BuilderFlag",
    "ComputeCapability",
    "CumulativeOperation",
    "DataType",
    "Dims",
    "ElementWiseOperation",
    "GatherMode",
    "IActivationLayer",
    "IBuilderConfig",
    "ICastLayer",
    "IConcatenationLayer",
    "IConstantLayer",
    "IConvolutionLayer",
    "ICumulativeLayer",
    "IDeconvolutionLayer",
    "IElementWiseLayer",
    "IGatherLayer",
    "IIdentityLayer",
    "IIteratorLayer",
    "ILayer",
    "ILogger",
    "ILoop",
    "ILoopOutputLayer",
    "IMatrixMultiplyLayer",
    "INetworkDefinition",
    "IParametricReLULayer",
    "IPoolingLayer",
    "IRecurrenceLayer",
    "IReduceLayer",
    "IResizeLayer",
    "IScatterLayer",
    "ISelectLayer",
    "IShuffleLayer",
    "ISliceLayer",
    "ISoftMaxLayer",
    "ITensor",
    "ITopKLayer",
    "ITripLimitLayer",
    "IUnaryLayer",
    "InterpolationMode",
    "LayerType",
    "Logger",
    "LoopOutput",
    "MatrixOperation",
    "NetworkDefinitionCreationFlag",
    "PaddingMode",
    "Permutation",
    "PoolingType",
    "ProfilingVerbosity",
    "ReduceOperation",
    "ResizeCoordinateTransformation",
    "ResizeRoundMode",
    "ResizeSelector",
    "SampleMode",
    "ScatterMode",
    "TopKOperation",
    "TripLimit",
    "UnaryOperation",
    "Weights",
    "__version__",
    "bfloat16",
    "bool",
    "float16",
    "float32",
    "int4",
    "int8",
    "int32",
    "int64",
    "uint8",
]
