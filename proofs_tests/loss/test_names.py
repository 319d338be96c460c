"""Losses by short names."""

from __future__ import annotations

import pytest

from tcloseness.cli.losses import NAMES
from tcloseness.errors import InputError
from tcloseness.loss import AverageClassSize, Discernibility, Loss, NormalizedCertaintyPenalty
from tcloseness.loss.names import LOSSES, loss_named


@pytest.mark.parametrize("name", LOSSES)
def test_every_name_is_a_loss_of_its_own(name):
    loss = loss_named(name, k=5, numeric=["age"])
    assert isinstance(loss, Loss)
    assert [other for other in LOSSES if loss_named(other, k=5, numeric=["age"]) == loss] == [name]


def test_the_choices_reach_the_loss():
    assert loss_named("c-avg", k=7) == AverageClassSize(k=7)
    assert loss_named("ncp", numeric=["age"]) == NormalizedCertaintyPenalty(numeric=["age"])
    assert loss_named("dm-star") == Discernibility(suppressed="before-suppression")


def test_the_command_line_has_the_same_names():
    assert list(NAMES) == list(LOSSES)


def test_an_unknown_name_is_answered_with_a_close_one():
    with pytest.raises(InputError, match="did you mean 'precision'"):
        loss_named("presicion")


def test_c_avg_without_k_is_refused():
    with pytest.raises(InputError, match="give k, or take 'class-size'"):
        loss_named("c-avg")
