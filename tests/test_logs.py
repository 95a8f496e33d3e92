"""What the environment variables of logging mean."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator

import pytest

from trtx_backend import logs
from trtx_backend.trt import Log, trt

Severity = trt.ILogger.Severity


@pytest.fixture(autouse=True)
def untouched(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("RUST_LOG", "TRTX_LOG", "RUSTNN_TRTX_LOG_VERBOSITY"):
        monkeypatch.delenv(name, raising=False)
    loggers = [logging.getLogger(name) for name in (logs.ROOT, logs.TENSORRT)]
    before = [(list(logger.handlers), logger.level) for logger in loggers]
    logs.set_up.cache_clear()
    yield
    logs.set_up.cache_clear()
    for logger, (handlers, level) in zip(loggers, before, strict=True):
        logger.handlers[:] = handlers
        logger.setLevel(level)


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("info", {"trtx": logging.INFO}),
        ("WARN, trtx::tensorrt=debug", {"trtx": logging.WARNING, "trtx.tensorrt": logging.DEBUG}),
        ("servo=debug,trtx=trace", {"trtx": logs.TRACE}),
        ("off", {"trtx": logging.CRITICAL + 10}),
        ("trtxx=info,,", {}),
    ],
)
def test_directives(monkeypatch: pytest.MonkeyPatch, text: str, levels: dict[str, int]) -> None:
    monkeypatch.setenv("RUST_LOG", text)
    assert logs._levels() == levels


def test_the_packages_own_variable_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUST_LOG", "info")
    monkeypatch.setenv("TRTX_LOG", "error")
    assert logs._levels() == {"trtx": logging.ERROR}


def test_a_wrong_level_is_said_and_passed_over(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("RUST_LOG", "loud,trtx=info")
    monkeypatch.setenv("RUSTNN_TRTX_LOG_VERBOSITY", "all")
    assert logs._levels() == {"trtx": logging.INFO}
    assert logs.tensorrt_level() is None
    assert caplog.messages == [
        "RUST_LOG=loud: a level is one of off, error, warn, info, debug, trace",
        "RUSTNN_TRTX_LOG_VERBOSITY=all: must be one of internal_error, error, warning, info, verbose",
    ]


@pytest.mark.parametrize(
    ("verbosity", "shown"),
    [("internal_error", 1), ("error", 2), ("warning", 3), ("info", 4), ("verbose", 5)],
)
def test_tensorrt_is_as_verbose_as_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], verbosity: str, shown: int
) -> None:
    monkeypatch.setenv("RUSTNN_TRTX_LOG_VERBOSITY", verbosity)
    logs.set_up()
    log = Log()
    for severity in (Severity.INTERNAL_ERROR, Severity.ERROR, Severity.WARNING, Severity.INFO, Severity.VERBOSE):
        log.log(severity, f"a {severity.name}")
    assert (
        capsys.readouterr().err.splitlines()
        == [
            "CRITICAL trtx.tensorrt: a INTERNAL_ERROR",
            "ERROR trtx.tensorrt: a ERROR",
            "WARNING trtx.tensorrt: a WARNING",
            "INFO trtx.tensorrt: a INFO",
            "DEBUG trtx.tensorrt: a VERBOSE",
        ][:shown]
    )
    assert log.take_errors() == "a INTERNAL_ERROR; a ERROR"
    logging.getLogger("trtx").info("of the package itself")
    assert capsys.readouterr().err == ""


def test_tensorrts_messages_are_details_otherwise(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RUST_LOG", "info")
    logs.set_up()
    Log().log(Severity.ERROR, "no")
    assert capsys.readouterr().err == ""


def test_a_thread_sees_its_own_errors_and_those_of_tensorrts_threads() -> None:
    log, seen = Log(), []
    log.take_errors()
    log.log(Severity.ERROR, "mine")

    def lowers() -> None:
        log.take_errors()
        log.log(Severity.ERROR, "theirs")
        seen.append(log.take_errors())

    def tensorrts() -> None:
        log.log(Severity.ERROR, "of a worker")

    for work in (lowers, tensorrts):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert (seen, log.take_errors()) == (["theirs"], "of a worker; mine")
    assert log.take_errors() == ""
