"""Each threshold that can be given reaches its model: by keyword and on the command line, at its value and beside it.

The thresholds are those of the signature and of the options: a new one is tried here too, or this file fails. What each
table measures is written from the papers' definitions on Fractions; logarithms come as thresholds whose exponentials
are known.
"""

from __future__ import annotations

import inspect
import json
import math
import random
import re
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest

from proofs_tests.cli.commands import run
from tcloseness.audit import check
from tcloseness.cli.thresholds import Thresholds
from tcloseness.errors import InputError
from tcloseness.ground import Equal
from tcloseness.microdata import FrequencySet
from tcloseness.models import Combination, EntropyLDiversity, KAnonymity, TCloseness
from tcloseness.models.catalogue import OPTIONS, models_of
from tcloseness.models.several_attributes import joint_t_closeness
from tcloseness.models.thresholds import at_least, at_most, below, between, whole
from tcloseness.report.wording import answer

F = Fraction
ROLES = {"quasi_identifiers": "q", "sensitive": "s"}
NOT_THRESHOLDS = {"table", "ground", "models", "measures", "losses", "reference"}
MODEL_OF = {
    "k": "k-anonymity",
    "alpha": "(alpha,k)-anonymity",
    "distinct_l": "distinct l-diversity",
    "entropy_l": "entropy l-diversity",
    "frequency_l": "frequency l-diversity",
    "recursive": "recursive (c,l)-diversity",
    "t": "t-closeness",
    "epsilon": "exp(epsilon)-closeness",
    "delta": "delta-disclosure privacy",
    "beta": "basic beta-likeness",
    "enhanced_beta": "enhanced beta-likeness",
}
AT_LEAST = ("k", "distinct_l", "entropy_l", "frequency_l")
WHOLE = ("k", "distinct_l")
STRICT = ("recursive", "delta")
STEP = F(1, 10**12)


def holds(name: str, classes: list[dict[str, int]], threshold: Any) -> bool:
    """Say whether every class satisfies a threshold, by the definition."""
    total: dict[str, int] = {}
    for row in classes:
        for value, count in row.items():
            total[value] = total.get(value, 0) + count
    everybody = sum(total.values())
    q = {value: F(count, everybody) for value, count in total.items()}
    for row in classes:
        n = sum(row.values())
        p = {value: F(row.get(value, 0), n) for value in total}
        match name:
            case "k":
                good = n >= threshold
            case "alpha":
                good = max(p.values()) <= threshold
            case "distinct_l":
                good = len(row) >= threshold
            case "entropy_l":  # n^n ≥ ℓ^n·Π c^c
                power = F(threshold) ** n * math.prod(c**c for c in row.values())
                good = n**n >= power
            case "frequency_l":
                good = max(p.values()) * threshold <= 1
            case "recursive":
                c, l = threshold  # noqa: E741
                ordered = sorted(row.values(), reverse=True)
                good = l == 1 or ordered[0] < c * sum(ordered[l - 1 :])
            case "t":
                good = sum(abs(p[v] - q[v]) for v in q) / 2 <= threshold
            case "epsilon":
                good = all(p[v] and max(p[v] / q[v], q[v] / p[v]) <= math.exp(threshold) for v in q)
            case "delta":
                good = all(p[v] and max(p[v] / q[v], q[v] / p[v]) < 2 ** F(threshold) for v in q)
            case "beta":
                good = all((p[v] - q[v]) / q[v] <= threshold for v in q)
            case "enhanced_beta":
                good = all(p[v] <= q[v] or (p[v] - q[v]) / q[v] <= min(threshold, -math.log(q[v])) for v in q)
            case _:
                raise AssertionError(f"{name} has no definition here: write one")
        if not good:
            return False
    return True


def beside(name: str, classes: list[dict[str, int]], draw: random.Random) -> list[Any]:
    """Return thresholds around what the classes measure, some exactly at it."""
    if name in WHOLE:
        return [1, 2, 3, 4, 5, 6]
    row = draw.choice(classes)
    n, most = sum(row.values()), max(row.values())
    ordered = sorted(row.values(), reverse=True)
    match name:
        case "alpha":
            at = F(most, n)
            return [at, at - STEP, at + STEP] if at < 1 else [at, at - STEP]
        case "entropy_l":
            return [F(1), F(len(row)), len(row) + STEP, F(3, 2), F(2)]
        case "frequency_l":
            return [F(n, most), F(n, most) + STEP, max(F(n, most) - STEP, F(1))]
        case "recursive":
            l = draw.choice([2, 3])  # noqa: E741
            tail = sum(ordered[l - 1 :])
            at = F(ordered[0], tail) if tail else F(1)
            return [(at, l), (at + STEP, l), (at - STEP, l), (F(1, 9), 1)]
    total: dict[str, int] = {}
    for each in classes:
        for value, count in each.items():
            total[value] = total.get(value, 0) + count
    q = {value: F(count, sum(total.values())) for value, count in total.items()}
    p = {value: F(row.get(value, 0), n) for value in total}
    if name == "t":
        at = sum(abs(p[v] - q[v]) for v in q) / 2
    elif name in ("beta", "enhanced_beta"):
        at = max((p[v] - q[v]) / q[v] for v in q)
    else:
        return [F(k, 8) for k in (1, 3, 5, 8, 13, 19)]
    return [at, at + STEP, max(at - STEP, F(0))]


