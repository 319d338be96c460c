"""What holds for every study that is run here."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tcloseness.release import draws


@pytest.fixture(autouse=True)
def no_study_draws_with_a_secret_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Studies are made again with the seed of their run."""

    def refused(_: int) -> bytes:
        raise AssertionError("a study anonymizes without a seed, so it cannot be made again")

    monkeypatch.setattr(draws, "secrets", SimpleNamespace(token_bytes=refused))  # others name files by it
