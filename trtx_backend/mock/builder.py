"""Logger, builder and its configuration."""

from __future__ import annotations

import json
import sys
from typing import Any

from trtx_backend.mock.core import Refused, infer
from trtx_backend.mock.enums import BuilderFlag, ComputeCapability, Enumeration, ProfilingVerbosity, Severity
from trtx_backend.mock.network import INetworkDefinition
from trtx_backend.mock.rules import integer, member


class ILogger:
    """Derive from this, and say what `log` does."""

    Severity = Severity

    def log(self, severity: Any, message: str) -> None:
        raise NotImplementedError


class Logger(ILogger):
    """Prints messages of a severity and above."""

    INTERNAL_ERROR, ERROR, WARNING, INFO, VERBOSE = Severity

    def __init__(self, min_severity: Any = Severity.WARNING) -> None:
        self.min_severity = min_severity

    def log(self, severity: Any, message: str) -> None:
        if severity.value <= self.min_severity.value:
            print(f"[mock] [{severity.name}] {message}", file=sys.stderr)


class IBuilderConfig:
    def __init__(self) -> None:
        self.flags = 1 << int(BuilderFlag.TF32)
        self.builder_optimization_level = 3
        self.profiling_verbosity = ProfilingVerbosity.LAYER_NAMES_ONLY
        self._capabilities: list[Enumeration] = []

    def set_flag(self, flag: Any) -> None:
        self.flags |= 1 << int(member(BuilderFlag)(flag))

    def clear_flag(self, flag: Any) -> None:
        self.flags &= ~(1 << int(member(BuilderFlag)(flag)))

    def get_flag(self, flag: Any) -> bool:
        return bool(self.flags >> int(member(BuilderFlag)(flag)) & 1)

    @property
    def num_compute_capabilities(self) -> int:
        return len(self._capabilities)

    @num_compute_capabilities.setter
    def num_compute_capabilities(self, count: int) -> None:
        if count < 0:
            raise ValueError(f"{count} compute capabilities: there cannot be fewer than none")
        self._capabilities = [*self._capabilities, *[ComputeCapability.NONE] * count][:count]

    def set_compute_capability(self, capability: Any, index: int = 0) -> bool:
        member(ComputeCapability)(capability)
        if not 0 <= index < len(self._capabilities):
            return False
        self._capabilities[index] = capability
        return True

    def get_compute_capability(self, index: int = 0) -> Any:
        return self._capabilities[index]


class Builder:
    def __init__(self, logger: ILogger) -> None:
        if not isinstance(logger, ILogger):
            raise TypeError(f"a logger is an ILogger, not {type(logger).__name__}")
        self.logger, self._networks = logger, 0

    def create_network(self, flags: int = 0) -> INetworkDefinition | None:
        if integer(flags) not in (0, 1):
            self.logger.log(Severity.ERROR, f"{flags} are no flags of a network")
            return None
        self._networks += 1
        return INetworkDefinition(self, self._networks - 1)

    def create_builder_config(self) -> IBuilderConfig:
        return IBuilderConfig()

    def build_serialized_network(self, network: INetworkDefinition, config: IBuilderConfig) -> bytes | None:
        """The network by name, type and shape, for those who need bytes; None if a layer is refused or there is no output.
        Nothing can run them."""
        refused = [found for found in (infer(state) for state in network._layers) if isinstance(found, Refused)]
        if refused or not network.num_outputs:
            self.logger.log(Severity.ERROR, str(refused[0]) if refused else "the network has no output")
            return None
        layers = [
            [s.name, s.cls.layer_type.name, [[t.dtype.name, t.shape] for t in s.outputs]] for s in network._layers
        ]
        plan = {"mock": network.name, "for": [c.name for c in config._capabilities], "layers": layers}
        return json.dumps(plan, sort_keys=True).encode()
