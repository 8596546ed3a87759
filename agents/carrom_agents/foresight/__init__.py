"""A player that foresees what strikes come to, and how it is taught by rehearsals."""
