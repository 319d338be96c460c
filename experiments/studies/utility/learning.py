"""Classifiers that are trained on what a release shows, and tested on records that were held out.

The encoding: each quasi-identifier has a feature for each of its values, which is the probability of the value under
the record's label, 1/m for each of the m values that the label stands for. A record that was held out is coded in the
same way, as a label that stands for its own value alone. Of a full-domain release, logistic regression says the same of
it as of the record generalized to the release's levels: its weights are a combination of the training records' features
(the penalty is quadratic), so they are equal for all values of a label.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import Any

import numpy as np

from experiments.studies.utility.data import DataSet
from experiments.studies.utility.releases import Drawn, Floats, Shown
from tcloseness.errors import StudyError
from tcloseness.extras import install

__all__ = ["accuracies", "encoded", "encoded_held_out", "library", "majority", "names", "one_thread", "versions"]

LIBRARY = "scikit-learn"
PENALTY, SMOOTHING = 1.0, 1.0


def library() -> ModuleType:
    """Return scikit-learn.

    Raises
    ------
    StudyError
        If it is not installed.
    """
    try:
        import sklearn
        import sklearn.linear_model
        import sklearn.naive_bayes
    except ModuleNotFoundError as error:
        raise StudyError(
            f"the study of utility trains classifiers with {LIBRARY}, which is not installed ({error}); install it: "
            f"{install('sklearn')}"
        ) from error
    return sklearn  # type: ignore[no-any-return]


def versions() -> dict[str, str]:
    """Return the versions that the classifiers rest on; "not installed" for what is not there."""
    found = {}
    for name in (LIBRARY, "scipy"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


@contextmanager
def one_thread() -> Iterator[None]:
    """Let linear algebra use one thread, so that neither sums nor times depend on the number of cores."""
    library()
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        yield


def names(data: DataSet) -> dict[str, str]:
    """Return the names of the accuracies, and the column that each is about."""
    return {
        f"accuracy of {data.label}, logistic regression": data.label,
        f"accuracy of {data.label}, naive Bayes": data.label,
        f"accuracy of {data.sensitive}, naive Bayes": data.sensitive,
    }


def encoded(shown: Shown) -> tuple[Floats, Any]:
    """Return the features of the records that differ, and which of them each record has."""
    stacked = np.stack([*shown.label_of.values()], axis=1)
    different, which = np.unique(stacked, axis=0, return_inverse=True)
    blocks = [shares[different[:, place]] for place, shares in enumerate(shown.labels.values())]
    return np.concatenate(blocks, axis=1), which.reshape(-1)


def encoded_held_out(drawn: Drawn) -> Floats:
    """Return the features of the records that were held out."""
    blocks = []
    for name, hierarchy in drawn.hierarchies.items():
        blocks.append(np.eye(len(hierarchy))[drawn.codes(name, held_out=True)])
    return np.concatenate(blocks, axis=1)


def accuracies(shown: Shown, drawn: Drawn, held_out: Floats) -> dict[str, float]:
    """Return the shares of held-out records that each classifier predicts rightly.

    Logistic regression (L2 penalty, C = 1) and naive Bayes (multinomial, add-one) predict the label, naive Bayes also
    the sensitive attribute. Training records that show the same are one, with their number as its weight.
    """
    sklearn = library()
    features, which = encoded(shown)
    label = np.eye(len(drawn.values[drawn.data.label]))[drawn.codes(drawn.data.label)]
    true = {name: drawn.codes(name, held_out=True) for name in (drawn.data.label, drawn.data.sensitive)}
    logistic = sklearn.linear_model.LogisticRegression(C=PENALTY, solver="newton-cholesky", max_iter=100)
    bayes = sklearn.naive_bayes.MultinomialNB(alpha=SMOOTHING)
    tasks = ((logistic, label), (bayes, label), (bayes, shown.sensitive))
    return {
        name: float((_fitted(model, features, which, target).predict(held_out) == true[column]).mean())
        for (name, column), (model, target) in zip(names(drawn.data).items(), tasks, strict=True)
    }


def _fitted(model: Any, features: Floats, which: Any, target: Floats) -> Any:
    """Train on the probabilities of a target's values, shape (records, values)."""
    weights = np.zeros((len(features), target.shape[1]))
    np.add.at(weights, which, target)
    rows, values = np.nonzero(weights)
    return model.fit(features[rows], values, sample_weight=weights[rows, values])


def majority(drawn: Drawn, name: str) -> float:
    """Return the accuracy of always saying the most frequent value of the released records."""
    most = np.bincount(drawn.codes(name)).argmax()
    return float((drawn.codes(name, held_out=True) == most).mean())
