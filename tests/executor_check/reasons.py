"""Reasons that can be shown: a parser that ignores an attribute makes the same network without it, and one that misreads a
default is right when the attribute is spelled out."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from typing import Any


def shown(given: tuple[Any, dict[str, Any]]) -> str:
    """What speaks against the reason, or nothing. In a child process."""
    logging.disable()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    import onnx

    from tests.executor_check import one
    from trtx_backend.executor.listing import listing

    case, reason = given
    model = onnx.load_model_from_string(case.model)
    for node in model.graph.node:
        kept = [a for a in node.attribute if a.name not in reason.get("ignores", ())]
        kept += [onnx.helper.make_attribute(name, value) for name, value in reason.get("spelled_out", {}).items()]
        del node.attribute[:]
        node.attribute.extend(kept)
    changed = replace(case, model=model.SerializeToString())
    if "spelled_out" in reason:
        verdict = one.judge(changed)
        return "" if verdict.kind == "pass" else f"with the attribute spelled out it is {verdict.kind} {verdict.detail}"
    if changed.model == case.model:
        return "it has no such attribute"
    before, after = (listing(one.parse(c)) for c in (case, changed))
    return "" if {**before, "name": ""} == {**after, "name": ""} else "without the attribute the network is another"
