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


LONG_TRACE = "\n".join(f"    at step {i} (where.js:{i}:1)" for i in range(60)) + "\nrunner v20"


def main(what):
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
            if what == "version-text":
                reply["version"] = "1"
            if what == "one-name":
                reply["algorithms"] = "k-anonymity"
            if what == "second-wrong":
                reply["algorithms"] += ["distinct-l"]
            if what == "slips":
                reply["algorithms"] += ["kanonymity", "nothing-like-it"]
                reply["conventions"] = ["entropy-in-bit", "ascending"]
            if what == "nameless":
                del reply["implementation"]
        else:
            reply = {"seq": message["seq"], "result": measured(message)}
            if message["seq"] % 10 == 5:
                if what == "crash":
                    print("out of memory", file=sys.stderr, flush=True)
                    os._exit(7)
                if what == "crash-first-words":
                    print(
                        f"/some/where.js:3\n  x.y\n   ^\n\nTypeError: the cause\n{LONG_TRACE}",
                        file=sys.stderr,
                        flush=True,
                    )
                    os._exit(1)
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
                if what == "skip-twice":
                    reply = {"seq": message["seq"], "skipped": "not today" if message["seq"] == 15 else "never"}
            if what == "slips":
                reply["result"]["k"] = reply["result"]["value"]
            if what == "seq-text":
                reply["seq"] = str(reply["seq"])
            if what == "satisfied-text":
                reply["result"]["satisfied"] = str(reply["result"]["satisfied"]).lower()
            if what == "all-wrong" or (what == "second-wrong" and message["algorithm"] != "k-anonymity"):
                reply = {"seq": message["seq"], "result": {"value": "-1"}}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
