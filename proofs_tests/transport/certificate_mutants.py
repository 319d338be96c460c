"""Changed certificates by the thousand, and a second opinion on each that shares nothing with the reader.

    python -m proofs_tests.transport.certificate_mutants 100000 [SEED]

A changed certificate is read, and where it can be read verified. The second opinion is a JSON Schema with the rules
that a schema cannot say (lowest terms, lengths, whole numbers, the seal) written here once more, and the EMD computed
anew from the record by a minimum-cost flow.

What must hold: nothing but a `CertificateError` is raised; nothing is read that the schema refuses; nothing is accepted
with a value that is not the EMD.
"""

from __future__ import annotations

import copy
import hashlib
import json
import math
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import networkx as nx
from jsonschema import Draft202012Validator

from tcloseness.errors import CertificateError, CertificateFormatError
from tcloseness.ground import Cuts, Equal, Hierarchical, Laminar, Matrix, Ordered, OrderedByValue, ProductGround
from tcloseness.microdata import Domain, Hierarchy
from tcloseness.transport import Certificate, certify

__all__ = ["Tally", "mutants", "originals", "second_opinion", "try_all"]

F = Fraction

# ---------------------------------------------------------------------- the second opinion

NUMBER = {"type": "string", "pattern": r"^(0|-?[1-9][0-9]*)(/[1-9][0-9]*)?$"}
NUMBERS = {"type": "array", "items": NUMBER}
CODE = {"type": "integer", "minimum": 0, "maximum": 2**31 - 1}
CODES = {"type": "array", "items": CODE}
TEXT = {"type": "string", "maxLength": 10_000}


