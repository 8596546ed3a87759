"""The fast engine: many strokes at once in JAX, from event to event in closed form."""
