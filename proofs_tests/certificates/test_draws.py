"""The checker of ordered draws accepts what every original has that is drawn so, and refuses whatever else is said."""

from __future__ import annotations

import json
import random
from itertools import permutations, product

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.certificates.changes import ODD, changed, places_of, with_at
from proofs_tests.effort import effort
from tcloseness.attacks import ordered_draw_attack
from tcloseness.certificates import Reading, seal
from tcloseness.certificates.draws import DrawnTable, draws_text, read_draws, verify_draws
from tcloseness.certificates.reading import read_rows, rows_digest
from tcloseness.errors import CertificateError, CertificateFormatError, NotCertified, TableError

READING = Reading()


def drawn(keys, secret, l):  # noqa: E741
    """Anatomy as the statement says it, by lists: the class of each record; None if a record that is left over fits no
    class."""
    rest = {v: sorted((i for i, each in enumerate(secret) if each == v), key=lambda i: keys[i]) for v in set(secret)}
    classes = []
    while sum(map(bool, rest.values())) >= l:
        fullest = sorted((v for v in rest if rest[v]), key=lambda v: (-len(rest[v]), v))[:l]
        classes.append({v: rest[v].pop(0) for v in fullest})
    for v in sorted(rest):
        for person in rest[v]:
            mine = next((each for each in classes if v not in each), None)
            if mine is None:
                return None
            mine[v] = person
    return tuple(next(g for g, each in enumerate(classes) if i in each.values()) for i in range(len(secret)))


def alike(class_of):
    """The classes without their numbers, which are drawn."""
    return tuple(class_of.index(group) for group in class_of)


def orders(ages, *, by_rows):
    """Every order in which records can be drawn: equal ages go by the rows, or in any order."""
    if by_rows:
        return [[(age, i) for i, age in enumerate(ages)]]
    ties = [[i for i, each in enumerate(ages) if each == age] for age in sorted(set(ages))]
    found = []
    for each in product(*map(permutations, ties)):
        place = {person: n for n, person in enumerate(person for tie in each for person in tie)}
        found.append([place[i] for i in range(len(ages))])
    return found


def consistent(ages, class_of, secret, l, *, by_rows):  # noqa: E741
    """Every way to hand each class's values to its members of which the same classes can be drawn."""
    classes = [[i for i, g in enumerate(class_of) if g == group] for group in sorted(set(class_of))]
    keys = orders(ages, by_rows=by_rows)
    for handed in product(*(set(permutations([secret[i] for i in members])) for members in classes)):
        world = [""] * len(secret)
        for members, values in zip(classes, handed, strict=True):
            for i, value in zip(members, values, strict=True):
                world[i] = value
        for key in keys:
            made = drawn(key, world, l)
            if made is not None and alike(made) == alike(class_of):
                yield world
                break


