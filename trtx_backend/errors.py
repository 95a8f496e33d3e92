"""Every exception that this package raises on purpose. A wrong argument is a TypeError, as WebNN says."""

from __future__ import annotations

from typing import Any


class ArgumentError(TypeError):
    """A wrong argument of an operator or of another method of the API.

    `operator` is its WebNN name with the label, `operand` the argument at fault, `value` what was given and `rule` what
    the specification asks for. The message says all four.
    """

    def __init__(self, operand: str, value: Any, rule: str, operator: str = "") -> None:
        self.operand, self.value, self.rule, self.operator = operand, value, rule, operator
        super().__init__(f"{operator}: {self.detail}" if operator else self.detail)

    @property
    def detail(self) -> str:
        return f"{self.operand} is {_short(self.value)}: {self.rule}"

    def of(self, operator: str) -> ArgumentError:
        """The same error with the operator's name in front."""
        return ArgumentError(self.operand, self.value, self.rule, operator)


class InvalidStateError(RuntimeError):
    """The object cannot do this any more: the builder has built, or the context, graph or tensor was destroyed."""


class UnsupportedError(RuntimeError):
    """The graph is valid WebNN, and this backend has no lowering for it."""


class NetworkError(RuntimeError):
    """TensorRT refused a layer. The message names the operator, its operands and TensorRT's own words."""


class EngineError(RuntimeError):
    """TensorRT could not compile the network."""


class CacheMissError(EngineError):
    """The engine cache does not hold this graph, and nothing may be built. The message has the key."""


class RefitError(EngineError):
    """An engine does not take its weights. The message names the constants and the operators that use them."""


class ExecutorError(RuntimeError):
    """The executor met a layer, mode or type that it does not compute, or TensorRT's inference disagrees with it."""


class BackendUnavailable(RuntimeError):
    """The backend asked for cannot be had on this machine; the message says what is missing."""


class ContextLostError(InvalidStateError):
    """The context was destroyed, or its device failed in a way that only a new context gets over. `MLContext.lost` says
    why."""


class CudaError(RuntimeError):
    """A call of the CUDA driver failed. `call` is the function, `code` and `name` its CUresult: `code` is None, and `name`
    the kind of error, where the driver or the function in it could not be found. `sticky`: the device's state is lost."""

    def __init__(self, call: str, code: int | None, name: str, reason: str = "", sticky: bool = False) -> None:
        self.call, self.code, self.name, self.sticky = call, code, name, sticky
        super().__init__(f"{call}: {name}{'' if code is None else f' ({code})'}{reason and f': {reason}'}")


class TensorRTError(RuntimeError):
    """A call of TensorRT's runtime failed. `call` is the method; the message says what TensorRT logged."""

    def __init__(self, call: str, reason: str) -> None:
        self.call = call
        super().__init__(f"{call}: {reason}")


def check(condition: bool, operand: str, value: Any, rule: str) -> None:
    """Raise ArgumentError unless `condition` holds."""
    if not condition:
        raise ArgumentError(operand, value, rule)


def _short(value: Any, limit: int = 120) -> str:
    text = str(list(value)) if isinstance(value, tuple) else repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
