"""A case's graph as an SVG drawing, from left to right: inputs and constants, operators, outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup, escape

from conformance.report.text import one_line

CHARACTER, LINE, PADDING, GAP_X, GAP_Y = 6.7, 15, 7, 34, 10
LONGEST = 34
"""Characters of a line in a box; more is cut, and the page has the rest in the case's own data."""

CLASSES = {"input": "i", "constant": "c", "operator": "o", "output": "e"}


@dataclass
class Box:
    kind: str
    lines: list[str]
    sources: list[str] = field(default_factory=list)
    depth: int = 0
    x: float = 0
    y: float = 0

    @property
    def width(self) -> float:
        return max(len(line) for line in self.lines) * CHARACTER + 2 * PADDING

    @property
    def height(self) -> float:
        return len(self.lines) * LINE + PADDING


def draw(graph: Mapping[str, Any]) -> Markup:
    """The drawing of a graph in the cases' JSON form."""
    boxes = _boxes(graph)
    width, height = _place(boxes)
    operators = ", ".join(one_line(str(operator["name"])) for operator in graph["operators"])
    parts = [
        Markup('<svg class=g width={0:.0f} height={1:.0f} role=img aria-label="{2}">').format(
            width, height, f"graph: {operators}"
        ),
        Markup('<path d="{}"/>').format(" ".join(_edges(boxes))),
        *(part for box in boxes.values() for part in _drawn(box)),
        Markup("</svg>"),
    ]
    return Markup("").join(parts)


def _boxes(graph: Mapping[str, Any]) -> dict[str, Box]:
    """Boxes by what they compute: an operand's name or, with several outputs, the first's."""
    boxes: dict[str, Box] = {}
    source: dict[str, str] = {}
    for name, resource in graph["inputs"].items():
        kind = "constant" if resource.get("constant") else "input"
        boxes[f"i {name}"] = Box(kind, [_cut(name), _descriptor(resource)])
        source[name] = f"i {name}"
    for position, operator in enumerate(graph["operators"]):
        key = f"o {position}"
        used = list(dict.fromkeys(source[name] for name in _operands(operator["arguments"]) if name in source))
        depth = 1 + max((boxes[name].depth for name in used), default=0)
        boxes[key] = Box("operator", [_cut(operator["name"]), *_options(operator["arguments"])], used, depth)
        names = operator["outputs"] if isinstance(operator["outputs"], list) else [operator["outputs"]]
        source.update(dict.fromkeys(names, key))
    last = 1 + max((box.depth for box in boxes.values()), default=0)
    for name, resource in graph["expectedOutputs"].items():
        boxes[f"e {name}"] = Box("output", [_cut(name), _descriptor(resource)], [source[name]], last)
    for key, box in boxes.items():  # an input stands beside what reads it
        if box.kind in ("input", "constant"):
            box.depth = min((b.depth for b in boxes.values() if key in b.sources), default=1) - 1
    return boxes


def _operands(value: Any) -> Iterator[str]:
    """Every text in the arguments; those that name no operand are left out by the caller."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _operands(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from _operands(item)


def _options(arguments: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the operator is told beside its operands."""
    told = {name: value for argument in arguments for name, value in argument.items() if name != "options"}
    given = {name: value for name, value in told.items() if not isinstance(value, str) and not _names(value)}
    given |= next((dict(argument["options"]) for argument in arguments if "options" in argument), {})
    return [_cut(f"{name} {_value(value)}") for name, value in list(given.items())[:8]]


def _names(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)


def _value(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ",".join(_value(item) for item in value) + "]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _descriptor(resource: Mapping[str, Any]) -> str:
    descriptor = resource["descriptor"]
    return _cut(f"{descriptor['dataType']}[{','.join(map(str, descriptor['shape']))}]")


def _cut(text: str) -> str:
    text = one_line(text)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _place(boxes: Mapping[str, Box]) -> tuple[float, float]:
    """Columns by depth, each centred; the size of the whole."""
    levels: dict[int, list[Box]] = {}
    for box in boxes.values():
        levels.setdefault(box.depth, []).append(box)
    heights = {depth: sum(b.height + GAP_Y for b in level) - GAP_Y for depth, level in levels.items()}
    tallest, x = max(heights.values()), 1.0
    for depth, level in sorted(levels.items()):
        y = (tallest - heights[depth]) / 2 + 1
        for box in level:
            box.x, box.y = x, y
            y += box.height + GAP_Y
        x += max(box.width for box in level) + GAP_X
    return x - GAP_X + 1, tallest + 2


def _edges(boxes: Mapping[str, Box]) -> Iterator[str]:
    for box in boxes.values():
        for position, key in enumerate(box.sources, 1):
            start = boxes[key]
            x1, y1 = start.x + start.width, start.y + start.height / 2
            x2, y2 = box.x, box.y + box.height * position / (len(box.sources) + 1)
            middle = (x1 + x2) / 2
            yield f"M{x1:.0f} {y1:.0f}C{middle:.0f} {y1:.0f} {middle:.0f} {y2:.0f} {x2:.0f} {y2:.0f}"


def _drawn(box: Box) -> Iterator[Markup]:
    yield Markup("<rect class={} x={:.0f} y={:.0f} width={:.0f} height={:.0f} />").format(
        CLASSES[box.kind], box.x, box.y, box.width, box.height
    )
    for position, line in enumerate(box.lines):
        bold = Markup(" class=b") if position == 0 and box.kind == "operator" else ""
        y = box.y + (position + 1) * LINE - 1
        yield Markup("<text{} x={:.0f} y={:.0f}>{}</text>").format(bold, box.x + PADDING, y, escape(line))
