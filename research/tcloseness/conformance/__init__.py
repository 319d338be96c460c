"""Conformance: test vectors with right answers, and a protocol to ask any implementation in any language.

| module | question |
|---|---|
| `algorithms`, `inputs`, `answers`, `exact_text` | what is asked and answered, and how numbers are written |
| `models`, `definition`, `flow` | the right answer, twice: by the package's models, and from the definition |
| `readings` | what other conventions and known mistakes answer |
| `candidates`, `paper_tables`, `generate`, `lint`, `vectors` | how vectors are made, checked, and read |
| `protocol`, `process`, `harness`, `runner`, `judge`, `warned`, `shrink` | how an implementation is asked, and judged |
| `words`, `matrix`, `junit`, `badge`, `pytest_plugin` | how it is reported |
| `adapters` | harnesses of other implementations |
"""
