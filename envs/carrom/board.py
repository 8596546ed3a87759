"""The carrom board: every dimension of the laws' equipment chapter, with its tolerance.

Frame of reference, used by the whole package: metres, origin at the board's centre, x to
the right and y away from seat 0, seen from above. Seat ``k`` looks at the board from the
side reached by turning seat 0 counter-clockwise by ``k`` quarter turns, so the seats run
0, 1, 2, 3 counter-clockwise and ``seat + 1`` is the player on the right (laws 29, 49.b).
"""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carrom.errors import BoardError


def _dimension(default: float, low: float, high: float, law: str) -> Any:
    """A dataclass field holding a legal default, its legal range and the rule that sets it."""
    return dataclasses.field(default=default, metadata={"range": (low, high), "law": law})


# The laws give no lower limit for the striker. It must touch both base lines and be able
# to cover a base circle (130), so it cannot be smaller than either distance.
_SMALLEST_STRIKER = 0.0318


@dataclass(frozen=True)
class Board:
    """Dimensions in metres and kilograms; the defaults are those of a regulation board (law 3).

    The letters are those of the laws' equipment table. The default side is 29 inches,
    the only one at which the base lines have exactly their nominal length of 0.4700.

    Raises:
        BoardError: a dimension lies outside its tolerance; names the law, the value and
            the legal range.
    """

    side: float = _dimension(0.7366, 0.7350, 0.7400, "equipment A (playing surface)")
    frame_height: float = _dimension(0.0222, 0.0190, 0.0254, "equipment (frame height)")
    frame_width: float = _dimension(0.0700, 0.0635, 0.0760, "equipment B (frame width)")
    pocket_diameter: float = _dimension(0.0445, 0.0430, 0.0460, "equipment C (pockets)")
    base_line_thickness: float = _dimension(0.0050, 0.0050, 0.0065, "equipment E (base lines)")
    base_line_from_frame: float = _dimension(0.1015, 0.1015, 0.1015, "equipment F (base lines)")
    base_line_spacing: float = _dimension(0.0318, 0.0318, 0.0318, "equipment (base lines)")
    base_circle_diameter: float = _dimension(0.0318, 0.0318, 0.0318, "equipment G (base circles)")
    base_circle_red_diameter: float = _dimension(0.0254, 0.0254, 0.0254, "equipment (base circles)")
    arrow_thickness: float = _dimension(0.0015, 0.0001, 0.0015, "equipment (arrows)")
    arrow_length: float = _dimension(0.2670, 0.0500, 0.2670, "equipment I (arrows)")
    arrow_tip_gap: float = _dimension(0.0500, 0.0500, 0.0500, "equipment J (arrows)")
    arrow_arc_diameter: float = _dimension(0.0635, 0.0635, 0.0635, "equipment M (arrows)")
    centre_circle_diameter: float = _dimension(
        0.0318, 0.0302, 0.0334, "equipment K (centre circle)"
    )
    outer_circle_diameter: float = _dimension(0.1700, 0.1670, 0.1730, "equipment L (outer circle)")
    carromman_diameter: float = _dimension(0.0318, 0.0302, 0.0318, "equipment (carrommen)")
    carromman_thickness: float = _dimension(0.0080, 0.0070, 0.0090, "equipment (carrommen)")
    carromman_mass: float = _dimension(0.0055, 0.00525, 0.00550, "equipment (carrommen)")
    striker_diameter: float = _dimension(
        0.0413, _SMALLEST_STRIKER, 0.0413, "equipment (striker) and 130"
    )
    striker_mass: float = _dimension(0.0150, 0.0050, 0.0150, "equipment (striker)")

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            _check(field.name, getattr(self, field.name), *_limits(field))
        _check("base_line_length", self.base_line_length, 0.4670, 0.4730, "equipment D")

    # ---- lengths that follow from the dimensions -------------------------------------

    @property
    def half_side(self) -> float:
        """Distance of the frames from the centre."""
        return self.side / 2

    @property
    def pocket_radius(self) -> float:
        """Radius of the pockets and of the corner arcs behind them."""
        return self.pocket_diameter / 2

    @property
    def pocket_offset(self) -> float:
        """|x| and |y| of the pocket centres: pockets are tangent to both frames (U15)."""
        return self.half_side - self.pocket_radius

    @property
    def carromman_radius(self) -> float:
        """Radius of the 19 carrommen."""
        return self.carromman_diameter / 2

    @property
    def striker_radius(self) -> float:
        """Radius of the striker."""
        return self.striker_diameter / 2

    @property
    def base_circle_radius(self) -> float:
        """Radius of the base circles."""
        return self.base_circle_diameter / 2

    @property
    def base_circle_x(self) -> float:
        """|x| of a base circle's centre in its seat's frame.

        Each circle also touches the prolonged upper line of the neighbouring side, which
        fixes it, and with it the gap between them (equipment N: about 0.0127).
        """
        upper_line = self.half_side - self.base_line_from_frame - self.base_line_spacing
        return upper_line - self.base_circle_radius

    @property
    def base_line_y(self) -> float:
        """The y of the middle between the two base lines, in the seat's frame (negative)."""
        return -(self.half_side - self.base_line_from_frame - self.base_line_spacing / 2)

    @property
    def base_line_length(self) -> float:
        """Length of the base lines including the circles (equipment D: 0.4700 +- 0.0030)."""
        return 2 * (self.base_circle_x + self.base_circle_radius)

    @property
    def placing_radii(self) -> tuple[float, float]:
        """Least and largest distance from the centre at which a due may lie.

        The whole disc lies inside the outer circle (84.a, A26) and does not cover the
        centre circle (89.b, A27).
        """
        radius = self.carromman_radius
        return (
            self.centre_circle_diameter / 2 + radius,
            self.outer_circle_diameter / 2 - radius,
        )

    @functools.cached_property
    def pocket_centres(self) -> NDArray[np.float64]:
        """Pocket centres, shape (4, 2), counter-clockwise from seat 0's near right corner.

        Pocket ``j`` of seat ``k``'s view is pocket ``(j + k) % 4`` of the board.
        """
        c = self.pocket_offset
        centres = np.array([[c, -c], [c, c], [-c, c], [-c, -c]])
        centres.setflags(write=False)
        return centres

    @functools.cached_property
    def radii(self) -> NDArray[np.float64]:
        """Radii of the 20 discs in index order (see ``carrom.pieces``), shape (20,)."""
        return _per_disc(self.carromman_radius, self.striker_radius)

    @functools.cached_property
    def masses(self) -> NDArray[np.float64]:
        """Masses of the 20 discs in index order (see ``carrom.pieces``), shape (20,)."""
        return _per_disc(self.carromman_mass, self.striker_mass)


