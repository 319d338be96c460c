"""``--certificate`` and ``--counts``: the proof of what is answered, written beside it."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from tcloseness.cli.arguments import Source, items, per_column
from tcloseness.cli.options import RESULT, AllFiles, Files, Meaning, option
from tcloseness.errors import InputError, NotCertified

if TYPE_CHECKING:
    from tcloseness.certificates import Envelope, Reading
    from tcloseness.cli.released import ReleaseFile
    from tcloseness.cli.table_inputs import TableInputs
    from tcloseness.microdata import FrequencySet

__all__ = ["Proof", "Proved", "audited", "bound_to"]


@dataclass(frozen=True)
class Proved:
    """What was proved of an answer.

    Attributes
    ----------
    envelope
        Its certificate; None if none was asked for, or there is none.
    refused
        Why there is none.
    files
        What is to be written.
    certificate
        The file of the certificate, where there is one.
    """

    envelope: Envelope | None
    refused: NotCertified | None
    files: dict[str, bytes]
    certificate: str | None = None

    @property
    def content(self) -> str:
        """The certificate's JSON text; empty if there is none."""
        if self.certificate is not None:
            return self.files[self.certificate].decode()
        return "" if self.envelope is None else self.envelope.to_json()

    @property
    def written(self) -> dict[str, str]:
        """Say where the certificate is."""
        return {} if self.certificate is None else {"certificate": f"{self.certificate}, checked"}


@dataclass(frozen=True)
class Proof:
    """Where the proof of the answer is written."""

    certificate: Annotated[
        str | None,
        option(RESULT, "FILE", "Write the proof of the answer; tcloseness verify checks it."),
    ] = None
    counts: Annotated[
        str | None,
        option(RESULT, "FILE", "Write the counts of the table, to check a certificate where the table is not CSV."),
    ] = None

    @property
    def paths(self) -> list[str]:
        """The files that are written."""
        return [file for file in (self.certificate, self.counts) if file is not None]

    def withheld(self, prove: Callable[[], tuple[str, str]]) -> Proved:
        """Make a certificate that withholds the table's values, and what proves it to its owner.

        Parameters
        ----------
        prove
            Makes both, or raises `NotCertified`.
        """
        if self.certificate is None:
            return Proved(None, None, {})
        try:
            public, own = prove()
        except NotCertified as error:
            return Proved(None, error, {})
        files = {self.certificate: public.encode(), self.salt: own.encode()}
        return Proved(None, None, files, self.certificate)

    @property
    def salt(self) -> str:
        """What the owner of a table keeps, beside the certificate."""
        return f"{self.certificate}.salt"

    def named(self, proved: Proved) -> dict[str, str]:
        """Say what was written, and what each file is for."""
        found = dict(proved.written)
        if self.salt in proved.files:
            found["its salt"] = f"{self.salt}: proves the certificate with the table; keep it as secret as the table"
        if self.counts in proved.files:
            found["counts"] = str(self.counts)
        return found

    def of(
        self, prove: Callable[[], Envelope], frequencies: FrequencySet, sensitive: str, *, wanted: bool = False
    ) -> Proved:
        """Make what was asked for.

        Parameters
        ----------
        prove
            Makes the certificate, or raises `NotCertified`.
        frequencies, sensitive
            The table.
        wanted
            Whether the certificate is made although it is not written into a file of its own.
        """
        from tcloseness.models.certified import counts_text

        envelope, refused, files = None, None, dict[str, bytes]()
        if self.certificate is not None or wanted:
            try:
                envelope = prove()
                if self.certificate is not None:
                    files[self.certificate] = envelope.to_json().encode()
            except NotCertified as error:
                refused = error
        if self.counts is not None:
            files[self.counts] = counts_text(frequencies, sensitive).encode()
        return Proved(envelope, refused, files, None if envelope is None else self.certificate)


def audited(file: ReleaseFile, inputs: TableInputs) -> tuple[FrequencySet, Callable[[], Envelope]]:
    """Return a written table as it is read again, and what makes the certificate of its audit.

    The audit asks what was asked of the table that it was made from, as the command does that re-checks it.
    """
    from tcloseness import FrequencySet, check
    from tcloseness.certificates import Reading
    from tcloseness.cli.released import is_parquet_name
    from tcloseness.microdata.sources import read_table
    from tcloseness.microdata.text_files import separator_of

    parquet = is_parquet_name(file.name)
    separator = None if parquet else separator_of(inputs.written.separator, file.name, "", InputError)
    encoding = None if parquet else file.encoding
    handle = io.BytesIO(file.content if isinstance(file.content, bytes) else file.content.path.read_bytes())
    handle.name = file.name
    columns = [*inputs.quasi_identifiers, *inputs.sensitive_columns]
    missing: Literal["error", "category"] = "category" if file.empty.intersection(columns) else "error"
    asked = {
        option: {
            name: items(text, option)
            for name, text in per_column(inputs.meaning[option], inputs.sensitive_columns, option, "VALUE,…").items()
        }
        for option in ("--order", "--domain")
    }
    counted = FrequencySet.from_frame(
        read_table(handle, separator=separator, encoding=encoding, missing_texts=("",)),
        quasi_identifiers=inputs.quasi_identifiers,
        sensitive=inputs.sensitive_columns or None,
        weight=inputs.weight,
        missing=missing,
        orders=asked["--order"],
        domains=asked["--domain"],
        suppressed=file.marker,
    )

    def prove() -> Envelope:
        found = check(
            counted,
            ground={} if inputs.ground is None else {inputs.sensitive: inputs.ground.spec},
            models=inputs.thresholds.models,
            reference="released" if file.marker is None else "all",
            **inputs.thresholds.values,
        )
        if separator is None or encoding is None:  # no checker reads Parquet: it is bound to the counts alone
            return found.certificate(reading=None, file_sha256="")
        reading = Reading(separator, encoding, ("",), missing, inputs.weight)
        return found.certificate(reading=reading, file_sha256=file.record["sha256"])

    return counted, prove


def bound_to(source: Source, written: Files, meaning: Meaning, weight: str | None) -> tuple[Reading | None, str]:
    """Return how the table's CSV file is read, and its sha256; no reading where it is not CSV or not read as it is."""
    from tcloseness.certificates import Reading
    from tcloseness.microdata.sources.files import is_parquet
    from tcloseness.microdata.text_files import ENCODING, separator_of

    if is_parquet(source.head, source.one) or meaning.merge_spellings or len(source.paths) > 1:
        return None, ""
    of_levels = (written.hierarchy_separator, written.hierarchy_ragged.value) if isinstance(written, AllFiles) else ()
    reading = Reading(
        separator_of(written.separator, source.one, "", InputError),
        written.encoding or ENCODING,
        ("", *(meaning.missing_text or ())),
        meaning.missing.value,
        weight,
        *of_levels,
    )
    return reading, source.sha256
