"""
What does a table give away?
============================

Four lines measure a table by every model and decide the thresholds that are given. The table is the 3-diverse one of
Li et al. 2007, Table 4, with its nine patients in three equivalence classes:
"""

import pandas as pd

import tcloseness as tc

patients = pd.DataFrame(
    {
        "zip": ["476**"] * 3 + ["4790*"] * 3 + ["476**"] * 3,
        "age": ["2*"] * 3 + [">=40"] * 3 + ["3*"] * 3,
        "salary": [3, 4, 5, 6, 11, 8, 7, 9, 10],
    }
)
table = tc.Table(patients, quasi_identifiers=["zip", "age"], sensitive="salary", ground="ordered")
audit = table.check(k=3, entropy_l=3, t="0.375")
print(audit.status)

# %%
# Every threshold is satisfied, and each only just: exactly 3 records, exactly the entropy of three equally likely
# values, distance exactly 3/8 = 0.375. Each answer holds its value, its threshold and the margin between them, and
# names the paper:

for result in audit.attributes[0].results:
    if result.threshold is not None:
        print(f"{result.model}: {result.status}, margin {float(result.margin):g}; {result.citation}")

# %%
# A model that was given no threshold is measured all the same; so it can be seen what could have been asked for:

for result in audit.attributes[0].results:
    if result.threshold is None:
        print(f"{result.model}: {float(result.value):.3f}")

# %%
# **What an attacker learns.** The table is 3-diverse, and still whoever knows that Bob is in the first class knows
# that he earns little (the similarity attack of Li et al. 2007, §3):

for attack in audit.attributes[0].attacks:
    print(attack.attack, "-", attack.sentence)

# %%
# **A picture of the farthest class**: its distribution beside that of the table, and the mass that must move.

from tcloseness.report.audit_figures import class_against_reference  # noqa: E402

classes = table.class_counts()
worst = int(audit.attributes[0].results[-1].worst[0])
class_against_reference(classes, worst, tc.Ordered(9))

# %%
# **On the command line** the same is ``tcloseness check patients.csv -q zip,age -s salary --ground salary=ordered --k
# 3 --entropy-l 3 --t 0.375``; the exit code is 0 if every threshold is satisfied, 1 if one is violated. With
# ``--html`` it writes one page, with ``--redact`` one without any cell of the table.
#
# **What this does not tell.** A satisfied threshold bounds one quantity. What each model leaves open is in the guide
# to choosing one.