def drawn_classes(draw: random.Random) -> list[dict[str, int]]:
    values = "xyz"[: draw.randint(2, 3)]
    return [
        {v: draw.randint(1, 4) for v in values if draw.random() < 0.9} or {"x": 1} for _ in range(draw.randint(1, 3))
    ]


def frame_of(classes: list[dict[str, int]]) -> pd.DataFrame:
    return pd.DataFrame(
        [(g, v) for g, row in enumerate(classes) for v, n in row.items() for _ in range(n)], columns=["q", "s"]
    )


def text(name: str, threshold: Any) -> str:
    return ",".join(map(str, threshold)) if OPTIONS[name].pair else str(threshold)


def option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


# ---------------------------------------------------------------------- every threshold there is


def test_every_keyword_and_every_option_is_tried_here():
    keywords = set(inspect.signature(check).parameters) - NOT_THRESHOLDS
    options = {each.name for each in Thresholds.parameters()} - {"model"}
    assert keywords == options == set(OPTIONS) == set(MODEL_OF)


@pytest.mark.parametrize("name", MODEL_OF)
@pytest.mark.slow
def test_a_threshold_decides_its_own_model_as_the_definition_does_and_no_other(name):
    draw, seen = random.Random(name), {"satisfied": 0, "violated": 0}
    for _ in range(25):
        classes = drawn_classes(draw)
        table = FrequencySet.from_frame(frame_of(classes), **ROLES)
        for threshold in beside(name, classes, draw):
            audit = check(table, ground={"s": "equal"}, **{name: threshold})
            expected = "satisfied" if holds(name, classes, threshold) else "violated"
            decided = {r.model: r.status for r in audit.attributes[0].results if r.status != "measured"}
            assert decided == {MODEL_OF[name]: expected}, (classes, threshold)
            assert audit.status == expected
            seen[expected] += 1
    assert min(seen.values()) >= 5, seen


def boundary(name: str) -> tuple[list[dict[str, int]], Any, Any]:
    """Return classes with a threshold that is just satisfied and one that is just violated."""
    draw = random.Random(name)
    while True:
        classes = drawn_classes(draw)
        good, bad = [], []
        for threshold in beside(name, classes, draw):
            (good if holds(name, classes, threshold) else bad).append(threshold)
        if good and bad:
            return classes, good[-1], bad[0]


@pytest.mark.parametrize("name", MODEL_OF)
def test_an_option_of_check_decides_its_model(name, tmp_path):
    classes, good, bad = boundary(name)
    file = tmp_path / "table.csv"
    frame_of(classes).to_csv(file, index=False)
    for threshold, code in ((good, 0), (bad, 1)):
        asked = ("check", str(file), "-q", "q", "-s", "s", "--ground", "s=equal", option(name), text(name, threshold))
        found = run(*asked, "--format", "json")
        decided = {r["model"]: r["status"] for r in found.record["summary"] if r["status"] != "measured"}
        assert (found.code, decided) == (code, {MODEL_OF[name]: "violated" if code else "satisfied"})
        assert found.record["status"] == ("violated" if code else "satisfied")


@pytest.mark.parametrize("name", MODEL_OF)
def test_the_model_of_the_writing_commands_asks_for_the_same(name):
    """search, anonymize and optimal have one model of all options; each threshold decides in it."""
    classes, good, bad = boundary(name)
    table = FrequencySet.from_frame(frame_of(classes), **ROLES).class_counts()
    for threshold, status in ((good, "satisfied"), (bad, "violated")):
        given = Thresholds({name: text(name, threshold)})
        assert list(given.given) == [option(name)]
        assert given.model(Equal(len(table.domain)), "s").evaluate(table).status == status
        beside_it = {other: "1" for other in ("k", "alpha") if other != name}
        both = Thresholds({**beside_it, name: text(name, threshold)})
        whole = both.model(Equal(len(table.domain)), "s")
        assert isinstance(whole, Combination)
        assert whole.evaluate(table).status == status
        assert OPTIONS[name].symbol in given.text("equal")