def thing(**properties: Any) -> dict[str, Any]:
    """An object with exactly these keys."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


SIZE = {"type": "integer", "minimum": 1, "maximum": 2**31 - 1}
GROUND = {
    "oneOf": [
        thing(name={"enum": ["ordered", "equal"]}, m=SIZE),
        thing(name={"const": "ordered-by-value"}, values={**NUMBERS, "minItems": 1}),
        thing(
            name={"const": "hierarchical"},
            paths={"type": "array", "items": {"type": "array", "items": TEXT, "minItems": 1, "maxItems": 100}},
            values={**CODES, "minItems": 1},
            trivial_levels={"enum": ["keep", "collapse"]},
        ),
        thing(
            name={"const": "matrix"},
            entries={"type": "array", "items": NUMBERS, "minItems": 1},
            allow_non_metric={"type": "boolean"},
        ),
        thing(name={"const": "laminar"}, order=CODES, low=CODES, high=CODES, weights=NUMBERS, denominator=NUMBER),
        thing(
            name={"const": "product"},
            components={"type": "array", "items": {"$ref": "#/$defs/ground"}, "minItems": 1, "maxItems": 100},
            tuples={"type": "array", "items": CODES, "minItems": 1},
            combine={"enum": ["mean", "max"]},
            weights={"oneOf": [NUMBERS, {"type": "null"}]},
        ),
    ]
}
STATEMENT = "EMD(p, q) = emd: the coupling costs emd; u, v earn emd with u_i + v_j <= d(i, j)"
SCHEMA = Draft202012Validator(
    {
        **thing(
            format={"const": "tcloseness-emd-certificate-1"},
            statement={"const": STATEMENT},
            method={"type": "string", "maxLength": 100},
            ground={"$ref": "#/$defs/ground"},
            labels={"type": "array", "items": TEXT},
            p={**NUMBERS, "minItems": 1},
            q=NUMBERS,
            emd=NUMBER,
            coupling={"type": "array", "items": {"type": "array", "prefixItems": [CODE, CODE, NUMBER], "minItems": 3}},
            u=NUMBERS,
            v=NUMBERS,
            sha256={"type": "string", "pattern": "^[0-9a-f]{64}$"},
        ),
        "$defs": {"ground": GROUND},
    }
)


def second_opinion(text: str | bytes) -> str | None:
    """Say why a text does not keep the schema of certificates; None if it does."""
    twice = []

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in found}) != len(found):
            twice.append(found)
        return dict(found)

    def constant(name: str) -> None:
        twice.append(name)

    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        if text.count("[") + text.count("{") > 10_000:
            return "deep or long"
        record = json.loads(text, object_pairs_hook=pairs, parse_constant=constant)
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"
    if twice:
        return "a key twice, or a constant"
    return opinion_of(record)


def opinion_of(record: Any) -> str | None:
    """Say why data does not keep the schema of certificates; None if it does."""
    error = next(SCHEMA.iter_errors(record), None)
    if error is not None:
        return f"schema: {error.message[:80]}"
    return next(_further_faults(record), None)


def _further_faults(record: Any) -> Iterator[str]:
    m = len(record["p"])
    if any(len(record[name]) != m for name in ("q", "u", "v")) or len(record["labels"]) not in (0, m):
        yield "lengths"
    if any(len(entry) != 3 for entry in record["coupling"]):
        yield "a coupling of other than triples"
    for value in _leaves(record):
        if isinstance(value, float):
            yield "a float"
        if isinstance(value, str) and any(0xD800 <= ord(c) < 0xE000 for c in value):
            yield "half of a surrogate pair"
    for text in _numbers(record):
        if not re.fullmatch(NUMBER["pattern"][1:-1], text, re.ASCII):
            yield f"a number {text!r:.40}"
            return
        if max(map(len, text.lstrip("-").split("/"))) > 4000:
            yield "too many digits"
            return
        a, _, b = text.partition("/")
        if b and (b == "1" or math.gcd(int(a), int(b)) != 1):
            yield f"not in lowest terms: {text!r:.40}"
    if _size(record["ground"]) != m:
        yield "a ground distance over other values"
    if _depth(record["ground"]) > 4:
        yield "nested products"
    body = json.dumps({k: v for k, v in record.items() if k != "sha256"}, sort_keys=True, separators=(",", ":"))
    if hashlib.sha256(body.encode("ascii")).hexdigest() != record["sha256"]:
        yield "seal"


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield key
            yield from _leaves(part)
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(part)
    else:
        yield value


def _numbers(record: Any) -> Iterator[str]:
    for name in ("p", "q", "u", "v"):
        yield from record[name]
    yield record["emd"]
    yield from (entry[2] for entry in record["coupling"])
    yield from _ground_numbers(record["ground"])


def _ground_numbers(ground: Any) -> Iterator[str]:
    match ground["name"]:
        case "ordered-by-value":
            yield from ground["values"]
        case "matrix":
            yield from (x for row in ground["entries"] for x in row)
        case "laminar":
            yield from (*ground["weights"], ground["denominator"])
        case "product":
            yield from ground["weights"] or []
            for part in ground["components"]:
                yield from _ground_numbers(part)


def _size(ground: Any) -> int:
    match ground["name"]:
        case "ordered" | "equal":
            return int(ground["m"])
        case "ordered-by-value" | "hierarchical":
            return len(ground["values"])
        case "matrix":
            return len(ground["entries"])
        case "laminar":
            return len(ground["order"])
    return len(ground["tuples"])


def _depth(ground: Any) -> int:
    return 1 + max(map(_depth, ground["components"])) if ground["name"] == "product" else 0


def distance_of(ground: Any) -> Callable[[int, int], Fraction]:
    """The distance that a record describes, from the definitions."""
    match ground["name"]:
        case "ordered":
            return lambda i, j: F(abs(i - j), max(ground["m"] - 1, 1))
        case "equal":
            return lambda i, j: F(i != j)
        case "ordered-by-value":
            values = list(map(F, ground["values"]))
            return lambda i, j: abs(values[i] - values[j]) / ((values[-1] - values[0]) or 1)
        case "matrix":
            return lambda i, j: F(ground["entries"][i][j])
        case "laminar":
            ends = list(zip(ground["low"], ground["high"], ground["weights"], strict=True))
            at = {code: place for place, code in enumerate(ground["order"])}
            return lambda i, j: (
                sum((F(w) for low, high, w in ends if (low <= at[i] < high) != (low <= at[j] < high)), F(0))
                / F(ground["denominator"])
            )
        case "product":
            parts = list(map(distance_of, ground["components"]))
            rows = ground["tuples"]
            if ground["combine"] == "max":
                return lambda i, j: max(d(a, b) for d, a, b in zip(parts, rows[i], rows[j], strict=True))
            weights = list(map(F, ground["weights"] or ["1"] * len(parts)))
            return lambda i, j: (
                sum((w * d(a, b) for w, d, a, b in zip(weights, parts, rows[i], rows[j], strict=True)), F(0))
                / sum(weights)
            )
    return _tree_distance(ground)


def _tree_distance(ground: Any) -> Callable[[int, int], Fraction]:
    ways = [tuple(reversed(path)) for path in ground["paths"]]  # from the root down
    if (
        ground["trivial_levels"] == "collapse"
    ):  # a node with one child is left out: the root of it all stays, at height 0
        kept = {}
        for way in ways:
            nodes = [way[:k] for k in range(1, len(way) + 1)]
            kept[way] = [n for n in nodes if n == way or len({w[: len(n) + 1] for w in ways if w[: len(n)] == n}) > 1]
    else:
        kept = {way: [way[:k] for k in range(1, len(way) + 1)] for way in ways}
    height: dict[tuple[str, ...], int] = {}
    for nodes in kept.values():
        for above, node in enumerate(reversed(nodes)):
            height[node] = max(height.get(node, 0), above)
    top = max(height.values())

    def distance(i: int, j: int) -> Fraction:
        if i == j:
            return F(0)
        one, other = (kept[ways[ground["values"][code]]] for code in (i, j))
        return F(min(height[n] for n in one if n in other), top)

    return distance


@lru_cache(maxsize=10_000)
def _emd(p: tuple[str, ...], q: tuple[str, ...], ground: str) -> Fraction | None:
    """The least cost of moving P to Q, by a minimum-cost flow; None if P or Q is not a distribution."""
    left, right = list(map(F, p)), list(map(F, q))
    if min(*left, *right) < 0 or sum(left) != 1 or sum(right) != 1:
        return None
    d = distance_of(json.loads(ground))
    m = len(p)
    scale = math.lcm(*(x.denominator for x in (*left, *right)))
    cost = math.lcm(*(d(i, j).denominator for i in range(m) for j in range(m)))
    graph = nx.DiGraph()
    for i in range(m):
        graph.add_node(("p", i), demand=-int(left[i] * scale))
        graph.add_node(("q", i), demand=int(right[i] * scale))
    for i in range(m):
        for j in range(m):
            graph.add_edge(("p", i), ("q", j), weight=int(d(i, j) * cost))
    return F(nx.network_simplex(graph)[0], scale * cost)


def is_true(record: Any) -> bool:
    """Whether the record's value is the EMD of its P and Q over its ground distance."""
    ground = json.dumps(record["ground"])
    return _emd(tuple(record["p"]), tuple(record["q"]), ground) == F(record["emd"])


