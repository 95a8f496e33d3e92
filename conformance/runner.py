"""Runs one case on one target. Whatever goes wrong becomes an outcome with a cause; nothing is raised."""

from __future__ import annotations

import re
import shlex
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from conformance.cases import AnyCase, BrokenCase, Case
from conformance.compare import Comparison, compare
from conformance.demand import check_computed, check_declared
from conformance.memory import limited, shown
from conformance.project import CHECKOUT, is_checkout
from conformance.targets import Compiled, ContextLost, Cpu, Target
from conformance.tolerance import Tolerance, tolerance_of
from trtx_backend.dtypes import Array
from trtx_backend.errors import EngineError, ExecutorError, NetworkError, UnsupportedError
from trtx_backend.graph import Graph, MLGraphBuilder, MLOperand
from trtx_backend.graph.serial import read_array, replay


class Status(StrEnum):
    PASS = "PASS"
    FAIL = "FAIL"
    UNSUPPORTED = "UNSUPPORTED"
    CRASH = "CRASH"
    TIMEOUT = "TIMEOUT"
    SKIP = "SKIP"


class Cause(StrEnum):
    """The step at which a case failed."""

    GRAPH = "GRAPH"
    NETWORK = "NETWORK"
    ENGINE = "ENGINE"
    RUN = "RUN"
    SHAPE = "SHAPE"
    DTYPE = "DTYPE"
    MISMATCH = "MISMATCH"


@dataclass(frozen=True, slots=True)
class Outcome:
    """`metric` and `allowed` are the case's tolerance, `worst` the greatest distance found; None where numbers were not
    compared. `ms`: wall time."""

    status: Status
    cause: Cause | None = None
    message: str = ""
    metric: str | None = None
    allowed: float | None = None
    worst: float | None = None
    ms: float = 0
    fragile: bool | None = None
    """Whether the case passes with exact accumulation only; None where that was not asked."""
    context_lost: bool = False
    """The process that ran the case can run no other."""
    key: str | None = None
    """Of the network that was compiled, as `targets.Compiled` has it."""
    kept: bool | None = None
    """Whether an earlier run compiled it; None where nothing was compiled."""

    @property
    def line(self) -> str:
        """What a snapshot keeps: status and cause, no numbers."""
        if self.status is Status.UNSUPPORTED:
            return f"UNSUPPORTED({self.message.splitlines()[0]})" if self.message else "UNSUPPORTED"
        return f"{self.status}({self.cause})" if self.cause else str(self.status)


def run_case(case: AnyCase, target: Target, memory: int = 0) -> Outcome:
    """Replay the case's graph, run it on the target, compare. It may take `memory` bytes (0: any number)."""
    started = time.perf_counter()
    try:
        with limited(memory):
            outcome = _judge(case, target, memory)
    except MemoryError as error:
        allowed = f"; a case may take {shown(memory)} (--memory-limit)" if memory else ""
        outcome = Outcome(Status.CRASH, None, f"out of memory: {str(error) or 'MemoryError'}{allowed}")
    except ContextLost as error:
        outcome = Outcome(Status.CRASH, None, f"the device's context is lost: {error}", context_lost=True)
    message = outcome.message
    if outcome.status is not Status.PASS and outcome.status is not Status.UNSUPPORTED:
        between = "\n" if "\n" in message else ": "
        what = outcome.cause or outcome.status
        message = f"{case.id} / {target.name}: {what}{between}{message}\n{repeat_line(case, target.name, getattr(target, 'options', ''))}"
    return replace(outcome, message=message, ms=(time.perf_counter() - started) * 1000)


def with_fragility(outcome: Outcome, case: AnyCase, memory: int = 0) -> Outcome:
    """The outcome of a case on `cpu`, and whether plain float32 accumulation would lose its PASS."""
    if outcome.status is not Status.PASS:
        return outcome
    return replace(outcome, fragile=run_case(case, Cpu("float32"), memory).status is not Status.PASS)


def repeat_line(case: AnyCase, target: str, more: str = "") -> str:
    """The command that runs this case alone."""
    file, name = _typed(case.file), _typed(case.name)
    ours = case.path.parent.name in ("upstream", "house")
    if ours and is_checkout():
        file, name = (shlex.quote(text.replace("$", "$$")) for text in (file, name))  # make halves them again
        chosen = f" ARGS={shlex.quote(more)}" if more else ""
        return f"repeat: make test-wpt-op OP={file} CASE={name} WPT_BACKEND={target}{chosen}"
    options = [
        f"--target {target}",
        *([more] if more else []),
        *(shlex.quote(o) for o in (f"--op={file}", f"--case={name}")),
    ]
    options = options if ours else [f"--corpus {shlex.quote(str(case.path.parent))}", *options]
    return f"repeat: python -m conformance run {' '.join(options)}"


def _typed(name: str) -> str:
    """A name as it can be typed on a command line: the longest part of it without control characters and halves of
    surrogate pairs, which chooses the case too, as --case asks for a part."""
    return max(re.split(r"[^\x20-\x7e\xa0-\ud7ff\ue000-\U0010ffff]", name), key=len)


