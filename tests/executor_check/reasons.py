"""Reasons why a case does not pass, each with evidence that is looked at again in every run: it is the parser, or what ONNX
expects, or a place where neither says what is right. A reason of `expected.json` names its evidence by the keys below."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tests.executor_check.corpus import Case

Evidence = Callable[[Case, Any, list[tuple[Any, Any]], Any], str]
"""What speaks against it, or nothing; from the case, its network, (actual, expected) of each output, and the key's value."""


def shown(given: tuple[Case, dict[str, Any]]) -> str:
    """What speaks against the reason, or nothing. In a child process."""
    logging.disable()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    return doubts(*given)


def doubts(case: Case, reason: dict[str, Any]) -> str:
    from tests.executor_check import one
    from trtx_backend.executor import execute, read

    keys = [key for key in reason if key in EVIDENCE]
    if not keys:
        return "no evidence is named"
    network = one.parse(case)
    results = execute(read(network), one.feeds(case, network))
    names = [network.get_output(i).name for i in range(network.num_outputs)]
    given = [array for array in case.outputs if array is not None]
    pairs = [(results[name], one.held(expected)) for name, expected in zip(names, given, strict=True)]
    found = [EVIDENCE[key](case, network, pairs, reason[key]) for key in keys]
    return "; ".join(text for text in found if text)


def _changed(case: Case, without: list[str], spelled_out: dict[str, Any]) -> Case:
    import onnx

    model = onnx.load_model_from_string(case.model)
    for node in model.graph.node:
        kept = [a for a in node.attribute if a.name not in without]
        kept += [onnx.helper.make_attribute(name, value) for name, value in spelled_out.items()]
        del node.attribute[:]
        node.attribute.extend(kept)
    return replace(case, model=model.SerializeToString())


def ignores(case: Case, network: Any, pairs: Any, attributes: list[str]) -> str:
    """The parser makes the same network without the attributes."""
    from tests.executor_check import one
    from trtx_backend.executor.listing import listing

    changed = _changed(case, attributes, {})
    if changed.model == case.model:
        return "it has no such attribute"
    before, after = (listing(one.parse(c)) for c in (case, changed))
    return "" if {**before, "name": ""} == {**after, "name": ""} else "without the attribute the network is another"


def spelled_out(case: Case, network: Any, pairs: Any, attributes: dict[str, Any]) -> str:
    """With an attribute's default spelled out, the case passes."""
    from tests.executor_check import one

    verdict = one.judge(_changed(case, [], attributes))
    return "" if verdict.kind == "pass" else f"with the attribute spelled out it is {verdict.kind} {verdict.detail}"


def unread(case: Case, network: Any, pairs: Any, name: str) -> str:
    """The network has an input of this name that no layer reads."""
    from trtx_backend.executor.hidden import hidden_inputs

    layers = [network.get_layer(i) for i in range(network.num_layers)]
    hidden = hidden_inputs(layers)
    read = {tensor.name for layer in layers for i in range(layer.num_inputs) if (tensor := layer.get_input(i))}
    read.update(found for layer in layers for found in hidden(layer))
    inputs = {network.get_input(i).name for i in range(network.num_inputs)}
    return "" if name in inputs - read else "something reads it, or it is not there"


def only_outside(case: Case, network: Any, pairs: Any, limits: list[float]) -> str:
    """Only elements differ whose input is out of the type's range."""
    ((actual, expected),) = pairs
    given = np.asarray(case.inputs[0], np.float64)
    outside = (given < limits[0]) | (given > limits[1])
    return "" if ((actual != expected) <= outside).all() else "an element in the range differs"


def digits(case: Case, network: Any, pairs: Any, number: int) -> str:
    """What is expected is the result, rounded to so many decimals."""
    near = all(np.array_equal(np.round(a.astype(np.float64), number).astype(e.dtype), e) for a, e in pairs)
    return "" if near else "it is not the rounded result"


def nearer(case: Case, network: Any, pairs: Any, value: bool) -> str:
    """The results are nearer to ONNX's reference in float64 than what is expected, and pass against it."""
    import onnx

    from tests.executor_check import one, reference

    names = [info.name for info in onnx.load_model_from_string(case.model).graph.input]
    exact = reference.in_float64(case.model, dict(zip(names, case.inputs, strict=True)))
    for (actual, expected), right in zip(pairs, exact, strict=True):
        if (
            not np.all(one.near(actual, right, "float32"))
            or np.abs(actual - right).max() >= np.abs(expected - right).max()
        ):
            return "what is expected is nearer to float64"
    return ""


def own_shape(case: Case, network: Any, pairs: Any, value: bool) -> str:
    """TensorRT itself infers the shape of the result, not the expected one."""
    inferred = [tuple(network.get_output(i).shape) for i in range(network.num_outputs)]
    differ = [
        shape
        for shape, (actual, expected) in zip(inferred, pairs, strict=True)
        if shape == actual.shape != expected.shape
    ]
    return "" if differ else "TensorRT infers another shape"


def same_rows(case: Case, network: Any, pairs: Any, value: bool) -> str:
    """The rows are those expected, in another order."""
    return "" if all(sorted(a.tolist()) == sorted(e.tolist()) for a, e in pairs) else "the rows are others"


def only_nan(case: Case, network: Any, pairs: Any, value: bool) -> str:
    """Where the result differs it is NaN, and that is where the mask, the fourth input, leaves nothing of a row."""
    from tests.executor_check import one

    ((actual, expected),) = pairs
    nothing = ~np.asarray(case.inputs[3]).any(-1)
    differs = ~one.near(actual, expected, "float32")
    rows = np.broadcast_to(nothing[..., None], actual.shape)
    return "" if np.isnan(actual[differs]).all() and np.array_equal(differs, rows) else "something else differs"


def types(case: Case, network: Any, pairs: Any, both: list[str]) -> str:
    """An output, or an input, has the first type where ONNX has the second."""
    arrays = [(network.get_output(i), a) for i, a in enumerate(a for a in case.outputs if a is not None)]
    arrays += [
        (network.get_input(i), a) for i, a in enumerate(a for a in case.inputs[: network.num_inputs] if a is not None)
    ]
    there = any([tensor.dtype.name, array.dtype.name.upper()] == both for tensor, array in arrays)
    return "" if there else f"nothing is {both[0]} that ONNX has as {both[1]}"


def same_within(case: Case, network: Any, pairs: Any, limits: list[int]) -> str:
    """The results are the expected ones where these are within the limits, the least and the greatest value left out."""
    same = all((a == e)[(e > limits[0]) & (e < limits[1])].all() for a, e in pairs)
    return "" if same else "an element within the limits differs"


EVIDENCE: dict[str, Evidence] = {
    function.__name__: function
    for function in (
        ignores, spelled_out, unread, only_outside, digits, nearer, own_shape, same_rows, only_nan, types, same_within
    )
}  # fmt: skip