# ---------------------------------------------------------------------- the changes


def originals() -> list[dict[str, Any]]:
    """Certificates of every ground distance that can be written."""
    tree = Hierarchy([("x", "A", "*"), ("y", "A", "*"), ("z", "B", "*"), ("w", "C", "*")])
    metric = Matrix([[0, 2, 3], [2, 0, 1], [3, 1, 0]])
    free = Matrix([[0, 1, 4], [1, 0, 1], [4, 1, 0]], allow_non_metric=True)
    three, four = (["1/2", "1/2", 0], [0, "1/3", "2/3"]), (["1/2", 0, "1/2", 0], ["1/4"] * 4)
    pairs = [(0, 0), (1, 0), (2, 1)]
    mean = ProductGround([Ordered(3), Equal(2)], pairs, weights=[1, 2])
    most = ProductGround([Ordered(3), ProductGround([Equal(2)], [(0,), (1,)])], pairs, combine="max")
    made = [
        certify(*four, Ordered(4), labels=["a", "b", "c", "ü"]),
        certify(*four, OrderedByValue(("-1/3", 14, 27, 88))),
        certify(*three, Equal(3)),
        certify(*four, Hierarchical(tree, Domain.of("wxyz"))),
        certify(*three, Hierarchical(tree, Domain.of("xyz"), trivial_levels="collapse")),
        certify(*three, metric, solver="networkx"),
        certify(*three, free, solver="networkx"),
        certify(*four, Laminar(Cuts.of([2, 0, 1, 3], [(0, 2), (0, 1), (3, 4)], ["1/2", "1/3", 2]))),
        certify(*three, mean, solver="networkx"),
        certify(*three, most, solver="networkx"),
        certify([1], [1], Ordered(1)),
    ]
    return [proof.to_dict() for proof in made]


ODD: tuple[Any, ...] = (
    *(0, 1, 2, 3, -1, 10**6, 10**9, 2**31, 10**19, 10**400, 0.9, 1.0, 1e300, True, False, None),
    *(
        "0",
        "1",
        "1/2",
        "-1/2",
        "2/4",
        "1/1",
        "3/1",
        "0/1",
        "-0",
        "+1",
        "00",
        "01",
        "1/0",
        "1/-2",
        "1/02",
        "",
        " 1",
        "1 ",
    ),
    *(
        "1\n",
        "1/2\n",
        "1_0",
        "1e2",
        "0.5",
        ".5",
        "½",
        "٢",
        "١/٢",
        "1/٢",
        "−1",
        "nan",
        "inf",
        "0x1",
        "1/2/3",
        "/",
        "1/",
        "\x00",
    ),
    *(
        "9" * 4000,
        "9" * 4001,
        "9" * 20_000,
        "1/" + "7" * 3999,
        "1/" + "7" * 4001,
        "\ud800",
        "a" * 10_001,
        "keep",
        "max",
    ),
    *([], {}, [[]], [0], [0, 0, "1/2"], ["0"], {"name": "equal", "m": 3}, {"name": "ordered", "m": 4 * 10**8}),
)


