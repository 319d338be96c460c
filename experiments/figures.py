"""Figures of the studies: each is drawn once, and saved twice, for a wide screen and for a phone."""

from __future__ import annotations

__all__ = ["NARROW"]

NARROW = "_narrow"
"""What a figure's name ends with where its panels are one below the other, for a narrow screen."""
