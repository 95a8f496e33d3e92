"""Where the project's own cases and snapshots are."""

from __future__ import annotations

from functools import cache
from pathlib import Path

NAME = "trtx-webnn"
CHECKOUT = Path(__file__).resolve().parents[1]
IN_WHEEL = "share/trtx-webnn/wpt_data/manifest.json"


def is_checkout() -> bool:
    """Whether this package lies in a checkout, whose make targets there are, or was installed from a wheel."""
    return (CHECKOUT / "pyproject.toml").is_file()


@cache
def project_root() -> Path:
    """The folder that holds wpt_data and snapshots: the checkout, or where the wheel's were put."""
    if not is_checkout():
        from importlib.metadata import files  # not in a checkout: it takes as long to import as numpy

        for path in files(NAME) or ():
            if path.as_posix().endswith(IN_WHEEL):
                return Path(str(path.locate())).resolve().parents[1]
    return CHECKOUT


def project_version() -> str:
    """As it was when the package was installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(NAME)
    except PackageNotFoundError:
        return "not installed"