def _places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield place
    if isinstance(value, dict):
        for key in value:
            yield from _places(value[key], (*place, key))
    elif isinstance(value, list):
        for k in range(len(value)):
            yield from _places(value[k], (*place, k))


def _change(record: Any, rng: random.Random) -> Any:
    """Change one thing in the data."""
    places = [place for place in _places(record) if place]
    place = rng.choice(places)
    if rng.random() < 0.3:  # the ground distance more often than its size suggests
        place = rng.choice([p for p in places if p[0] == "ground"])
    holder = record
    for step in place[:-1]:
        holder = holder[step]
    last, value = place[-1], holder[place[-1]]
    kind = rng.randrange(9)
    if kind <= 2:
        holder[last] = copy.deepcopy(rng.choice(ODD))
    elif kind == 3 and isinstance(holder, dict):
        del holder[last]
    elif kind == 3 or (kind == 4 and isinstance(holder, list)):
        holder.insert(last, copy.deepcopy(rng.choice([value, rng.choice(ODD)]))) if rng.random() < 0.5 else holder.pop(
            last
        )
    elif kind == 4:
        holder[rng.choice(["m", "name", "note", "", "P", *holder])] = copy.deepcopy(rng.choice([value, *ODD[:20]]))
    elif kind == 5 and isinstance(holder, list):
        other = rng.randrange(len(holder))
        holder[last], holder[other] = holder[other], holder[last]
    elif kind == 6 and isinstance(value, str) and re.fullmatch(r"-?[0-9]+(/[0-9]+)?", value):
        near = F(value) + rng.choice([F(1), F(-1), F(1, 2), F(1, 12), F(-1, 6), F(1, 10**30)])
        holder[last] = rng.choice([str(near), str(-F(value)), f"{F(value).numerator * 2}/{F(value).denominator * 2}"])
    elif kind == 7:
        other = rng.choice(places)
        found = record
        for step in other:
            found = found[step]
        holder[last] = copy.deepcopy(found)
    else:
        holder[last] = rng.choice([[value], {"name": value}, str(value), {"name": "product", "components": [value]}])
    return record


def _semantic(record: Any, rng: random.Random) -> Any:
    """Change what is said, and keep the form: the proof, or what it is about."""
    kind = rng.randrange(6)
    if kind == 0:
        name = rng.choice(["p", "q", "u", "v"])
        rng.shuffle(record[name])
    elif kind == 1:
        shift = F(rng.randint(-3, 3), rng.choice([1, 2, 6]))
        record["u"] = [str(F(x) + shift) for x in record["u"]]
        record["v"] = [str(F(x) - shift) for x in record["v"]]  # as good a proof as before
    elif kind == 2:
        record["emd"] = str(F(record["emd"]) * rng.choice([F(1, 2), F(2), F(0), F(-1)]))
    elif kind == 3:
        record["p"], record["q"] = record["q"], record["p"]
        record["coupling"] = [[j, i, mass] for i, j, mass in record["coupling"]]
        record["u"], record["v"] = record["v"], record["u"]
    elif kind == 4:
        record["ground"] = copy.deepcopy(rng.choice(originals_once())["ground"])
    else:
        factor = rng.choice([F(2), F(1, 3)])
        for name in ("u", "v"):
            record[name] = [str(F(x) * factor) for x in record[name]]
        record["emd"] = str(F(record["emd"]) * factor)
    return record


@lru_cache(maxsize=1)
def originals_once() -> list[dict[str, Any]]:
    """The certificates that are changed."""
    return originals()


def _sealed(record: Any) -> Any:
    if isinstance(record, dict):
        body = {key: value for key, value in record.items() if key != "sha256"}
        plain = json.dumps(body, sort_keys=True, separators=(",", ":"))
        record = {**body, "sha256": hashlib.sha256(plain.encode()).hexdigest()}
    return record


