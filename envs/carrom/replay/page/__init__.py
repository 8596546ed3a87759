"""A replay as one HTML file that needs nothing else: board, motion, rulings and score."""

from carrom.replay.page.document import html

__all__ = ["html"]
