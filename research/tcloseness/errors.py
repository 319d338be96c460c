"""Every exception that the package raises.

::

    TClosenessError
    ├── InputError (also ValueError)      what the caller handed in breaks a rule
    │   ├── MassError                     probabilities or counts that are not a distribution
    │   ├── DomainError                   a value, an order or a ground distance that does not fit a domain
    │   ├── ConventionError               results under different conventions, compared
    │   ├── HierarchyError                levels that do not nest, do not cover, or contradict themselves
    │   ├── NotPicklable                  (also pickle.PicklingError) a result with a function or connection in it
    │   └── TableError                    a table, column, role or file that cannot be read as asked
    │       └── NotAligned                what needs to know which published row is which record, where that is unknown
    ├── SolverError                       a solver's answer was refused
    │   ├── InfeasibleError
    │   ├── LimitReached
    │   │   ├── TimeLimitReached
    │   │   └── MemoryLimitReached
    │   └── NotReached                    a heuristic ended without reaching what was asked
    ├── CertificateError                  a certificate that does not prove what it says
    │   └── CertificateFormatError        what cannot be read as a certificate, or was changed since it was written
    ├── ProtocolError                     a plug-in object or a harness that breaks its protocol
    │   └── HarnessError                  a harness that does not start, or breaks the protocol from the start
    ├── VectorError                       a test vector that breaks its schema, or contradicts the models
    └── StudyError                        an experiment that cannot run

A message says what is wrong, the offending value, the rule, and the way out.
"""

from __future__ import annotations

import difflib
import inspect
import os
import sys
import warnings
from collections.abc import Callable, Iterable
from pickle import PicklingError
from types import FrameType
from typing import Any

__all__ = [
    "CertificateError",
    "CertificateFormatError",
    "ConventionError",
    "DomainError",
    "HarnessError",
    "HierarchyError",
    "InfeasibleError",
    "InputError",
    "LimitReached",
    "MassError",
    "MemoryLimitReached",
    "MissingPackageError",
    "NotAligned",
    "NotPicklable",
    "NotReached",
    "ProtocolError",
    "SolverError",
    "StudyError",
    "TClosenessError",
    "TableError",
    "TableWarning",
    "TimeLimitReached",
    "VectorError",
    "arguments_of",
    "did_you_mean",
    "require_arguments",
    "warn",
]


_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class TClosenessError(Exception):
    """The base of every exception of this package."""


class InputError(TClosenessError, ValueError):
    """An argument breaks a rule that its function states."""


class NotPicklable(InputError, PicklingError):  # noqa: N818 (said of the object)
    """A result that holds a function of the caller's own or an open connection, which no other process can be given."""


class MassError(InputError):
    """Probabilities or counts that are negative, do not sum as they must, or have the wrong length."""


class DomainError(InputError):
    """A value outside a domain, a domain without the order that is asked for, or a bad ground distance."""


class ConventionError(InputError):
    """Two results that rest on different conventions are compared."""


class HierarchyError(InputError):
    """A hierarchy whose levels do not nest, that misses a value, or that has no common root."""


class TableError(InputError):
    """A table, a column, a role or a file that cannot be read as asked."""


class NotAligned(TableError):  # noqa: N818 (said of the release)
    """What needs to know which published row is which record of the original, where that is not known."""


class MissingPackageError(InputError, ImportError):
    """What was asked for needs a package that is not installed; the message names it and how to install it."""


class TableWarning(UserWarning):
    """A table is read as it is, but something in it looks wrong (``"a"`` beside ``"a "``, 1 beside ``"1"``)."""


def warn(told: str) -> None:
    """Give a `TableWarning` that points to the line which called the package, however deep it is found."""
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(told, TableWarning, stacklevel=level)


class SolverError(TClosenessError):
    """A solver failed, or its answer does not survive the exact check."""


class InfeasibleError(SolverError):
    """A problem that has no solution."""


class LimitReached(SolverError):  # noqa: N818 (the word of the field)
    """A limit of time, memory or size was reached before an answer was proved."""


class TimeLimitReached(LimitReached):
    """The time that a call was given is over."""


class MemoryLimitReached(LimitReached):
    """A call takes more memory than it was given, or would."""


class NotReached(SolverError):  # noqa: N818 (the word of the field)
    """A heuristic ended without an answer that satisfies what was asked; whether there is one, it does not know."""


class CertificateError(TClosenessError):
    """A certificate that does not prove the value it states: it was read whole, and is refuted."""


class CertificateFormatError(CertificateError):
    """What cannot be read as a certificate (another schema, too large), or breaks its seal: nothing is refuted."""


class NotCertified(InputError):  # noqa: N818 (an answer that stands, without a certificate)
    """An answer of which no certificate can be given; the message says what no checker knows."""


class ProtocolError(TClosenessError):
    """A plug-in object that lacks a method of its protocol, or an answer outside a protocol."""


class StudyError(TClosenessError):
    """An experiment that cannot run: data missing, or an unknown study."""


class VectorError(TClosenessError):
    """A test vector that breaks its schema, or that contradicts the models it was made from."""


class HarnessError(ProtocolError):
    """A harness that does not start, or that breaks the protocol from the start."""


def require_arguments(function: str, given: Iterable[str], known: Iterable[str], others: Iterable[str] = ()) -> None:
    """Raise `InputError` for a keyword that a function does not take.

    Parameters
    ----------
    function
        What it is called.
    given, known
        The keywords that were given, and those that may be given on.
    others
        Arguments of its own, one of which may have been meant.

    Examples
    --------
    >>> require_arguments("sweep()", ["kk"], ["k", "t"])
    Traceback (most recent call last):
        ...
    tcloseness.errors.InputError: sweep() has no argument 'kk'; did you mean 'k'?
    """
    names = [*known]
    for name in given:
        if name not in names:
            there = f"beside its own there are {', '.join(names)}" if names else "it has no others than its own"
            raise InputError(f"{function} has no argument {name!r}; {did_you_mean(name, [*names, *others], there)}")


def arguments_of(function: Callable[..., Any], *given: str) -> list[str]:
    """Return the names of a function's parameters, but for those that its caller gives."""
    return [name for name in inspect.signature(function).parameters if name not in given]


def did_you_mean(name: object, known: Iterable[object], otherwise: str | None = None) -> str:
    """Return what a message says of a name that is none of those that are known: the nearest, or else all of them.

    Parameters
    ----------
    name, known
        What was given, and what there is.
    otherwise
        What is said where none is near, in place of all.

    Examples
    --------
    >>> did_you_mean("modrian", ["mondrian", "mdav"]), did_you_mean("x", ["mondrian", "mdav"])
    ("did you mean 'mondrian'?", "they are 'mondrian', 'mdav'")
    """
    names = [str(each) for each in known]
    close = difflib.get_close_matches(str(name), names, 1)
    return f"did you mean {close[0]!r}?" if close else otherwise or f"they are {', '.join(map(repr, names))}"
