"""The tests of the built site; `make docs` builds it and runs them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from proofs_tests.site.browser import CHROMIUM, Visits, visit

ROOT = Path(__file__).resolve().parent.parent.parent
BUILT = ROOT / "site" / "html"


def _missing(what: str, name: str) -> None:
    if os.environ.get(name) == "1":
        pytest.fail(f"{name}=1, and {what}")
    pytest.skip(what)


@pytest.fixture(scope="session")
def built() -> Path:
    """The folder of the built pages."""
    if not (BUILT / "index.html").is_file():
        _missing("the site is not built; make docs builds it", "TCLOSENESS_REQUIRE_SITE")
    return BUILT


@pytest.fixture(scope="session")
def _browser() -> None:
    if CHROMIUM is None:
        _missing("there is no chromium on this machine (Debian: chromium)", "TCLOSENESS_REQUIRE_CHROMIUM")


@pytest.fixture(scope="session")
def visits(built: Path, _browser: None, tmp_path_factory: pytest.TempPathFactory) -> Visits:
    """What Chromium saw on each built page."""
    return visit(built, tmp_path_factory.mktemp("chromium") / "profile")
