"""The errors this package raises on bad input. All are ``ValueError`` but the physics one."""

from __future__ import annotations


class CarromError(Exception):
    """Base of every error raised on purpose by this package."""


class BoardError(CarromError, ValueError):
    """A dimension or a layout is not one the laws allow."""


class ActionError(CarromError, ValueError):
    """An action is not a number, has the wrong shape or lies outside its space."""


class ConfigError(CarromError, ValueError):
    """An unknown name or a bad value was given as an option."""


class FactsError(CarromError, ValueError):
    """The facts of a stroke contradict the position they are applied to."""


class RenderError(CarromError, RuntimeError):
    """There is nothing to draw with: no graphics back end, no display, no encoder."""


class CheckpointError(CarromError, ValueError):
    """A saved agent is missing, damaged, or made for another network."""
