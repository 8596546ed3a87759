"""The items of the laws' unnumbered equipment chapter, and what of the simulation has them.

Ids are "I." and the letter of the laws' table, or a word where it gives none. The numbers
stand in ``carrom.board.Board``, with their tolerances.
"""

from __future__ import annotations

_BOARD = "carrom.board.Board."

BUILT: dict[str, tuple[str, tuple[str, ...]]] = {
    "I.A": ("playing surface, a square", (_BOARD + "side",)),
    "I.B": ("width of the frame", (_BOARD + "frame_width",)),
    "I.C": ("diameter of the pockets", (_BOARD + "pocket_diameter",)),
    "I.D": ("base lines: 0.4700 +- 0.0030 long, circles included", (_BOARD + "base_line_length",)),
    "I.E": ("thickness of the base lines", (_BOARD + "base_line_thickness",)),
    "I.F": ("from the frame to the lower base line", (_BOARD + "base_line_from_frame",)),
    "I.G": ("diameter of the base circles", (_BOARD + "base_circle_diameter",)),
    "I.I": ("length of the arrows", (_BOARD + "arrow_length",)),
    "I.J": ("from the arrows' tips to the pockets", (_BOARD + "arrow_tip_gap",)),
    "I.K": ("diameter of the centre circle", (_BOARD + "centre_circle_diameter",)),
    "I.L": ("diameter of the outer circle", (_BOARD + "outer_circle_diameter",)),
    "I.M": ("diameter of the decorative arcs", (_BOARD + "arrow_arc_diameter",)),
    "I.N": ("about 0.0127 between base circles of adjacent sides", (_BOARD + "base_circle_x",)),
    "I.frame height": ("height of the frame", (_BOARD + "frame_height",)),
    "I.base lines": ("from the lower line's edge to the upper", (_BOARD + "base_line_spacing",)),
    "I.base circles": ("red part of the base circles", (_BOARD + "base_circle_red_diameter",)),
    "I.arrows": ("arrows at 45 degrees", (_BOARD + "arrow_thickness",)),
    "I.carrommen": (
        "size and mass of the carrommen",
        tuple(_BOARD + f"carromman_{name}" for name in ("diameter", "thickness", "mass")),
    ),
    "I.striker": (
        "size and mass of the striker",
        tuple(_BOARD + f"striker_{name}" for name in ("diameter", "mass")),
    ),
    "I.speed": (
        "a striker hit with full force makes at least 3.5 runs",
        ("carrom.physics.calibration.ground.runs_of_striker",),
    ),
}
"""Item -> its gist, and the dotted names that have it."""

UNBUILT: dict[str, tuple[str, str]] = {
    "I.plywood": ("surface of plywood at least 0.008 thick", "the surface does not bend"),
    "I.stand": ("stand 0.63 to 0.70 high", "there is nothing below the board"),
    "I.seat": ("seats 0.40 to 0.50 high, without arm rests", "there are no bodies to sit"),
    "I.net": ("nets hold at least 10 C/m", "what falls leaves the scene"),
    "I.light": ("a bulb of 60 to 100 W with a white shade", "light matters to pictures only"),
    "I.powder": ("dry, fine powder, evenly spread", "part of the friction of the surface"),
}
"""Item -> its gist, and why there is no need for it."""

EQUIPMENT: dict[str, str] = {item: text for item, (text, _) in (BUILT | UNBUILT).items()}
"""Item -> its gist; metres."""
