"""``tcloseness check``: what a table gives away."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tcloseness.cli.arguments import (
    Format,
    column_names,
    encoding_name,
    items,
    open_source,
    per_column,
    read_frame,
    reading_of,
    separator_text,
)
from tcloseness.cli.command import rerun
from tcloseness.cli.exit_codes import ROWS
from tcloseness.cli.grounds import ground_record, grounds_of
from tcloseness.cli.losses import OwnLosses, own_losses
from tcloseness.cli.options import (
    COLUMNS,
    MEANING,
    RESULT,
    Engine,
    Files,
    Identifying,
    Meaning,
    OutputFormat,
    Page,
    Person,
    QuasiIdentifiers,
    Suppressed,
    Table,
    Weight,
    expanded,
    flag,
    option,
)
from tcloseness.cli.output import file_name, print_json, reading_bar, result_console
from tcloseness.cli.proofs import Proof, bound_to
from tcloseness.cli.thresholds import Thresholds, option_of
from tcloseness.cli.user_objects import Users, blaming, loaded
from tcloseness.cli.withholding import VALUE_OPTIONS, without_values
from tcloseness.errors import InputError, TableWarning
from tcloseness.writing import refuse_files, write_files

if TYPE_CHECKING:
    from tcloseness.cli.grounds import Ground
    from tcloseness.cli.hierarchies import HierarchyFiles
    from tcloseness.microdata import ClassCounts, Domain
    from tcloseness.microdata.combinations import Options
    from tcloseness.microdata.roles import Roles
    from tcloseness.models import PrivacyModel

__all__ = ["EPILOG", "check"]

FORMAT = "tcloseness-check-2"

POPULATION = "Population"
"""The heading of what is asked of a population beside the table."""

EPILOG = """
Example: is the table 3-anonymous, and is each class within 0.2 of the whole table?

\b
  tcloseness check release.csv --quasi-identifiers "ZIP Code,Age" --sensitive Salary,Disease \\
      --ground Salary=ordered --ground Disease=hierarchical:diseases.csv --k 3 --t 0.2
