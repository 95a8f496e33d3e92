"""Shape rules of broadcasting."""

from __future__ import annotations

import pytest

from trtx_backend.errors import ArgumentError
from trtx_backend.graph.broadcast import broadcast, broadcasts_blockwise_to, broadcasts_to


@pytest.mark.parametrize(
    ("a", "b", "both"),
    [((), (), ()), ((), (2,), (2,)), ((5, 1), (1, 6), (5, 6)), ((4,), (5, 4), (5, 4)), ((2, 1, 3), (4, 1), (2, 4, 3))],
)
def test_both_ways(a: tuple[int, ...], b: tuple[int, ...], both: tuple[int, ...]) -> None:
    assert broadcast(a, b) == both == broadcast(b, a)


def test_sizes_that_differ_are_named() -> None:
    with pytest.raises(ArgumentError, match="sizes 4 and 3 differ"):
        broadcast((2, 4), (2, 3))


def test_one_way() -> None:
    assert broadcasts_to((1, 3), (2, 3))
    assert broadcasts_to((), (2, 3))
    assert not broadcasts_to((2, 3), (1, 3))
    assert not broadcasts_to((1, 2, 3), (2, 3))


def test_blockwise() -> None:
    assert broadcasts_blockwise_to((4, 5), (16, 10))
    assert not broadcasts_blockwise_to((4, 5), (9, 10))
    assert not broadcasts_blockwise_to((5,), (5, 5))
