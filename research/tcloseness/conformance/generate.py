"""Making vectors: for each reading the smallest inputs on which it errs, with twins; boundaries; tables of papers.

Nothing is written by hand. Each expected answer is computed twice, by the package's models and from the definition, and
a vector is made only if both agree.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from tcloseness.conformance.algorithms import ALGORITHMS, Algorithm, algorithm_named
from tcloseness.conformance.answers import Answer, Refused, same
from tcloseness.conformance.candidates import candidates, parameter_choices, random_input, varied
from tcloseness.conformance.exact_text import Value, decimal, text
from tcloseness.conformance.inputs import Distributions, Table
from tcloseness.conformance.models import right_answer
from tcloseness.conformance.paper_tables import boundary_tables, paper_tables
from tcloseness.conformance.readings import Reading, readings_of
from tcloseness.conformance.readings.cells import CELLS
from tcloseness.conformance.reference import reference_answer
from tcloseness.conformance.released_tables import method_tables
from tcloseness.conformance.vectors import Result, Vector
from tcloseness.errors import InputError, VectorError

__all__ = ["answered", "flagged", "fresh", "fresh_vectors", "thresholds", "vectors_of"]

Given = Table | Distributions


def answered(
    algorithm: str, given: Given, parameters: Mapping[str, str], id: str, comment: str, *, flags: bool = True
) -> Vector:
    """Make a vector: the right answer twice, and every reading that answers otherwise.

    Without `flags` the readings are not asked, which is quicker; `flagged` asks them later.

    `VectorError` if the two computations disagree.
    """
    right = right_answer(algorithm, given, parameters)
    again = reference_answer(algorithm, given, parameters)
    if not same(right, again):
        raise VectorError(f"{id}: the models answer {right} and the definition {again}; one of them is wrong")
    made = Vector(id, comment, algorithm, given, parameters, again, result_of(again, given))
    return flagged(made) if flags else made


def flagged(vector: Vector) -> Vector:
    """Return a vector with the answers of all readings that answer otherwise."""
    flags = {}
    for reading in readings_of(vector.algorithm):
        answer = reference_answer(vector.algorithm, vector.given, vector.parameters, reading.steps)
        if not same(answer, vector.expected):
            flags[reading.name] = answer
    return replace(vector, flags=flags)


def result_of(answer: Answer | Refused, given: Given) -> Result:
    """Say whether the input holds; a missing value leaves a convention open."""
    if isinstance(given, Table) and any(cell is None for row in given.rows for cell in row):
        return "acceptable"
    return "invalid" if isinstance(answer, Refused) or answer.satisfied is False else "valid"


# ---------------------------------------------------------------------- thresholds


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction of the least denominator strictly between two."""
    whole = low.numerator // low.denominator
    if whole + 1 < high:
        return Fraction(whole + 1)
    if low == whole:  # between whole and at most whole + 1
        return whole + Fraction(1, int(1 / (high - whole)) + 1)
    inner = simplest_between(1 / (high - whole), 1 / (low - whole))
    return whole + 1 / inner


def as_fraction(value: Value | None) -> Fraction | None:
    """Return a value as a fraction, rounded to 20 digits where it is none; None for infinity and none at all."""
    if value is None or isinstance(value, float):
        return None
    return value if isinstance(value, Fraction) else Fraction(f"{decimal(value):.20g}")


def thresholds(algorithm: Algorithm, right: Value | None, other: Value | None, needs: str) -> list[Fraction]:
    """Return thresholds around two values: where one of them holds and the other does not, and on either side."""
    a, b = as_fraction(right), as_fraction(other)
    if algorithm.name in ("k-anonymity", "distinct-l"):
        found = [x + step for x in (a, b) if x is not None and x.denominator == 1 for step in (0, 1)]
    else:
        if needs == "boundary":
            found = [right, Fraction(0)] if isinstance(right, Fraction) else []
        elif needs == "near":
            step = Fraction(1, 10**10)
            found = [a + step, a - step] if a is not None else []
        elif a is not None and b is not None and a != b:
            found = [simplest_between(min(a, b), max(a, b))]
        else:
            found = []
        known = [x for x in (a, b) if x is not None]
        top, least = max(known, default=Fraction(1)), min(known, default=Fraction(1))
        if needs == "boundary":
            found += [top + 1] if algorithm.name != "alpha-k" else [Fraction(1)]
            found += [least / 2]
        else:
            found += known[:1] if isinstance(right, Fraction) else []
            found += [simplest_between(top, top + 1), simplest_between(Fraction(0), least) if least > 0 else least]
            if algorithm.name.startswith(("alpha-k", "t-")) and top < 1:
                found.append(simplest_between(top, Fraction(1)))
    return [x for x in dict.fromkeys(found) if allowed(algorithm, x)]


