"""Arguments, and how the command ends."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from trtx_backend import logs
from trtx_backend.cli import cache, devices, run
from trtx_backend.cli.graphs import UsageError
from trtx_backend.errors import (
    ArgumentError,
    BackendUnavailable,
    EngineError,
    ExecutorError,
    InvalidStateError,
    NetworkError,
    UnsupportedError,
)

FAILED, USAGE, UNAVAILABLE = 1, 2, 3
INTERRUPTED, CLOSED = 128 + signal.SIGINT, 141

STATUSES = """exit status:
  0    done
  1    it failed: the graph cannot be run, a result cannot be written, a cached engine is not usable
  2    wrong usage: an option, or a file that cannot be read or is not what it must be, such as a valid graph
  3    not available here: the device, or TensorRT itself
  130  interrupted
  141  nobody reads the output any more"""

ENVIRONMENT = """environment:
  TRTX_FLAVOR    rtx (default), enterprise, or mock: TensorRT in pure Python, for machines without it
  RUST_LOG, TRTX_LOG            what is logged to standard error: error, warn, info, debug, trace
  RUSTNN_TRTX_LOG_VERBOSITY     TensorRT's own messages: internal_error, error, warning, info, verbose
  TRTX_JSON_DUMP_PATH           a directory that gets the layers of every network that is built, as JSON"""

RUN = """Run a graph and print its outputs.

GRAPH.json has the form of a conformance case:
  {"inputs": {"x": {"data": [1, -2], "descriptor": {"shape": [2], "dataType": "float32"}}},
   "operators": [{"name": "relu", "arguments": [{"input": "x"}], "outputs": "y"}],
   "expectedOutputs": {"y": {}}}
or it is a case, which has such an object as "graph", or a file of cases, which has a list of them as "tests".
An input with "constant": true is a constant; the data of any other can be given with --input instead."""

RUN_EXAMPLES = """examples:
  trtx run graph.json
  trtx run graph.json --input x=x.npy --output y.npz
  trtx run conv2d.json --case "dilations" --run-trtx
  RUST_LOG=info trtx run graph.json --device cuda:1
"""


class Parser(argparse.ArgumentParser):
    """A wrong usage is one line, as every other error."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"trtx: {' '.join(message.split())} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; gives its exit status. An error is one line on standard error."""
    if sys.stdout is None:  # the caller has closed it
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    arguments = _parser().parse_args(argv)
    logs.set_up()
    try:
        status = int(arguments.command(arguments))
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        _drop_output()
        return CLOSED
    except BackendUnavailable as error:
        return _complain(error, UNAVAILABLE)
    except (UsageError, ArgumentError) as error:
        return _complain(error, USAGE)
    except MemoryError as error:
        return _complain(f"there is not enough memory: {error}", FAILED)
    except (NetworkError, EngineError, ExecutorError, UnsupportedError, InvalidStateError) as error:
        return _complain(error, FAILED)
    except OSError as error:
        _drop_output()
        return _complain(error, FAILED)


def _drop_output() -> None:
    """Write what can be written to standard output. The rest would be tried again, and fail again, when Python ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> Parser:
    parser = Parser(
        prog="trtx",
        description="Run WebNN graphs on TensorRT for RTX, or on the CPU.",
        epilog=f"{STATUSES}\n\n{ENVIRONMENT}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    _run(_command(commands, "run", "run a graph from a file", RUN, f"{RUN_EXAMPLES}\n{STATUSES}\n\n{ENVIRONMENT}"))
    shown = _command(commands, "devices", "list what graphs can run on", devices.ABOUT, STATUSES)
    shown.set_defaults(command=devices.devices)
    _cache(_command(commands, "cache", "list, verify or clear the cache of engines", cache.ABOUT, STATUSES))
    return parser


def _command(commands: argparse._SubParsersAction[Parser], name: str, help: str, about: str, epilog: str) -> Parser:
    return commands.add_parser(
        name,
        help=help,
        description=about,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def _run(parser: Parser) -> None:
    parser.add_argument("graph", type=Path, metavar="GRAPH.json", help="the graph, a case or a file of cases")
    parser.add_argument(
        "--case",
        metavar="NAME",
        help="which case, where the file holds several: its name, or a part of it that no other has",
    )
    parser.add_argument(
        "--run-trtx", action="store_true", help="run on TensorRT for RTX, or fail with status 3 and the reason"
    )
    parser.add_argument(
        "--device",
        default="auto",
        metavar="DEVICE",
        help="cpu, or cuda:N, which fails with status 3 if it cannot be had; default: the first CUDA device, else the CPU",
    )
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=FILE.npy",
        help="the data of an input, in its data type and shape (numpy.save writes such files; int4 and uint4: one a byte)",
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE.npz", help="write the outputs there, by name, and print none"
    )
    parser.set_defaults(command=run.run)


def _cache(parser: Parser) -> None:
    actions = parser.add_subparsers(required=True, metavar="{list,verify,clear}", parser_class=Parser)
    for name, (function, help) in cache.ACTIONS.items():
        action = actions.add_parser(name, help=help, description=f"{help[0].upper()}{help[1:]}.", allow_abbrev=False)
        action.add_argument(
            "--cache-dir", metavar="DIR", help="the directory that a program gave as cache_dir; default: the user's own"
        )
        action.set_defaults(command=function)


def _complain(error: object, status: int) -> int:
    text = " ".join(str(error).split()) or type(error).__name__
    print(f"trtx: {text}", file=sys.stderr)
    return status
