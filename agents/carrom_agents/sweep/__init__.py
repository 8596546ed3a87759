"""Sweeps: several settings, each with several seeds, and what can be said about them."""
