"""Replays: an episode in a file, to be verified, watched and shown.

``CarromEnv.replay``, ``CarromAECEnv.replay`` and ``CarromVectorEnv.replays`` record, in
environments made with ``record=True``; ``scripts/replay.py`` shows.
"""

from carrom.replay.file import load, save
from carrom.replay.films import film_of, filmed
from carrom.replay.page import html
from carrom.replay.replay import Replay
from carrom.replay.verifying import Difference, Verdict, verify

__all__ = [
    "Difference",
    "Replay",
    "Verdict",
    "film_of",
    "filmed",
    "html",
    "load",
    "save",
    "verify",
]
