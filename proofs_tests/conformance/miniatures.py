"""A dozen and more small implementations, each with one mistake, and a right one to start from.

They are written on their own, in the plainest way, so that they test the vectors and not the code that made them. As a
harness: ``python miniatures.py NAME``.
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any

Question = dict[str, Any]
INFINITE = "infinite"
THRESHOLDS = {
    "k-anonymity": "k",
    "distinct-l": "l",
    "entropy-l": "l",
    "recursive-cl": "c",
    "beta-enhanced": "beta",
    "delta-disclosure": "delta",
}


class Miniature:
    """Answers k, distinct and recursive l, t-equal, t-ordered, t-hierarchical and more rightly; each subclass errs."""

    algorithms: tuple[str, ...] = ()

    # ------------------------------------------------------------------ the table

    def cell(self, text: str | None, kind: str) -> Any:
        return text if text is None or kind == "text" else Fraction(text)

    def column(self, table: Any, name: str) -> list[Any]:
        at = table["columns"].index(name)
        return [self.cell(row[at], table["types"][at]) for row in table["rows"]]

    def times(self, table: Any) -> list[int]:
        return [int(n) for n in table.get("times", ["1"] * len(table["rows"]))]

    def keys(self, table: Any) -> list[tuple[Any, ...]]:
        columns = [self.column(table, name) for name in table["quasi_identifiers"]]
        return list(zip(*columns, strict=True))

    def places(self, table: Any) -> dict[Any, list[int]]:
        """The rows of each class."""
        found: dict[Any, list[int]] = {}
        for row, key in enumerate(self.keys(table)):
            found.setdefault(key, []).append(row)
        return found

    def classes(self, table: Any, sensitive: str) -> list[Counter[Any]]:
        cells, times = self.column(table, sensitive), self.times(table)
        found = []
        for rows in self.places(table).values():
            counts: Counter[Any] = Counter()
            for row in rows:
                counts[cells[row]] += times[row]
            found.append(counts)
        return found

    def reference(self, table: Any, sensitive: str) -> Counter[Any]:
        counts: Counter[Any] = Counter()
        for cell, n in zip(self.column(table, sensitive), self.times(table), strict=True):
            counts[cell] += n
        return counts

    def domain(self, table: Any, sensitive: str) -> list[Any]:
        values = set(self.column(table, sensitive))
        if "order" in table:
            return [v for v in table["order"] if v in values]
        return sorted(values, key=lambda v: (v is None, v if v is not None else 0))

    def sensitive(self, table: Any) -> list[str]:
        return list(table["sensitive"])

    # ------------------------------------------------------------------ the formulas, one class at a time

    def measure(
        self, name: str, counts: Counter[Any], q: Counter[Any], domain: list[Any], asked: Any, table: Any
    ) -> Any:
        r = sorted(counts.values(), reverse=True)
        n, total = sum(r), sum(q.values())
        match name:
            case "k-anonymity":
                return Fraction(n)
            case "distinct-l":
                return Fraction(len(r))
            case "recursive-cl":
                return self.bound(r, int(asked["l"]))
            case "beta-enhanced":
                gains = [(Fraction(counts[v] * total, n * q[v]) - 1, math.log(total / q[v])) for v in domain]
                return self.enhanced(gains)
            case "delta-disclosure":
                return self.disclosure([Fraction(counts[v] * total, n * q[v]) for v in domain], asked["base"])
        extra = [counts[v] * total - q[v] * n for v in domain]
        return self.distance(name, extra, n * total, domain, table)

    def bound(self, r: list[int], l: int) -> Any:  # noqa: E741
        tail = sum(r[l - 1 :])
        return Fraction(r[0], tail) if tail else INFINITE

    def enhanced(self, gains: list[tuple[Fraction, float]]) -> Any:
        return INFINITE if any(g > 0 and g > cap for g, cap in gains) else max(g for g, _ in gains)

    def disclosure(self, ratios: list[Fraction], base: str) -> Any:
        if 0 in ratios:
            return INFINITE
        greatest = max(max(x, 1 / x) for x in ratios)
        log = math.log2 if base == "2" else math.log
        return log(greatest.numerator) - log(greatest.denominator)

    def distance(self, name: str, extra: list[int], denominator: int, domain: list[Any], table: Any) -> Fraction:
        if name == "t-equal":
            return Fraction(sum(map(abs, extra)), 2 * denominator)
        if name == "t-ordered":
            return Fraction(self.prefixes(extra), denominator * self.steps(len(domain)))
        paths = table["hierarchies"][table["sensitive"][0]]
        height = len(paths[0]) - 1
        by_leaf = dict(zip(domain, extra, strict=True))
        work = 0
        for level in range(1, height + 1):  # mass that must leave its node on the level below, and not this one
            for node in {tuple(path[level:]) for path in paths}:
                children: dict[Any, int] = {}
                for path in paths:
                    if tuple(path[level:]) == node:
                        child = tuple(path[level - 1 :])
                        children[child] = children.get(child, 0) + by_leaf.get(path[0], 0)
                up, down = (sum(e for e in children.values() if e * sign > 0) * sign for sign in (1, -1))
                work += level * min(up, down)
        return Fraction(work, height * denominator)

    def prefixes(self, extra: list[int]) -> int:
        running = work = 0
        for e in extra[:-1]:
            running += e
            work += abs(running)
        return work

    def steps(self, m: int) -> int:
        return max(m - 1, 1)

    # ------------------------------------------------------------------ the answer

    def answer(self, question: Question) -> dict[str, Any]:
        name, asked, given = question["algorithm"], question["parameters"], question["input"]
        if name == "emd":
            return {"value": str(self.emd(given))}
        if name == "classification-metric":
            return {"value": str(self.outside(self.classes(given, given["sensitive"][0])))}
        values = []
        for sensitive in self.sensitive(given):
            q, domain = self.reference(given, sensitive), self.domain(given, sensitive)
            for counts in self.classes(given, sensitive):
                values.append(self.measure(name, counts, q, domain, asked, given))
        larger = name in ("k-anonymity", "distinct-l", "entropy-l")
        order: Callable[[Any], float | Fraction] = lambda v: math.inf if v == INFINITE else v  # noqa: E731
        value = (min if larger else max)(values, key=order)
        threshold = Fraction(asked[THRESHOLDS.get(name, "t")])
        return {"value": str(value), "satisfied": self.holds(name, order(value), threshold, question)}

    def holds(self, name: str, value: Any, threshold: Fraction, question: Question) -> bool:
        if name in ("recursive-cl", "delta-disclosure"):
            near = isinstance(value, float) and math.isfinite(value) and abs(value - threshold) < 1e-14
            return not near and value < threshold
        return value >= threshold if name in ("k-anonymity", "distinct-l", "entropy-l") else value <= threshold

    def outside(self, classes: list[Counter[Any]]) -> Fraction:
        n = sum(sum(c.values()) for c in classes)
        return Fraction(n - sum(max(c.values()) for c in classes), n)

    def emd(self, given: Any) -> Fraction:
        raise NotImplementedError


class LabelsAsPositions(Miniature):
    algorithms = ("distinct-l", "t-equal")

    def places(self, table: Any) -> dict[Any, list[int]]:
        labels = [int(label) for label in table.get("index", range(len(table["rows"])))]
        return {key: [labels[row] for row in rows] for key, rows in super().places(table).items()}


class MissingKeyLost(Miniature):
    algorithms = ("k-anonymity", "distinct-l")

    def places(self, table: Any) -> dict[Any, list[int]]:
        return {key: rows for key, rows in super().places(table).items() if None not in key}


class UnusedCategory(Miniature):
    algorithms = ("k-anonymity", "distinct-l")

    def places(self, table: Any) -> dict[Any, list[int]]:
        found = super().places(table)
        declared = table.get("categories", {}).get("z", [])
        return found | {(value,): [] for value in declared if (value,) not in found}


class Ascending(Miniature):
    algorithms = ("recursive-cl",)

    def bound(self, r: list[int], l: int) -> Any:  # noqa: E741
        return super().bound(r[::-1], l)


class EqualityAccepted(Miniature):
    algorithms = ("recursive-cl",)

    def holds(self, name: str, value: Any, threshold: Fraction, question: Question) -> bool:
        return bool(value <= threshold)


class TruncatedEntropy(Miniature):
    algorithms = ("entropy-l",)

    def measure(
        self, name: str, counts: Counter[Any], q: Counter[Any], domain: list[Any], asked: Any, table: Any
    ) -> Any:
        r = sorted(counts.values(), reverse=True)
        n = sum(r)
        return Fraction(int(math.e ** -reduce(add, [c / n * math.log(c / n) for c in r])))


class HalfOfPresent(Miniature):
    algorithms = ("t-equal",)

    def measure(
        self, name: str, counts: Counter[Any], q: Counter[Any], domain: list[Any], asked: Any, table: Any
    ) -> Any:
        n, total = sum(counts.values()), sum(q.values())
        return sum(abs(Fraction(c, n) - Fraction(q[v], total)) for v, c in counts.items()) / 2


class DividesByM(Miniature):
    algorithms = ("t-ordered",)

    def steps(self, m: int) -> int:
        return m


class OrderOfAppearance(Miniature):
    algorithms = ("t-ordered",)

    def domain(self, table: Any, sensitive: str) -> list[Any]:
        return list(dict.fromkeys(self.column(table, sensitive)))


class DigitsAsText(Miniature):
    algorithms = ("t-ordered",)

    def domain(self, table: Any, sensitive: str) -> list[Any]:
        return sorted(set(self.column(table, sensitive)), key=str)


class OneValueDividesByZero(Miniature):
    algorithms = ("t-ordered",)

    def steps(self, m: int) -> int:
        return m - 1


class ProductsIn32Bits(Miniature):
    algorithms = ("t-hierarchical", "t-equal")

    def distance(self, name: str, extra: list[int], denominator: int, domain: list[Any], table: Any) -> Fraction:
        wrapped = [(e + 2**31) % 2**32 - 2**31 for e in extra]
        return super().distance(name, wrapped, denominator, domain, table)


class DoubleThreshold(Miniature):
    algorithms = ("t-equal",)

    def holds(self, name: str, value: Any, threshold: Fraction, question: Question) -> bool:
        table = question["input"]
        for sensitive in self.sensitive(table):
            q, domain = self.reference(table, sensitive), self.domain(table, sensitive)
            total = sum(q.values())
            for counts in self.classes(table, sensitive):
                n = sum(counts.values())
                differences = [abs(counts[v] / n - q[v] / total) for v in domain]
                if reduce(add, differences) / 2 > float(threshold):  # sum() adds in another way from Python 3.12 on
                    return False
        return True


class LastSensitiveOnly(Miniature):
    algorithms = ("distinct-l", "t-equal")

    def sensitive(self, table: Any) -> list[str]:
        return list(table["sensitive"][-1:])


class LargestOfTheCaps(Miniature):
    algorithms = ("beta-enhanced",)

    def enhanced(self, gains: list[tuple[Fraction, float]]) -> Any:
        return max([min(g, cap) for g, cap in gains if g > 0], default=Fraction(0))


class AbsentSkipped(Miniature):
    algorithms = ("delta-disclosure",)

    def disclosure(self, ratios: list[Fraction], base: str) -> Any:
        return super().disclosure([x for x in ratios if x], base)


class AllTiedWin(Miniature):
    algorithms = ("classification-metric",)

    def outside(self, classes: list[Counter[Any]]) -> Fraction:
        wrong = sum(n for c in classes for n in c.values() if n < max(c.values()))
        return Fraction(wrong, sum(sum(c.values()) for c in classes))


class ProbabilitiesAsSamples(Miniature):
    algorithms = ("emd",)

    def emd(self, given: Any) -> Fraction:
        p, q = (sorted(map(Fraction, given[name])) for name in "pq")
        return sum((abs(a - b) for a, b in zip(p, q, strict=True)), Fraction(0)) / len(p)


class KeysJoined(Miniature):
    """Joins by the separator that there is, so that it errs on every one; its missing values are not texts."""

    algorithms = ("k-anonymity", "distinct-l", "t-equal")

    def keys(self, table: Any) -> list[tuple[Any, ...]]:
        keys = super().keys(table)
        letters = {letter for key in keys for text in key for letter in str(text or "")}
        separator = next((s for s in ",_-| ;/.\t" if s in letters), "")
        return [(separator.join(str(t or "") for t in key), *(t is None for t in key)) for key in keys]


class NullAsEmpty(Miniature):
    algorithms = ("k-anonymity", "distinct-l", "t-equal")

    def cell(self, text: str | None, kind: str) -> Any:
        return super().cell("" if text is None and kind == "text" else text, kind)


class NullAsText(Miniature):
    algorithms = ("k-anonymity", "distinct-l", "t-equal")

    def cell(self, text: str | None, kind: str) -> Any:
        words = ("null", "none", "nan", "na", "n/a", "undefined")
        return None if kind == "text" and text is not None and text.lower() in words else super().cell(text, kind)


class IntegersAsDoubles(Miniature):
    algorithms = ("k-anonymity", "distinct-l", "t-ordered")

    def cell(self, text: str | None, kind: str) -> Any:
        return float(text) if text is not None and kind == "integer" else super().cell(text, kind)


class PrototypeNames(Miniature):
    """Writes into tables that have some names already, as objects of JavaScript do."""

    algorithms = ("k-anonymity", "distinct-l", "t-equal")
    there = ("__proto__", "constructor", "toString", "valueOf", "hasOwnProperty")

    def keys(self, table: Any) -> list[tuple[Any, ...]]:
        keys = super().keys(table)
        if any(key[0] in self.there for key in keys if len(key) == 1):
            raise TypeError("push is not a function")
        return keys

    def measure(
        self, name: str, counts: Counter[Any], q: Counter[Any], domain: list[Any], asked: Any, table: Any
    ) -> Any:
        if name != "k-anonymity":
            counts = Counter({v: n for v, n in counts.items() if v != "__proto__"})
            q = Counter({v: n for v, n in q.items() if v != "__proto__"})
            domain = [v for v in domain if v != "__proto__"]
            if name == "t-equal" and (not counts or any(v in self.there for v in domain)):
                raise ValueError("NaN")
        return super().measure(name, counts, q, domain, asked, table)


class DeclaredOrderForgotten(Miniature):
    algorithms = ("t-ordered",)

    def domain(self, table: Any, sensitive: str) -> list[Any]:
        domain = super().domain(table, sensitive)
        return sorted(domain) if "order" in table else domain


class DeclaredValuesCount(Miniature):
    algorithms = ("t-ordered",)

    def domain(self, table: Any, sensitive: str) -> list[Any]:
        return list(table["order"]) if "order" in table else super().domain(table, sensitive)


MINIATURES: dict[str, Miniature] = {
    "labels-as-positions": LabelsAsPositions(),
    "missing-key-lost": MissingKeyLost(),
    "unused-category": UnusedCategory(),
    "ascending": Ascending(),
    "equality-the-other-way": EqualityAccepted(),
    "truncated-double": TruncatedEntropy(),
    "half-of-values-present": HalfOfPresent(),
    "divides-by-m": DividesByM(),
    "order-of-appearance": OrderOfAppearance(),
    "digits-as-text": DigitsAsText(),
    "one-value-divides-by-zero": OneValueDividesByZero(),
    "products-in-32-bits": ProductsIn32Bits(),
    "double-threshold": DoubleThreshold(),
    "last-sensitive-only": LastSensitiveOnly(),
    "largest-of-the-caps": LargestOfTheCaps(),
    "absent-skipped": AbsentSkipped(),
    "all-tied-win": AllTiedWin(),
    "probabilities-as-samples": ProbabilitiesAsSamples(),
    "keys-joined": KeysJoined(),
    "null-as-empty": NullAsEmpty(),
    "null-as-text": NullAsText(),
    "integers-as-doubles": IntegersAsDoubles(),
    "prototype-names": PrototypeNames(),
    "declared-order-forgotten": DeclaredOrderForgotten(),
    "declared-values-count": DeclaredValuesCount(),
}
"""By the flag that must catch it."""


class Right(Miniature):
    algorithms = ("k-anonymity", "distinct-l", "recursive-cl", "t-equal", "t-ordered", "t-hierarchical")


def serve(miniature: Miniature, name: str) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if message["cmd"] == "stop":
            return
        if message["cmd"] == "start":
            who = {"name": name, "version": "0", "language": "Python"}
            reply = {"version": 1, "implementation": who, "algorithms": list(miniature.algorithms)}
        else:
            try:
                reply = {"seq": message["seq"], "result": miniature.answer(message)}
            except Exception as error:  # noqa: BLE001 (whatever happens is an answer)
                reply = {"seq": message["seq"], "error": {"message": repr(error)}}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    serve(MINIATURES.get(sys.argv[1], Right()), sys.argv[1])
