"""Search one stroke ahead: candidates, their rollouts, and the worth of what they leave.

Who proposes and who evaluates are arguments, so that learned policies and values serve the
same search as the scripted ones.
"""

from carrom_agents.planner.candidates import Candidate, candidates
from carrom_agents.planner.halving import Round
from carrom_agents.planner.player import Planner, planner
from carrom_agents.planner.proposing import Propose, ScriptedProposals
from carrom_agents.planner.rollouts import Evaluate
from carrom_agents.planner.worth import StaticWorth

__all__ = [
    "Candidate",
    "Evaluate",
    "Planner",
    "Propose",
    "Round",
    "ScriptedProposals",
    "StaticWorth",
    "candidates",
    "planner",
]
