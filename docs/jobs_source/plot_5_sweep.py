"""
Sweep a grid of thresholds
==========================

What does each threshold cost? Every combination is anonymized, decided and measured, one row each:
"""

import matplotlib.pyplot as plt
import pandas as pd

import tcloseness as tc

patients = pd.DataFrame({"age": [20 + 7 * n % 60 for n in range(120)], "wage": [1 + n * n % 9 for n in range(120)]})
table = tc.Table(patients, quasi_identifiers="age", sensitive="wage", ground="ordered")
swept = tc.sweep(table, method=["mondrian", "mdav"], k=[2, 5, 10], t=["0.1", "0.2", None], seed=1)
swept.to_frame()[["method", "k", "t", "outcome", "GCP"]]

# %%
# An outcome is a verdict or the reason why there is none; a cell that cannot be reached is a row like the others.
# With ``folder=`` each cell is kept as soon as it is done, so that a sweep that was interrupted goes on where it was.
#
# **The curve** shows where a threshold begins to cost:

frame = swept.to_frame()
frame["t"] = frame["t"].astype("string").fillna("none")
curves = frame[frame["method"] == "mondrian"].pivot(index="k", columns="t", values="GCP")
axes = curves.plot(marker="o", figsize=(6, 3.6), xlabel="k", ylabel="loss (GCP)", title="Mondrian")
plt.tight_layout()
