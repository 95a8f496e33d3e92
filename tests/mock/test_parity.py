"""The mock says of networks what TensorRT says: single layers, good and bad, and a sample of the cases. All cases:
`make test-mock`."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import pytest

from tests.mock.compare import both
from trtx_backend import mock
from trtx_backend.mock.enums import Enumeration

needs_wheel = pytest.mark.skipif(find_spec("tensorrt_rtx") is None, reason="there is nothing to compare with")


@needs_wheel
def test_single_layers() -> None:
    real, differ = both("probes")
    assert differ == []
    refused = sum(answer == "refused" for answer in real.values())
    assert refused > 4500
    assert len(real) - refused > 2000


@needs_wheel
def test_names_and_values() -> None:
    """Every name of the mock is TensorRT's, and so is the value of every member of an enumeration."""
    real = import_module("tensorrt_rtx")
    members = 0
    for name in mock.__all__:
        assert hasattr(real, name)
        mine = getattr(mock, name)
        if isinstance(mine, type) and issubclass(mine, Enumeration):
            for member in mine:
                assert int(getattr(getattr(real, name), member.name)) == int(member), member
                members += 1
    assert members > 150


@needs_wheel
def test_a_sample_of_the_cases() -> None:
    real, differ = both("cases", "19")
    assert differ == []
    layers = [layer for network in real.values() for layer in network["layers"]]
    assert len(real) > 50
    assert len(layers) > 3 * len(real)
    assert len({layer["type"] for layer in layers}) > 15
