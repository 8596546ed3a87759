"""What both engines have in common beside the materials: laws that are one number or one line."""

from __future__ import annotations

from typing import Any

CORNER_HOP = 0.03
"""Least speed off a corner's arc, as a fraction of the speed.

Without it a disc that slides into an arc hops along it without end.
"""
REST_SPEED = 5e-4
"""A disc slower than this loses its spin, m/s: the rest is straight and under 0.2 um."""
SPEED_LIMIT = 1e3
"""No disc of a computation that makes sense is faster, m/s."""


def fall_radius(radius: Any, edge_rounding: Any, fall_factor: Any, pocket_radius: Any) -> Any:
    """Radius of a disc's fall circle about a pocket's centre, m; numbers or arrays.

    A flat disc tips when the board under it no longer holds its centre, that is when the
    centre is within sqrt(r_p^2 - R_flat^2) of the pocket's; R_flat is the underside's radius.
    """
    return fall_factor * (pocket_radius**2 - (radius - edge_rounding) ** 2) ** 0.5
