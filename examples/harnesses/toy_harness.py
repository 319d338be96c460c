"""A harness in Python, complete: three algorithms, written here so that there is something to ask.

Run it with:  tcloseness conform run -- python examples/harnesses/toy_harness.py
"""

import json
import sys
from collections import Counter, defaultdict
from fractions import Fraction


# ---------------------------------------------------------------- the implementation (put yours in its place)
def k_anonymity(classes, reference, parameters):
    """Return the size of the smallest class."""
    k = min(sum(counts.values()) for counts in classes)
    return str(k), k >= int(parameters["k"])


def distinct_l(classes, reference, parameters):
    """Return the least number of different values of a class."""
    l = min(len(counts) for counts in classes)  # noqa: E741
    return str(l), l >= int(parameters["l"])


def t_equal(classes, reference, parameters):
    """Return the greatest distance of a class from the table."""
    total = sum(reference.values())
    t = max(
        sum(abs(Fraction(counts[v], sum(counts.values())) - Fraction(n, total)) for v, n in reference.items()) / 2
        for counts in classes
    )
    return str(t), t <= Fraction(parameters["t"])


ALGORITHMS = {"k-anonymity": k_anonymity, "distinct-l": distinct_l, "t-equal": t_equal}


# ---------------------------------------------------------------- from the protocol's table to its counts
def cell(text, kind):
    """Read a cell as its column's type says; None stays None: a missing value is a value of its own."""
    return text if text is None or kind == "text" else Fraction(text)


def counted(table, sensitive):
    """Count the records of each class by sensitive value; a row stands for as many records as `times` says."""
    places = [table["columns"].index(name) for name in table["quasi_identifiers"]]
    at = table["columns"].index(sensitive)
    classes, reference = defaultdict(Counter), Counter()
    for number, row in enumerate(table["rows"]):
        times = int(table["times"][number]) if "times" in table else 1
        key = tuple(cell(row[place], table["types"][place]) for place in places)
        value = cell(row[at], table["types"][at])
        classes[key][value] += times
        reference[value] += times
    return list(classes.values()), reference


def answer(question):
    """Answer one question; with several sensitive attributes, of the worst."""
    table, ask = question["input"], ALGORITHMS[question["algorithm"]]
    found = [ask(*counted(table, name), question["parameters"]) for name in table["sensitive"]]
    worst = max if question["algorithm"] == "t-equal" else min
    value = worst((value for value, _ in found), key=Fraction)
    return {"value": value, "satisfied": all(satisfied for _, satisfied in found)}


# ---------------------------------------------------------------- the protocol: one JSON object a line
for line in sys.stdin:
    message = json.loads(line)
    if message["cmd"] == "start":
        reply = {
            "version": 1,
            "implementation": {"name": "toy", "version": "1", "language": "Python"},
            "algorithms": list(ALGORITHMS),
        }
    elif message["cmd"] == "run":
        try:
            reply = {"seq": message["seq"], "result": answer(message)}
        except Exception as error:  # noqa: BLE001 (whatever happens is an answer)
            reply = {"seq": message["seq"], "error": {"message": repr(error)}}
    else:
        break
    print(json.dumps(reply), flush=True)
