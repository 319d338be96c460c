"""Conformance: test vectors with right answers, and a protocol to ask any implementation in any language.

| module | question |
|---|---|
| `algorithms`, `inputs`, `answers`, `exact_text` | what is asked and answered, and how numbers are written |
| `models`, `reference` | the right answer, twice: by the package's models, and from the definition |
| `readings` | what other conventions and known mistakes answer |
| `candidates`, `paper_tables`, `generate`, `lint`, `vectors` | how vectors are made, checked, and read |
| `protocol`, `process`, `harness`, `runner` | how an implementation is asked |
| `assessment`, `shrink`, `reports`, `pytest_plugin` | what is said of its answers |
| `adapters` | harnesses of other implementations |
"""
