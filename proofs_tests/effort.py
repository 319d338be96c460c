"""How many examples a property test tries, as a share of the profile's, so that a deeper profile deepens every test."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import settings

__all__ = ["effort"]


def effort(share: Fraction | float) -> settings:
    """Settings with this share of the profile's examples: less for a test that is dear, or has many parameters."""
    return settings(max_examples=max(1, round(settings().max_examples * share)))
