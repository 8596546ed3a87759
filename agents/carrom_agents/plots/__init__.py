"""Plots, one module and one function each, in one style."""
