"""What holds for every study that is run here."""

from __future__ import annotations

import io
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.image import imsave

from tcloseness.release import draws


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are made and their files written, but nothing is drawn: that takes half of the time of a small run.

    All figures are drawn by the test that compares two runs of every study.
    """
    dot = io.BytesIO()
    imsave(dot, np.zeros((1, 1)))
    monkeypatch.setattr("experiments.figures.stack", lambda _: None)
    monkeypatch.setattr("experiments.figures._png", lambda _: dot.getvalue())


@pytest.fixture(autouse=True)
def no_study_draws_with_a_secret_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Studies are made again with the seed of their run."""

    def refused(_: int) -> bytes:
        raise AssertionError("a study anonymizes without a seed, so it cannot be made again")

    monkeypatch.setattr(draws, "secrets", SimpleNamespace(token_bytes=refused))  # others name files by it
