"""batchNormalization, instanceNormalization, layerNormalization."""

from __future__ import annotations

from typing import Any

from conformance.house.spec import case, f16, f32, of, op

Cases = dict[str, list[dict[str, Any]]]

POSITIVE = (0.5, 2, 1.25, 3)
SMALL = (1e-7, 1e-6, 1e-5)
SPREAD = (0.001, -0.002, 0.003, 0.0015)


def cases() -> Cases:
    return {"batch_normalization": _batch(), "instance_normalization": _instance(), "layer_normalization": _layer()}


def _batch() -> list[dict[str, Any]]:
    def one(
        name: str, x: Any, channels: int, make: Any = f32, values: Any = POSITIVE, **options: Any
    ) -> dict[str, Any]:
        return case(name, op("batchNormalization", input=x, mean=make(channels).constant,
                             variance=make(channels, values=values).constant, options=options))  # fmt: skip

    return [
        one("defaults", f32(2, 3, 2, 2), 3),
        one("scale and bias", f32(1, 3, 2), 3, scale=f32(3).constant, bias=f32(3).constant),
        one("scale alone, last axis", f32(2, 2, 4), 4, axis=2, scale=f32(4)),
        one("bias alone, first axis", f32(3, 2), 3, axis=0, bias=f32(3)),
        one("rank 1", f32(4), 4, axis=0),
        one("epsilon 0.5", f32(1, 2, 3), 2, epsilon=0.5),
        one("epsilon 0", f32(1, 2, 3), 2, epsilon=0),
        one("variances smaller than epsilon", f32(2, 3), 3, values=SMALL),
        one("variance 0", f32(2, 2), 2, values=[0]),
        one("float16", f16(1, 3, 2, 2), 3, make=f16, scale=f16(3).constant, bias=f16(3).constant),
    ]


def _instance() -> list[dict[str, Any]]:
    def one(name: str, x: Any, **options: Any) -> dict[str, Any]:
        return case(name, op("instanceNormalization", input=x, options=options))

    return [
        one("defaults", f32(2, 2, 2, 3)),
        one("scale and bias", f32(1, 3, 2, 2), scale=f32(3).constant, bias=f32(3).constant),
        one("nhwc, scale alone", f32(1, 2, 3, 2), layout="nhwc", scale=f32(2)),
        one("bias alone, epsilon 0.25", f32(1, 2, 2, 2), bias=f32(2), epsilon=0.25),
        one("epsilon 0", f32(1, 1, 2, 2), epsilon=0),
        one("variances smaller than epsilon", f32(1, 1, 2, 2, values=SPREAD)),
        one("one element a channel is its own mean", f32(1, 3, 1, 1), bias=f32(3).constant),
        one("float16", f16(1, 2, 3, 2), scale=f16(2).constant, bias=f16(2).constant),
    ]


def _layer() -> list[dict[str, Any]]:
    def one(name: str, x: Any, **options: Any) -> dict[str, Any]:
        return case(name, op("layerNormalization", input=x, options=options))

    return [
        one("defaults", f32(2, 3, 2)),
        one("scale and bias", f32(2, 2, 3), scale=f32(2, 3).constant, bias=f32(2, 3).constant),
        one("the last axis", f32(2, 4), axes=[1], scale=f32(4).constant),
        one("axes not in order", f32(2, 3, 2), axes=[2, 0], scale=f32(2, 2).constant, bias=f32(2, 2)),
        one("epsilon 0.5", f32(1, 4), epsilon=0.5),
        one("epsilon 0", f32(1, 4), epsilon=0),
        one("variances smaller than epsilon", f32(1, 4, values=SPREAD)),
        one("no axes", f32(2, 2), axes=[], bias=of("float32", 2.5, shape=())),
        one("rank 1 has no axes by default", f32(3)),
        one("no axes, epsilon 0", f32(2, 2), axes=[], epsilon=0),
        one("float16", f16(2, 4), axes=[1], scale=f16(4).constant, bias=f16(4).constant),
    ]
