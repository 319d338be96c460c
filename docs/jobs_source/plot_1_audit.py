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
print(audit.explain())

# %%
# **As a page**: in a notebook an audit shows itself, without any value of the table; ``show()`` shows the values, too.
# Every threshold is satisfied, and each only just: exactly 3 records, exactly the entropy of three equally likely
# values, distance exactly 3/8 = 0.375.

audit.show()

# %%
# **As a frame**, a row a model. A model that was given no threshold is measured all the same; so it can be seen what
# could have been asked for:

audit.to_frame()[["model", "value", "threshold", "margin", "status"]]

# %%
# **A picture alone**, for a paper or a slide, is one of those of ``plot()``; ``audit.plot()[3].save("farthest.png")``
# writes it:

audit.plot()[3]

# %%
# **What an attacker learns.** The table is 3-diverse, and still whoever knows that Bob is in the first class knows
# that he earns little (the similarity attack of Li et al. 2007, §3):

for attack in audit.attributes[0].attacks:
    print(attack.attack, "-", attack.sentence)

# %%
# **As a file**: ``audit.report("audit.html")`` writes one page that loads nothing from outside and holds no cell of the
# table; with ``redact=False`` it names the values. ``audit.to_dict()`` is the same as data.
#
# **On the command line** the same is ``tcloseness check patients.csv -q zip,age -s salary --ground salary=ordered --k
# 3 --entropy-l 3 --t 0.375``; the exit code is 0 if every threshold is satisfied, 1 if one is violated. With
# ``--html`` it writes one page, with ``--redact`` one without any cell of the table.
#
# **What this does not tell.** A satisfied threshold bounds one quantity. What each model leaves open is in the guide
# to choosing one.