def allowed(algorithm: Algorithm, threshold: Fraction) -> bool:
    """Say whether a threshold makes sense for the model."""
    match algorithm.threshold:
        case "k" | "l":
            return threshold >= 1
        case "alpha":
            return 0 < threshold <= 1
        case "c" | "delta":
            return threshold > 0
    return threshold >= 0


def written(number: Fraction) -> str:
    """Write a threshold: as a decimal where it is a short one, as people do, else as a fraction."""
    if number.denominator != 1:
        digits = next((digits for digits in range(1, 13) if (number * 10**digits).denominator == 1), 0)
        if digits and (digits <= 3 or number.denominator > 10**6):
            return f"{float(number):.{digits}f}"
    return str(number)


# ---------------------------------------------------------------------- one reading


def pair_for(
    reading: Reading, needs: str, algorithm: Algorithm, given: Given, parameters: Mapping[str, str]
) -> list[dict[str, str]]:
    """Return the parameters of a satisfied and a violated test on which a reading errs, as far as there are any."""
    if algorithm.kind != "model":
        right, read = (reference_answer(algorithm.name, given, parameters, steps) for steps in (None, reading.steps))
        return [] if same(right, read) else [dict(parameters)]
    assert algorithm.threshold is not None
    probe = {**parameters, algorithm.threshold: "1"}
    right = reference_answer(algorithm.name, given, probe)
    other = reference_answer(algorithm.name, given, probe, reading.steps)
    assert isinstance(right, Answer)
    shown = other.value if isinstance(other, Answer) else None
    found: dict[bool, tuple[bool, dict[str, str]]] = {}
    for threshold in thresholds(algorithm, right.value, shown, needs):
        asked = {**parameters, algorithm.threshold: written(threshold)}
        truth = reference_answer(algorithm.name, given, asked)
        read = reference_answer(algorithm.name, given, asked, reading.steps)
        assert isinstance(truth, Answer)
        assert truth.satisfied is not None
        misled = isinstance(read, Refused) or read.satisfied != truth.satisfied
        if truth.satisfied not in found or (misled and not found[truth.satisfied][0]):
            found[truth.satisfied] = (misled, asked)
    verdict_errs = any(misled for misled, _ in found.values())
    value_errs = isinstance(other, Refused) or not same(replace(right, satisfied=None), replace(other, satisfied=None))
    if not verdict_errs and not (value_errs and reading.kind == "convention"):
        return []
    return [asked for _, asked in sorted(found.values(), key=lambda pair: not pair[0])]


def for_reading(reading: Reading, algorithm: Algorithm, rng: random.Random) -> Iterator[Vector]:
    """Yield vectors that catch a reading, on the smallest inputs, in pairs of opposite verdicts where it can be."""
    made = 0
    for needs in reading.needs:
        for vector in for_need(reading, needs, algorithm, bases_of(reading, needs, algorithm), rng, made + 1):
            made += 1
            yield vector


def for_need(
    reading: Reading, needs: str, algorithm: Algorithm, bases: int, rng: random.Random, first: int
) -> Iterator[Vector]:
    """Yield vectors that catch a reading on inputs of one kind, numbered from the first on."""
    prefix = f"{algorithm.name}/{reading.name}"
    found, tried, lonely = 0, 0, list[Vector]()
    most = 1200 if algorithm.kind != "model" or reading in CELLS else 4000
    for given in candidates(algorithm, needs, rng):
        tried += 1
        if found >= bases or tried > (250 if lonely else most):
            break
        for parameters in parameter_choices(algorithm):
            try:
                asked = pair_for(reading, needs, algorithm, given, parameters)
                if not asked or (lonely and algorithm.kind == "model" and len(asked) == 1):
                    continue
                made = [
                    answered(algorithm.name, given, one, f"{prefix}/{number}", "")
                    for number, one in enumerate(asked, first)
                ]
            except InputError:  # the models refuse such tables, as missing values without an order
                break
            made = [replace(v, comment=comment_of(v, reading)) for v in twinned(made)]
            if algorithm.kind == "model" and len(made) == 1:  # better one with a twin
                lonely = lonely or made
                continue
            yield from made
            first += len(made)
            found += 1
            break
    if not found and lonely:
        yield from with_other_twin(lonely[0], f"{prefix}/{first + 1}", reading, needs, algorithm, rng)


