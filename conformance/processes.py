"""Runs pytest on case files: alone with our plugin, and so that a case that ends the process is not the end of the run."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

WANTED = (-signal.SIGTERM, -signal.SIGINT)
"""Signals by which someone wants the run to end."""

CLOSED = 141
"""Exit status where nobody reads the output any more."""


def run_pytest(root: Path, options: Sequence[str], paths: Sequence[Path], gateways: Sequence[str]) -> int:
    """pytest's exit status. With `gateways`, execnet's specifications of worker processes, a crash costs the case that
    caused it. Without, which saves a second, it is seen, and all is run again with one worker."""
    with tempfile.TemporaryDirectory(prefix="wpt-") as name:
        arguments = [f"--wpt-lastwords={name}", *options]
        if not gateways:
            status = run_in_child(lambda: _pytest(root, arguments, paths, ()), Path(name))
            if status is not None:
                return status
            print("\nconformance: a case ended the process; once more, with a worker process, to see which", flush=True)
        return _pytest(root, arguments, paths, gateways or ["popen"])


def _pytest(root: Path, options: Sequence[str], paths: Sequence[Path], gateways: Sequence[str]) -> int:
    import pytest

    # Whatever is set for pytest elsewhere (variables, a pytest.ini or conftest.py nearby, plugins that are installed)
    # must not choose among the cases.
    os.environ.pop("PYTEST_ADDOPTS", None)
    arguments = [
        "--disable-plugin-autoload",
        "-p",
        "conformance.plugin",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:faulthandler",
    ]
    # cases may lie in a folder called build, dist or venv, or in an environment, as those of an installed wheel do
    arguments += ["-o", "norecursedirs=", "--collect-in-virtualenv"]
    arguments += ["-c", os.devnull, f"--rootdir={root}", "--noconftest", "-q", "-rN", "-W", "ignore"]
    if gateways:
        # The other ways to distribute hang after a crash. A cap on restarts ends the run when enough cases crash.
        arguments += ["-p", "xdist.plugin", *(f"--tx={gateway}" for gateway in gateways)]
        arguments += ["--dist=load", "--max-worker-restart=100000"]
    return int(pytest.main([*arguments, *options, *map(str, paths)]))


def run_in_child(function: Callable[[], int], directory: Path) -> int | None:
    """What `function` returns, or None if its process ended before that. `directory` is for a file that says that it
    returned: the exit status does not, since a library may call exit(0) too."""
    if not hasattr(os, "fork"):
        return function()
    finished = directory / "finished"
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _be_child(function, finished)
    # Ctrl-C reaches the child as well, which then stops in good order and reports: the parent only waits for it.
    interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    terminate = signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
    try:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        signal.signal(signal.SIGINT, interrupt)
        signal.signal(signal.SIGTERM, terminate)
    if finished.is_file():
        return int(finished.read_text(encoding="utf-8"))
    return 1 if status in WANTED else None


def _be_child(function: Callable[[], int], finished: Path) -> None:
    status = 1
    try:
        status = int(function())
        sys.stdout.flush()
        sys.stderr.flush()
        finished.write_text(str(status), encoding="utf-8")
    except BrokenPipeError:  # whoever reads has seen enough
        status = CLOSED
        finished.write_text(str(status), encoding="utf-8")
    finally:
        os._exit(status)  # never back into the parent's code
