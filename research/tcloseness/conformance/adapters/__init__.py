"""Harnesses of other implementations, one module each: ``python -m tcloseness.conformance.adapters.<module>``.

An adapter runs in the environment of its implementation. It imports that, the standard library, pandas where the
implementation takes data frames, and beside it only `serving` and `frames`. It calls the implementation as that one's
own documentation says; what the documentation excludes is skipped with the reason, and nothing is corrected.

| module | implementation | how it is asked |
|---|---|---|
| `pycanon` | pyCANON | `pycanon.anonymity` and `pycanon.metrics` on a data frame |
| `anjana` | ANJANA | whether the anonymizer hands the table back as it was |
| `anonypyx` | anonypyx | its models on each class; columns of text as categories or as objects |
| `anonypy` | anonypy | its tests of one class |
| `anonymity_api` | anonymity-api | `anonymity_api.verify` on a data frame |
| `qidlearninglib` | QIDLearningLib | `metrics.data_privacy` on a data frame, the worst class |
| `privacy_preserver` | privacy-preserver | its tests of one class |
| `emd` | POT, SciPy, pyemd, OR-Tools, networkx | as they are called for two distributions and a matrix |
"""
