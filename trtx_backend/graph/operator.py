"""`@operator` turns an operator's output rule into a method of MLGraphBuilder.

The rule is a function from operands and options to the descriptor(s) of what it computes: it states, in the order of
the specification's steps, what must hold, and nothing about graphs. The decorator does what all operators share:
operands belong to this builder, their data types and ranks are within the limits table of the operator, the options are
of the right form, the error names the operator, the new operands and the operator go into the graph.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

import numpy as np

from trtx_backend.errors import ArgumentError
from trtx_backend.graph.ir import MLOperand, MLOperandDescriptor, Operator, Shape
from trtx_backend.graph.limits import Limits, check_limits, check_shape

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Output:
    """What a rule returns: the descriptors of what the operator computes, and the options with their defaults filled in
    where these depend on the operands (all axes, say)."""

    descriptors: tuple[MLOperandDescriptor, ...]
    options: Mapping[str, Any]


def output(dtype: str, shape: Shape, **options: Any) -> Output:
    """One operand of this data type and shape."""
    return Output((MLOperandDescriptor(dtype, tuple(shape)),), options)


def outputs(descriptors: Iterable[tuple[str, Shape]], **options: Any) -> Output:
    """Several operands."""
    return Output(tuple(MLOperandDescriptor(dtype, tuple(shape)) for dtype, shape in descriptors), options)


RULES: dict[str, OperatorRule[..., Any]] = {}
"""Every operator that has been imported, by its Python name."""


class OperatorRule(Generic[P, R]):
    """An operator: its rule, its limits, and its method on the builder (through the descriptor protocol)."""

    def __init__(
        self, rule: Callable[P, Output], limits: Mapping[str, Limits], name: str, several: bool = False
    ) -> None:
        self._rule: Callable[..., Output] = rule
        self.limits = {name: row for name, row in limits.items() if not name.startswith("output")}
        """Rows of the operands."""
        self.results = {name: row for name, row in limits.items() if name.startswith("output")} or _result(limits)
        """Rows of what it computes."""
        self.name, self.several = name, several
        self.signature = inspect.signature(rule)
        self.webnn_name = webnn_name(name)
        self.__doc__ = rule.__doc__
        self._method = self._as_method()
        RULES[name] = self

    @overload
    def __get__(self, builder: None, owner: type) -> Callable[Concatenate[Any, P], R]: ...
    @overload
    def __get__(self, builder: Any, owner: type) -> Callable[P, R]: ...
    def __get__(self, builder: Any, owner: type) -> Any:
        return self._method if builder is None else MethodType(self._method, builder)

    def _as_method(self) -> Callable[..., Any]:
        """A function of the builder and the rule's arguments, which help() shows as it shows any method."""

        def method(builder: Any, /, *args: Any, **kwargs: Any) -> Any:
            return self.add_to(builder, *args, **kwargs)

        method.__name__, method.__doc__, method.__module__ = self.name, self.__doc__, self._rule.__module__
        method.__qualname__ = f"MLGraphBuilder.{self.name}"
        builder = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        method.__signature__ = self.signature.replace(  # type: ignore[attr-defined]
            parameters=[builder, *self.signature.parameters.values()],
            return_annotation="tuple[MLOperand, ...]" if self.several else "MLOperand",
        )
        return method

    def add_to(self, builder: Any, *args: Any, **kwargs: Any) -> Any:
        """Check the arguments, add the operator to the builder's graph, return the operand(s) that it computes."""
        builder.check_can_build()
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.webnn_name}: {error}; it takes {', '.join(self.signature.parameters)}") from None
        bound.apply_defaults()
        arguments = dict(bound.arguments)
        label = arguments["label"]
        if not isinstance(label, str):
            raise ArgumentError("label", label, "must be a string", self.webnn_name)
        try:
            parameters = self.signature.parameters
            operands = {
                name: _operand(builder, parameters[name], arguments[name]) for name in self.limits if name in arguments
            }
            check_limits(self.limits, operands)
            result = self._rule(**{**arguments, **operands})
            for descriptor in result.descriptors:
                check_shape("the output's shape", descriptor.shape)
        except ArgumentError as error:
            raise error.of(f"{self.webnn_name} “{label}”" if label else self.webnn_name) from None
        given = {name: _freeze(value) for name, value in arguments.items() if name not in operands and name != "label"}
        operator = Operator(self.webnn_name, operands, {**given, **result.options}, label)
        made = builder.connect(operator, result.descriptors)
        return made if self.several else made[0]


def _result(limits: Mapping[str, Limits]) -> dict[str, Limits]:
    """What most operators compute: the first operand's types, and its rank where that is fixed."""
    first = next(iter(limits.values()))
    fixed = first.min_rank == first.max_rank
    return {"output": Limits(first.dtypes, *((first.min_rank, first.max_rank) if fixed else ()))}


def operator(**limits: Limits) -> Callable[[Callable[P, Output]], OperatorRule[P, MLOperand]]:
    """Make a rule into a builder method that returns one operand. `limits`: a row of the limits table an operand, and one
    called `output` where the result is not of the first operand's types."""
    return lambda rule: OperatorRule(rule, limits, rule.__name__)


def operator_with_outputs(**limits: Limits) -> Callable[[Callable[P, Output]], OperatorRule[P, tuple[MLOperand, ...]]]:
    """The same for an operator that computes several operands."""
    return lambda rule: OperatorRule(rule, limits, rule.__name__, several=True)


def family(*names: str, **limits: Limits) -> Callable[[Callable[P, Output]], Mapping[str, OperatorRule[P, MLOperand]]]:
    """Operators that share a rule: a method for each name."""
    return lambda rule: {name: OperatorRule(rule, limits, name) for name in names}


def webnn_name(python_name: str) -> str:
    """`reduce_l1` -> `reduceL1`, `is_nan` -> `isNaN`, `gather_nd` -> `gatherND`: the specification's spelling."""
    first, *rest = python_name.split("_")
    return first + "".join({"nan": "NaN", "nd": "ND"}.get(word, word.capitalize()) for word in rest)


def _operand(builder: Any, parameter: inspect.Parameter, value: Any) -> MLOperand | tuple[MLOperand, ...] | None:
    """An operand as the operator's signature has it: one, or several. One that is missing is left to the limits."""
    name = parameter.name
    if value is None:
        return None
    if not str(parameter.annotation).startswith("Sequence"):
        return _check_operand(builder, name, value)
    if not isinstance(value, (list, tuple)):
        raise ArgumentError(name, value, "must be a list of operands")
    return tuple(_check_operand(builder, f"{name}[{i}]", item) for i, item in enumerate(value))


def _check_operand(builder: Any, name: str, value: Any) -> MLOperand:
    if not isinstance(value, MLOperand):
        raise ArgumentError(name, value, "must be an MLOperand")
    if value.builder is not builder:
        raise ArgumentError(name, str(value), "must be an operand of this builder, it belongs to another one")
    return value


def _freeze(value: Any) -> Any:
    """An option as plain Python: tuples for sequences, int and float for numpy's."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Iterable) and not isinstance(value, str):
        return tuple(_freeze(item) for item in value)
    return value