def _judge(case: AnyCase, target: Target, memory: int) -> Outcome:
    if isinstance(case, BrokenCase):
        return Outcome(Status.FAIL, Cause.GRAPH, case.message)
    try:
        graph, operands = build(case, memory)
    except UnsupportedError as error:
        return Outcome(Status.UNSUPPORTED, None, str(error))
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:  # whatever a case leads to: it is what fails, not the run
        return _failure(Cause.GRAPH, error, expected=TypeError)
    wrong = wrong_descriptor(case, graph)
    if wrong is not None:
        return wrong
    try:
        outputs = target.run(graph, inputs_of(case, graph))
        if outputs is None:
            return Outcome(Status.PASS)
        if isinstance(outputs, Compiled):
            return Outcome(Status.PASS, key=outputs.key, kept=outputs.kept)
        tolerance = tolerance_of(case, {name: operand.shape for name, operand in operands.items()})
        return _compared(case, graph, outputs, tolerance)
    except UnsupportedError as error:
        return Outcome(Status.UNSUPPORTED, None, str(error))
    except NetworkError as error:
        return _failure(Cause.NETWORK, error)
    except EngineError as error:
        return _failure(Cause.ENGINE, error)
    except (MemoryError, ContextLost):
        raise
    except (Exception, SystemExit) as error:  # the target may fail in any way, and what it returns may be anything
        return _failure(Cause.RUN, error, expected=ExecutorError)


def build(case: Case, memory: int = 0) -> tuple[Graph, Mapping[str, MLOperand]]:
    """The case's graph, and its operands by name. TooLarge if its tensors are of more than `memory` bytes (0: no
    limit): those that it declares before any is made, those that operators compute before anything runs."""
    check_declared(case.graph, memory)
    builder = MLGraphBuilder()
    operands = replay(builder, case.graph)
    graph = builder.finish({name: operands[name] for name in case.graph["expectedOutputs"]})
    check_computed(graph, memory)
    return graph, operands


def inputs_of(case: Case, graph: Graph) -> dict[str, Array]:
    resources = case.graph["inputs"]
    return {name: read_array(resources[name]["data"], o.dtype, o.shape) for name, o in graph.inputs.items()}


def wrong_descriptor(case: Case, graph: Graph) -> Outcome | None:
    """The graph's own inference against the case: a wrong data type or shape needs no target to be seen."""
    for name, operand in graph.outputs.items():
        descriptor = case.graph["expectedOutputs"][name]["descriptor"]
        if operand.dtype != descriptor["dataType"]:
            wanted = descriptor["dataType"]
            return Outcome(Status.FAIL, Cause.DTYPE, f'output "{name}" is {operand.dtype}, expected {wanted}')
        if operand.shape != tuple(descriptor["shape"]):
            wanted = descriptor["shape"]
            return Outcome(Status.FAIL, Cause.SHAPE, f'output "{name}" is {list(operand.shape)}, expected {wanted}')
    return None


def _compared(case: Case, graph: Graph, outputs: Mapping[str, Array], tolerance: Tolerance) -> Outcome:
    dtypes = {name: operand.dtype for name, operand in graph.outputs.items()}
    result: Comparison = compare(case.graph["expectedOutputs"], outputs, dtypes, tolerance)
    status = Status.PASS if result.passed else Status.FAIL
    cause = Cause(result.cause) if result.cause else None
    return Outcome(status, cause, result.message, tolerance.metric, tolerance.value, result.worst)


def _failure(cause: Cause, error: BaseException, expected: type[Exception] | None = None) -> Outcome:
    """The error's own words; for one that nobody expects also where it came from, which then says the step too."""
    if expected is None or isinstance(error, expected):
        return Outcome(Status.FAIL, cause, str(error) or type(error).__name__)
    places = came_from(error)
    steps = {"trtx_backend/lowering/": Cause.NETWORK, "trtx_backend/engine/": Cause.ENGINE}
    step = next((step for folder, step in steps.items() if any(place.startswith(folder) for place in places)), cause)
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Outcome(Status.FAIL, step, "\n".join([text, *(f"  at {place}" for place in places)]))


def came_from(error: BaseException) -> list[str]:
    """The places that an error passed, `trtx_backend/lowering/ops/relu.py:12 in relu`, the last one last: those of the
    backend, and where it was raised."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<")]
    shown = [frame for frame in frames if Path(frame.filename).is_relative_to(CHECKOUT / "trtx_backend")]
    shown += [frame for frame in frames[-1:] if frame not in shown]
    return [f"{_short(Path(frame.filename))}:{frame.lineno} in {frame.name}" for frame in shown[-8:]]


def _short(path: Path) -> str:
    """From the project, or the package of another that it is in."""
    if path.is_relative_to(CHECKOUT) and "site-packages" not in path.parts:
        return path.relative_to(CHECKOUT).as_posix()
    return "/".join(path.parts[-2:])
