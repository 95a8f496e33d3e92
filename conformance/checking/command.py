"""`wpt corpus check` and `wpt corpus schema`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from conformance.cases import UsageError, find_corpus
from conformance.memory import default_limit

ABOUT = """Check every case of a directory of case files, or of some files, without running one: against the JSON schema, for what
a schema cannot say (lengths of data, names, values of the data type), and that the graph is valid WebNN with the
expected outputs' types and shapes. A case whose tensors are larger than --memory-limit is an error of that case, found
from its shapes alone. A line for each thing that is wrong; exit status 0: none, 1: some, 2: wrong usage."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser], memory: Callable[[str], int]) -> None:
    """Add `corpus`. `memory` reads an amount of memory as the command line has it."""
    corpus = commands.add_parser("corpus", help="check case files; their JSON schema").add_subparsers(
        required=True, metavar="COMMAND"
    )
    check = corpus.add_parser(
        "check",
        help="check case files without running them",
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    check.add_argument("paths", metavar="DIR", nargs="+", type=Path, help="a directory of case files, or a file")
    check.add_argument(
        "--memory-limit", metavar="SIZE", type=memory, dest="memory",
        help="for one case, like 800M or 2G; 0: none (default: 3/4 of the machine's)",
    )  # fmt: skip
    check.set_defaults(command=_check)
    schema = corpus.add_parser(
        "schema", help="print the JSON schema of a case file", description="Print the JSON schema."
    )
    schema.set_defaults(command=_print_schema("corpus"))


def add_report_schema(reports: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `schema` to `report`."""
    schema = reports.add_parser(
        "schema", help="print the JSON schema of a report", description="Print the JSON schema."
    )
    schema.set_defaults(command=_print_schema("report"))


def _print_schema(name: str) -> Callable[[argparse.Namespace], int]:
    def command(arguments: argparse.Namespace) -> int:
        from conformance.checking.schemas import schema_text

        print(schema_text(name), end="")
        return 0

    return command


def _check(arguments: argparse.Namespace) -> int:
    from conformance.checking.corpus import check_file

    paths = [path for given in arguments.paths for path in _files(given)]
    memory = default_limit(1) if arguments.memory is None else arguments.memory
    cases = wrong = 0
    for path in paths:
        count, found = check_file(path, memory)
        cases += count
        wrong += len(found)
        for finding in found:
            print(finding)
    print(f"{len(paths)} files, {cases} cases: {f'{wrong} errors' if wrong else 'all valid'}")
    return 1 if wrong else 0


def _files(given: Path) -> list[Path]:
    if given.is_file():
        return [given]
    try:
        return [path for paths in find_corpus(given, given).files.values() for path in paths]
    except UsageError as error:
        raise UsageError(str(error).removeprefix("--corpus ")) from None
