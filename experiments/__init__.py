"""The studies: what the papers report on real data, run again with this package, beside their own numbers."""
