"""The tests of the built site; `make docs` builds it and runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofs_tests.chromium import missing
from proofs_tests.site.browser import Visits, visit

ROOT = Path(__file__).resolve().parent.parent.parent
BUILT = ROOT / "site" / "html"


@pytest.fixture(scope="session")
def built() -> Path:
    """The folder of the built pages."""
    if not (BUILT / "index.html").is_file():
        missing("the site is not built; make docs builds it", "TCLOSENESS_REQUIRE_SITE")
    return BUILT


@pytest.fixture(scope="session")
def visits(built: Path, browser: None, tmp_path_factory: pytest.TempPathFactory) -> Visits:
    """What Chromium saw on each built page."""
    return visit(built, tmp_path_factory.mktemp("chromium") / "profile")
