"""Pictures and text of a position."""
