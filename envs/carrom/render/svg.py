"""Shapes as SVG text: one picture by itself, without fonts, scripts or addresses."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from carrom.render.shapes import Disc, Drawing, Label, Line, Points, Polygon, Shape, printable
from carrom.render.style import RGB

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"


def svg(drawing: Drawing) -> str:
    """The drawing as an SVG document; a unit is a millimetre, all text is escaped."""
    width, height = drawing.right - drawing.left, drawing.high - drawing.low
    box = f"{_mm(drawing.left)} {_mm(-drawing.high)} {_mm(width)} {_mm(height)}"
    title = escape(printable(drawing.title))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{_mm(width)}" '
        f'height="{_mm(height)}" style="max-width:100%;height:auto" role="img" '
        f'aria-label="{title}">',
        f"<title>{title}</title>",
        f'<rect x="{_mm(drawing.left)}" y="{_mm(-drawing.high)}" width="{_mm(width)}" '
        f'height="{_mm(height)}" fill="{_hex(drawing.paper)}"/>',
        *svg_elements(drawing.shapes),
        "</svg>",
    ]
    return "\n".join(parts)


def svg_elements(shapes: Iterable[Shape]) -> list[str]:
    """One SVG element per shape, in millimetres with y downwards."""
    return [_element(shape) for shape in shapes]


def _element(shape: Shape) -> str:
    match shape:
        case Disc():
            return (
                f'<circle cx="{_mm(shape.x)}" cy="{_mm(-shape.y)}" r="{_mm(shape.radius)}" '
                f'fill="{_hex(shape.fill)}"{_edge(shape.edge, shape.width, shape.dashed)}/>'
            )
        case Polygon():
            return f'<polygon points="{_points(shape.points)}" fill="{_hex(shape.fill)}"/>'
        case Line():
            opacity = f' stroke-opacity="{shape.opacity:g}"' if shape.opacity < 1 else ""
            return (
                f'<polyline points="{_points(shape.points)}" fill="none"'
                f"{_edge(shape.colour, shape.width, shape.dashed)}{opacity}"
                f' stroke-linejoin="round"/>'
            )
        case Label():
            anchor = ' text-anchor="middle" dominant-baseline="central"' if shape.centred else ""
            weight = ' font-weight="700"' if shape.bold else ""
            return (
                f'<text x="{_mm(shape.x)}" y="{_mm(-shape.y)}" font-size="{_mm(shape.size)}" '
                f'font-family="{_FONT}" fill="{_hex(shape.colour)}"{anchor}{weight}>'
                f"{escape(printable(shape.text))}</text>"
            )


def _edge(colour: RGB | None, width: float, dashed: bool) -> str:
    if colour is None:
        return ""
    dashes = f' stroke-dasharray="{_mm(4 * width)} {_mm(3 * width)}"' if dashed else ""
    return f' stroke="{_hex(colour)}" stroke-width="{_mm(width)}"{dashes}'


def _points(points: Points) -> str:
    return " ".join(f"{_mm(x)},{_mm(-y)}" for x, y in points.tolist())


def _mm(metres: float) -> str:
    """Millimetres to a hundredth, without trailing zeros or a negative zero."""
    return f"{round(1000 * metres, 2) + 0.0:g}" if abs(metres) < 1 else f"{1000 * metres:.2f}"


def _hex(colour: RGB | None) -> str:
    return "none" if colour is None else "#{:02x}{:02x}{:02x}".format(*colour)
