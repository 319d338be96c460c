"""From Python to proof: functions of the package as definitions of Coq, about which `proofs_tests/coq/kernels` proves.

`translation` writes a function in Gallina, Coq's language, from its syntax tree; `functions` lists those that are
translated. ``Generated.v`` holds what it writes, and is committed; docs/proofs.md says what is proved and what is
trusted.
"""
