"""Agents that play carrom, and the means to train and compare them."""
