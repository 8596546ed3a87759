"""The fast engine: many strokes at once in JAX, from event to event in closed form.

``engine`` has the reference engine's interface. ``strokes`` has the functions on arrays, for
use in other jitted code: lanes that are refilled (``play_stream``), or all strokes of a batch
side by side (``play_batch``). The loop itself is ``event.advance``: one event in every lane,
found by ``contact``, ``frame`` and ``pockets`` and resolved by ``impact``, or by ``springs``
where contacts overlap in time.
"""
