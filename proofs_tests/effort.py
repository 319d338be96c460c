"""How many examples a property test tries, as a share of the profile's, so that a deeper profile deepens every test."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import settings

__all__ = ["effort", "thorough"]


def effort(share: Fraction | float) -> settings:
    """Settings with this share of the profile's examples: less for a test that is dear, or has many parameters."""
    return settings(max_examples=max(1, round(settings().max_examples * share)))


def thorough(least: int = 200) -> settings:
    """Settings with at least so many examples, or as many as a deeper profile has: for a law that costs little."""
    profile = settings().max_examples
    return settings(max_examples=max(least, profile) if profile >= 20 else profile)
