"""The umpire as somebody to ask: questions in plain words, and answers in sentences."""

from carrom.laws.asking.answer import answer
from carrom.laws.asking.dialogue import umpire_a_board
from carrom.laws.asking.explain import explain
from carrom.laws.asking.vocabulary import HELP

__all__ = ["HELP", "answer", "explain", "umpire_a_board"]
