"""What a case can be run on."""

from __future__ import annotations

import atexit
import os
import platform
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from trtx_backend.dtypes import Array, data_type
from trtx_backend.errors import ArgumentError, BackendUnavailable, ExecutorError
from trtx_backend.graph import Graph, MLOperandDescriptor

if TYPE_CHECKING:
    from trtx_backend.context import MLContext, MLGraph, MLTensor
    from trtx_backend.runtime.double import Machine


class ContextLost(RuntimeError):
    """The device's context is dead, as a CUDA context is after an illegal address: nothing that this process runs can
    succeed any more. A target raises it; the case counts as a crash, and another process goes on."""


@dataclass(frozen=True)
class Compiled:
    """The verdict of a target without numbers: the graph's network compiles. `key`: what names the network and its
    compiler, None where that cannot be told; `kept`: an earlier run found so, and this one did not compile it."""

    key: str | None = None
    kept: bool = False


class Target(Protocol):
    """A way to judge a graph. `run` returns the outputs; or None or Compiled where the target has no numbers: then that it
    could be run at all is the verdict. `unavailable` says what is missing on this machine, or None."""

    name: str

    @property
    def device(self) -> str: ...
    def unavailable(self) -> str | None: ...
    def versions(self) -> dict[str, str]: ...
    def run(self, graph: Graph, inputs: Mapping[str, Array]) -> Mapping[str, Array] | Compiled | None: ...


def numbers(target: Target, graph: Graph, inputs: Mapping[str, Array]) -> Mapping[str, Array] | None:
    """Run a graph on a target. None where it has no numbers."""
    outputs = target.run(graph, inputs)
    return None if isinstance(outputs, Compiled) else outputs


def snapshots_of(target: str) -> str:
    """The target whose snapshots hold for a target."""
    return {"double": "cpu", "mock": "cpu"}.get(target, target)


def _tensorrt_missing() -> str | None:
    try:
        import trtx_backend.trt  # noqa: F401
    except (BackendUnavailable, ArgumentError) as error:
        return str(error)
    except ImportError as error:
        return f"TensorRT cannot be loaded: {error}"
    return None


def _versions() -> dict[str, str]:
    from trtx_backend.trt import trt

    return {"tensorrt_rtx": trt.__version__, "numpy": np.__version__, "python": platform.python_version()}


class Cpu:
    """The network's numbers: lowered to a TensorRT network, which the executor reads back and computes with numpy."""

    name = "cpu"
    device = "numpy executor"

    def __init__(self, accumulate: str = "exact") -> None:
        self.accumulate = np.float32 if accumulate == "float32" else np.float64

    def unavailable(self) -> str | None:
        return _tensorrt_missing()

    def versions(self) -> dict[str, str]:
        return _versions()

    def run(self, graph: Graph, inputs: Mapping[str, Array]) -> Mapping[str, Array] | None:
        from trtx_backend.runtime.cpu import CpuGraph

        return CpuGraph(graph).compute(inputs, self.accumulate)


class Mock(Cpu):
    """As cpu, on the mock of TensorRT: the process uses that, and must not have loaded another."""

    name = "mock"
    device = "numpy executor on the mock of TensorRT"

    def __init__(self) -> None:
        super().__init__()
        os.environ["TRTX_FLAVOR"] = "mock"

    def unavailable(self) -> str | None:
        from trtx_backend.trt import flavor

        return None if flavor.name == "mock" else f"this process has loaded {flavor.title} already"


GENERATIONS = ("SM75", "SM80", "SM86", "SM89", "SM120", "SM121")
"""That TensorRT for RTX compiles for."""


class Engine:
    """The compiler's verdict: one plan for GPUs from Ampere to Blackwell, built ahead of time, or for one generation.
    No numbers. `kept`: keys of networks that are known to compile, and are not compiled again; None: keys are of no
    use."""

    name = "engine"

    def __init__(self, generation: str | None = None, kept: Collection[str] | None = None) -> None:
        self.generations = (generation,) if generation else GENERATIONS[1:]
        self.options = f"--sm {generation}" if generation else ""
        """Of `run`, to have this target again."""
        self.kept = kept

    @property
    def device(self) -> str:
        return f"ahead of time: {', '.join(self.generations)}"

    def unavailable(self) -> str | None:
        return _tensorrt_missing()

    def versions(self) -> dict[str, str]:
        return _versions()

    def run(self, graph: Graph, inputs: Mapping[str, Array]) -> Compiled:
        from trtx_backend.engine import EngineSettings, compile_network, verdict_key
        from trtx_backend.lowering import lower

        network, settings = lower(graph).network, EngineSettings(self.generations)
        key = None if self.kept is None else verdict_key(network, settings)
        if key is not None and self.kept and key in self.kept:
            return Compiled(key, kept=True)
        compile_network(network, settings)
        return Compiled(key)