def _text_change(text: str, rng: random.Random) -> str | bytes:
    at = rng.randrange(len(text))
    end = at + rng.randint(1, 5)
    kind = rng.randrange(9)
    digits = [i for i, c in enumerate(text) if c.isdigit()]
    if kind == 0:
        return text[:at]
    if kind == 1:
        return text[:at] + text[end:]
    if kind == 2:
        return text[:at] + rng.choice('{}[]",:0123456789.-eE\\ntu\x00ü٢') * rng.choice([1, 1, 1, 2, 3000]) + text[at:]
    if kind == 3:
        raw = bytearray(text.encode("utf-8", "surrogatepass"))
        raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
        return bytes(raw)
    if kind == 4:
        i = rng.choice(digits)
        return (
            text[:i]
            + rng.choice([chr(0x660 + int(text[i])), f"\\u003{text[i]}", "NaN", "1e9", "Infinity"])
            + text[i + 1 :]
        )
    if kind == 5:
        key = rng.choice(["emd", "p", "ground", "m", "name", "sha256", "coupling"])
        other = rng.choice(["0", '"1/2"', "[]", '"equal"'])
        return text.replace(f'"{key}":', f'"{key}": {other}, "{key}":', 1)
    if kind == 6:
        return rng.choice(["\ufeff", " ", "\n\t", "//\n", "[" * 2000]) + text
    if kind == 7:
        return text.encode(rng.choice(["utf-16", "utf-8", "utf-8-sig", "utf-32"]), "surrogatepass")
    return re.sub(r"\s+", lambda _: rng.choice(["", " ", "\r\n", "\t"]), text, count=rng.randint(1, 20))


def mutants(count: int, seed: int) -> Iterator[str | bytes]:
    """Texts of changed certificates."""
    rng = random.Random(seed)
    for _ in range(count):
        record = copy.deepcopy(rng.choice(originals_once()))
        for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
            try:
                record = (_semantic if rng.random() < 0.25 else _change)(record, rng)
            except (
                TypeError,
                ValueError,
                LookupError,
                AttributeError,
                ArithmeticError,
            ):  # what was changed has no such part
                continue
        if rng.random() < 0.9:
            record = _sealed(record)
        text = json.dumps(record, indent=rng.choice([None, 1]), ensure_ascii=rng.random() < 0.5)
        yield _text_change(text, rng) if rng.random() < 0.3 else text


# ---------------------------------------------------------------------- the comparison


@dataclass
class Tally:
    """What came of so many changed certificates."""

    outcomes: Counter[str]
    faults: list[str]
    slowest: float = 0.0


def outcome(read: Callable[[Any], Certificate], given: Any) -> str:
    """How the reader and the checker judge: unreadable, refuted or proved; another exception by its name."""
    try:
        read(given).verify()
    except CertificateFormatError:
        return "unreadable"
    except CertificateError:
        return "refuted"
    except BaseException as error:  # noqa: BLE001 (what must not happen is counted)
        return f"{type(error).__name__}: {error!r:.100}"
    return "proved"


def try_all(count: int, seed: int) -> Tally:
    """Compare the package's judgement of changed certificates with the second opinion."""
    tally = Tally(Counter(), [])
    grounds = {json.dumps(record["ground"], sort_keys=True) for record in originals_once()}
    for text in mutants(count, seed):
        began = time.perf_counter()
        found = outcome(Certificate.from_json, text)
        tally.slowest = max(tally.slowest, time.perf_counter() - began)
        opinion = second_opinion(text)
        tally.outcomes[found if opinion is None or found != "unreadable" else "unreadable, as the schema says"] += 1
        shown = f"{text[:2000]!r}"
        if found not in ("unreadable", "refuted", "proved"):
            tally.faults.append(f"foreign exception {found} for {shown}")
        elif found != "unreadable" and opinion is not None:
            tally.faults.append(f"{found}, and the second opinion is {opinion!r} for {shown}")
        elif opinion is None:
            record = json.loads(text)
            if found == "unreadable" and json.dumps(record["ground"], sort_keys=True) in grounds:
                tally.faults.append(f"unreadable, and the schema is kept by {shown}")
            if found == "proved" and not is_true(record):
                tally.faults.append(f"a false value is accepted for {shown}")
            if outcome(Certificate.from_dict, record) != found:
                tally.faults.append(f"data and text are judged differently for {shown}")
    return tally


if __name__ == "__main__":
    number, start = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    result = try_all(number, start)
    for name, times in result.outcomes.most_common():
        print(f"{times:8,} {name}")
    print(f"slowest {result.slowest:.3f} s; {len(result.faults)} faults")
    for fault in result.faults[:10]:
        print(fault)
    sys.exit(1 if result.faults else 0)
