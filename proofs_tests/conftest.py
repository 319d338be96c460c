"""How hard the property tests try: HYPOTHESIS_PROFILE is ``ci`` (default), ``dev`` (quick) or ``deep``.

``deep`` (`make test-deep`) tries each law on 300 examples, in all about a hundred thousand. ``mutants`` is ``ci`` for
the mutation check: the same examples each time, and none made smaller.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

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
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
