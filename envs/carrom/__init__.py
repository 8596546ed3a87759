"""Carrom by the AICF laws, as reinforcement-learning environments."""
