"""
Which columns make people identifiable?
=======================================

Every set of columns is counted: who is alone by it, and how large its smallest class is.
"""

import pandas as pd

import tcloseness as tc

people = pd.DataFrame(
    {
        "age": [24, 24, 27, 27, 31, 31, 36, 36, 47, 47, 52, 52],
        "zip": [13053, 13053, 13068, 13068, 13053, 13053, 13053, 13068, 14850, 14850, 14853, 14853],
        "sex": ["f", "m", "f", "f", "m", "m", "f", "m", "f", "f", "m", "f"],
    }
)
found = tc.columns(people)
print(found.explain())

# %%
# For each column: how many records are alone by it, and how many would not be alone without it:

found.columns_frame()

# %%
# For each set of columns:

found.to_frame()[["columns", "uniques", "k", "distinction", "separation"]]

# %%
# **A picture of it**: the more records are alone, the more people the columns identify.

alone = found.to_frame().set_index("columns")["uniques"].iloc[::-1]
axes = alone.plot.barh(figsize=(6, 3.2), xlabel="records that are alone", ylabel="", title="Who is identified by what?")
axes.figure.tight_layout()

# %%
# *Distinction* is the share of different combinations among the records, *separation* the share of pairs of records
# that the columns tell apart. The list helps to decide which columns are quasi-identifiers; who may know them is a
# judgement that no table makes.
#
# **Several readers**, each with the columns that he or she may know:

print(tc.columns(people, quasi_identifiers={"neighbour": ["age", "sex"], "employer": ["age", "zip"]}))