def with_other_twin(
    vector: Vector, id: str, reading: Reading, needs: str, algorithm: Algorithm, rng: random.Random
) -> Iterator[Vector]:
    """Yield a test whose own table has one verdict only, and a twin on another table of the same kind."""
    opposite = not isinstance(vector.expected, Refused) and not vector.expected.satisfied
    for number, given in enumerate(candidates(algorithm, needs, rng)):
        if number > 300:
            break
        for parameters in parameter_choices(algorithm):
            for asked in verdict_pair(algorithm, given, parameters):
                answer = reference_answer(algorithm.name, given, asked)
                if isinstance(answer, Answer) and answer.satisfied is opposite:
                    twin = replace(answered(algorithm.name, given, asked, id, ""), twin=vector.id)
                    if twin.result != vector.result or twin.result == "acceptable":
                        yield replace(vector, twin=id)
                        yield replace(twin, comment=comment_of(twin, reading))
                        return
    yield vector


def comment_of(vector: Vector, reading: Reading) -> str:
    """Say in a line what is asked, and what the reading would answer."""
    other = vector.flags.get(reading.name)
    if other is None:
        return f"the opposite verdict of {vector.twin}"
    return f"an implementation that {reading.probes}: {answer_words(other)}; right: {answer_words(vector.expected)}"


def answer_words(answer: Answer | Refused) -> str:
    """Return an answer in words."""
    if isinstance(answer, Refused):
        return "no answer"
    words = []
    if answer.value is not None:
        words.append(f"value {text(answer.value)}"[:60])
    if answer.satisfied is not None:
        words.append("satisfied" if answer.satisfied else "violated")
    if answer.nodes is not None:
        words.append(" ".join("(" + ",".join(map(str, node)) + ")" for node in answer.nodes) or "no node")
    return ", ".join(words)


# ---------------------------------------------------------------------- all of them


def vectors_of(algorithm_name: str, seed: int = 0) -> list[Vector]:
    """Return an algorithm's vectors; the same for the same seed."""
    algorithm = ALGORITHMS[algorithm_name]
    rng = random.Random(f"{seed} {algorithm_name}")
    found = list(smoke(algorithm, rng))
    for reading in readings_of(algorithm_name):
        found += for_reading(reading, algorithm, rng)
    found += from_tables(algorithm, "paper", paper_tables(algorithm))
    found += from_tables(algorithm, "exact", boundary_tables(algorithm))
    if algorithm.kind == "disclosure":
        found += from_tables(algorithm, "methods", method_tables(algorithm))
    found += fresh(algorithm_name, 6, rng)
    return found


_IN_TWO_VARIANTS = ("joined-keys", "prototype-value", "declared-order")


def bases_of(reading: Reading, needs: str, algorithm: Algorithm) -> int:
    """Return on how many inputs of one kind a reading is caught: on all variants of keys for k, of values for l."""
    if reading.variants:
        if algorithm.name == ("distinct-l" if needs.endswith("-value") else "k-anonymity"):
            return reading.variants
        return min(reading.variants, 2 if needs in _IN_TWO_VARIANTS else 1)
    bases = 1 if len(reading.algorithms) > 4 else 2
    return bases if algorithm.kind == "model" or reading in CELLS else 2 * bases


def smoke(algorithm: Algorithm, rng: random.Random) -> list[Vector]:
    """Return the two simplest questions: those on which the fewest readings err."""
    made: list[Vector] = []
    for number, given in enumerate(candidates(algorithm, "plain", rng)):
        if number >= (3 if algorithm.kind == "disclosure" else 60):
            break
        made += asked_about(algorithm, given, "smoke", number + 1)
    made.sort(key=lambda v: (len(v.flags), len(str(v.given)), v.id))
    chosen = [v for wanted in ("valid", "invalid") for v in [*(v for v in made if v.result == wanted)][:1]]
    named = [replace(v, id=f"{algorithm.name}/smoke/{n}", twin=None) for n, v in enumerate(chosen, 1)]
    return [replace(v, comment="as simple as it gets") for v in twinned(named)]


