"""`Anonymizer`: a release as a transformer of scikit-learn, which shows new records by the recoding that it learned.

It needs scikit-learn: ``pip install 'tcloseness[sklearn]'``.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from tcloseness.displayed import counted
from tcloseness.errors import InputError, TableWarning
from tcloseness.exact import Number, shown_value
from tcloseness.extras import needing
from tcloseness.ground import GroundSpec
from tcloseness.microdata import Hierarchy
from tcloseness.models import PrivacyModel
from tcloseness.models.conditions import asks_of_values
from tcloseness.release.anonymized import Anonymized
from tcloseness.release.regions import Regions
from tcloseness.release.rows import free_marker
from tcloseness.table import Table

with needing("Anonymizer needs", "sklearn"):
    from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["Anonymizer"]

_ENCODE = ("labels", "means")
_UNKNOWN = ("error", "suppress")


class Anonymizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Recode quasi-identifiers so that the records of the training table satisfy a privacy model.

    `fit` anonymizes the table by a method of the literature and keeps the regions of its classes; `transform` shows
    each record, of that table or another, as the class in whose region it lies.

    Parameters
    ----------
    k, t
        Least number of records of a class; greatest distance of a class's sensitive values from those of the table.
    models
        A model or several that must hold too, such as ``tcloseness.EntropyLDiversity(2)``.
    ground
        The ground distance of the sensitive attribute, as `tcloseness.Table` takes it; a t needs one.
    method
        A method whose classes are divided by cuts: ``"mondrian"`` (default) or ``"datafly"``, or a function, see
        `Table.anonymize`.
    hierarchies, categorical
        By name of the feature its hierarchy; features whose numbers are names, as in `Table`. The features of an array
        are called x0, x1, ….
    encode
        ``"labels"`` (default): intervals such as ``(30, 40]``, ancestors of hierarchies, and sets, as text;
        ``"means"``: for a feature of numbers the mean of the class's training records, as a float, and the others,
        also dates and durations, as labels.
    handle_unknown
        What becomes of a record that lies in no region, since one of its categories is in no label: ``"error"``
        (default), or ``"suppress"``: it is shown as ``*`` (a mean as NaN) in all features.
    seed
        For draws and ties of the method: None (default), a secret one.

    Attributes
    ----------
    release_
        The training table as it is anonymized: `tcloseness.release.Anonymized`, with the model's verdict.
    regions_
        The regions of its classes.
    n_features_in_, feature_names_in_
        As in all of scikit-learn.

    Raises
    ------
    InputError
        In `fit`: if no threshold is given, one is out of range, the model asks for the sensitive attribute and there is
        no y, or the method's classes cannot be told apart by cuts (those of MDAV). In `transform`: for a record in no
        region, unless ``handle_unknown="suppress"``.
    NotReached, InfeasibleError
        In `fit`: if the method finds no release, or there is none.

    Notes
    -----
    The model holds for the training table, shown by ``fit(X, y).transform(X)``. **Of other records nothing is
    promised**: there may be one alone in its class, and their sensitive values may be distributed in any way. Audit
    what is published: `tcloseness.check`. Intervals reach from cut to cut and so are wider than those of `release_`,
    whose ends are values of records. y is not transformed, and is used only where the model asks for it.

    Examples
    --------
    >>> frame = pd.DataFrame({"age": [21, 22, 35, 41], "city": ["a", "b", "b", "b"]})
    >>> Anonymizer(k=2).set_output(transform="pandas").fit(frame).transform(frame)
            age    city
    0  (-∞, 22]  {a, b}
    1  (-∞, 22]  {a, b}
    2   (22, ∞)       b
    3   (22, ∞)       b
    >>> Anonymizer(k=2, encode="means").fit([[21], [22], [35], [41]]).transform([[90]])
    array([[38.]])
    """

    def __init__(
        self,
        k: int | None = None,
        t: Number | None = None,
        *,
        models: PrivacyModel | Sequence[PrivacyModel] = (),
        ground: GroundSpec | None = None,
        method: Any = "mondrian",
        hierarchies: Mapping[str, Hierarchy] | None = None,
        categorical: Collection[str] = (),
        encode: Literal["labels", "means"] = "labels",
        handle_unknown: Literal["error", "suppress"] = "error",
        seed: int | None = None,
    ) -> None:
        self.k = k
        self.t = t
        self.models = models
        self.ground = ground
        self.method = method
        self.hierarchies = hierarchies
        self.categorical = categorical
        self.encode = encode
        self.handle_unknown = handle_unknown
        self.seed = seed

    def fit(self, X: Any, y: Any = None) -> Anonymizer:
        """Anonymize a table and learn its recoding.

        Parameters
        ----------
        X
            A frame or an array of shape (records, quasi-identifiers).
        y
            Shape (records,): the sensitive attribute; needed where the model asks for it.
        """
        for name, words in (("encode", _ENCODE), ("handle_unknown", _UNKNOWN)):
            if getattr(self, name) not in words:
                raise InputError(
                    f"{name}={shown_value(getattr(self, name))} is unknown; it is one of {', '.join(words)}"
                )
        frame = self._frame(X, reset=True)
        models = (self.models,) if not isinstance(self.models, Sequence) else tuple(self.models)
        thresholds: dict[str, Any] = {"k": self.k, "t": self.t}
        hidden = "y"
        while hidden in frame.columns:
            hidden += "y"
        table = self._table(frame.assign(**{hidden: 0}), hidden)
        if asks_of_values(table.model(models=models, **thresholds)):
            if y is None:
                raise InputError(
                    "the model asks for the sensitive attribute, and there is no y; give its values: fit(X, y)"
                )
            values = np.asarray(y, dtype=object).reshape(-1) if not isinstance(y, pd.Series) else y.to_numpy(object)
            if len(values) != len(frame):
                raise InputError(f"y has {len(values)} values and X {len(frame)} records; give one for each")
            table = self._table(frame.assign(**{hidden: values}), hidden)
        found = table.anonymize(self.method, seed=self.seed, models=models, **thresholds)
        if not isinstance(found, Anonymized):
            raise InputError(
                f"method {shown_value(self.method)} publishes the sensitive attribute apart and recodes nothing; take "
                "'mondrian' or 'datafly'"
            )
        self.regions_ = Regions.of(found.partition, found.attributes)  # refused, it leaves what was learned before
        self.release_ = found
        return self

    def transform(self, X: Any) -> Any:
        """Show each record as the class in whose region it lies.

        Parameters
        ----------
        X
            A frame or an array with the features of `fit`.

        Returns
        -------
        ndarray
            Shape (records, quasi-identifiers): text, or floats where all features are shown as means; a frame after
            ``set_output(transform="pandas")``.
        """
        check_is_fitted(self, "regions_")
        frame = self._frame(X, reset=False)
        regions, shown = self.regions_, self.regions_.attributes
        found = regions.class_of({name: frame[name].tolist() for name in frame.columns})
        lost = np.flatnonzero(found < 0)
        if len(lost) and self.handle_unknown == "error":
            raise InputError(
                f"{len(lost):,} record(s) lie in no region, first record {int(lost[0])}: no class shows their values; "
                "give the feature a hierarchy that has them, or handle_unknown='suppress'"
            )
        columns: list[Any] = []
        texts = {a.name: np.array([label[i] for label in regions.labels], dtype=object) for i, a in enumerate(shown)}
        every = np.arange(len(regions.labels))
        marker = free_marker(texts, dict.fromkeys(texts, every), every >= 0)
        for attribute in shown:
            if self.encode == "means" and attribute.name in regions.numeric:
                try:
                    means = [float(mean) for mean in regions.means(attribute.name)]
                except OverflowError as error:
                    raise InputError(
                        f"a mean of {attribute.name!r} is beyond the range of doubles; use encode='labels'"
                    ) from error
                columns.append(np.array([*means, np.nan])[found])
            else:
                columns.append(np.array([*texts[attribute.name], marker], dtype=object)[found])
        return np.stack(columns, axis=1)  # of floats if all are

    def _table(self, frame: pd.DataFrame, sensitive: str) -> Table:
        with warnings.catch_warnings():  # features often have as many values as records: they are generalized here
            warnings.filterwarnings("ignore", "column .* has a different value in each of the", TableWarning)
            return Table(
                frame,
                quasi_identifiers=[name for name in frame.columns if name != sensitive],
                sensitive=sensitive,
                ground=self.ground,
                hierarchies=self.hierarchies,
                categorical=self.categorical,
            )

    def _frame(self, X: Any, *, reset: bool) -> pd.DataFrame:
        """Return what scikit-learn admits as a frame; the columns of an array are x0, x1, …."""
        if isinstance(X, pd.DataFrame):
            if not X.shape[1] or not X.columns.is_unique:
                raise InputError(
                    f"X has {counted(X.shape[1], 'feature')}; give one or more, each with a name of its own"
                )
            validate_data(self, X, reset=reset, skip_check_array=True)
            frame = X.reset_index(drop=True)
            if reset or hasattr(self, "feature_names_in_"):
                return frame
            return frame.set_axis([attribute.name for attribute in self.regions_.attributes], axis=1)  # by their places
        checked = validate_data(self, X, reset=reset, dtype=None)
        names = getattr(self, "feature_names_in_", [f"x{i}" for i in range(checked.shape[1])])
        return pd.DataFrame(checked, columns=names)