def tables(draw, secret, l, *, by_rows, most=9):  # noqa: E741
    """Ages, values and classes of a draw, and its two tables with classes named at random.

    An age is published, or its fours and ones, which are in the same order.
    """
    while True:
        ages = [draw.randint(0, most) for _ in secret]
        secret = draw.sample(secret, len(secret))
        class_of = drawn(draw.choice(orders(ages, by_rows=by_rows)), secret, l)
        if class_of is not None:
            break
    names = draw.sample("pqrstuv", len(set(class_of)))
    parts = draw.choice([{"age": ages}, {"fours": [age // 4 for age in ages], "ones": [age % 4 for age in ages]}])
    people = pd.DataFrame({**parts, "class": [names[g] for g in class_of]})
    values = pd.DataFrame({"class": people["class"], "ill": secret, "count": 1}).sample(frac=1, random_state=1)
    return ages, secret, class_of, people, values


def files_of(*frames):
    return [frame.to_csv(index=False).encode() for frame in frames]


def certificate_of(files, l, facts, *, by_rows, order=None):  # noqa: E741
    people = DrawnTable.of(files[0], files[0].split(b"\n")[0].decode().split(","), READING, "people")
    values = DrawnTable.of(files[1], ("class", "ill", "count"), READING, "values")
    cells = zip(*people.rows_in(files[0], "people"), strict=True)
    in_order = {
        name: sorted(set(column), key=lambda text: int(text[5:]))
        for name, column in zip(people.columns[:-1], cells, strict=False)
    }
    in_order["ill"] = sorted({row[1] for row in values.rows_in(files[1], "values")})
    return draws_text(people, values, l, by_rows=by_rows, order=order or in_order, facts=facts)


KINDS = [("aabbc", 2), ("aabbcc", 2), ("aabbcd", 3), ("aabbccdd", 3), ("aaabbcd", 2), ("aaabbcc", 2)]
"""Values and how many a class takes.

Of ``aabbccdd`` other values come last to two classes of one set; of ``aaabbcc`` the c that is left over joins a class
that was made before another one took its c.
"""


@pytest.mark.parametrize(("secret", "l"), KINDS)
@given(st.integers(0, 10**6), st.booleans())
@effort(0.3)
def test_what_is_accepted_is_true_in_every_original_that_is_drawn_so(secret, l, number, by_rows):  # noqa: E741
    """Of each person and value, by all ways to hand the values out; the attack leaves what the checker leaves."""
    draw = random.Random(f"{secret} {number}")
    ages, truth, class_of, people, values = tables(draw, list(secret), l, by_rows=by_rows, most=9 if by_rows else 30)
    worlds = list(consistent(ages, class_of, truth, l, by_rows=by_rows))
    assert truth in worlds
    found = ordered_draw_attack(people, values, l, by_rows=by_rows)
    files = files_of(people, values)
    assert found.contradiction is None
    for row, left in enumerate(found.left):
        assert {world[row] for world in worlds} <= left
        for value in set(truth):
            certificate = certificate_of(files, l, {f"text:{value}": [row]}, by_rows=by_rows)
            if left == {value}:
                assert verify_draws(certificate, *files).startswith("the value of 1 person of")
            else:
                with pytest.raises(CertificateError, match="is not proved"):
                    verify_draws(certificate, *files)
    if not found.facts:
        with pytest.raises(NotCertified, match="there is nothing to prove"):
            found.certified(*files)
        return
    _, _, record = read_draws(found.certified(*files))
    assert {row: value for value, rows in record["facts"].items() for row in rows} == {
        row: f"text:{next(iter(left))}" for row, left in enumerate(found.left) if len(left) == 1
    }


def test_of_two_classes_to_which_other_values_came_last_it_is_open_which_was_made_first():
    """Classes {a, b, c} + d and {a, b, d} + c: the members of neither are ahead of those of the other."""
    ages = [1, 2, 3, 4, 5, 6, 0, 9]
    secret = ["a", "a", "b", "b", "c", "c", "d", "d"]
    class_of = drawn(ages, secret, 3)
    assert alike(class_of) == (0, 1, 0, 1, 0, 1, 1, 0)
    people = pd.DataFrame({"age": ages, "class": class_of})
    values = pd.DataFrame({"class": class_of, "ill": secret, "count": 1})
    found = ordered_draw_attack(people, values, 3)
    assert found.contradiction is None
    assert all(value in left for value, left in zip(secret, found.left, strict=True))


def fixed():
    people = pd.DataFrame({"age": [4, 9, 10, 12], "class": list("pqqp")})
    values = pd.DataFrame({"class": list("ppqq"), "ill": ["cold", "flu", "flu", "gout"], "count": 1})
    files = files_of(people, values)
    return json.loads(ordered_draw_attack(people, values, 2).certified(*files)), files


def sealed(record):
    record = {key: value for key, value in record.items() if key != "sha256"}
    return json.dumps({**record, "sha256": seal(record)})


def refuted(record, files):
    with pytest.raises(CertificateError) as error:
        verify_draws(sealed(record), *files)
    assert not isinstance(error.value, CertificateFormatError)
    return str(error.value)


def unreadable(record, files, words):
    with pytest.raises(CertificateFormatError, match=words):
        verify_draws(sealed(record), *files)


def test_what_is_found_is_said():
    record, files = fixed()
    assert record["facts"] == {"text:flu": [0], "text:cold": [3]}
    said = "the value of 2 persons of 4 is certain, if records were drawn in the order of age"
    assert verify_draws(sealed(record), *files) == said
    assert verify_draws(sealed({**record, "by_rows": True}), *files) == f"{said} and of the rows"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"facts": {"text:cold": [0]}}, "that row 0 has 'text:cold' is not proved: 1 value is left for it"),
        ({"facts": {"text:flu": [0, 0]}}, "row 0 is named twice"),
        ({"facts": {"text:flu": [0], "text:gout": [0]}}, "row 0 is named twice"),
        ({"facts": {"text:flu": [1]}}, "that row 1 has 'text:flu' is not proved: 2 values are left for it"),
        ({"facts": {"text:mumps": [0]}}, "is not proved"),
        ({"l": 1}, "the classes have other sets of values"),
        ({"l": 3}, "what is left over joins no class"),
        ({"l": 5}, "what is left over joins no class"),
        ({"order": {"age": ["text:4", "text:9", "text:10"], "ill": ["text:cold", "text:flu", "text:gout"]}}, "lacks"),
        ({"order": {"age": [f"text:{n}" for n in (4, 9, 10, 12)], "ill": ["text:cold", "text:flu"]}}, "lacks"),
        ({"order": {"age": ["text:9", "text:10", "text:4", "text:12"], "ill": ["text:cold", "text:flu", "text:gout"]}},
         "the records of a value descend"),
    ],
)  # fmt: skip
def test_a_fact_that_does_not_follow_is_refuted(change, words):
    record, files = fixed()
    assert words in refuted({**record, **change}, files)


