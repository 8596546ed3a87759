"""Colours and other matters of taste: nothing here is set by the laws."""

from __future__ import annotations

from dataclasses import dataclass

RGB = tuple[int, int, int]


@dataclass(frozen=True)
class Style:
    """How the board looks. Colours are red, green, blue from 0 to 255.

    Attributes:
        surface: the playing surface's wood.
        ink: black markings.
        red: red markings.
        frame: the frame's wood.
        table: what the board stands on.
        room: all around.
        net, cord: the nets' holes and cords.
        discs: face and groove of white, black, queen, striker (``carrom.pieces.Colour``).
        grain: relative strength of the wood's grain.
        surface_pixels: side of the surface's picture, pixels.
    """

    surface: RGB = (228, 190, 130)
    ink: RGB = (28, 22, 20)
    red: RGB = (186, 30, 38)
    frame: RGB = (104, 54, 28)
    table: RGB = (58, 66, 74)
    room: RGB = (26, 29, 34)
    net: RGB = (24, 19, 17)
    cord: RGB = (150, 140, 122)
    discs: tuple[tuple[RGB, RGB], ...] = (
        ((246, 236, 212), (214, 190, 146)),
        ((44, 42, 44), (86, 82, 82)),
        ((212, 34, 48), (246, 150, 140)),
        ((74, 132, 214), (226, 238, 252)),
    )
    grain: float = 0.035
    surface_pixels: int = 2048


DEFAULT_STYLE = Style()
"""Light plywood, dark frames."""
