"""A harness of k-anonymity that misbehaves as its argument says, on every tenth question; else it answers rightly."""

from __future__ import annotations

import json
import os
import sys
import time
from fractions import Fraction


def measured(message):
    """Return the size of the smallest class; a missing value is a value, and 1.0 is 1."""
    table = message["input"]
    places = [table["columns"].index(name) for name in table["quasi_identifiers"]]
    sizes = {}
    for row, times in zip(table["rows"], table.get("times", ["1"] * len(table["rows"])), strict=True):
        key = tuple(row[p] if row[p] is None or table["types"][p] == "text" else Fraction(row[p]) for p in places)
        sizes[key] = sizes.get(key, 0) + int(times)
    smallest = min(sizes.values())
    return {"value": str(smallest), "satisfied": smallest >= int(message["parameters"]["k"])}


what = sys.argv[1]
if what == "silent":
    sys.exit("it is broken from the start")
for line in sys.stdin:
    message = json.loads(line)
    if message["cmd"] == "stop":
        break
    if message["cmd"] == "start":
        reply = {"version": 1, "implementation": {"name": "bad", "version": "0"}, "algorithms": ["k-anonymity"]}
        if what == "version":
            reply["version"] = 99
        if what == "nameless":
            del reply["implementation"]
    else:
        reply = {"seq": message["seq"], "result": measured(message)}
        if message["seq"] % 10 == 5:
            if what == "crash":
                print("out of memory", file=sys.stderr, flush=True)
                os._exit(7)
            if what == "hang":
                time.sleep(60)
            if what == "babble":
                print("just a line for the log", flush=True)
            if what == "nan":
                reply["result"] = {"value": float("nan")}
            if what == "raise":
                reply = {"seq": message["seq"], "error": {"message": "KeyError"}}
            if what == "skip":
                reply = {"seq": message["seq"], "skipped": "not today"}
        if what == "all-wrong":
            reply = {"seq": message["seq"], "result": {"value": "-1"}}
    print(json.dumps(reply), flush=True)
