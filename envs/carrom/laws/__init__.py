"""The umpire: the AICF laws as pure functions on small integer arrays."""