def asked_about(algorithm: Algorithm, given: Given, reason: str, number: int, source: str = "") -> list[Vector]:
    """Return the tests of one input: for a model a satisfied and a violated one, exactly at the value if it can be."""
    made: list[Vector] = []
    choices = parameter_choices(algorithm)
    for parameters in choices if algorithm.kind == "disclosure" else choices[:1]:
        for one in verdict_pair(algorithm, given, parameters):
            id = f"{algorithm.name}/{reason}/{number}{'ab'[len(made)]}"
            made.append(replace(answered(algorithm.name, given, one, id, source), source=source or None))
    return twinned(made) if algorithm.kind == "model" else made


def twinned(made: list[Vector]) -> list[Vector]:
    """Let two tests of one input name each other."""
    return [replace(one, twin=other.id) for one, other in zip(made, made[::-1], strict=True)] if made[1:] else made


def verdict_pair(algorithm: Algorithm, given: Given, parameters: Mapping[str, str]) -> list[dict[str, str]]:
    """Return parameters on the two sides of the right value, one of them exactly at it."""
    if algorithm.kind != "model":
        return [dict(parameters)]
    assert algorithm.threshold is not None
    right = reference_answer(algorithm.name, given, {**parameters, algorithm.threshold: "1"})
    assert isinstance(right, Answer)
    value = right.value
    near = as_fraction(value)
    if near is None:
        return [{**parameters, algorithm.threshold: "1000"}]
    if algorithm.name in ("k-anonymity", "distinct-l"):
        around = [near, near + 1]
    else:
        close = Fraction(1, max(1000, 10 * near.denominator)) if isinstance(value, Fraction) else Fraction(1, 10**6)
        exact = [near] if isinstance(value, Fraction) else [simplest_between(near - close, near)]
        around = [*exact, simplest_between(near, near + close)]
        around += [simplest_between(max(near - close, Fraction(0)), near)] if near > 0 else []
    asked: dict[bool, dict[str, str]] = {}
    for threshold in around:
        if allowed(algorithm, threshold):
            one = {**parameters, algorithm.threshold: written(threshold)}
            answer = reference_answer(algorithm.name, given, one)
            assert isinstance(answer, Answer)
            asked.setdefault(bool(answer.satisfied), one)
    return list(asked.values())


def from_tables(algorithm: Algorithm, reason: str, tables: Iterable[tuple[str, Given]]) -> list[Vector]:
    """Return the tests of given inputs, each with its source as the comment."""
    made: list[Vector] = []
    for number, (source, given) in enumerate(tables, 1):
        try:
            made += asked_about(algorithm, given, reason, number, source)
        except InputError:
            continue
    return made


def fresh_vectors(seed: int, size: int, algorithms: Iterable[str] = ()) -> Iterator[Vector]:
    """Yield `size` random tests that nobody has seen before, spread over the algorithms; no flags are set yet.

    `VectorError` for an unknown algorithm.
    """
    names = [algorithm_named(name).name for name in algorithms] or list(ALGORITHMS)
    for place, name in enumerate(names):
        own = size // len(names) + (place < size % len(names))
        odd = random.Random(f"odd {seed} {name}")
        yield from fresh(name, own, random.Random(f"fresh {seed} {name}"), flags=False, odd=odd)


def fresh(
    algorithm_name: str, size: int, rng: random.Random, *, flags: bool = True, odd: random.Random | None = None
) -> list[Vector]:
    """Return `size` random tests of an algorithm; with `odd`, some of them with odd cells, keys and orders."""
    algorithm = ALGORITHMS[algorithm_name]
    made: list[Vector] = []
    number = 0
    while len(made) < size:
        number += 1
        try:
            given = random_input(algorithm, rng)
            if odd is not None and isinstance(given, Table):
                given = varied(algorithm, given, odd)
            parameters = rng.choice(parameter_choices(algorithm))
            for one in verdict_pair(algorithm, given, parameters):
                id = f"{algorithm_name}/random/{len(made) + 1}"
                made.append(answered(algorithm_name, given, one, id, "a random input", flags=flags))
        except InputError:
            continue
    return made[:size]
