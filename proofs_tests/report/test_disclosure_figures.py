"""The bars of what is certain, possible and open are shares of all there are."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from tcloseness.attacks import StatusCounts
from tcloseness.report.disclosure_figures import status_bars

COUNTS = st.builds(StatusCounts, st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))


@given(st.lists(COUNTS, min_size=1, max_size=4))
def test_each_bar_is_as_long_as_its_share(each):
    axes = status_bars({f"level {i}": counts for i, counts in enumerate(each)}).axes[0]
    bars = [patch.get_width() for patch in axes.patches]
    expected = [
        100 * number / max(1, counts.total)
        for counts in each
        for number in (counts.certain, counts.possible, counts.open)
    ]
    assert bars == pytest.approx(expected)
    assert [text.get_text() for text in axes.texts] == [
        f"level {i}: {counts.certain} of {counts.total} certain" for i, counts in enumerate(each)
    ]
