"""The classes of every node of a table without a sensitive attribute, as checkers see it."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from proofs_tests.certificates.test_nodes import Drawn
from tcloseness.certificates.nodes import Nodes
from tcloseness.certificates.reading import MISSING, Counts
from tcloseness.errors import CertificateError


def test_without_a_sensitive_attribute_every_record_has_the_missing_value() -> None:
    """The classes are those of the same table with one value for all, whatever stands for it."""
    draw = random.Random(91)
    for _ in range(30):
        drawn = Drawn(draw)
        sizes: Counter[tuple[str, ...]] = Counter()
        for record, n in drawn.nodes.table.counts.items():
            sizes[record[:-1]] += n
        bare = Nodes(Counts.of(drawn.names, sizes), drawn.nodes.levels, [MISSING])
        assert (bare.records, bare.shape, bare.names) == (drawn.nodes.records, drawn.shape, tuple(drawn.names))
        assert (bare.reference.tolist(), bare.sensitive.tolist()) == ([bare.records], [0] * len(sizes))
        for node in np.ndindex(*drawn.shape):
            expected = {labels: sum(counts) for labels, counts in drawn.classes(node).items()}
            found = [row for block in bare.classes(node) for row in block.tolist()]
            assert sorted(found) == sorted([size] for size in expected.values())
            assert all(bare.one(node, labels).tolist() == [size] for labels, size in expected.items())
        with pytest.raises(CertificateError, match=f"lack '{MISSING}'"):
            Nodes(Counts.of(drawn.names, sizes), drawn.nodes.levels, ["text:s"])
