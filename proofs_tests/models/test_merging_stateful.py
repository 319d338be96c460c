"""Merge and split classes in any order: every monotone model's verdict moves one way only."""

from __future__ import annotations

import pytest
from hypothesis import Phase, settings, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from proofs_tests.effort import effort
from proofs_tests.models.every_model import MONOTONE, worse
from proofs_tests.strategies import class_counts
from tcloseness.models import DeltaDisclosure, NTCloseness


class Partitions(RuleBasedStateMachine):
    """A table, and a partition of its finest classes into groups that walks up and down.

    A merger must not break a satisfied model nor shrink a margin; a split must not mend a violated one nor widen a
    margin. (n,t)-closeness takes part where it is monotone: with n the number of records.
    """

    @initialize(classes=class_counts(max_values=4, max_classes=7, huge=False).filter(lambda c: len(c.domain) > 1))
    def begin(self, classes):
        self.finest = classes
        self.groups = [[g] for g in range(len(classes))]
        self.models = (*MONOTONE, NTCloseness(classes.records, "1/4", ground="equal"))
        self.verdicts = self.evaluated()

    def evaluated(self):
        now = self.finest.merge(self.groups)
        return [model.evaluate(now) for model in self.models]

    def moved(self, upwards):
        """Compare all verdicts with those before the last step, the coarser table against the finer."""
        now = self.evaluated()
        for model, before, after in zip(self.models, self.verdicts, now, strict=True):
            finer, coarser = (before, after) if upwards else (after, before)
            assert coarser.satisfied or not finer.satisfied, f"{model}: a merger of classes breaks it"
            assert not worse(coarser, finer), f"{model}: {finer.value} becomes {coarser.value} when classes are merged"
        self.verdicts = now

    @precondition(lambda self: len(self.groups) > 1)
    @rule(data=st.data())
    def merge_two(self, data):
        one, other = data.draw(st.lists(st.sampled_from(range(len(self.groups))), min_size=2, max_size=2, unique=True))
        union = self.groups[one] + self.groups[other]
        self.groups = [group for i, group in enumerate(self.groups) if i not in (one, other)] + [union]
        self.moved(upwards=True)

    @precondition(lambda self: len(self.groups) > 2)
    @rule(data=st.data())
    def merge_several(self, data):
        some = data.draw(st.sets(st.sampled_from(range(len(self.groups))), min_size=3))
        union = [g for i in some for g in self.groups[i]]
        self.groups = [group for i, group in enumerate(self.groups) if i not in some] + [union]
        self.moved(upwards=True)

    @precondition(lambda self: any(len(group) > 1 for group in self.groups))
    @rule(data=st.data())
    def split_one(self, data):
        which = data.draw(st.sampled_from([i for i, group in enumerate(self.groups) if len(group) > 1]))
        members = self.groups.pop(which)
        first = data.draw(st.sets(st.sampled_from(members), min_size=1, max_size=len(members) - 1))
        self.groups += [sorted(first), sorted(set(members) - first)]
        self.moved(upwards=False)

    @rule(data=st.data())
    def reorder(self, data):
        """The order of the classes decides nothing."""
        self.groups = data.draw(st.permutations(self.groups))
        now = self.evaluated()
        assert [r.status for r in now] == [r.status for r in self.verdicts]
        assert [r.value for r in now] == [r.value for r in self.verdicts]


TestMergingAndSplitting = Partitions.TestCase
TestMergingAndSplitting.settings = settings(effort(1 / 5), stateful_step_count=10)
"""Each run evaluates all models at up to ten steps, so fewer runs make as many checks."""


class NotMonotone(Partitions):
    """A mutant: a model that is not monotone takes part."""

    def evaluated(self):
        self.models = (DeltaDisclosure(1, absent="skipped"),)
        return [model.evaluate(self.finest.merge(self.groups)) for model in self.models]


@pytest.mark.long
def test_a_model_that_is_not_monotone_is_caught():
    """δ-disclosure without the values that a class lacks; else the machine would let anything pass."""
    alone = settings(derandomize=True, database=None, max_examples=300, stateful_step_count=10, phases=[Phase.generate])
    with pytest.raises(AssertionError, match=r"when classes are merged|a merger of classes breaks it"):
        run_state_machine_as_test(NotMonotone, settings=alone)
