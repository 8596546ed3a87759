"""Soaks: random play without end, checked at every stroke against the text of the laws.

``facts`` draws what happens, ``rows`` and ``demands`` say what the laws make of it, written
from the laws and not from the umpire, and ``umpire`` plays. ``boards`` does the same on real
strokes through the vector environment. ``report`` puts the figures into words.
"""
