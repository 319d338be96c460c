"""``tcloseness verify``: whether certificates prove what they say."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tcloseness.cli.arguments import Format
from tcloseness.cli.emd import GROUND, WHAT, Values
from tcloseness.cli.exit_codes import ROWS
from tcloseness.cli.options import expanded, option
from tcloseness.cli.output import file_name, print_json, result_console
from tcloseness.cli.wanted import Wanted
from tcloseness.displayed import counted
from tcloseness.errors import CertificateError, CertificateFormatError, InputError
from tcloseness.printable import printable

if TYPE_CHECKING:
    from rich.console import Console

    from tcloseness.certificates import Checked, Envelope, Trusted
    from tcloseness.transport import Certificate

__all__ = ["EPILOG", "verify"]

FORMAT = "tcloseness-verify-1"

EPILOG = """
Example: write certificates, then check them.

\b
  tcloseness emd --p 1/2,1/2 --q 1,0 --ground equal --certificate proof.json
  tcloseness verify proof.json --p 1/2,1/2 --q 1,0 --ground equal
  tcloseness search adult.csv --hierarchies hierarchies/ \\
      --quasi-identifiers age,education,race,sex --sensitive occupation \\
      --k 5 --optimum gcp --certificate best.json
  tcloseness verify best.json --table adult.csv --hierarchies hierarchies/
