"""What the values of options may be: everything else is refused before anything runs."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.options import Once, count, memory, seconds


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [(count, "0", 0), (count, "12", 12), (seconds, "0.5", 0.5), (memory, "0", 0), (memory, "800M", 800 << 20)],
)
def test_what_is_taken(kind: Callable[[str], float], text: str, value: float) -> None:
    assert kind(text) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        *((count, text) for text in ("-1", "1.5", "", "٣", "9" * 5000)),
        *((seconds, text) for text in ("0", "-1", "nan", "inf", "1e12", "soon", "")),
        *((memory, text) for text in ("5", "900K", "-1G", "much")),
    ],
)
def test_what_is_refused(kind: Callable[[str], float], text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        kind(text)


@pytest.mark.parametrize("command", ["show", "bisect", "shrink"])
@pytest.mark.parametrize("value", ["-1", "nan", "1e12"])
def test_every_command_checks_its_time_limit(command: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "relu", "#0", f"--timeout={value}", *(["-o", "a.json"] if command == "shrink" else [])])
    assert ended.value.code == 2
    assert f"{value!r} is not a number of seconds" in capsys.readouterr().err


def test_an_option_that_would_win_over_another_is_refused() -> None:
    parser = argparse.ArgumentParser(exit_on_error=False)
    parser.add_argument("--op", action=Once)
    parser.add_argument("--case", action=Once)
    assert parser.parse_args(["--op", "a", "--case", "b"]).op == "a"
    with pytest.raises(argparse.ArgumentError, match="--op: is given twice"):
        parser.parse_args(["--op", "a", "--op=b"])


@pytest.mark.parametrize("option", ["--op", "--case", "--corpus", "--shard", "--report", "--junit"])
def test_what_chooses_and_what_is_written_is_said_once(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", option, "1/2", option, "1/3"])
    assert f"{option}: is given twice" in capsys.readouterr().err


def test_a_folder_without_a_case_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.json").write_text('{"tests": []}')
    assert main(["run", f"--corpus={tmp_path}"]) == 2
    assert f"there is no case in {tmp_path}" in capsys.readouterr().err