def _per_disc(carromman: float, striker: float) -> NDArray[np.float64]:
    values = np.full(20, carromman)
    values[-1] = striker
    values.setflags(write=False)
    return values


def _limits(field: dataclasses.Field[Any]) -> tuple[float, float, str]:
    low, high = field.metadata["range"]
    return low, high, field.metadata["law"]


def _check(name: str, value: float, low: float, high: float, law: str) -> None:
    # A nanometre of slack: the limits are decimal, the sums that reach them are not.
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (number and low - 1e-9 <= value <= high + 1e-9):  # also catches NaN
        wanted = f"{low:g}" if low == high else f"{low:g} to {high:g}"
        unit = "kg" if name.endswith("mass") else "m"
        raise BoardError(f"{name} = {value!r:.60} {unit}: {law} allows {wanted} {unit}")


def legal_range(name: str) -> tuple[float, float]:
    """Smallest and largest value the laws allow for the dimension ``name``.

    Raises:
        KeyError: there is no such dimension.
    """
    for field in dataclasses.fields(Board):
        if field.name == name:
            return field.metadata["range"]
    raise KeyError(name)


def to_board(points: NDArray[np.float64], seat: int) -> NDArray[np.float64]:
    """Turn points of shape (..., 2) from ``seat``'s frame into the board's, exactly."""
    return _quarter_turns(points, seat)


def to_seat(points: NDArray[np.float64], seat: int) -> NDArray[np.float64]:
    """Turn points of shape (..., 2) from the board's frame into ``seat``'s, exactly."""
    return _quarter_turns(points, -seat)


def _quarter_turns(points: NDArray[np.float64], turns: int) -> NDArray[np.float64]:
    x, y = points[..., 0], points[..., 1]
    turned = ((x, y), (-y, x), (-x, -y), (y, -x))[turns % 4]
    # 0.0 is added so that a turned zero is not a negative zero: equal boards stay bit-equal.
    return np.stack(turned, axis=-1) + 0.0
