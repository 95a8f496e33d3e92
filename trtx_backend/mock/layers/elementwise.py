"""Layers that compute each element by itself: unary, element-wise, activation, select, cast, identity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from trtx_backend.mock.adding import Adding, checked
from trtx_backend.mock.core import ILayer, Parameter, Refused
from trtx_backend.mock.enums import (
    ActivationType,
    DataType,
    ElementWiseOperation,
    Enumeration,
    LayerType,
    UnaryOperation,
)
from trtx_backend.mock.rules import NO_FLOAT, NO_NUMBER, broadcast, demand, forbid, member, number, same_types

Op, Unary = ElementWiseOperation, UnaryOperation
Results = Sequence[tuple[Enumeration, Sequence[int]]]

LOGICAL = (Op.AND, Op.OR, Op.XOR)
COMPARISONS = (Op.EQUAL, Op.GREATER, Op.LESS)
EXACT_UNARY = (Unary.ABS, Unary.NEG, Unary.SIGN)
CLASSIFYING = (Unary.NOT, Unary.ISINF, Unary.ISNAN)


class IUnaryLayer(ILayer):
    layer_type, title = LayerType.UNARY, "Unary"
    op = Parameter(member(UnaryOperation))

    def infer(self) -> Results:
        dtype, shape = self._facts()
        if self.op is Unary.NOT:
            demand(dtype, (DataType.BOOL,))
        else:
            forbid(dtype, NO_NUMBER if self.op in EXACT_UNARY else NO_FLOAT, f"the input of {self.op.name}")
        return [(DataType.BOOL if self.op in CLASSIFYING else dtype, shape)]


class IElementWiseLayer(ILayer):
    layer_type, title, most_inputs = LayerType.ELEMENTWISE, "ElementWise", 2
    op = Parameter(member(ElementWiseOperation))

    def infer(self) -> Results:
        facts = self._facts(0), self._facts(1)
        dtype = same_types(*facts)
        if self.op in LOGICAL:
            demand(dtype, (DataType.BOOL,), f"the inputs of {self.op.name}")
        elif self.op is not Op.EQUAL:
            forbid(dtype, NO_NUMBER, f"the inputs of {self.op.name}")
        return [(DataType.BOOL if self.op in COMPARISONS else dtype, broadcast(*(shape for _, shape in facts)))]


def _finite(value: float) -> str | None:
    return None if math.isfinite(value) else "it must be finite"


LARGEST = float(np.finfo(np.float32).max)
DEFAULTS = {
    ActivationType.LEAKY_RELU: (0.01, 0.0),
    ActivationType.ELU: (1.0, 0.0),
    ActivationType.SELU: (1.67326324, 1.05070098),
    ActivationType.SOFTPLUS: (1.0, 1.0),
    ActivationType.CLIP: (-LARGEST, LARGEST),
    ActivationType.HARD_SIGMOID: (0.2, 0.5),
    ActivationType.SCALED_TANH: (1.0, 1.0),
    ActivationType.THRESHOLDED_RELU: (1.0, 0.0),
}
"""Alpha and beta where they are not set; 0 for other activations."""


class _OfKind(Parameter):
    """A number whose default depends on the activation."""

    def __init__(self, index: int) -> None:
        super().__init__(number, check=_finite)
        self.index = index

    def __get__(self, layer: ILayer | None, owner: type) -> Any:
        if layer is None:
            return self
        values = layer._state.values
        return number(values.get(self.name, DEFAULTS.get(values["type"], (0.0, 0.0))[self.index]))


class IActivationLayer(ILayer):
    layer_type, title = LayerType.ACTIVATION, "Activation"
    type = Parameter(member(ActivationType))
    alpha, beta = _OfKind(0), _OfKind(1)

    def infer(self) -> Results:
        dtype, shape = self._facts()
        exact = self.type is ActivationType.RELU
        forbid(dtype, NO_NUMBER if exact else NO_FLOAT, f"the input of {self.type.name}")
        return [(dtype, shape)]


class IParametricReLULayer(ILayer):
    layer_type, title, most_inputs = LayerType.PARAMETRIC_RELU, "Parametric ReLU", 2

    def infer(self) -> Results:
        facts = self._facts(0), self._facts(1)
        dtype = same_types(*facts)
        forbid(dtype, NO_FLOAT)
        shape, slopes = (shape for _, shape in facts)
        if broadcast(shape, slopes) != shape:
            raise Refused(f"slopes {list(slopes)} do not broadcast to the input {list(shape)}")
        return [(dtype, shape)]


class ISelectLayer(ILayer):
    layer_type, title, most_inputs = LayerType.SELECT, "Select", 3

    def infer(self) -> Results:
        condition, *branches = (self._facts(index) for index in range(3))
        demand(condition[0], (DataType.BOOL,), "the condition")
        return [(same_types(*branches), broadcast(condition[1], *(shape for _, shape in branches)))]


class ICastLayer(ILayer):
    layer_type, title = LayerType.CAST, "Cast"
    to_type = Parameter(member(DataType))

    def infer(self) -> Results:
        return [(self.to_type, self._facts()[1])]


class IIdentityLayer(ILayer):
    layer_type, title = LayerType.IDENTITY, "Identity"

    def infer(self) -> Results:
        return [self._facts()]


class ElementwiseLayers(Adding):
    def add_unary(self, input: Any, op: Any) -> Any:
        return self._add(IUnaryLayer, [checked(input)], op=op)

    def add_elementwise(self, input1: Any, input2: Any, op: Any) -> Any:
        return self._add(IElementWiseLayer, [checked(input1), checked(input2)], op=op)

    def add_activation(self, input: Any, type: Any) -> Any:
        return self._add(IActivationLayer, [checked(input)], type=type)

    def add_parametric_relu(self, input: Any, slopes: Any) -> Any:
        return self._add(IParametricReLULayer, [checked(input), checked(slopes)])

    def add_select(self, condition: Any, then_input: Any, else_input: Any) -> Any:
        return self._add(ISelectLayer, [checked(condition), checked(then_input), checked(else_input)])

    def add_cast(self, input: Any, to_type: Any) -> Any:
        return self._add(ICastLayer, [checked(input)], to_type=to_type)

    def add_identity(self, input: Any) -> Any:
        return self._add(IIdentityLayer, [checked(input)])