@pytest.mark.parametrize("name", ["sex", "age", "ill"])
def test_the_order_of_each_column_has_all_its_values(name):
    files = [b"sex,age,class\n0,1,p\n1,2,p\n", b"class,ill,count\np,3,1\np,4,1\n"]
    record = json.loads(certificate_of(files, 2, {"text:3": [0]}, by_rows=False))
    record["order"][name] = record["order"][name][:1]
    assert f"order['{name}'] lacks the value" in refuted(record, files)


@pytest.mark.parametrize(
    ("quasi", "values", "words"),
    [
        ("age,class\n1,p\n2,p\n", "class,ill,count\np,a,1\np,a,1\n", "a value twice"),
        ("age,class\n1,p\n2,p\n", "class,ill,count\np,a,1\np,b,2\n", "2 times; Anatomy takes one"),
        ("age,class\n1,p\n2,p\n", "class,ill,count\np,a,1\nq,b,1\n", "other classes"),
        ("age,class\n1,p\n2,p\n3,p\n", "class,ill,count\np,a,1\np,b,1\n", "another number of records"),
        ("age,class\n5,p\n9,p\n6,q\n7,q\n7,r\n8,r\n", "class,ill,count\np,a,1\np,b,1\nq,a,1\nq,c,1\nr,b,1\nr,c,1\n",
         "the members of a class cannot have its values, one each"),
        ("age,class\n8,p\n9,p\n1,q\n3,q\n2,r\n9,r\n", "class,ill,count\np,a,1\np,b,1\nq,a,1\nq,c,1\nr,b,1\nr,c,1\n",
         "the records of a value descend"),
    ],
)  # fmt: skip
def test_tables_that_are_not_such_are_refuted(quasi, values, words):
    """Of the last two: a and b go first, then a and c, then b and c; but who is 9 has neither a nor b before them, or
    all of the first class are older."""
    files = [quasi.encode(), values.encode()]
    assert words in refuted(json.loads(certificate_of(files, 2, {"text:a": [0]}, by_rows=False)), files)


