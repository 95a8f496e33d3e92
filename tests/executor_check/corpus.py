"""ONNX's own tests of its operators: models with inputs and the outputs that ONNX expects. Those of the installed version are
generated; those that version 1.17.0 shipped as files, some of which are of networks exported from PyTorch, are read out of
its wheel. Both are kept in the user's cache."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

SHIPPED = "1.17.0"
GROUPS = {"node": "shipped", "simple": "networks", "pytorch-converted": "networks", "pytorch-operator": "networks"}


@dataclass(frozen=True)
class Case:
    corpus: str
    """generated, shipped (of operators) or networks (shipped ones of several operators)."""
    name: str
    model: bytes
    inputs: list[Any]
    outputs: list[Any]

    @property
    def key(self) -> str:
        return f"{self.corpus}/{self.name}"


def cases() -> list[Case]:
    """All, each name once. The first call takes a minute and needs the network."""
    kept = _cache() / f"onnx-cases-{onnx.__version__}-{SHIPPED}.pickle"
    if not kept.exists():
        found = [*generated(), *shipped()]
        part = kept.with_suffix(f".{os.getpid()}")
        part.write_bytes(pickle.dumps(found))
        part.replace(kept)
        return found
    return list(pickle.loads(kept.read_bytes()))


def generated() -> Iterator[Case]:
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in collect_testcases(None):
            inputs, outputs = case.data_sets[0]
            yield Case("generated", case.name, case.model.SerializeToString(), _plain(inputs), _plain(outputs))


def shipped() -> Iterator[Case]:
    with zipfile.ZipFile(_wheel()) as wheel:
        names = set(wheel.namelist())
        for name in sorted(names):
            match = re.fullmatch(r"onnx/backend/test/data/([^/]+)/([^/]+)/model\.onnx", name)
            if match is None or match[1] not in GROUPS:
                continue
            folder = name.removesuffix("model.onnx") + "test_data_set_0/"
            sides = [
                [wheel.read(f"{folder}{side}_{i}.pb") for i in range(99) if f"{folder}{side}_{i}.pb" in names]
                for side in ("input", "output")
            ]
            model = wheel.read(name)
            yield Case(GROUPS[match[1]], match[2], model, *_parsed(model, sides))


def _parsed(model: bytes, sides: list[list[bytes]]) -> tuple[list[Any], list[Any]]:
    graph = onnx.load_model_from_string(model).graph
    values = []
    for infos, side in zip((graph.input, graph.output), sides, strict=True):
        tensors = []
        for info, data in zip(infos, side, strict=False):
            if info.type.WhichOneof("value") == "tensor_type":
                tensors.append(_as_said(info, onnx.TensorProto.FromString(data)))
            else:
                tensors.append(None)
        values.append(_plain(tensors))
    return values[0], values[1]


def _as_said(info: Any, tensor: onnx.TensorProto) -> Any:
    """Version 1.17.0 stored bfloat16 as the bits in uint16."""
    array = numpy_helper.to_array(tensor)
    if info.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16 and array.dtype == np.uint16:
        return array.view(onnx.helper.tensor_dtype_to_np_dtype(onnx.TensorProto.BFLOAT16))
    return array


def _plain(values: Any) -> list[Any]:
    """Arrays; None for what is no tensor."""
    plain = []
    for value in values:
        if isinstance(value, onnx.TensorProto):
            value = numpy_helper.to_array(value)
        plain.append(np.asarray(value) if isinstance(value, (np.ndarray, np.generic)) else None)
    return plain


def _wheel() -> Path:
    found = sorted(_cache().glob(f"onnx-{SHIPPED}-*.whl"))
    if not found:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
        subprocess.run([*command, "-d", str(_cache()), f"onnx=={SHIPPED}"], check=True)
        found = sorted(_cache().glob(f"onnx-{SHIPPED}-*.whl"))
    return found[0]


def _cache() -> Path:
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trtx-webnn"
    base.mkdir(parents=True, exist_ok=True)
    return base
