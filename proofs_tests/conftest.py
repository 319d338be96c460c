"""How hard the property tests try: HYPOTHESIS_PROFILE is ``ci`` (default), ``dev`` (quick) or ``deep``.

``ci`` tries each law of the mathematical core on 60 examples, and each law of what is built on it on 20; other ones in
each run. ``deep`` (`make test-deep`) tries each on 300, in all about a hundred thousand. ``mutants`` is ``ci`` for the
mutation check: the same examples each time, and none made smaller.
"""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from proofs_tests.chromium import browser, chromium

__all__ = ["browser", "chromium"]

SLOW_IS_FINE = (HealthCheck.too_slow, HealthCheck.data_too_large)

settings.register_profile("ci", deadline=None, max_examples=60, suppress_health_check=SLOW_IS_FINE)
settings.register_profile("dev", deadline=None, max_examples=15, suppress_health_check=SLOW_IS_FINE)
settings.register_profile("deep", deadline=None, max_examples=300, suppress_health_check=SLOW_IS_FINE)
settings.register_profile(
    "mutants",
    parent=settings.get_profile("ci"),
    database=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
)
settings.register_profile("ci beyond the core", parent=settings.get_profile("ci"), max_examples=20)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")
settings.load_profile(PROFILE)

if PROFILE != "mutants":  # each worker and some hundred processes would compile the tests and the package again
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

gc.set_threshold(100_000, 50, 100)  # while tests are read hardly anything becomes garbage

CORE = {"proofs_tests", "smt", "microdata", "ground", "transport", "measures", "models"}
"""The folders of the core's tests."""


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Before a file of tests is imported, choose how hard its laws are tried."""
    if isinstance(collector, pytest.Module) and PROFILE == "ci":
        beyond = Path(collector.path).parent.name not in CORE
        settings.load_profile("ci beyond the core" if beyond else "ci")


def pytest_collection_finish() -> None:
    """The tests themselves, some 200,000 objects, are not looked through each time that Python looks for garbage."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_sessionfinish() -> None:
    """Pytest collects garbage five times at the end, lest an exception go unseen there: once is enough."""
    gc.collect()
    gc.freeze()