def test_what_is_about_other_tables_or_was_changed_is_named():
    record, files = fixed()
    people, values = files
    lines = people.splitlines(keepends=True)
    for other in ([b"".join([lines[0], *lines[:0:-1]]), values], [people, values.replace(b"gout", b"mumps")]):
        unreadable(record, other, "about another table")
    unreadable(record, [people.replace(b"age", b"years"), values], "0 columns named 'age'")
    unreadable(record, [people.replace(b"12", b""), values], "has a missing value in 'age'")
    with pytest.raises(CertificateFormatError, match="it was changed"):
        verify_draws(json.dumps({**record, "l": 3}), *files)
    for name in ("people", "values"):
        for change in ({"weight": "age"}, {"missing": "drop"}):
            reading = {**record[name]["reading"], **change}
            unreadable({**record, name: {**record[name], "reading": reading}}, files, "is read row by row")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"l": 0}, "from 1"),
        ({"by_rows": 1}, "must be true or false"),
        ({"facts": {}}, "an object with a fact"),
        ({"facts": []}, "an object with a fact"),
        ({"facts": {"text:flu": []}}, "at least 1"),
        ({"facts": {"text:flu": [4]}}, "from 0 to 3"),
        ({"facts": {"text:flu": [-1]}}, "from 0 to 3"),
        ({"order": {"age": ["text:4", "text:4"], "ill": ["text:flu"]}}, "twice"),
        ({"order": {"age": ["text:4"]}}, "lacks the key 'ill'"),
    ],
)
def test_what_is_not_of_the_form_is_named(change, words):
    record, files = fixed()
    unreadable({**record, **change}, files, words)


@pytest.mark.parametrize(
    ("name", "columns", "words"),
    [
        ("people", ["class"], "people has quasi-identifiers and the class"),
        ("values", ["class", "ill"], "people has quasi-identifiers and the class"),
        ("values", ["class", "age", "count"], "order"),
    ],
)
def test_columns_have_their_roles(name, columns, words):
    record, files = fixed()
    unreadable({**record, name: {**record[name], "columns": columns}}, files, words)


@pytest.mark.parametrize("others", [[], ["sex"]])
def test_a_sensitive_attribute_is_not_a_quasi_identifier(others):
    record, files = fixed()
    record["people"]["columns"] = [*others, "age", "class"]
    record["values"]["columns"] = ["class", "age", "count"]
    record["order"] = {name: ["text:4"] for name in [*others, "age"]}
    unreadable(record, files, "is a quasi-identifier, and sensitive")


@pytest.mark.parametrize("tables_tried", [1, pytest.param(25, marks=pytest.mark.slow)])
def test_nothing_odd_in_any_place_is_accepted_unless_it_is_true(tables_tried):
    """Each entry in turn; what the rest rests on, l, the order and whether rows count, as it is."""
    draw, tried = random.Random(11), 0
    while tried < 200 * tables_tried:
        ages, truth, class_of, people, values = tables(draw, list("aabbcc"), 2, by_rows=False, most=30)
        found, files = ordered_draw_attack(people, values, 2), files_of(people, values)
        if not found.facts:
            continue
        record = json.loads(found.certified(*files))
        worlds = list(consistent(ages, class_of, truth, 2, by_rows=False))
        others = [with_at(record, way, odd) for way in places_of(record) for odd in draw.sample(ODD, 3)]
        others += [changed(draw, record) for _ in range(40)]
        others += [{**record, "facts": changed(draw, record["facts"])} for _ in range(40)]
        for other in others:
            tried += 1
            try:
                verify_draws(sealed(other), *files)
            except CertificateError:
                continue
            if all(other[key] == record[key] for key in ("l", "by_rows", "order")):
                for value, rows in other["facts"].items():
                    assert all(world[row] == value.removeprefix("text:") for row in rows for world in worlds)


def test_tables_that_would_take_too_long_are_refused_before():
    """Two classes of 800 members, the oldest of whom is in the first: looking at them once would take minutes."""
    n = 800
    ages = [*range(n - 1), 2 * n, *range(n, 2 * n)]
    people = "age,class\n" + "".join(f"{age},{'pq'[i >= n]}\n" for i, age in enumerate(ages))
    values = "class,ill,count\n" + "".join(f"{group},{i},1\n" for group in "pq" for i in range(n))
    files = [people.encode(), values.encode()]
    certificate = certificate_of(files, n, {"text:0": [0]}, by_rows=False)
    with pytest.raises(CertificateFormatError, match="so large a class would take too long"):
        verify_draws(certificate, *files)


@pytest.mark.parametrize(
    ("units", "words"), [(799, "so many classes"), (1599, "so large a class"), (1799, "so many classes"), (1800, "")]
)
def test_each_look_at_a_person_and_a_value_is_accounted_for(units, words, monkeypatch):
    """100 units each: 2 + 4 + 2 persons of cold, flu and gout; of the class that changed 2³; then of cold."""
    record, files = fixed()
    monkeypatch.setattr("tcloseness.certificates.draws._WORK", units)
    if words:
        return unreadable(record, files, f"{words} would take too long")
    verify_draws(sealed(record), *files)