@pytest.mark.parametrize("name", MODEL_OF)
@pytest.mark.slow
def test_a_search_finds_only_what_its_threshold_allows(name, tmp_path):
    """The table is one node, or is generalized to one class, which satisfies everything but sizes and shares."""
    classes, good, bad = boundary(name)
    table, hierarchy = tmp_path / "table.csv", tmp_path / "h"
    frame_of(classes).to_csv(table, index=False)
    hierarchy.mkdir()
    (hierarchy / "q.csv").write_text("".join(f"{g},*\n" for g in range(len(classes))))
    for threshold, at_bottom in ((good, True), (bad, False)):
        asked = ("search", str(table), "-q", "q", "-s", "s", "--hierarchies", str(hierarchy), "--ground", "s=equal")
        found = run(*asked, option(name), text(name, threshold), "--all", "--format", "json")
        nodes = json.dumps(found.record)
        assert found.code in (0, 1), nodes
        listed = [node["height"] for node in found.record["nodes"]]
        assert (0 in listed) == at_bottom, nodes


# ---------------------------------------------------------------------- outside the range


BEYOND = {
    "k": ["0", "-1", "5/2", "1e400", "20%"],
    "alpha": ["0", "-1/10", "1.01", "60", "1e400", "60%"],
    "distinct_l": ["0", "2.5", "1e400"],
    "entropy_l": ["0.99", "0", "1e400"],
    "frequency_l": ["1/2", "-3", "1e400"],
    "recursive": ["0,2", "-1,2", "3,0", "3,1.5", "1e400,2", "3,1e400", "3", "3,2,1"],
    "t": ["-0.1", "1.0000000001", "20", "1e400", "20%", "0,2"],
    "epsilon": ["-1", "43.1", "1e400"],
    "delta": ["0", "-1", "62.1", "1e400"],
    "beta": ["-1", "1e400", "4611686018427387905"],
    "enhanced_beta": ["-1", "1e400"],
}
NO_NUMBERS = [
    "",
    " ",
    "nan",
    "inf",
    "x",
    "½",
    "٣",
    "1_000",
    "1e5000",
    "9" * 5_000,
    "1/0",
    "1/" + "3" * 5_000,
    "0x10",
    "½%",
]
ENDS = {
    "k": ["1", str(2**62)],
    "alpha": ["1", "1e-400"],
    "distinct_l": ["1", "5", str(2**62)],
    "entropy_l": ["1", str(2**62)],
    "frequency_l": ["1", str(2**62)],
    "recursive": [f"{2**62},2", f"1e-400,{2**62}", "1,1"],
    "t": ["0", "1", "1e-400", " 0.5 "],
    "epsilon": ["0", "43", "1e-400"],
    "delta": ["62", "1e-400"],
    "beta": ["0", str(2**62)],
    "enhanced_beta": ["0", str(2**62)],
}
TABLE = FrequencySet.from_frame(pd.DataFrame({"q": list("aabbb"), "s": list("xyxyz")}), **ROLES)


def given(name: str, text: str) -> Any:
    return tuple(text.split(",")) if OPTIONS[name].pair else text


@pytest.mark.parametrize("name", MODEL_OF)
def test_a_threshold_outside_its_range_is_refused_by_name(name):
    with pytest.raises(InputError, match=r"20 percent is 1/5 = 0\.2"):
        check(TABLE, ground={"s": "equal"}, t=20)
    for wrong in [*BEYOND[name], *([] if OPTIONS[name].pair else NO_NUMBERS)]:
        with pytest.raises(InputError) as caught:
            check(TABLE, ground={"s": "equal"}, **{name: given(name, wrong)})
        assert len(str(caught.value)) < 300
        assert re.match(rf"(. of )?{name} (is|=) ", str(caught.value)), "named as it was given"
        with pytest.raises(InputError) as caught:
            Thresholds({name: wrong}).model(Equal(3), "s")
        assert re.match(rf"(. of )?{option(name)} ", str(caught.value)), "named as it was given"
    for wrong in (True, math.nan, math.inf, None.__class__, [1], 10**5_000):
        with pytest.raises(InputError) as caught:
            check(TABLE, ground={"s": "equal"}, **{name: wrong})
        assert len(str(caught.value)) < 300
        assert re.match(rf"{name} (is|=) ", str(caught.value))


