"""Loops: counted and conditional, forwards and backwards, nested."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.executor.build import run, same
from trtx_backend.errors import ExecutorError
from trtx_backend.trt import trt

Op = trt.ElementWiseOperation
Kind = trt.LoopOutput
ROWS = np.array([[1, 2], [3, 4], [5, 6]], np.float32)


def number(n: Any, value: int) -> Any:
    return n.add_constant((), np.array([value], np.int32)).get_output(0)


def zeros(n: Any) -> Any:
    return n.add_constant((2,), np.zeros(2, np.float32)).get_output(0)


def running_sum(backward: bool, kind: Any, turns: int = 3) -> Any:
    """Sum of rows: the last value, and the sums after each turn."""

    def make(n: Any, x: Any) -> Any:
        loop = n.add_loop()
        loop.add_trip_limit(number(n, turns), trt.TripLimit.COUNT)
        row = loop.add_iterator(x, 0, backward).get_output(0)
        total = loop.add_recurrence(zeros(n))
        after = n.add_elementwise(total.get_output(0), row, Op.SUM).get_output(0)
        total.set_input(1, after)
        sums = loop.add_loop_output(after, kind)
        sums.set_input(1, number(n, turns))
        return [loop.add_loop_output(total.get_output(0), Kind.LAST_VALUE), sums]

    return make


def test_forwards() -> None:
    last, sums = run(running_sum(False, Kind.CONCATENATE), ROWS)
    same(last, np.array([9, 12], np.float32))
    same(sums, np.array([[1, 2], [4, 6], [9, 12]], np.float32))


def test_backwards() -> None:
    last, sums = run(running_sum(True, Kind.CONCATENATE), ROWS)
    same(last, np.array([9, 12], np.float32))
    same(sums, np.array([[5, 6], [8, 10], [9, 12]], np.float32))
    last, reversed_sums = run(running_sum(True, Kind.REVERSE), ROWS)
    same(last, np.array([9, 12], np.float32))
    same(reversed_sums, np.array([[9, 12], [8, 10], [5, 6]], np.float32))


def test_fewer_turns_than_rows() -> None:
    last, sums = run(running_sum(False, Kind.CONCATENATE, turns=2), ROWS)
    same(last, np.array([4, 6], np.float32))
    same(sums, np.array([[1, 2], [4, 6]], np.float32))


def test_an_iterator_along_another_axis_and_a_loop_invariant() -> None:
    def make(n: Any, x: Any, scale: Any) -> Any:
        twice = n.add_elementwise(scale, scale, Op.SUM).get_output(0)  # depends on no recurrence: outside the loop
        loop = n.add_loop()
        loop.add_trip_limit(number(n, 2), trt.TripLimit.COUNT)
        column = loop.add_iterator(x, 1).get_output(0)
        product = n.add_elementwise(column, twice, Op.PROD).get_output(0)
        output = loop.add_loop_output(product, Kind.CONCATENATE, 1)
        output.set_input(1, number(n, 2))
        return output

    same(run(make, ROWS, np.array([0.5], np.float32)), ROWS)


def test_a_condition_is_asked_before_each_turn() -> None:
    def make(n: Any, limit: Any) -> Any:
        loop = n.add_loop()
        count = loop.add_recurrence(n.add_constant((1,), np.zeros(1, np.int32)).get_output(0))
        before = count.get_output(0)
        going = n.add_elementwise(before, limit, Op.LESS).get_output(0)
        scalar = n.add_shuffle(going)
        scalar.reshape_dims = ()
        loop.add_trip_limit(scalar.get_output(0), trt.TripLimit.WHILE)
        two = n.add_constant((1,), np.array([2], np.int32)).get_output(0)
        count.set_input(1, n.add_elementwise(before, two, Op.SUM).get_output(0))
        return loop.add_loop_output(before, Kind.LAST_VALUE)

    same(run(make, np.array([5], np.int32)), np.array([6], np.int32))
    same(run(make, np.array([0], np.int32)), np.array([0], np.int32))


def test_nested_loops() -> None:
    """Outer over rows, inner three times: total = 3 * (total + row)… as total + row added three times."""

    def make(n: Any, x: Any) -> Any:
        outer = n.add_loop()
        outer.add_trip_limit(number(n, 3), trt.TripLimit.COUNT)
        row = outer.add_iterator(x, 0).get_output(0)
        total = outer.add_recurrence(zeros(n))
        inner = n.add_loop()
        inner.add_trip_limit(number(n, 3), trt.TripLimit.COUNT)
        part = inner.add_recurrence(total.get_output(0))
        part.set_input(1, n.add_elementwise(part.get_output(0), row, Op.SUM).get_output(0))
        total.set_input(1, inner.add_loop_output(part.get_output(0), Kind.LAST_VALUE).get_output(0))
        return outer.add_loop_output(total.get_output(0), Kind.LAST_VALUE)

    same(run(make, ROWS), np.array([27, 36], np.float32))


def test_two_loops_one_after_the_other() -> None:
    def make(n: Any, x: Any) -> Any:
        _, sums = running_sum(False, Kind.CONCATENATE)(n, x)
        last, _ = running_sum(True, Kind.CONCATENATE)(n, sums.get_output(0))
        return last

    same(run(make, ROWS), np.array([14, 20], np.float32))


def test_a_loop_of_many_turns_needs_no_recursion() -> None:
    def make(n: Any, x: Any) -> Any:
        last, _ = running_sum(False, Kind.CONCATENATE, turns=5000)(n, x)
        return last

    same(run(make, np.ones((5000, 2), np.float32)), np.array([5000, 5000], np.float32))


def test_a_loop_without_a_trip_limit_is_named() -> None:
    def make(n: Any, x: Any) -> Any:
        loop = n.add_loop()
        loop.name = "endless"
        total = loop.add_recurrence(x)
        total.set_input(1, n.add_unary(total.get_output(0), trt.UnaryOperation.NEG).get_output(0))
        return loop.add_loop_output(total.get_output(0), Kind.LAST_VALUE)

    with pytest.raises(ExecutorError, match="endless: a loop needs a trip limit"):
        run(make, np.ones(2, np.float32))
