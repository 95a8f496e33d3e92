"""The commands `show`, `bisect` and `shrink`."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from conformance.cases import Case, UsageError
from conformance.options import count, seconds

PASSED, FAILED, USAGE = 0, 1, 2

Work = Callable[[Case, argparse.Namespace], Iterator[str]]


def add_commands(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Add the commands to a parser's subcommands. `shared` has --target and --root."""
    show = commands.add_parser("show", parents=[shared], help="a case: graph, network, inputs, expected, actual")
    show.set_defaults(command=lambda arguments: _each(arguments, _show))
    bisect = commands.add_parser(
        "bisect",
        parents=[shared],
        help="where a case goes wrong",
        description="Name the first WebNN operator whose result is not the oracle's, and the first layer of the TensorRT "
        "network whose value is off when it is computed with less precision.",
    )
    bisect.set_defaults(command=lambda arguments: _each(arguments, _bisect))
    shrink = commands.add_parser(
        "shrink",
        parents=[shared],
        help="a smaller case that fails in the same way",
        description="Reduce a failing case: fewer operators, outputs and options, smaller shapes, simpler values. Each "
        "attempt runs in a process of its own making, which may crash.",
    )
    shrink.add_argument(
        "-o", "--output", metavar="OUT.json", type=Path, required=True, help="file for the smaller case"
    )
    shrink.add_argument("--attempts", metavar="N", type=count, default=2000, help="at most (default: 2000)")
    shrink.set_defaults(command=_shrink)
    for parser in (show, bisect, shrink):
        _add_case(parser)


def _add_case(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--timeout", metavar="SECONDS", type=seconds, default=60.0, help="for one run (default: 60)")
    parser.add_argument("file", metavar="FILE", help="a file of cases, or an operator's name")
    parser.add_argument("case", metavar="CASE", help="the case's name, a part of it that no other has, or #INDEX")


def _each(arguments: argparse.Namespace, work: Work) -> int:
    """Do the work in a child process, so that a case that ends it leaves what was said before that, and why."""
    from conformance.lastwords import Recorder, last_words
    from conformance.plugin import encodable
    from conformance.processes import run_in_child
    from conformance.triage.find import find_case

    case = find_case(arguments.file, arguments.case, arguments.root)
    with tempfile.TemporaryDirectory(prefix="wpt-") as name:

        def child() -> int:
            recorder = Recorder(Path(name), "child", arguments.timeout)
            recorder.start(case.id)
            try:
                for line in work(case, arguments):
                    print(encodable(line), flush=True)
                return PASSED
            except BrokenPipeError:  # whoever reads has seen enough
                return PASSED
            except UsageError as error:
                problem, status = f"conformance: {error}", USAGE
            except Exception:
                problem, status = traceback.format_exc(), FAILED
            finally:
                recorder.stop()
            print(problem, file=sys.stderr)
            return status

        status = run_in_child(child, Path(name))
        if status is not None:
            return status
        words = last_words(Path(name), "child")
        tail = "".join(f"\n  {line}" for line in words.tail.splitlines())
        print(f"here the process ended: {words.text}{tail}", file=sys.stderr)
        return 1


def _target(arguments: argparse.Namespace) -> Any:
    from conformance.targets import TARGETS

    target = TARGETS[arguments.target]()
    reason = target.unavailable()
    if reason:
        raise UsageError(f"target {arguments.target} is not available: {reason}")
    return target


def _show(case: Case, arguments: argparse.Namespace) -> Iterator[str]:
    from conformance.triage.show import show

    return show(case, _target(arguments))


def _bisect(case: Case, arguments: argparse.Namespace) -> Iterator[str]:
    from conformance.inside import ExecutorTracer, network_of
    from conformance.runner import build, inputs_of, run_case
    from conformance.tolerance import tolerance_of
    from conformance.triage.bisect import by_layers, by_operators, layer_lines, operator_lines

    target = _target(arguments)
    outcome = run_case(case, target)
    yield f"{case.id}: {outcome.line} on {target.name}"
    yield ""
    operators = by_operators(case, target)
    yield from operator_lines(operators, target.name)
    if outcome.cause == "MISMATCH" and not any(operator.wrong for operator in operators):
        yield "so either the case expects what the specification does not say, or what is done between operators"
        yield "(layouts, folded constants) is wrong, which the last column then shows"
    try:
        graph, operands = build(case)
        network_of(graph)
    except Exception as error:  # by operators, it was said where
        yield f"\nthere are no layers to compare: {type(error).__name__}: {error}"
        return
    tolerance = tolerance_of(case, {name: operand.shape for name, operand in operands.items()})
    reference = ExecutorTracer()
    device = target.tracer() if hasattr(target, "tracer") else None
    for other in (device, ExecutorTracer("float32")):
        if other is not None:
            findings = by_layers(graph, inputs_of(case, graph), reference, other)
            yield ""
            yield from layer_lines(findings, graph, (reference.name, other.name), tolerance.value)


def _shrink(arguments: argparse.Namespace) -> int:
    from conformance.files import write_whole
    from conformance.memory import default_limit
    from conformance.report.outputs import check_writable
    from conformance.triage.attempt import Attempts
    from conformance.triage.find import find_case
    from conformance.triage.shrink import shrink, size_text

    case = find_case(arguments.file, arguments.case, arguments.root)
    check_writable({"output": str(arguments.output)}, {"output": '{\n "source": "shrunk from '})
    _target(arguments)
    with Attempts(arguments.target, arguments.timeout, default_limit(1)) as attempts:
        made = shrink(case, attempts, arguments.attempts, lambda line: print(line, flush=True))
    document = {"source": f"shrunk from {case.id}", "tests": [made.test]}
    write_whole(arguments.output, json.dumps(document, indent=1) + "\n")
    print(f"{size_text(made.before)} -> {size_text(made.after)}, {made.attempts} attempts")
    if not made.finished:
        print(f"not finished: --attempts {arguments.attempts} reached")
    print(f"written: {arguments.output}; look at it: wpt show {arguments.output} '#0' --target {arguments.target}")
    return 0
