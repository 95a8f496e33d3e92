"""What changes a plan, apart from the graph. Every field is part of the cache's key: a new one is without being told."""

from __future__ import annotations

from dataclasses import dataclass

from trtx_backend.errors import ArgumentError, check

TARGETS = ("SM75", "SM80", "SM86", "SM89", "SM120", "SM121")
"""GPU generations that TensorRT for RTX compiles for on any machine."""

ALL_TARGETS = TARGETS[1:]
"""From Ampere to Blackwell. SM75 (Turing) compiles too, but not bfloat16, nor every float32 matmul."""

CURRENT = "CURRENT"
"""The GPU at hand, whatever it is."""


@dataclass(frozen=True)
class EngineSettings:
    """How a network is compiled. ArgumentError if a field is wrong."""

    targets: tuple[str, ...] = ALL_TARGETS
    """GPU generations that the plan is for, or CURRENT alone."""

    architecture: str = ""
    """The GPU that the plan is to run on, such as "sm_89"; empty: any of `targets`."""

    refit: bool = False
    """Leave the weights out of the plan, to be put back when it is loaded. Takes a GPU to build."""

    tf32: bool = False
    """Let float32 products be computed with 10 bits of mantissa. No conformance case allows for that."""

    optimization_level: int = 3
    """0 to 5: the time that TensorRT takes to find a faster plan."""

    profiling: str = "LAYER_NAMES_ONLY"
    """What the plan tells of its layers: NONE, LAYER_NAMES_ONLY or DETAILED."""

    def __post_init__(self) -> None:
        known = (*TARGETS, CURRENT)
        check(bool(self.targets), "targets", self.targets, "must name at least one GPU generation")
        for target in self.targets:
            check(target in known, "targets", target, f"must be of {', '.join(known)}")
        rule = f"{CURRENT} stands alone, and needs the architecture"
        check(
            CURRENT not in self.targets or (len(self.targets) == 1 and bool(self.architecture)),
            "targets",
            self.targets,
            rule,
        )
        check(self.optimization_level in range(6), "optimization_level", self.optimization_level, "must be from 0 to 5")
        levels = ("NONE", "LAYER_NAMES_ONLY", "DETAILED")
        check(self.profiling in levels, "profiling", self.profiling, f"must be of {', '.join(levels)}")


def for_device(compute_capability: tuple[int, int]) -> EngineSettings:
    """The settings for a GPU of this compute capability, (8, 9) for example: refittable, for this GPU alone."""
    major, minor = compute_capability
    if (major, minor) < (7, 5):
        raise ArgumentError("compute_capability", compute_capability, "TensorRT for RTX needs (7, 5) or newer")
    name = f"SM{major}{minor}"
    return EngineSettings(
        targets=(name if name in TARGETS else CURRENT,), architecture=f"sm_{major}{minor}", refit=True
    )