"""

OF = "What a certificate about a table is checked against"


class Checker(StrEnum):
    """What checks a certificate about a table."""

    OWN = "own"
    EXTRACTED = "extracted"


@expanded
def verify(
    *,
    certificates: Annotated[
        list[str], typer.Argument(metavar="CERTIFICATE…", help="Certificate files; - reads standard input.")
    ],
    p: Annotated[str | None, option(WHAT, "MASS,…", "P must be this distribution.")] = None,
    q: Annotated[str | None, option(WHAT, "MASS,…", "Q must be this distribution.")] = None,
    ground: Annotated[str | None, GROUND] = None,
    over: Values,
    table: Annotated[str | None, option(OF, "FILE", "The table: its CSV file, or what --counts wrote.")] = None,
    hierarchies: Annotated[
        str | None, option(OF, "FOLDER", "The folder of the hierarchies, <column>.csv each.")
    ] = None,
    hierarchy: Annotated[
        list[str] | None, option(OF, "COLUMN=FILE", "The hierarchy of one column, before the folder's. Repeatable.")
    ] = None,
    checker: Annotated[
        Checker,
        typer.Option(
            help="The package's own checker, or the program that make prove extracts from its proof in Coq; "
            "TCLOSENESS_CHECKER names it where it is elsewhere.",
            rich_help_panel=OF,
        ),
    ] = Checker.OWN,
    trust: Annotated[
        list[str] | None,
        option(OF, "MODULE:NAME", "A function of your own that decides a condition; it is run. Repeatable."),
    ] = None,
    others: Annotated[
        list[str] | None,
        option(OF, "FILE", "Another release of the same persons, in the certificate's order. Repeatable.", "--with"),
    ] = None,
    sensitive_table: Annotated[
        str | None, option(OF, "FILE", "The second of two tables that are joined by class; --table is the first.")
    ] = None,
    salt: Annotated[
        str | None, option(OF, "FILE", "What was written beside a certificate that withholds values; needs --table.")
    ] = None,
    output: Annotated[Format, typer.Option("--format", help="How to print it.")] = Format.TEXT,
) -> None:
    """Check certificates: exactly, without any solver, and without what made them.

    A certificate of tcloseness search, optimal, check or anonymize is about a table: it is checked against --table and
    its hierarchies, which are read anew. One that withholds values shows some of it by itself, the rest with --salt.
    One of tcloseness attack is checked against the release by --table and, in its order, the others by --with; of two
    tables that are joined by class, the second by --sensitive-table.
    With --p, --q, --ground or --values one of tcloseness emd must be about these: the same masses, the same distance of
    every two values. One that is about something else is refused, whether or not it holds.
    """
    from tcloseness import __version__

    chosen = over.grounds(*([] if ground is None else [ground]))
    if over.counts and p is None and q is None:
        raise InputError("--counts was given, and neither --p nor --q; leave it out")
    wanted = Wanted.of(p, q, chosen[0] if chosen else None, over)
    files = _Files(
        table, hierarchies, tuple(hierarchy or ()), checker, tuple(trust or ()), tuple(others or ()), sensitive_table
    )
    given = {"--p": p, "--q": q, "--ground": ground, "--values": over.values, "--table": table, "--with": others}
    given |= {"--hierarchies": hierarchies, "--hierarchy": hierarchy, "--trust": trust, "--salt": salt}
    given |= {"--sensitive-table": sensitive_table}
    given |= {"--checker": checker if checker is Checker.EXTRACTED else None}
    console = result_console()
    records: list[dict[str, Any]] = []
    statuses = set()
    for file in certificates:
        try:
            content = _content(file)
            kind = _kind_of(content)
            kind.refuse_others(file, given)
            if kind is WITHHELD:
                found = files.redacted(file, content, salt)
                statuses.add("proved")
                records.append({"file": file_name(file), "holds": True, **found})
                if output is Format.TEXT:
                    _print_redacted(file, found, console)
                continue
            if kind in (RELEASES, LABELS, DRAWN):
                found = files.published(file, content, kind)
                statuses.add("proved")
                records.append({"file": file_name(file), "holds": True, **found})
                if output is Format.TEXT:
                    _print_published(file, [file_name(each) for each in files.given], found, checker, console)
                continue
            if kind is TABLE:
                checked = files.checked(file, content)
                statuses.add("proved")
                records.append({"file": file_name(file), "holds": True, **_checked_record(checked)})
                if output is Format.TEXT:
                    _print_checked(file, file_name(table or ""), checked, checker, console)
                continue
            proof = _read(file, content)
            difference = wanted.difference(proof)
            if difference is not None:
                raise InputError(f"certificate file {file} is about something else: {difference}")
            proof.verify()
        except InputError as error:
            statuses.add("unreadable")
            reason = str(error).replace(file, file_name(file))
            records.append({"file": file_name(file), "holds": None, "reason": reason})
            print(f"error: {printable(str(error))}", file=sys.stderr)
        except CertificateError as error:
            statuses.add("refuted")
            records.append({"file": file_name(file), "holds": False, "reason": str(error)})
            if output is Format.TEXT:
                console.print(printable(f"{file}: does not hold: {error}"), soft_wrap=True)
        else:
            statuses.add("proved")
            records.append({"file": file_name(file), "holds": True, **_proved(proof)})
            if output is Format.TEXT:
                _print(file, proof, console)
    if output is Format.JSON:
        print_json({"format": FORMAT, "version": __version__, "certificates": records})
    worst = next(status for status in ("unreadable", "refuted", "proved") if status in statuses)
    raise typer.Exit(ROWS["verify"].statuses[worst])


def _content(file: str, what: str = "certificate file") -> bytes:
    """Return what a file holds; of a certificate no more than is read."""
    from tcloseness.certificates import LONGEST

    many = LONGEST + 1 if what == "certificate file" else -1
    try:
        if file == "-":
            return sys.stdin.buffer.read(many)
        with open(file, "rb") as source:
            return source.read(many)
    except (OSError, ValueError) as error:
        raise InputError(f"{what} {file} cannot be read: {getattr(error, 'strerror', None) or error}") from error


@dataclass(frozen=True)
class _Kind:
    """What certificates are about, and the options that say what one of them is checked against."""

    about: str
    options: frozenset[str]

    def refuse_others(self, file: str, given: Mapping[str, object]) -> None:
        """Raise `InputError` for options that are given and that this kind of certificate does not use."""
        unused = [name for name, value in given.items() if value and name not in self.options]
        if unused and self is not UNKNOWN:
            names, it = (" and ".join(unused), "them") if len(unused) > 1 else (unused[0], "it")
            raise InputError(
                f"certificate file {file} is about {self.about}, and {names} would not be used; leave {it} out"
            )


EMD = _Kind("two distributions", frozenset({"--p", "--q", "--ground", "--values"}))
TABLE = _Kind("a table", frozenset({"--table", "--hierarchies", "--hierarchy", "--trust", "--checker"}))
WITHHELD = _Kind("a table whose values it withholds", frozenset({"--table", "--salt"}))
RELEASES = _Kind("several releases", frozenset({"--table", "--with", "--checker"}))
UNKNOWN = _Kind("nothing that is known", frozenset())
LABELS = _Kind("the labels of a release", frozenset({"--table", "--hierarchies", "--hierarchy"}))
DRAWN = _Kind("two tables that are joined by class", frozenset({"--table", "--sensitive-table"}))

_FORMAT = re.compile(rb'"format"\s*:\s*"([^"\\]*)"')


def _kind_of(content: bytes) -> _Kind:
    """Return what a text is about by the format that it names, whatever else it holds."""
    from tcloseness.certificates import TASKS
    from tcloseness.certificates.composition import COMPOSITION
    from tcloseness.certificates.draws import DRAWS
    from tcloseness.certificates.labels import LABELS as OF_LABELS
    from tcloseness.certificates.redacted import REDACTED
    from tcloseness.transport.certificate import FORMAT as OF_EMD

    found = _FORMAT.search(content)
    name = "" if found is None else found[1].decode("utf-8", "replace")
    others = {COMPOSITION: RELEASES, DRAWS: DRAWN, OF_LABELS: LABELS, REDACTED: WITHHELD, OF_EMD: EMD}
    return TABLE if name in TASKS else others.get(name, UNKNOWN)


@dataclass(frozen=True)
class _Files:
    """The files of the table that certificates are about."""

    table: str | None
    folder: str | None
    files: tuple[str, ...]
    checker: Checker
    trust: tuple[str, ...]
    others: tuple[str, ...]
    second: str | None

    def checked(self, file: str, content: bytes) -> Checked:
        """Check a certificate; `InputError` for one that cannot be read or is about another table."""
        from tcloseness.certificates import read_certificate, verify
        from tcloseness.certificates.extracted import check_extracted

        extracted = check_extracted if self.checker is Checker.EXTRACTED else None
        try:
            envelope = read_certificate(content)
            if self.table is None:
                raise InputError(f"certificate file {file} is about a table; give --table, and --hierarchies")
            table = _content(self.table, "file")
            hierarchies = self._hierarchies(envelope)
            return verify(content, table, hierarchies, checker=extracted, trusted=self._trusted(envelope))
        except CertificateFormatError as error:
            raise InputError(f"certificate file {file}: {error}") from error

    def _trusted(self, envelope: Envelope) -> Trusted:
        """Return the functions that may be run; one that no condition asks for is not imported either."""
        from tcloseness.certificates.conditions import TRUSTED
        from tcloseness.cli.user_objects import loaded
        from tcloseness.models.certified import trusted_function

        asked = {str(each["function"]) for each in envelope.model if each.get("condition") == TRUSTED}
        found: dict[str, Any] = {}
        for text in self.trust:
            function = loaded(text, "--trust", "mymodels:holds")
            name, source = trusted_function(function)
            if name not in asked:
                decided = ", ".join(sorted(asked)) or "no function of somebody's own"
                raise InputError(f"--trust names {name}, and the certificate's conditions are decided by {decided}")
            found[name] = (function, source)
        return found

    def redacted(self, file: str, content: bytes, salt: str | None) -> dict[str, Any]:
        """Check a certificate that withholds values, with the table and its salt if both are given."""
        from tcloseness.certificates import check_redacted, verify_redacted
        from tcloseness.certificates.redacted import REDACTED, STATEMENT

        if (salt is None) != (self.table is None):
            raise InputError(f"certificate file {file} withholds values; give both --table and --salt, or neither")
        try:
            found = check_redacted(content)
            if salt is not None and self.table is not None:
                whole = verify_redacted(content, _content(salt, "salt file"), _content(self.table, "file"))
                found = f"{whole.found}; the table and its salt make this certificate"
        except CertificateFormatError as error:
            raise InputError(f"certificate file {file}: {error}") from error
        return {"format": REDACTED, "statement": STATEMENT, "found": found, "with_the_table": salt is not None}

    @property
    def given(self) -> list[str]:
        """The published files."""
        return [each for each in (self.table, *self.others, self.second) if each is not None]

    def published(self, file: str, content: bytes, kind: _Kind) -> dict[str, Any]:
        """Check a certificate of what several releases, the labels of one, or two tables by class say."""
        from tcloseness.certificates import composition, draws, labels, levels_of
        from tcloseness.certificates.extracted import check_sums_extracted

        needed, more = {
            RELEASES: (bool(self.others), ", and --with for the others"),
            LABELS: (True, ""),
            DRAWN: (self.second is not None, ", and --sensitive-table"),
        }[kind]
        if self.table is None or not needed:
            raise InputError(f"certificate file {file} is about {kind.about}; give --table{more}")
        tables = [_content(each, "file") for each in self.given]
        try:
            if kind is RELEASES:
                name, statement = composition.COMPOSITION, composition.STATEMENT
                found = composition.verify_composition(
                    content, tables, checker=check_sums_extracted if self.checker is Checker.EXTRACTED else None
                )
            elif kind is DRAWN:
                name, statement = draws.DRAWS, draws.STATEMENT
                found = draws.verify_draws(content, *tables)
            else:
                name, statement = labels.LABELS, labels.STATEMENT
                release, tight, _ = labels.read_labels_certificate(content)
                digests = {column: each.hierarchy for column, each in tight.items()}
                files = self._named_hierarchies(list(digests), digests)
                rows = {
                    column: levels_of(levels, column, release.reading, file=path)
                    for column, (path, levels) in files.items()
                }
                found = labels.verify_labels(content, tables[0], rows)
        except CertificateFormatError as error:
            raise InputError(f"certificate file {file}: {error}") from error
        return {
            "format": name,
            "statement": statement,
            "found": found,
            "releases": 1 if kind is DRAWN else len(tables),
        }

    def _hierarchies(self, envelope: Envelope) -> dict[str, tuple[str, bytes]]:
        return self._named_hierarchies(list(envelope.quasi_identifiers), envelope.hierarchies)

    def _named_hierarchies(
        self, names: Sequence[str], digests: Mapping[str, str | None]
    ) -> dict[str, tuple[str, bytes]]:
        from tcloseness.cli.arguments import per_column
        from tcloseness.cli.hierarchies import place_of

        own = per_column(self.files, names, "--hierarchy", "FILE")
        found = {}
        for name, digest in digests.items():
            if name in own:
                path = own[name]
            elif digest is None:
                continue
            elif self.folder is None:
                raise InputError(f"the certificate needs the hierarchy of {name!r}; give --hierarchies or --hierarchy")
            else:
                path = str(place_of(name, self.folder))
            found[name] = path, _content(path, "hierarchy file")
        return found


def _checked_record(checked: Checked) -> dict[str, Any]:
    envelope = checked.envelope.to_dict()
    return {
        "format": envelope["format"],
        "statement": envelope["statement"],
        "found": checked.found,
        "table": envelope["table"],
        "of_this_file": checked.of_file,
        "reading": envelope["reading"],
        "hierarchies": envelope["hierarchies"],
        "model": envelope["model"],
        "sha256": envelope["sha256"],
    }


def _print_checked(file: str, table: str, checked: Checked, checker: Checker, console: Console) -> None:
    from tcloseness.certificates import described
    from tcloseness.certificates.audit import AUDIT
    from tcloseness.cli.hierarchies import SUPPRESSION
    from tcloseness.report.text import assumed

    envelope = checked.envelope
    console.print(printable(f"{file}: {checked.explain(table)}"), soft_wrap=True)
    another = "another file" if envelope.file_sha256 else "the table"
    of = "this very file" if checked.of_file else f"its counts are those of {another} that was certified"
    lines = {
        "stated": envelope.statement,
        "found": checked.found,
        "table": f"{counted(envelope.records, 'record')}; {of}",
        "quasi-identifiers": ", ".join(
            name if envelope.hierarchies[name] or envelope.format == AUDIT else f"{name} ({SUPPRESSION})"
            for name in envelope.quasi_identifiers
        ),
        "sensitive": envelope.sensitive or "none was named",
        "asked of each class": "; ".join(described(each, envelope.proof["values"]) for each in envelope.model),
        "read as": str(envelope.reading),
        **_checked_by(checker),
    }
    console.print(assumed(lines, title=None))
    console.print(f"  sha256 of the counts          {envelope.digest}", soft_wrap=True)
    console.print(f"  sha256 of the certificate     {envelope.to_dict()['sha256']}", soft_wrap=True)


def _print_redacted(file: str, found: dict[str, Any], console: Console) -> None:
    from tcloseness.report.text import assumed

    console.print(printable(f"{file}: proved: {found['found']}"), soft_wrap=True)
    against = "the table and its salt" if found["with_the_table"] else "nothing else: the table is not shown"
    console.print(assumed({"stated": found["statement"], "checked against": against}, title=None))


def _print_published(
    file: str, tables: Sequence[str], found: dict[str, Any], checker: Checker, console: Console
) -> None:
    from tcloseness.certificates.draws import DRAWS
    from tcloseness.report.text import assumed

    console.print(printable(f"{file}: proved of {' and '.join(tables)}: {found['found']}"), soft_wrap=True)
    counts = f"the published counts of {counted(found['releases'], 'release')}"
    against = "every row of both tables" if found["format"] == DRAWS else counts
    lines = {"stated": found["statement"], "checked against": against, **_checked_by(checker)}
    console.print(assumed(lines, title=None))


def _checked_by(checker: Checker) -> dict[str, str]:
    return {"checked by": "the program extracted from its proof"} if checker is Checker.EXTRACTED else {}


def _read(file: str, content: bytes) -> Certificate:
    """Read a certificate of an EMD; what cannot be read as one is wrong input."""
    from tcloseness.transport.certificate import Certificate

    try:
        return Certificate.from_json(content)
    except CertificateFormatError as error:
        raise InputError(f"certificate file {file}: {error}") from error


def _proved(proof: Certificate) -> dict[str, Any]:
    from tcloseness.ground import ground_digest
    from tcloseness.models.protocol import value_texts

    values, record = value_texts(proof.value), proof.to_dict()
    return {
        "emd": values["value"],
        "decimal": values["decimal"],
        "p": record["p"],
        "q": record["q"],
        "labels": record["labels"],
        "ground": record["ground"],
        "ground_sha256": ground_digest(proof.ground),
        "sha256": record["sha256"],
    }


def _print(file: str, proof: Certificate, console: Console) -> None:
    from tcloseness.ground import ground_digest
    from tcloseness.report.short_text import decimal_text
    from tcloseness.report.text import assumed, ground_text, vector_text

    console.print(f"{printable(file)}: proved: EMD(P, Q) = {decimal_text(proof.value)}", soft_wrap=True)
    lines = {
        "P": vector_text(proof.p),
        "Q": vector_text(proof.q),
        **({"values": vector_text(proof.labels)} if proof.labels else {}),
        "ground distance": ground_text(proof.ground),
        "upper bound": f"a coupling of P and Q with {len(proof.coupling)} entries costs it",
        "lower bound": "potentials with u_i + v_j ≤ d(i, j) earn it",
        "found by": proof.method,
    }
    console.print(assumed(lines, title=None))
    console.print(f"  sha256 of the ground distance {ground_digest(proof.ground)}", soft_wrap=True)
    console.print(f"  sha256 of the certificate     {proof.to_dict()['sha256']}", soft_wrap=True)
