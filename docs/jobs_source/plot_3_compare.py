"""
Compare two releases
====================

Privacy and loss side by side, of releases made here and of one that another tool made:
"""

import pandas as pd

import tcloseness as tc

patients = pd.DataFrame(
    {
        "age": [24, 24, 27, 27, 31, 31, 36, 36, 47, 47, 52, 52],
        "wage": [3, 9, 4, 7, 5, 6, 3, 8, 4, 9, 6, 7],
    }
)
table = tc.Table(patients, quasi_identifiers="age", sensitive="wage", ground="ordered")
ours = table.anonymize("mondrian", k=4)
theirs = patients.assign(age="*")
table.compare({"ours": ours, "theirs": theirs}, k=4).table()

# %%
# The first rows say what each gives away, the others what each lost; the column *better* says whether a higher or a
# lower number is. The original is beside them, so that both can be seen in proportion. ``theirs`` is any frame with
# the columns of the original, whose index says which row is which record; its labels are read as intervals, sets or
# nodes of the hierarchies that the table has.
#
# **Which is better, and by what?**

found = table.compare({"ours": ours, "theirs": theirs}, k=4)
for quantity in ("GCP", "t-closeness"):
    print(quantity, "is best in", *found.best(quantity))

# %%
# **A picture of the trade**: further left is less loss, further down is closer to the whole table.

measured = found.to_frame().pivot(index="release", columns="quantity", values="value")
axes = measured.plot.scatter("GCP", "t-closeness", s=60, figsize=(6, 3.6), title="Loss and privacy of each release")
for release, (loss, closeness) in measured[["GCP", "t-closeness"]].iterrows():
    axes.annotate(release, (loss, closeness), xytext=(8, 6), textcoords="offset points")
axes.margins(0.15)
axes.figure.tight_layout()
