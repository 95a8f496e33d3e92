"""Settings are checked when they are made."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.graphs import mlp
from trtx_backend.engine import EngineSettings, TensorRTCompiler, find_weights, for_device, lower_folded, refittable
from trtx_backend.engine.settings import CURRENT, TARGETS
from trtx_backend.errors import ArgumentError
from trtx_backend.trt import trt


@pytest.mark.parametrize("capability", [(7, 5), (8, 0), (8, 6), (8, 9), (12, 0), (12, 1)])
def test_a_gpu_that_tensorrt_compiles_for_anywhere_is_the_target(capability: tuple[int, int]) -> None:
    number = f"{capability[0]}{capability[1]}"
    assert for_device(capability) == EngineSettings((f"SM{number}",), f"sm_{number}", refit=True)
    assert hasattr(trt.ComputeCapability, f"SM{number}")


@pytest.mark.parametrize("capability", [(8, 7), (9, 0), (10, 3), (13, 0)])
def test_any_other_gpu_is_the_current_one_and_known_by_its_architecture(capability: tuple[int, int]) -> None:
    settings = for_device(capability)
    assert settings.targets == (CURRENT,)
    assert settings.architecture == f"sm_{capability[0]}{capability[1]}"
    assert settings != for_device((capability[0], capability[1] + 1))


@pytest.mark.parametrize("capability", [(5, 2), (7, 0)])
def test_an_old_gpu_is_an_error(capability: tuple[int, int]) -> None:
    with pytest.raises(ArgumentError, match=r"TensorRT for RTX needs \(7, 5\) or newer"):
        for_device(capability)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"targets": ()}, "targets is .*: must name at least one"),
        ({"targets": ("SM90",)}, "targets is 'SM90': must be of SM75, SM80"),
        ({"targets": (CURRENT,)}, "needs the architecture"),
        ({"targets": (CURRENT, "SM89"), "architecture": "sm_89"}, "stands alone"),
        ({"optimization_level": 6}, "optimization_level is 6: must be from 0 to 5"),
        ({"optimization_level": -1}, "must be from 0 to 5"),
        ({"profiling": "ALL"}, "profiling is 'ALL': must be of NONE, LAYER_NAMES_ONLY, DETAILED"),
    ],
)
def test_a_wrong_field_is_an_error(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        EngineSettings(**fields)


def test_tensorrt_knows_every_target_and_level() -> None:
    assert all(hasattr(trt.ComputeCapability, target) for target in (*TARGETS, CURRENT))
    for profiling in ("NONE", "LAYER_NAMES_ONLY", "DETAILED"):
        assert EngineSettings(profiling=profiling).profiling in trt.ProfilingVerbosity.__members__


@pytest.mark.parametrize("fields", [{"tf32": True}, {"profiling": "DETAILED"}, {"targets": ("SM86",)}])
def test_a_field_reaches_the_plan(fields: dict[str, Any]) -> None:
    lowered = lower_folded(mlp(size=8))
    weights = refittable(find_weights(lowered))
    plans = [
        TensorRTCompiler().compile(lowered, EngineSettings(**{"targets": ("SM89",), **changed}), weights).data
        for changed in ({}, {}, fields)
    ]
    assert plans[0] == plans[1]
    assert plans[0] != plans[2]
