"""
Anonymize to k and t
====================

A table, its hierarchies, and what is asked for; the answer is a release that the models themselves have decided:
"""

import pandas as pd

import tcloseness as tc

patients = pd.DataFrame(
    {
        "age": [24, 24, 27, 27, 31, 31, 36, 36, 47, 47, 52, 52],
        "zip": [13053, 13053, 13068, 13068, 13053, 13053, 13053, 13068, 14850, 14850, 14853, 14853],
        "wage": [3, 9, 4, 7, 5, 6, 3, 8, 4, 9, 6, 7],
    }
)
table = tc.Table(patients, quasi_identifiers=["age", "zip"], sensitive="wage", ground="ordered")
release = table.anonymize("mondrian", k=4, t="1/5")
release.frame()

# %%
# What was reached, decided exactly by the models:

for part in release.verdict.parts:
    print(f"{part.model}: {part.value} {part.relation} {part.threshold}, {part.status}")

# %%
# **Which method?** Those of the literature are in ``tcloseness.anonymize.METHODS``. They differ in what they lose,
# here by the share of each column's range that the labels cover (GCP, the global certainty penalty):

for method in ("mondrian", "mdav", "confidential", "closeness-first", "sabre"):
    made = table.anonymize(method, k=4, t="1/5", seed=1)
    print(f"{method}: {float(made.losses()['GCP'].value):.3f}")

# %%
# Ties and draws are secret unless a seed is given. ``seed=1`` makes this page repeatable, and the answer then says
# that it is not for publication.
#
# **How far is that from the best?** For a small table the least loss there is can be found, with a proof:

best = table.optimal("partition", k=4, t="1/5", options={"loss": "gcp"})
print(type(best).__name__, float(best.objective), "-", best.proof)

# %%
# **With hierarchies**, every column is generalized to one level throughout. All minimal ways are found, and the best:

ages = tc.Hierarchy.intervals(patients["age"], [10, 20, 40], origin=20, name="age")
zips = tc.Hierarchy.prefixes(patients["zip"], name="zip")
table = tc.Table(
    patients,
    quasi_identifiers=["age", "zip"],
    sensitive="wage",
    ground="ordered",
    hierarchies={"age": ages, "zip": zips},
)
found = table.search(k=4, t="1/5")
print(found.status)

# %%
# **A picture of the search**, a node for every combination of levels:

found.plot()

# %%
# **Writing it.** ``release.write("anonymized.csv")`` writes the rows, sorted by what they show. On the command line
# ``tcloseness anonymize patients.csv --method mondrian -q age,zip -s wage --ground wage=ordered --k 4 --t 1/5
# --output anonymized.csv`` does all of this, writes what was assumed beside the table, and prints the command that
# checks it again.
#
# **What it may give away.** Mondrian and MDAV publish tight intervals: both ends of ``24-31`` occur in the class.
# Whoever must not know that takes hierarchies.