class Trtx:
    """The numbers of a GPU: an engine of TensorRT for RTX, dispatched on device tensors. Each graph is run plainly, then
    captured as a CUDA graph, then replayed; all three must give the same bits."""

    name = "trtx"
    DISPATCHES = ("plain", "captured", "replayed")

    def __init__(self) -> None:
        self._context: MLContext | None = None

    def unavailable(self) -> str | None:
        if missing := _tensorrt_missing():
            return missing
        from trtx_backend.selection import trtx_devices

        return trtx_devices()[1]

    def versions(self) -> dict[str, str]:
        return _versions()

    @property
    def device(self) -> str:
        from trtx_backend.selection import trtx_devices

        found, reason = trtx_devices()
        return found[0].name if reason is None else "none"

    def run(self, graph: Graph, inputs: Mapping[str, Array]) -> Mapping[str, Array] | None:
        context = self._context = self._context or self._create()
        try:
            return self._compute(context, graph, inputs)
        except Exception as error:
            if context.lost is not None:
                raise ContextLost(context.lost) from error
            raise

    def _create(self) -> MLContext:
        from trtx_backend import ML, Backend, MLContextOptions

        return ML().create_context(MLContextOptions(backend=Backend.TRTX))

    def _compute(self, context: MLContext, graph: Graph, inputs: Mapping[str, Array]) -> Mapping[str, Array]:
        with context.compile(graph) as compiled:
            return _dispatched(context, compiled, inputs, self.DISPATCHES)


def _dispatched(
    context: MLContext, graph: MLGraph, inputs: Mapping[str, Array], names: Sequence[str]
) -> dict[str, Array]:
    """The outputs of dispatches on the same tensors, whose outputs are overwritten in between. They must be equal."""
    with ExitStack() as stack:

        def tensor(descriptor: MLOperandDescriptor) -> MLTensor:
            made = context.create_tensor(descriptor.dtype, descriptor.shape, readable=True, writable=True)
            return stack.enter_context(made)

        given = {name: tensor(descriptor) for name, descriptor in graph.inputs.items()}
        taken = {name: tensor(descriptor) for name, descriptor in graph.outputs.items()}
        for name, each in given.items():
            context.write_tensor(each, inputs[name])
        runs: list[dict[str, Array]] = []
        for _ in names:
            for each in taken.values():
                context.write_tensor(each, np.full(each.shape, 5, data_type(each.dtype).numpy))
            context.dispatch(graph, given, taken)
            runs.append({name: context.read_tensor(each) for name, each in taken.items()})
    for what, run in zip(names, runs, strict=True):
        for name, array in run.items():
            if array.tobytes() != runs[0][name].tobytes():
                raise ExecutorError(f"output {name!r} of the {what} run is not that of the {names[0]} one")
    return runs[0]


class Double(Trtx):
    """What `trtx` does, all of it, on a double of the CUDA driver and of TensorRT's runtime, which plays engines on the
    CPU. Each graph is compiled twice, so that its engine comes from the cache the second time where it can be kept. The
    numbers must be those of `cpu`, to the bit, and its snapshots hold. Not a device: it proves the way there."""

    name = "double"
    device = "double of the CUDA driver and of TensorRT's runtime"

    def __init__(self) -> None:
        super().__init__()
        self._kept = ExitStack()
        self._machine: Machine | None = None

    def unavailable(self) -> str | None:
        if missing := _tensorrt_missing():
            return missing
        try:
            import cuda.bindings.driver  # noqa: F401
        except ImportError as error:
            return f"cuda-python is not installed: {error}"
        return None

    def _create(self) -> MLContext:
        from trtx_backend import ML, Backend, MLContextOptions, TrtxOptions
        from trtx_backend.runtime.double import installed

        directory = self._kept.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        self._machine = self._kept.enter_context(installed())
        atexit.register(self._kept.close)
        return ML().create_context(MLContextOptions(backend=Backend.TRTX, trtx=TrtxOptions(cache_dir=directory)))

    def _compute(self, context: MLContext, graph: Graph, inputs: Mapping[str, Array]) -> Mapping[str, Array]:
        first = super()._compute(context, graph, inputs)
        again = super()._compute(context, graph, inputs)
        expected = Cpu().run(graph, inputs) or {}
        for name, array in expected.items():
            for what, run in (("a built", first), ("a cached", again)):
                if run[name].tobytes() != array.tobytes():
                    raise ExecutorError(f"output {name!r} of {what} engine is not that of the executor")
        assert self._machine is not None
        if self._machine.wrong:
            raise ExecutorError(f"the double saw: {'; '.join(self._machine.wrong)}")
        return again


TARGETS: Mapping[str, Callable[[], Target]] = {
    "cpu": Cpu,
    "engine": Engine,
    "trtx": Trtx,
    "double": Double,
    "mock": Mock,
}
