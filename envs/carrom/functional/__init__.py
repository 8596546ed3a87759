"""Carrom as pure JAX functions, so that whole training runs stay on the device."""

from carrom.functional.batching import as_batch
from carrom.functional.codings import Action
from carrom.functional.environment import Functional, autoreset
from carrom.functional.failures import stroke_dump
from carrom.functional.opponents import Player, random_player
from carrom.functional.sight import Sight
from carrom.functional.state import Booked, Outcome, State, Strike, Transition

__all__ = [
    "Action",
    "Booked",
    "Functional",
    "Outcome",
    "Player",
    "Sight",
    "State",
    "Strike",
    "Transition",
    "as_batch",
    "autoreset",
    "random_player",
    "stroke_dump",
]