"""


class Reference(StrEnum):
    """Whose distribution Q is, see `tcloseness.FrequencySet.class_counts`."""

    RELEASED = "released"
    ALL = "all"


@expanded
def check(
    *,
    context: typer.Context,
    table: Table,
    quasi_identifiers: QuasiIdentifiers,
    sensitive: Annotated[
        list[str] | None,
        option(
            COLUMNS,
            "COLUMN,…",
            "Columns that must not be learned about a person. Repeatable, as above. For --k alone none is needed.",
            "--sensitive",
            "-s",
        ),
    ] = None,
    identifying: Identifying = None,
    weight: Weight = None,
    person: Person = None,
    survey_weight: Annotated[
        str | None,
        option(
            COLUMNS,
            "COLUMN",
            "Survey weights, such as 775.16, read exactly. What depends on shares alone is asked of rows and by "
            "weights, what counts records of rows.",
        ),
    ] = None,
    thresholds: Thresholds,
    population: Annotated[
        str | None,
        option(
            POPULATION,
            "FILE",
            "A table of the whole population, written as TABLE is, a row a person, with the quasi-identifiers as they "
            "are: measures k-map and the journalist's risk. Labels of TABLE are values, intervals (20-29, [20, 30)), "
            "sets ({a, b}) or * for all values.",
        ),
    ] = None,
    k_map: Annotated[
        str | None,
        option(POPULATION, "K", "At least K persons of the population fit each class; with --population."),
    ] = None,
    population_hierarchy: Annotated[
        list[str] | None,
        option(POPULATION, "COLUMN=FILE", "Whose nodes the labels of a quasi-identifier are. Repeatable."),
    ] = None,
    meaning: Meaning,
    suppressed: Suppressed = None,
    reference: Annotated[
        Reference,
        option(MEANING, None, "Whose distribution t-closeness compares with: that of the released or of all records."),
    ] = Reference.RELEASED,
    measure: Annotated[
        list[str] | None,
        option(
            MEANING,
            "MODULE:NAME",
            "Measure every class by a distance of your own too: an object with name, convex, over and to_dict, or "
            "its class; MODULE is a module's name or a .py file. It is imported, that is, run. Repeatable.",
        ),
    ] = None,
    loss: OwnLosses = None,
    written: Files,
    engine: Engine,
    output: OutputFormat = Format.TEXT,
    html: Page,
    proof: Proof,
    redact: Annotated[
        bool,
        flag(
            RESULT,
            "--redact",
            "Withhold all values: neutral names stand for them. Column names and counts stay. A certificate commits to "
            "the classes and opens the worst; FILE.salt beside it proves all of it to whoever has the table.",
        ),
    ] = False,
) -> None:
    """Measure k-anonymity, l-diversity and t-closeness of a table, and decide the thresholds that are given.

    Without thresholds it only measures.
    """
    separator = separator_text(written.separator)
    encoding = encoding_name(written.encoding)
    html.refuse()
    if population is None and (k_map is not None or population_hierarchy):
        option_given = "--k-map" if k_map is not None else "--population-hierarchy"
        raise InputError(f"{option_given} is about a population; name its table with --population, or leave it out")
    if survey_weight is not None and (weight is not None or person is not None):
        raise InputError("--survey-weight is of a table with a row a person; leave it out, or --weight and --person")
    files = [*proof.paths, *([proof.salt] if redact and proof.certificate is not None else [])]
    refuse_files(files, force=html.force)
    if redact and proof.counts is not None:
        raise InputError("--counts writes the values of the table, and --redact withholds them; leave one of them out")
    measures = [_Measure.of(text) for text in measure or ()]
    losses = own_losses(loss)
    source = open_source(table)

    from tcloseness import FrequencySet, __version__, check as audit_of
    from tcloseness.cli.hierarchies import HierarchyFiles
    from tcloseness.microdata.combinations import Options
    from tcloseness.microdata.domain import NO_SENSITIVE
    from tcloseness.microdata.roles import Roles
    from tcloseness.microdata.sources import combinations, names
    from tcloseness.microdata.sources.files import require_room
    from tcloseness.models.thresholds import called

    with_file = any(":" in text for text in meaning.ground or ())
    options = reading_of(
        source,
        separator,
        encoding,
        meaning.missing_text,
        other_files=with_file,
        memory=engine.memory,
        threads=engine.threads,
    )
    given: Any = source.handle
    if (
        redact or not source.paths or survey_weight is not None
    ):  # to withhold a value it must be known; and a stream is read once
        require_room(source.paths, engine.memory, "To withhold its values they must be known; leave --redact out")
        given, options = read_frame(source, options), Options()
    columns = [str(name) for name in names(given, options)]
    qi = [] if list(quasi_identifiers) == [""] else column_names(quasi_identifiers, columns, "--quasi-identifiers")
    sa = column_names(sensitive or (), columns, "--sensitive")
    texts = per_column(meaning.ground or (), sa, "--ground", "DISTANCE", alone=True)
    read = grounds_of(
        texts.values(),
        separator=written.ground_separator,
        ragged=written.ragged,
        encoding=encoding,
        other_files=True,
    )
    grounds = dict(zip(texts, read, strict=True))
    html.refuse()
    if files and len(sa) > 1:
        raise InputError(
            f"a certificate, or the counts, are about one sensitive attribute; name one of {', '.join(sa)}"
        )
    orders, domains = (
        {name: items(text, option) for name, text in per_column(given or (), [*sa, *qi], option, "VALUE,…").items()}
        for given, option in ((meaning.order, "--order"), (meaning.domain, "--domain"))
    )
    roles = Roles.of(
        quasi_identifiers=qi,
        sensitive=sa or None,
        identifying=column_names(identifying or (), columns, "--identifying"),
        weight=weight,
        person=person,
        missing=meaning.missing.value,
        orders=orders,
        domains=domains,
        suppressed=suppressed,
        merge_spellings=column_names(meaning.merge_spellings or (), columns, "--merge-spellings"),
    )
    with reading_bar(source.name) as progress:
        found = combinations(given, roles.by_column, options=replace(options, progress=progress))
    counted = FrequencySet.of_combinations(found, roles)
    if len(counted.origin.files) == 1:
        source = replace(source, known=counted.origin.files[0][1])
    for name, chosen in grounds.items():
        classes = counted.class_counts(name, reference=reference.value)
        chosen.require(classes.domain, column=name, records=classes.reference.tolist())
    models, one = thresholds.models, sa[0] if sa else NO_SENSITIVE
    if population is not None:
        hierarchies = HierarchyFiles(
            None,
            per_column(population_hierarchy or (), qi, "--population-hierarchy", "FILE"),
            (),
            written.ground_separator,
            encoding,
            written.ragged.value,
            needed=False,
        )
        reading_it = replace(options, progress=None)
        models += _of_population(population, k_map, counted.class_counts(one), qi, hierarchies, reading_it, meaning)
    if survey_weight is not None:
        if len(sa) != 1:
            free = sa or [name for name in columns if name not in (*qi, survey_weight)]
            raise InputError(f"--survey-weight is for one sensitive attribute; name one of {', '.join(free)}")
        (column,) = column_names([survey_weight], columns, "--survey-weight")
        with called(option_of):
            models += _by_weights(given, column, roles, thresholds, grounds.get(sa[0]), reference)
    with called(option_of):
        audit = audit_of(
            counted,
            ground={name: chosen.spec for name, chosen in grounds.items()},
            models=models,
            measures=measures,
            losses=losses,
            **thresholds.values,
            reference=reference.value,
        )
    digest = source.sha256
    reading, sha256 = bound_to(source, replace(written, separator=separator, encoding=encoding), meaning, weight)
    if redact:
        proved = proof.withheld(lambda: audit.redacted_certificate(reading=reading, file_sha256=sha256))
    else:
        of_page = html.html is not None and len(sa) <= 1
        proved = proof.of(lambda: audit.certificate(reading=reading, file_sha256=sha256), counted, one, wanted=of_page)
    content = proved.content
    over = {each.classes.sensitive: each.ground for each in audit.attributes}
    named = {name: ground_record(grounds.get(name), over.get(name)) for name in sa}
    if redact:
        named = {name: {key: text for key, text in record.items() if key != "sha256"} for name, record in named.items()}
    told = {name: _ground_text(record) for name, record in named.items()}
    instead: dict[str, list[str]] = {}
    if redact:
        from tcloseness.report.redaction import WITHHELD, redacted

        audit = redacted(audit)
        digest = ""  # by which a guess of the whole file could be confirmed
        instead = {option: [WITHHELD] for option in VALUE_OPTIONS}
        instead |= {"ground": [f"{name}={chosen.written}" for name, chosen in grounds.items()]}

    def made() -> str:
        from tcloseness.cli.records_beside import said_beside
        from tcloseness.report.html import page

        command = rerun(context, instead=instead)
        return page(
            audit,
            table=file_name(source.name),
            grounds=told,
            command=command,
            digest=digest,
            certificate=content,
            without=without_values(str(proved.refused or "")),
            known=said_beside(source),
        )

    html.write(made)
    write_files(proved.files, force=html.force)
    certificate = proved.certificate
    if output is Format.JSON:
        record = audit.to_dict()
        result = record["answer"]
        print_json(
            {
                "format": FORMAT,
                "version": __version__,
                "status": result.pop("status"),
                "summary": result.pop("summary"),
                "table": {"file": file_name(source.name), "sha256": digest or None},
                "ground_distances": named,
                "certificate": certificate and file_name(certificate),
                "digest": record["digest"],
                "source": _with_names(record["source"]),
                **result,
            }
        )
    else:
        from tcloseness.report.text import assumed, print_audit

        print_audit(audit, result_console(), table=file_name(source.name) if redact else source.name, grounds=told)
        if proved.files:
            result_console().print(assumed(proof.named(proved), title="written"))
    if proved.refused is not None and proof.certificate is not None:
        raise proved.refused
    raise typer.Exit(ROWS["check"].statuses[audit.status])


def _by_weights(
    frame: Any, weight: str, roles: Roles, thresholds: Thresholds, ground: Ground | None, reference: Reference
) -> tuple[PrivacyModel, ...]:
    """Return the models of shares that thresholds were given for, or all without one, by survey weights."""
    from tcloseness.ground import ground_distance
    from tcloseness.models.catalogue import model_named, models_of
    from tcloseness.models.survey import ByWeights, of_shares, weighted_table

    table, _ = weighted_table(
        frame,
        weight=weight,
        quasi_identifiers=roles.quasi_identifiers,
        sensitive=roles.sensitive,
        missing=roles.missing,
        orders=roles.orders,
        domains=roles.domains,
        suppressed=roles.suppressed,
        merge_spellings=roles.merging,
    )
    classes = table.class_counts(roles.sensitive[0], reference=reference.value)
    over = ground_distance("equal" if ground is None else ground.spec, classes.domain)
    named = models_of(thresholds.values, over) or tuple(
        model_named(name, None, over) for name in ("distinct_l", "entropy_l", "frequency_l", "t")
    )
    return tuple(ByWeights(model, classes) for model in named if of_shares(model))


def _of_population(
    file: str,
    k: str | None,
    classes: ClassCounts,
    quasi_identifiers: Sequence[str],
    hierarchies: HierarchyFiles,
    options: Options,
    meaning: Meaning,
) -> tuple[PrivacyModel, ...]:
    """Return k-map and the journalist's risk, over the persons of a population that fit each class."""
    from tcloseness.attacks import population_counts
    from tcloseness.microdata import FrequencySet
    from tcloseness.microdata.roles import Roles
    from tcloseness.microdata.sources import combinations, names
    from tcloseness.models.k_map import of_population
    from tcloseness.models.thresholds import called

    source = open_source(file)
    columns = [str(name) for name in names(source.handle, options)]
    roles = Roles.of(
        quasi_identifiers=column_names(quasi_identifiers, columns, "--quasi-identifiers"),
        sensitive=None,
        missing=meaning.missing.value,
    )
    with reading_bar(source.name) as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)  # about columns to be published, and the population is not
        found = combinations(source.handle, roles.by_column, options=replace(options, progress=progress))
        persons = FrequencySet.of_combinations(found, roles)
    trees = hierarchies.read({name: persons.domains[name] for name in hierarchies.files})
    counts = population_counts(classes, persons, trees, source=file_name(source.name))
    with called(lambda _: "--k-map"):
        return of_population(counts, k)