@pytest.mark.parametrize(("units", "words"), [(1499, "would take too long"), (1500, "")])
def test_who_is_left_over_looks_at_all_classes(units, words, monkeypatch):
    """Classes {a, b} + c and {a, b}: c looks at 2; a, b and c at 5 + 5 + 3 persons, after which nothing changes."""
    people = "age,class\n1,p\n2,p\n3,p\n4,q\n5,q\n"
    values = "class,ill,count\n" + "".join(f"{group},{ill},1\n" for group, ill in ("pa", "pb", "pc", "qa", "qb"))
    files = [people.encode(), values.encode()]
    record = json.loads(certificate_of(files, 2, {"text:a": [0]}, by_rows=True))
    monkeypatch.setattr("tcloseness.certificates.draws._WORK", units)
    with pytest.raises(CertificateError, match=words or "is not proved"):
        verify_draws(sealed(record), *files)


# ---------------------------------------------------------------------- what is certified, from Python


def test_values_that_are_written_in_two_ways_are_not_certified():
    people = pd.DataFrame({"age": [4, 4, 10, 12], "class": [0, 1, 1, 0]})
    values = pd.DataFrame({"class": [0, 0, 1, 1], "ill": ["cold", "flu", "flu", "gout"], "count": 1})
    found = ordered_draw_attack(people, values, 2, by_rows=True)
    one, other = files_of(people, values)
    assert found.certified(one, other)
    with pytest.raises(NotCertified, match=r"'4' and '4.0' of 'age' are one value"):
        found.certified(one.replace(b"4,1", b"4.0,1"), other)
    with pytest.raises(TableError, match="other values of 'age'"):
        found.certified(one.replace(b"10", b"4"), other)
    with pytest.raises(TableError, match="has 5 rows, and the table 4"):
        found.certified(one + b"13,1\n", other)


def test_categories_go_by_their_order_and_a_missing_value_is_the_last_if_it_is_read_as_one():
    """The last as in the order in which the methods have values, see the tests of the attack."""
    people = pd.DataFrame({"age": ["old", "mid", None, "young"], "class": [1, 1, 0, 0]})
    people["age"] = pd.Categorical(people["age"], ["never", "young", "mid", "old"])
    values = pd.DataFrame({"class": [0, 0, 1, 1], "ill": ["cold", "flu", "flu", "gout"], "count": 1})
    found = ordered_draw_attack(people, values, 2)
    files = files_of(people, values)
    certificate = found.certified(*files, (Reading(missing="category"), READING))
    _, _, record = read_draws(certificate)
    assert record["order"]["age"] == ["text:young", "text:mid", "text:old", "missing:"]
    assert record["facts"] == {"text:flu": [3], "text:cold": [2]}
    with pytest.raises(CertificateFormatError, match="has a missing value in 'age'"):
        found.certified(*files)


def test_tables_that_contradict_ordered_draws_are_not_certified():
    people = pd.DataFrame({"age": [1, 2, 3, 4], "class": [0, 0, 1, 2]})
    values = pd.DataFrame({"class": [0, 0, 1, 2], "ill": list("abaa"), "count": 1})
    found = ordered_draw_attack(people, values, 2)
    assert found.contradiction is not None
    with pytest.raises(NotCertified, match="there is nothing to prove"):
        found.certified(*files_of(people, values))


# ---------------------------------------------------------------------- rows


def test_rows_are_read_in_their_order_and_another_order_has_another_digest():
    rows = read_rows(b"b,a,c\n1,2,3\n\n4, 5 ,6\n", ("a", "c"), READING, "it")
    assert rows == [("text:2", "text:3"), ("text:5", "text:6")]
    assert rows_digest(("a", "c"), rows) != rows_digest(("a", "c"), rows[::-1]) != rows_digest(("c", "a"), rows[::-1])
    category = Reading(missing="category", missing_texts=("?",))
    assert read_rows(b"a,c\n ?,\n", ("a", "c"), category, "it") == [("missing:", "text:")]
