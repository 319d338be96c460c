"""Harnesses of other implementations, one file an implementation: a place that is kept for them.

An adapter is a harness as any other (see `tcloseness.conformance.protocol`). It runs in the environment of its
implementation, so it imports that and the standard library, and nothing of this package.
"""
