"""Parts of IIfConditional. Both branches are computed, and the condition chooses: layers have no effects but their outputs.
(So an index that is out of range is an error even in the branch that is not taken.)"""

from __future__ import annotations

from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.trt import Layer


@reads("CONDITION", "CONDITIONAL_INPUT", moves=True)
def handed_on(layer: Layer) -> Kernel:
    return lambda x: x


@reads("CONDITIONAL_OUTPUT", moves=True)
def output(layer: Layer) -> Kernel:
    """The condition is no input of the layer's: the reader puts it last."""

    def run(then: Array, otherwise: Array, condition: Array) -> Array:
        return then if condition else otherwise

    return run
