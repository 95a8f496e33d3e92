"""INMSLayer."""

from __future__ import annotations

import numpy as np

from trtx_backend.executor.layers import Array, Kernel, reads
from trtx_backend.executor.types import storage
from trtx_backend.trt import Layer


@reads("NMS")
def non_maximum_suppression(layer: Layer) -> Kernel:
    """Of overlapping boxes the one with the greatest score, for each batch item and class: [batch item, class, box], and how
    many. For each batch item they come by falling score; of equal ones the earlier class and box first. Only the best
    `topk_box_limit` boxes of an item are looked at."""
    corners, limit = layer.bounding_box_format.name == "CORNER_PAIRS", layer.topk_box_limit
    target = storage(layer.indices_type, layer.name)

    def run(
        boxes: Array, scores: Array, most: Array, overlap: Array | None = None, least: Array | None = None
    ) -> tuple[Array, Array]:
        overlap_limit = 0.0 if overlap is None else float(overlap)
        found = []
        for item, table in enumerate(scores):
            picked: list[tuple[float, int, int]] = []
            for kind in range(table.shape[1]):
                score, mine = table[:, kind], boxes[item] if boxes.ndim == 3 else boxes[item, :, kind]
                order = [
                    i for i in np.argsort(-score, kind="stable")[:limit] if least is None or score[i] > float(least)
                ]
                kept: list[int] = []
                for i in order:
                    if len(kept) < int(most) and all(
                        _overlap(mine[i], mine[j], corners) <= overlap_limit for j in kept
                    ):
                        kept.append(int(i))
                picked += [(-float(score[i]), kind, i) for i in kept]
            found += [(item, kind, i) for _, kind, i in sorted(picked)]
        return np.array(found, target).reshape(-1, 3), np.array(len(found), np.int32)

    return run


def _overlap(a: Array, b: Array, corners: bool) -> float:
    """Intersection over union."""
    (low_a, high_a), (low_b, high_b) = (_edges(box, corners) for box in (a, b))
    shared = np.prod(np.maximum(np.minimum(high_a, high_b) - np.maximum(low_a, low_b), 0))
    both = np.prod(high_a - low_a) + np.prod(high_b - low_b) - shared
    return float(shared / both) if both > 0 else 0.0


def _edges(box: Array, corners: bool) -> tuple[Array, Array]:
    first, second = box[:2], box[2:]
    if corners:
        return np.minimum(first, second), np.maximum(first, second)
    return first - second / 2, first + second / 2
