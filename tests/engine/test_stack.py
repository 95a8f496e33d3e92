"""Deep networks compile or are refused; none ends the process."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading

import pytest

from tests.conformance.make import ROOT
from trtx_backend.engine import EngineSettings, build, stack
from trtx_backend.engine.stack import depth, on_large_stack
from trtx_backend.errors import EngineError
from trtx_backend.graph import Graph, MLGraphBuilder
from trtx_backend.lowering import lower

ONE = EngineSettings(("SM86",)).targets


def chain(layers: int) -> Graph:
    b = MLGraphBuilder()
    y = b.input("x", "float32", [4])
    for _ in range(layers):
        y = b.abs(y)
    return b.finish({"y": y})


def wide(layers: int) -> Graph:
    b = MLGraphBuilder()
    x = b.input("x", "float32", [4])
    return b.finish({str(index): b.abs(x) for index in range(layers)})


def test_a_chain_that_a_small_stack_has_no_room_for_compiles() -> None:
    """In a process of its own, since it ends where that is not so: a thread of 256 kB, as deep for its size as 8 MB are
    for some 12,000 layers."""
    code = """
        import threading
        from tests.engine.test_stack import ONE, chain
        from trtx_backend.engine import build
        from trtx_backend.lowering import lower
        network = lower(chain(400)).network
        threading.stack_size(256 << 10)
        thread = threading.Thread(target=lambda: print(len(build(network, ONE)) > 1000))
        thread.start()
        thread.join()
        assert threading.stack_size() == 256 << 10
        """
    made = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (made.returncode, made.stdout) == (0, "True\n")


def test_a_chain_beyond_the_limit_is_our_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stack, "FEW", 10)
    monkeypatch.setattr(stack, "MOST", 50)
    assert build(lower(chain(50)).network, ONE)
    with pytest.raises(EngineError, match="51 layers deep, one after the other: 50 are the most that compile"):
        build(lower(chain(51)).network, ONE)
    assert build(lower(wide(60)).network, ONE)


def test_depth() -> None:
    b = MLGraphBuilder()
    x = b.input("x", "float32", [4])
    y = b.add(b.abs(b.neg(b.relu(x))), b.abs(x))
    assert depth(lower(b.finish({"y": y})).network) == 4
    assert (depth(lower(chain(7)).network), depth(lower(wide(7)).network)) == (7, 1)


def test_what_is_raised_there_is_raised_here_and_threads_do_not_nest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stack, "FEW", 0)
    network = lower(chain(3)).network

    def inner() -> tuple[int, int]:
        return threading.get_ident(), on_large_stack(network, threading.get_ident)

    one, two = on_large_stack(network, inner)
    assert one == two != threading.get_ident()

    def fails() -> None:
        raise KeyboardInterrupt("here")

    with pytest.raises(KeyboardInterrupt, match="here"):
        on_large_stack(network, fails)


def test_few_layers_are_compiled_where_they_are() -> None:
    assert on_large_stack(lower(chain(3)).network, threading.get_ident) == threading.get_ident()
