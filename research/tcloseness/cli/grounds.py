"""A ground distance as it is written on the command line: by its name, with a file, or as an object of the user's own.

How it can be written is read from a file that is written from the catalogue (``make written``), since help must load no
ground distance.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

from tcloseness.cli.arguments import Ragged, digest, encoding_name, refuse_unused, separator_text
from tcloseness.cli.output import file_name
from tcloseness.cli.user_objects import loaded
from tcloseness.errors import DomainError, HierarchyError, InputError, did_you_mean

if TYPE_CHECKING:
    from tcloseness.ground import GroundDistance
    from tcloseness.microdata import Domain

__all__ = ["GROUND_HELP", "Ground", "ground_of", "ground_record", "grounds_of"]

FORMS: Mapping[str, str] = json.loads(resources.files("tcloseness.cli").joinpath("grounds.json").read_text("utf-8"))
"""How a ground distance is written, and what that means."""

GROUND_HELP = (
    ", ".join(f"{form} ({meaning})" if meaning else form for form, meaning in FORMS.items())
    + ", or MODULE:NAME (one of your own; the module is imported, that is, run)."
)


@dataclass(frozen=True)
class Ground:
    """A ground distance as it was written."""

    name: str
    spec: Any  # what `tcloseness.ground.ground_distance` is given
    # of one with a file, what was written before it, the file and its hash
    kind: str = ""
    file: str | None = None
    sha256: str | None = None
    object: str | None = None  # of one of the user's own, ``MODULE:NAME``
    needs_values: bool = False  # whether the values must be known

    @property
    def hierarchy(self) -> Any:
        """The hierarchy that it is made of; None if it is not."""
        from tcloseness.microdata import Hierarchy

        return self.spec if isinstance(self.spec, Hierarchy) else None

    def require(self, domain: Domain, *, column: str, records: Sequence[int]) -> None:
        """Raise `HierarchyError` if its hierarchy misses a value; the message counts the records of each."""
        if self.hierarchy is not None:
            try:
                self.hierarchy.rows(domain, records)
            except HierarchyError as error:
                raise HierarchyError(f"--ground of column {column!r}, file {self.file}: {error}") from error

    def over(self, domain: Domain, *, column: str = "", records: Sequence[int] | None = None) -> GroundDistance:
        """Return the ground distance over a domain; column and records are those of `require`."""
        from tcloseness.ground import ground_distance

        if records is not None:
            self.require(domain, column=column, records=records)
        return ground_distance(self.spec, domain)

    @property
    def _source(self) -> str:
        return file_name(self.file or self.object or "")

    @property
    def written(self) -> str:
        """What was written, without the path of its file."""
        return f"{self.kind}:{self._source}" if self.file else self._source or self.name

    def text(self, distance: GroundDistance | None) -> str:
        """Return the name, with what was done to the entries of a matrix over the domain, and the file."""
        return ", ".join(filter(None, (self.name if distance is None else distance.name, self._source)))

    def to_dict(self, distance: GroundDistance | None = None) -> dict[str, str]:
        """Return the name and, where there are any, the file with its sha256, and what was done to its entries."""
        file = {"file": self._source, "sha256": str(self.sha256)} if self.file else {}
        own = {"object": self._source} if self.object else {}
        mended = getattr(distance, "mended", "")
        return {"name": self.name, **file, **own, **({"mended": mended} if mended else {})}

    def __str__(self) -> str:
        return self.text(None)


def ground_record(ground: Ground | None, distance: GroundDistance | None) -> dict[str, str]:
    """Return the record of a ground distance; None where none was named."""
    from tcloseness.ground import IF_NONE

    return {"name": IF_NONE, "chosen": "by default"} if ground is None else ground.to_dict(distance)


def ground_of(
    text: str,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    ragged: str = "error",
    allow_non_metric: bool = False,
) -> Ground:
    """Read a ground distance as it is written on the command line, see `FORMS`.

    Raises
    ------
    DomainError
        For an unknown name, a file that is missing from it, or a matrix file that cannot be read.
    HierarchyError
        For a hierarchy file that cannot be read.
    InputError
        For an object of the user's own that cannot be imported.
    """
    kind, colon, file = text.partition(":")
    form = _form_of(kind)
    if form is None or (colon and ":" not in form):
        return _of_the_user(text)

    from tcloseness.ground import FORMS as CLASSES

    meant = CLASSES[form]
    if ":" not in form:
        return Ground(meant.name, text, needs_values=meant.needs_values)
    if not file:
        raise DomainError(f"ground distance {text!r} needs its file: write {kind}:FILE")
    spec = meant.from_file(
        kind, file, separator=separator, encoding=encoding, ragged=ragged, allow_non_metric=allow_non_metric
    )
    return Ground(meant.name, spec, kind, file, digest(file), needs_values=meant.needs_values)


def _form_of(kind: str) -> str | None:
    """Return the form that begins with this kind; N stands for any number."""
    heads = {form: form.partition(":")[0] for form in FORMS}
    matches = (f for f, head in heads.items() if kind == head or (head[-2:] == "/N" and kind.startswith(head[:-1])))
    return next(matches, None)


def _of_the_user(text: str) -> Ground:
    kind, colon, _ = text.partition(":")
    heads = [form.partition(":")[0] for form in FORMS]
    try:
        if not colon:
            raise InputError("it names no module")
        spec = loaded(text, "--ground", "my_module:my_distance or my_file.py:MyDistance", with_method="over")
    except InputError:
        if colon and not difflib.get_close_matches(kind, heads, 1):
            raise
        hint = did_you_mean(kind, heads, "its name is misspelt")
        raise DomainError(
            f"ground distance {text!r} is unknown; it is one of {', '.join(FORMS)}, or MODULE:NAME ({hint})"
        ) from None

    from tcloseness.ground import ground_name

    return Ground(ground_name(spec), spec, object=text)


def grounds_of(
    texts: Iterable[str],
    *,
    separator: str | None,
    ragged: Ragged,
    encoding: str | None,
    other_files: bool = False,
    allow_non_metric: bool = False,
) -> list[Ground]:
    """Read ground distances with the options of their files, as they were given; one that none obeys is refused.

    `other_files` says that the encoding is that of other files too.
    """
    options = {"separator": separator_text(separator), "encoding": encoding_name(encoding), "ragged": ragged.value}
    found = [ground_of(text, **options, allow_non_metric=allow_non_metric) for text in texts]  # type: ignore[arg-type]
    files = [ground for ground in found if ground.file is not None]
    if not files:
        given = {"--ground-separator": separator, "--encoding": None if other_files else encoding}
        refuse_unused(given, "no ground distance is read from a file")
    if all(ground.hierarchy is None for ground in files):
        given = {"--ragged": None if ragged is Ragged.ERROR else ragged.value}
        refuse_unused(given, "no ground distance is a hierarchy's")
    if allow_non_metric and not any(hasattr(ground.spec, "allow_non_metric") for ground in found):
        raise InputError("--allow-non-metric was given, and no ground distance is a matrix; leave it out")
    return found
