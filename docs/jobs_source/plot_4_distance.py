"""
How far apart are two groups?
=============================

The Earth Mover's Distance (EMD) of two groups of rows, by a column of theirs, exact and with its proof:
"""

import pandas as pd

import tcloseness as tc

patients = pd.DataFrame(
    {
        "ward": ["a", "a", "a", "a", "b", "b", "b", "b", "b", "b"],
        "disease": ["flu", "flu", "cold", "flu", "cold", "cancer", "cold", "cancer", "cold", "cold"],
    }
)
found = tc.emd_of(patients, column="disease", by="ward", ground="equal")
print(found.value)

# %%
# **With distances of your own**: a frame (or a dict of dicts) whose rows and columns are named by the values. A flu is
# nearer to a cold than to cancer:

names = ["flu", "cold", "cancer"]
far = pd.DataFrame([[0, "1/4", 1], ["1/4", 0, 1], [1, 1, 0]], index=names, columns=names)
found = tc.emd_of(patients, column="disease", by="ward", ground=far)
print(found)

# %%
# **What moves** from which value to which; the costs sum to the distance:

found.to_frame()

# %%
# **A picture of the moves**:

found.plot()

# %%
# **The proof.** The answer holds a plan of transport and a potential for each value. Both have the same value, so
# neither can be beaten; ``verify`` checks that without a solver:

found.certificate.verify()

# %%
# **Two columns** of raw values, of any lengths; *ordered* is the distance of ranks, and ``order=`` says which value is
# lower than which where the values are not numbers:

ours, theirs = ["low", "high", "low"], pd.Series(["mid", "high", "high", "low", "mid"])
print(tc.emd_of(ours, theirs, ground="ordered", order=["low", "mid", "high"]))

# %%
# **A group against all rows**, as t-closeness compares a class with the table; a table knows its column and its ground
# distance already:

table = tc.Table(patients, quasi_identifiers="ward", sensitive="disease", ground=far)
print(table.emd(by="ward", groups="a"))

# %%
# **Distributions instead of rows** are masses, as numbers, fractions or text such as ``"1/3"``; each side must sum to
# 1. What does not is refused with what it sums to, and never rescaled in silence; counts are given with
# ``counts=True``. ``emd`` returns the number, ``certify`` the number with its proof:

low, all_salaries = ["1/3"] * 3 + [0] * 6, ["1/9"] * 9
print(tc.emd(low, all_salaries, tc.Ordered(9)))
print(tc.emd(low, all_salaries, tc.Equal(9)))
print(tc.certify(low, all_salaries, tc.Ordered(9)))

# %%
# **What a matrix must satisfy**: zeros on the diagonal, no negative entry, symmetry and the triangle inequality; what
# breaks them is named. On the command line ``matrix/1000:FILE`` repairs a matrix whose rounding alone breaks the
# triangle inequality, and says by how much.
