"""What the engine does, measured against what it should do."""
