"""Tournaments: who plays whom, every start twice with the places swapped, kept game by game."""