def _with_names(source: Mapping[str, Any]) -> dict[str, Any]:
    """Return where a table was counted, with the names of its files and not their folders."""
    files = [{**each, "file": file_name(each["file"])} for each in source["files"]]
    return {**source, "files": files}


class _Measure(Users):
    """A measure of the user's own, and the same over a domain."""

    @classmethod
    def of(cls, text: str) -> _Measure:
        from tcloseness.measures.protocol import require_measure

        found = loaded(text, "--measure", "my_module:my_measure or my_file.py:MyMeasure")
        with blaming(f"--measure {text!r}"):
            return cls("--measure", text, require_measure(found))

    @property
    def convex(self) -> bool:
        return bool(self.asked("convex"))

    def over(self, domain: Domain) -> _Measure:
        return _Measure(self.option, self.text, self.called("over", domain))

    def distance(self, p: Sequence[object], q: Sequence[object]) -> Any:
        return self.called("distance", p, q)

    def per_class(self, classes: ClassCounts) -> Any:
        return self.called("per_class", classes)

    def to_dict(self) -> dict[str, Any]:
        return dict(self.called("to_dict"))

    def __repr__(self) -> str:
        return self.text


def _ground_text(record: Mapping[str, str]) -> str:
    if "chosen" in record:
        return f"{record['name']} (none was named)"
    mended = f" ({record['mended']})" if "mended" in record else ""
    return ", ".join(record[key] for key in ("name", "file", "object") if key in record) + mended
