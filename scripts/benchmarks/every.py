"""All benches: importing their modules has registered them."""

from . import environments, peer, pictures, planar, reference, training
from .measure import BENCHES

SUBJECTS = (planar, reference, peer, environments, training, pictures)
"""The modules whose benches there are."""

__all__ = ["BENCHES", "SUBJECTS"]
