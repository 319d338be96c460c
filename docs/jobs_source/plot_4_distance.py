"""
How far apart are two distributions?
====================================

The Earth Mover's Distance of two groups, with a matrix of your own, exact and with its proof:
"""

import tcloseness as tc

far = [[0, "1/4", 1], ["1/4", 0, 1], [1, 1, 0]]
proof = tc.certify(["1/2", "1/2", 0], ["1/6", "1/3", "1/2"], tc.Matrix(far), labels=["flu", "cold", "cancer"])
print(proof.value)

# %%
# ``proof`` holds a plan of transport and a potential for each value. Both have the same value, so neither can be
# beaten; ``verify`` checks that without a solver:

proof.verify()
for move in tc.transport.moves_of(proof):
    print(move)

# %%
# **A picture of the moves**:

from tcloseness.report.figures import plot_moves  # noqa: E402

plot_moves(proof, title="1/2 flu, 1/2 cold  →  1/6, 1/3, 1/2 cancer")

# %%
# **The distances of the papers** need no matrix. Their values come from closed formulas, for which see the theory:

low, all_salaries = ["1/3"] * 3 + [0] * 6, ["1/9"] * 9
print(tc.emd(low, all_salaries, tc.Ordered(9)))
print(tc.emd(low, all_salaries, tc.Equal(9)))

# %%
# **Two groups of a table**: count them, and compare one with the other.

import pandas as pd  # noqa: E402

wages = pd.Series(["low", "high", "low", "mid", "high", "high"])
group = pd.Series(["a", "a", "a", "b", "b", "b"])
counts = pd.crosstab(group, wages)[["low", "mid", "high"]]
p, q = (tc.exact.shares(counts.loc[name].tolist()) for name in ("a", "b"))
print(tc.emd(p, q, tc.Ordered(3)))

# %%
# Masses are numbers, fractions or text such as ``"1/3"``; each side must sum to 1. What does not is refused with what
# it sums to, and never rescaled in silence.
#
# **What a matrix must satisfy**: zeros on the diagonal, no negative entry, symmetry and the triangle inequality; what
# breaks them is named. On the command line ``matrix/1000:FILE`` repairs a matrix whose rounding alone breaks the
# triangle inequality, and says by how much.