@pytest.mark.parametrize("name", MODEL_OF)
def test_a_threshold_at_the_end_of_its_range_is_answered(name):
    for end in ENDS[name]:
        audit = check(TABLE, ground={"s": "equal"}, **{name: given(name, end)})
        assert audit.status in ("satisfied", "violated")
        assert answer(audit)
        assert Thresholds({name: end}).model(Equal(3), "s").evaluate(TABLE.class_counts()).status == audit.status


@pytest.mark.parametrize("name", MODEL_OF)
def test_the_command_refuses_it_with_exit_code_2(name, tmp_path):
    file = tmp_path / "table.csv"
    frame_of([{"x": 1, "y": 1}]).to_csv(file, index=False)
    folder = tmp_path / "hierarchies"
    folder.mkdir()
    (folder / "q.csv").write_text("0,*\n", encoding="utf-8")
    for wrong in (BEYOND[name][-1], "1e5000" if not OPTIONS[name].pair else "1e5000,2"):
        found = run("check", str(file), "-q", "q", "-s", "s", "--ground", "s=equal", option(name), wrong)
        assert (found.code, found.out) == (2, "")
        assert "Traceback" not in found.err
        assert option(name) in found.err
        for first, *more in (("search", "--hierarchies", str(folder)), ("anonymize", "--method", "mdav")):
            found = run(first, str(file), *more, "-q", "q", "-s", "s", "--ground", "s=equal", option(name), wrong)
            assert (found.code, found.out) == (2, "")
            assert option(name) in found.err
        found = run("optimal", "hiding", str(file), "-q", "q", "-s", "s", "--ground", "s=equal", option(name), wrong)
        assert (found.code, found.out) == (2, "")
        assert option(name) in found.err


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (lambda: KAnonymity(0), "k = 0"),
        (lambda: EntropyLDiversity("1/2"), "l = 1/2"),
        (lambda: TCloseness(-1, ground="equal"), "t = -1"),
    ],
)
def test_a_model_that_is_built_by_hand_names_its_own_parameter(model, said):
    with pytest.raises(InputError, match=r"^entropy_l = 1/2; it must be"):
        models_of({"entropy_l": "1/2"}, Equal(2))
    with pytest.raises(InputError, match=f"^{said}; it must be"):
        model()


def test_the_range_of_t_is_that_of_the_ground_distance():
    far = [[0, 500, 20], [500, 0, 500], [20, 500, 0]]
    assert check(TABLE, ground={"s": far}, t=500).status == "satisfied"
    with pytest.raises(InputError, match=r"t = 500\.01.*|no distance exceeds 500"):
        check(TABLE, ground={"s": far}, t="500.01")
    joint = FrequencySet.from_frame(
        pd.DataFrame({"q": list("aab"), "s": list("xyx"), "v": [1, 2, 2]}), quasi_identifiers="q", sensitive=["s", "v"]
    )
    grounds = {"s": "equal", "v": "ordered"}
    assert joint_t_closeness(joint, grounds, t=1).satisfied
    with pytest.raises(InputError, match="no distance exceeds 1"):
        joint_t_closeness(joint, grounds, t=2)


def test_a_threshold_that_has_no_model_is_refused():
    with pytest.raises(InputError, match="'gamma' is not a threshold"):
        models_of({"gamma": 1}, Equal(2))


RANGES = {
    "whole": (lambda x: whole(x, "k", least=2), lambda x: x >= 2 and x.denominator == 1),
    "at least": (lambda x: at_least(x, "k", 2), lambda x: x >= 2),
    "above": (lambda x: at_least(x, "k", 2, above=True), lambda x: x > 2),
    "between": (lambda x: between(x, "k", 1, 3), lambda x: 1 <= x <= 3),
    "above and between": (lambda x: between(x, "k", 1, 3, above=True), lambda x: 1 < x <= 3),
    "below": (lambda x: below(x, "k", 1, 3), lambda x: 1 <= x < 3),
    "at most": (lambda x: at_most(x, "k", F(3), "why"), lambda x: x <= 3),
}


@pytest.mark.parametrize("name", RANGES)
def test_a_threshold_is_read_if_it_is_in_its_range_and_only_then(name):
    """Below its ends, at them, and above, by a fraction of any size."""
    read, inside = RANGES[name]
    for end in (1, 2, 3):
        for x in (F(end), *(end + F(sign, size) for sign in (-1, 1) for size in (1, 2, 10**30))):
            if inside(x):
                assert read(x) == read(str(x)) == x
            else:
                with pytest.raises(InputError, match=r"^k = .*; (it must be|why, so it must be) "):
                    read(x)
