"""A process of its own in which graphs meet TensorRT, and the parent's end of it.

Graphs that nobody has seen can end the process inside TensorRT. The parent never loads TensorRT; it sends a graph and gets
an answer, or learns that the worker ended or took too long, and starts another.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, Any, BinaryIO

from trtx_backend.dtypes import Array

HEAD = struct.Struct("<Q")


@dataclass(frozen=True)
class Answer:
    """What became of a graph. `status`: OK, or the step that failed (as the runner's causes), CRASH or TIMEOUT."""

    status: str
    text: str = ""
    outputs: Mapping[str, Array] = field(default_factory=dict)
    """Every operand that an operator computes, all being outputs of the graph."""
    finals: Mapping[str, Array] = field(default_factory=dict)
    """The last operands alone, of the graph as it would be compiled."""


class Worker:
    """The parent's end. It may be used after any answer."""

    def __init__(self, seconds: float = 60, memory: int = 4 << 30) -> None:
        self.seconds, self.memory = seconds, memory
        self.crashes = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._err: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the worker)
        weakref.finalize(self, self._err.close)

    def run(self, graph: Mapping[str, Any], engine: bool) -> Answer:
        """Lower and compute a case's graph, and build its engine if asked to."""
        if self._process is None:
            self._err.seek(0)
            self._err.truncate()
            command = [sys.executable, "-m", "conformance.fuzz.worker"]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._err)
        assert self._process.stdin and self._process.stdout
        try:
            _send(self._process.stdin, (graph, engine, self.memory))
            if not select.select([self._process.stdout], [], [], self.seconds)[0]:
                self.stop()
                return Answer("TIMEOUT", f"no answer in {self.seconds:g} s")
            answer: Answer = _receive(self._process.stdout)
        except (EOFError, BrokenPipeError):
            return self._ended()
        return answer

    def _ended(self) -> Answer:
        assert self._process is not None
        code = self._process.wait()
        self.stop()
        self.crashes += 1
        self._err.seek(max(0, self._err.seek(0, os.SEEK_END) - 500))
        name = signal.Signals(-code).name if code < 0 else f"status {code}"
        return Answer("CRASH", f"the process ended with {name}: {self._err.read().decode(errors='replace')}")

    def stop(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):  # what was not read any more
                    assert stream
                    stream.close()


def _send(stream: BinaryIO | IO[bytes], message: Any) -> None:
    data = pickle.dumps(message)
    stream.write(HEAD.pack(len(data)) + data)
    stream.flush()


def _receive(stream: BinaryIO | IO[bytes]) -> Any:
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        raise EOFError
    data = stream.read(HEAD.unpack(head)[0])
    return pickle.loads(data)


def _answer(graph: Mapping[str, Any], engine: bool, memory: int) -> Answer:
    from conformance.memory import limited
    from trtx_backend.errors import EngineError, ExecutorError, NetworkError, UnsupportedError

    try:
        with limited(memory):
            return _judge(graph, engine)
    except UnsupportedError as error:
        return Answer("UNSUPPORTED", str(error))
    except NetworkError as error:
        return Answer("NETWORK", str(error))
    except EngineError as error:
        return Answer("ENGINE", str(error))
    except ExecutorError as error:
        return Answer("RUN", str(error))
    except Exception as error:  # anything else is a finding too
        import traceback

        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(last.filename)}:{last.lineno} in {last.name}"
        return Answer("RUN", f"{type(error).__name__}: {error} ({place})")


def _judge(graph: Mapping[str, Any], engine: bool) -> Answer:
    from conformance.targets import TARGETS, numbers
    from trtx_backend.graph import MLGraphBuilder
    from trtx_backend.graph.serial import read_array, replay

    def run(target: str, names: list[str]) -> Mapping[str, Array]:
        builder = MLGraphBuilder()
        operands = replay(builder, graph)
        finished = builder.finish({name: operands[name] for name in names})
        feeds = {n: read_array(graph["inputs"][n]["data"], o.dtype, o.shape) for n, o in finished.inputs.items()}
        return numbers(TARGETS[target](), finished, feeds) or {}

    computed, finals = outputs_of(graph)
    outputs = run("cpu", computed)
    alone = outputs if len(finals) == len(computed) else run("cpu", finals)
    if engine:
        run("engine", finals)
    return Answer("OK", "", outputs, {name: alone[name] for name in finals})


def outputs_of(graph: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The names of all that operators compute, and of what no other operator takes."""
    computed: list[str] = []
    used: set[str] = set()
    for call in graph["operators"]:
        computed += call["outputs"] if isinstance(call["outputs"], list) else [call["outputs"]]
        for argument in call["arguments"]:
            for value in [*argument.values(), *argument.get("options", {}).values()]:
                used.update(v for v in (value if isinstance(value, list) else [value]) if isinstance(v, str))
    return computed, [name for name in computed if name not in used]


def main() -> None:
    """Answer until the parent closes the pipe. What TensorRT prints goes to stderr."""
    stdout = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            message = _receive(sys.stdin.buffer)
        except EOFError:
            return
        _send(stdout, _answer(*message))


if __name__ == "__main__":
    # pickled answers must name this module, not __main__
    from conformance.fuzz import worker

    worker.main()
