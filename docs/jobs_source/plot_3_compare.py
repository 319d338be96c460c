"""
Compare two releases
====================

Privacy and loss side by side, of releases made here and of files, whoever wrote them:
"""

from pathlib import Path
from tempfile import mkdtemp

import pandas as pd

import tcloseness as tc

folder = Path(mkdtemp())

patients = pd.DataFrame(
    {
        "patient": [f"P{number}" for number in range(12)],
        "age": [24, 24, 27, 27, 31, 31, 36, 36, 47, 47, 52, 52],
        "wage": [3, 9, 4, 7, 5, 6, 3, 8, 4, 9, 6, 7],
    }
).set_index("patient")
table = tc.Table(patients, quasi_identifiers="age", sensitive="wage", ground="ordered")
table.anonymize("mondrian", k=4).write(folder / "ours.csv")
table.compare(folder / "ours.csv", {"theirs": patients.assign(age="*")}, k=4).table()

# %%
# The first rows say how large the parts are and whether each threshold is met, the next what each release gives away,
# the last what each lost; the column *better* says whether a higher or a lower number is. The original is beside them,
# so that both can be seen in proportion.
#
# **In words: which thresholds are met, and which release lost less, by what?**

found = table.compare(folder / "ours.csv", {"theirs": patients.assign(age="*")}, k=4)
print(found.explain())

# %%
# **A picture**: each quantity is a panel, in which each release is a point; the dashed line is the threshold.

found.plot()

# %%
# **A picture of the trade**: further left is less loss, further down is closer to the whole table.

measured = found.to_frame().pivot(index="release", columns="quantity", values="value")
axes = measured.plot.scatter("GCP", "t-closeness", s=60, figsize=(6, 3.6), title="Loss and privacy of each release")
for release, (loss, closeness) in measured[["GCP", "t-closeness"]].iterrows():
    axes.annotate(release, (loss, closeness), xytext=(8, 6), textcoords="offset points")
axes.margins(0.15)
axes.figure.tight_layout()

# %%
# **Whose record is which row?** A file that ``write`` made is sorted by what it shows, so that its order says nothing
# of persons, and no row of it can be given back to its record. Labels and counts are enough for all models and for the
# usual losses. What would depend on whose record a row is, such as the classes that suppressed records were in (DM*),
# shows a dash, and ``explain`` says why:

theirs = patients.assign(age=["20-29"] * 4 + ["30-39"] * 4 + ["*"] * 4)
theirs.to_csv(folder / "theirs.csv")
found = table.compare(folder / "theirs.csv", losses=["dm-star"], k=4, suppressed="*")
print(found.explain().splitlines()[-1])
found.table().tail(3)

# %%
# Where both frames have an index that names the records, rows are matched by it, whatever their order is. Each label is
# then checked against the value of its record, and everything can be measured. ``suppressed="*"`` says that rows with
# ``*`` in all quasi-identifiers are suppressed records; rows that are left out are too.

by_index = pd.read_csv(folder / "theirs.csv").set_index("patient").sort_values("wage")
found = table.compare({"by index": by_index}, losses=["dm-star"], k=4, suppressed="*")
print(found["by index"], found["by index"].aligned)

# %%
# An index that names another record is an error, and not guessed away:

try:
    table.compare(by_index.set_index(by_index.index[::-1]), suppressed="*")
except tc.errors.NotAligned as error:
    print(str(error).split(";")[0])

# %%
# **A file of another tool** is read by the same rules: its rows in any order, with more columns than are asked for.
# ``separator=``, ``encoding=`` and ``missing_texts=`` say how it is written, as for the table itself.

lines = ["age;wage;ward", "[20, 40[;3;A", "[20, 40[;9;A", "24 - 36;4;B", "24 - 36;7;B", "24 - 36;3;B"]
with open(folder / "another.csv", "w") as file:
    file.write("\n".join([*lines, "{47, 52};4;A", "{47, 52};9;A", "{47, 52};6;A", "{47, 52};7;A"]))
another = table.compare(folder / "another.csv", k=2, separator=";")
print(another.explain())

# %%
# **Which labels are read?** Without a hierarchy a label is
#
# * a value as it is in the table, or a number that is equal to one: ``24``, ``24.0``;
# * an interval of numbers: ``20-29``, ``20 – 29``; with its ends, ``[20, 29]``, ``[20, 30)``, ``[20, 30[``,
#   ``(19, 29]`` (as ``pandas.cut`` writes), ``]19;29]``; without one, ``[30, inf)``, ``(-∞, 30)``; of dates in brackets
#   alone;
# * a set of values: ``{24, 27}``, ``{'a, b', c}``;
# * ``*`` for all values.
#
# With a hierarchy it is a node of that, by its text. Labels such as ``2*``, ``>=40``, ``40+``, ``20 to 29`` or
# ``010**`` do not say by themselves what they stand for: give a hierarchy whose nodes they are.

decades = tc.Hierarchy([[age, f"{age // 10}*", "*"] for age in sorted(set(patients["age"]))], name="age")
decades_table = tc.Table(
    patients, quasi_identifiers="age", sensitive="wage", ground="ordered", hierarchies={"age": decades}
)
starred = patients.assign(age=[f"{age // 10}*" for age in patients["age"]])
print(decades_table.compare({"starred": starred}, k=4)["starred"])

# %%
# From a shell the same is ``tcloseness compare patients.csv ours.csv theirs.csv --quasi-identifiers age --sensitive
# wage --k 4 --suppressed "*"``; ``--release-separator`` says how the releases are split, if not as the table; see
# :doc:`/commands`.
